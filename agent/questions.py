"""Asking a player what it would do at a decision, outside any match.

::

    player = ready_player("default", load_gamedef())
    answer = ask_player(player, parse_decision("R250 C X B300", "Qs Jh 2h", "AhKd"))
    answer.strategy()             # {"f": 0.0, "c": 0.91, "r1650": 0.09}
    answer.explanation.layer      # "quick"
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.limit.explanation import ExplainsLimit, LimitExplanation
from hedgehog.agent.options import Options
from hedgehog.agent.player import ExplainsStrategy, Player, ReportsStrategy, ValuesPreflop
from hedgehog.agent.reported_strategy import filled_ranges, reported_ranges, reported_strategy
from hedgehog.agent.strategy.explanation import Explanation
from hedgehog.agent.strategy.preflop_evs import DecisionEvs
from hedgehog.poker.acpc.betting_line import parse_betting_line
from hedgehog.poker.acpc.gamedef import UNLIMITED_STACK, GameDef, load_gamedef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.cards import (
    COMBO_CARDS,
    NUM_CARDS,
    NUM_COMBOS,
    combo_index,
    combo_mask,
    format_card,
    format_cards,
    format_combo,
    parse_cards,
)
from hedgehog.poker.hand_grid import action_styles
from hedgehog.poker.hand_strategy import HandStrategy, ShowsStrategy, format_percent
from hedgehog.poker.state import NOBODY, HandState
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.errors import CardError, GamedefError, InputError, MatchStateError


@dataclass(frozen=True, slots=True, repr=False)
class Decision:
    """A public state in which a player is to act, and perhaps the hole cards of this player."""

    state: HandState
    board: tuple[int, ...]
    combo: int | None = None
    """The hole cards of the player to act as a combo 0 .. 1325; None: the question is about the whole range."""

    @property
    def pot(self) -> int:
        """Number of chips in the pot, the bet to call included."""
        return sum(self.state.spent)

    @property
    def to_call(self) -> int:
        """Number of chips that a call costs."""
        return self.state.max_spent - self.state.spent[self.state.acting_position]

    @property
    def stack(self) -> int | None:
        """Number of chips that the player to act has left; None if the game does not limit them."""
        position = self.state.acting_position
        stack = self.state.gamedef.stacks[position]
        return None if stack == UNLIMITED_STACK else stack - self.state.spent[position]

    def summary(self) -> str:
        """Returns the board, the hole cards, the betting, and the pot."""
        cards = format_cards(self.board, " ") if self.board else "before the flop"
        hand = "" if self.combo is None else f" with {format_combo(self.combo)}"
        line = self.state.betting_string() or "the blinds"
        return f"{cards}{hand}, after {line}, pot {self.pot:,}"

    def __repr__(self) -> str:
        """Returns the decision in one line."""
        return f"<Decision: {self.summary()}>"


def parse_decision(
    line: str,
    board: str = "",
    hand: str | None = None,
    *,
    gamedef: GameDef | None = None,
    by_street: bool | None = None,
) -> Decision:
    """Returns the decision at the end of a betting line.

    :param line: the betting so far, such as ``R250 C X B300``, in a notation of
        :mod:`hedgehog.poker.acpc.betting_line`.
    :param board: the board cards, such as ``Qs Jh 2h``.
    :param hand: the two hole cards of the player to act; None: the question is about the whole range.
    :param gamedef: a two-player hold'em game, or limit hold'em for three; by default heads-up no-limit hold'em.
    :param by_street: True: sizes in ``line`` are totals on their street. False: they are totals over the hand. None:
        they are totals on their street if the line has an ``X``, ``B``, ``A`` or ``k``, else totals over the hand.
    :raises GamedefError: if the game is neither two-player hold'em nor limit hold'em for three.
    :raises MatchStateError: with source ``line``, if the betting is illegal or the hand is over.
    :raises CardError: with source ``board`` or ``hand``, if cards are malformed or repeated, or their number is wrong.
    """
    gamedef = load_gamedef() if gamedef is None else gamedef
    three = gamedef.num_players == 3 and not gamedef.no_limit and gamedef.is_holdem
    if not three and (gamedef.num_players != 2 or gamedef.num_hole_cards != 2 or len(gamedef.deck()) != NUM_CARDS):
        raise GamedefError(
            "expected a game for two players with two hole cards from 52, or limit hold'em for three players"
        )
    try:
        state = parse_betting_line(line, gamedef, by_street=by_street)
    except MatchStateError as error:
        error.source = "line"
        raise
    if state.acting_position == NOBODY:
        raise MatchStateError("the hand is over at the end of the betting: nobody is to act", source="line")
    cards = _parse_cards(board, "board")
    expected = gamedef.board_cards_by(state.round)
    if len(cards) != expected:
        where = f"on the {STREETS[state.round]}" if state.round else "before the flop"
        raise CardError(
            f"expected {expected or 'no'} cards {where}, where the betting ends, got {len(cards)}", source="board"
        )
    return Decision(state, cards, None if hand is None else _parse_hand(hand, cards))


def _parse_cards(text: str, source: str) -> tuple[int, ...]:
    try:
        return tuple(parse_cards(text))
    except CardError as error:
        error.source = source
        raise


def _parse_hand(text: str, board: tuple[int, ...]) -> int:
    cards = _parse_cards(text, "hand")
    if len(cards) != 2:
        raise CardError(f"expected two cards such as AhKd, got {text!r}", source="hand")
    repeated = sorted(set(cards) & set(board))
    if repeated:
        raise CardError(f"{format_card(repeated[0])} is both in the hand and on the board", source="hand")
    return combo_index(*cards)


@dataclass(frozen=True, slots=True, repr=False)
class Answer(ShowsStrategy):
    """A player's strategy at a decision, and where the strategy comes from."""

    decision: Decision
    options: Options
    """The legal actions and the strategy of every combo."""
    explanation: Explanation | None
    """Where the strategy comes from; None if the player cannot tell."""
    weights: NDArray[np.float64]
    """(1326,) weights of the range of the player to act."""
    evs: DecisionEvs | None = None
    """What the actions before the flop are worth to the hand; None without a hand, or if the player cannot tell."""
    limit: LimitExplanation | None = None
    """Which decisions of which strategy answer in limit hold'em; None without a hand, or if the player cannot tell."""
    own_range: bool = True
    """False if the player itself never gets to the decision: then all hands count alike."""

    def strategy(self) -> dict[str, float]:
        """Returns the probability of each action by its ACPC text; of the hand if there is one, else of the range."""
        combo = self.decision.combo
        shares = self.range_strategy() if combo is None else self.options.probabilities[:, combo]
        return {str(action): float(share) for action, share in zip(self.options.actions, shares, strict=True)}

    def range_strategy(self) -> NDArray[np.float64]:
        """Returns (actions,): the probability that the range takes each action; zeros for an empty range."""
        total = float(self.weights.sum())
        taken = self.options.probabilities @ self.weights
        return np.asarray(taken / total if total > 0 else np.zeros(len(self.options.actions)))

    def equities(self) -> tuple[float | None, float] | None:
        """Returns the all-in equity, from 0 to 1, of the hand and of the range against the opponent's range.

        The equity of the hand is None if the question is about the range. The result is None before the flop, if a
        range is empty, or if the player cannot explain its strategy.
        """
        if self.explanation is None:
            return None
        decision = self.decision
        return expected_equities(self.explanation, decision.combo, decision.state.acting_position, decision.board)

    def hand_strategy(self) -> HandStrategy:
        """Returns the strategy of all hands of the range, with actions in ACPC notation."""
        state, board = self.decision.state, self.decision.board
        last = state.gamedef.stacks[state.acting_position]
        tokens = ["A" if action.size == last else str(action) for action in self.options.actions]
        return HandStrategy(
            self.decision.summary(),
            tuple(map(str, self.options.actions)),
            self.options.probabilities,
            np.clip(self.weights, 0, 1) * combo_mask(board),
            styles=tuple(action_styles(tokens)),
        )

    def summary(self) -> str:
        """Returns the decision, and the probability of each action; of the hand if there is one, else of the range."""
        shares = ", ".join(f"{action} {format_percent(share)}" for action, share in self.strategy().items())
        return f"{self.decision.summary()}: {shares}"


def ask_player(player: Player, decision: Decision) -> Answer:
    """Returns a player's strategy at a decision and, if the player can explain it, where the strategy comes from.

    :param player: a player that is ready for the game of the decision (:func:`hedgehog.agent.specs.ready_player`).
    :param decision: a decision of :func:`parse_decision`.
    :raises InputError: if the player cannot report its strategy.
    """
    state, board = decision.state, decision.board
    hidden: tuple[tuple[int, ...], ...] = ((),) * state.gamedef.num_players
    matchstate = MatchState(state.acting_position, 0, hidden, board, state)
    if isinstance(player, ExplainsStrategy):
        explanation = player.explain(matchstate)
        evs = None
        if isinstance(player, ValuesPreflop) and decision.combo is not None and not board:
            evs = player.preflop_evs(matchstate, decision.combo)
        return Answer(decision, explanation.options, explanation, explanation.ranges[state.acting_position], evs)
    if isinstance(player, ReportsStrategy):
        limit = None
        if isinstance(player, ExplainsLimit) and decision.combo is not None:
            limit = player.explain_limit(_with_hand(matchstate, decision.combo))
        weights, own = filled_ranges(reported_ranges(player, matchstate), board)
        at = state.acting_position
        return Answer(
            decision,
            reported_strategy(player, matchstate),
            None,
            weights[at],
            limit=limit,
            own_range=bool(own[at]),
        )
    raise InputError(f"the player {player.name!r} does not tell how it would act")


def _with_hand(matchstate: MatchState, combo: int) -> MatchState:
    hands = list(matchstate.hole_cards)
    low, high = COMBO_CARDS[combo].tolist()
    hands[matchstate.position] = (low, high)
    return matchstate._replace(hole_cards=tuple(hands))


def expected_equities(
    explanation: Explanation, combo: int | None, position: int, board: tuple[int, ...]
) -> tuple[float | None, float] | None:
    """Returns the all-in equity, from 0 to 1, of a hand and of its player's range against the opponent's range.

    :param explanation: holds the ranges of both players.
    :param combo: the hand as a combo 0..1325; None: the equity of the hand is None.
    :param position: position of the player who holds the hand.
    :param board: card ids of the board.
    :returns: the two equities; None before the flop, where they would take seconds, and if a range is empty.
    """
    from hedgehog.poker.evaluation.equity import range_equity  # imports numba, which parsing a decision does not need

    if len(board) < 3:
        return None
    ranges = (explanation.ranges * combo_mask(board)).astype(np.float32)
    own, opponent = ranges[position], ranges[1 - position]
    if not own.any() or not opponent.any():
        return None
    of_hand = None
    if combo is not None:
        hand = np.zeros(NUM_COMBOS, dtype=np.float32)
        hand[combo] = 1
        of_hand = range_equity(hand, opponent, board).equity
    return of_hand, range_equity(own, opponent, board).equity
