"""One real hand between two players, from any source: antes, unequal stacks and rake included."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from hedgehog.analysis.histories.action_kinds import CALL, CHECK, FOLD, RAISE
from hedgehog.analysis.histories.left_out import LeftOutError
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import LoggedHand, format_value
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.state import Action, HandState
from hedgehog.runtime.errors import LogError

MOST_CHIPS: Final = 2**53
"""More chips than this are refused, so that every amount is exact as a float, too."""
MOST_ACTIONS: Final = 255
ROUNDS: Final = 4
BIG_BLIND: Final = 0
SMALL_BLIND: Final = 1
_UNKNOWN_WINNINGS: Final = "winnings that are not known"
"""The kind of hands whose winnings the source does not say."""
INCOMPLETE_BLIND: Final = "an incomplete blind, which no ACPC log can hold"
"""The kind of hands in which somebody posts less than its blind."""
_ESCAPES: Final = {"|": "\\x7c", "\n": "\\n", "\r": "\\r"}


class RealAction(NamedTuple):
    """An action of a real hand, as the file has it."""

    seat: int
    """0 for the big blind, 1 for the small blind."""
    letter: str
    """``f`` (fold), ``c`` (check or call) or ``r`` (bet or raise)."""
    to: int = 0
    """Street total to which a bet or raise goes."""
    paid: int | None = None
    """Chips that the source says a check or call costs; None if it does not say."""


@dataclass(frozen=True, slots=True)
class RealHand:
    """One finished hand between two players; pairs are (big blind, small blind). Amounts are in the smallest unit."""

    hand: int
    """Number of the hand at its source."""
    names: tuple[str, str]
    stacks: tuple[int, int]
    """Chips before blinds and antes."""
    posts: tuple[int, int]
    """Live blinds that each player has put in."""
    blinds: tuple[int, int]
    """Big blind and small blind of the game."""
    dead: tuple[int, int]
    """Antes and dead posts that each player has put in."""
    rounds: tuple[tuple[RealAction, ...], ...]
    """Actions of every round that began."""
    hole_cards: tuple[tuple[int, ...], tuple[int, ...]]
    """Card ids; empty where unknown."""
    board: tuple[int, ...]
    net: tuple[float, float]
    """Chips won; NaN if unknown. Rake makes the sum negative."""


class Played(NamedTuple):
    """What a replay of a hand gives."""

    rows: list[dict[str, Any]]
    """Every action: ``round``, ``seat``, ``ordinal`` (bets and raises in the round before it), ``kind`` (a number of
    :mod:`hedgehog.analysis.histories.action_kinds`), ``size`` (street total of a bet or raise, chips paid by a call),
    ``pot``, ``faced``, ``own`` and ``behind`` (chips before the action), ``all_in``."""
    folded: int
    """Seat that folded, or -1."""
    spent: tuple[int, int]
    """Chips that each seat has put in, antes and dead posts included."""
    state: HandState
    """The hand at its end, without antes and dead posts: they are taken off the stacks."""


def play(hand: RealHand) -> Played:
    """Replays a hand: each action must be the turn of its player and affordable, and the hand must be finished.

    Minimum raises are not checked, because sites differ in them.

    :raises LogError: if an action is impossible, or the hand is not finished.
    """
    stacks = [stack - dead for stack, dead in zip(hand.stacks, hand.dead, strict=True)]
    left = [stack - post for stack, post in zip(stacks, hand.posts, strict=True)]
    if min(left) < 0 or min(map(int.__add__, hand.posts, hand.dead)) < 0 or max(hand.stacks) > MOST_CHIPS:
        raise LogError(f"expected blinds and antes within the stacks {hand.stacks[0]} and {hand.stacks[1]}")
    state = HandState(heads_up_game(stacks, hand.posts))
    faces_bet = any(chips and post < max(hand.posts) for chips, post in zip(left, hand.posts, strict=True))
    if not faces_bet and not min(left):
        state.run_out()
    rows: list[dict[str, Any]] = []
    for street, actions in enumerate(hand.rounds):
        if state.num_folded or state.round < street:
            raise LogError(f"round {street + 1} begins before the betting of round {street} is over")
        for action in actions:
            if state.finished or state.round > street:
                raise LogError(f"an action ({action.letter}) after the end of the betting")
            rows.append(_row(state, action, sum(hand.dead)))
            if len(rows) > MOST_ACTIONS:
                raise LogError(f"expected at most {MOST_ACTIONS} actions")
            size = action.to + state.round_start if action.letter == "r" else 0
            state.perform(Action(action.letter, size))
    if not state.finished:
        raise LogError("expected a finished hand, but somebody still acts")
    folded = state.folded.index(True) if state.num_folded else -1
    return Played(rows, folded, (state.spent[0] + hand.dead[0], state.spent[1] + hand.dead[1]), state)


def _row(state: HandState, action: RealAction, dead: int) -> dict[str, Any]:
    """Returns the row of an action that is about to be performed.

    :param dead: antes and dead posts of both players.
    :raises LogError: if it is not the turn of its player, or the player cannot afford it.
    """
    seat = action.seat
    if seat != state.acting_position:
        raise LogError("an action out of turn")
    stacks = state.gamedef.stacks
    faced, own = state.max_spent - state.round_start, state.spent[seat] - state.round_start
    behind = stacks[seat] - state.spent[seat]
    if action.letter == "f":
        kind, size, paid = FOLD, 0, 0
    elif action.letter == "r":
        kind, size, paid = RAISE, action.to, action.to - own
        if size <= faced or paid > behind:
            raise LogError(f"expected a bet or raise to {faced + 1}..{own + behind}, got {size}")
        if state.spent[1 - seat] == stacks[1 - seat]:
            raise LogError("a bet or raise against a player without chips")
    else:
        size = paid = min(faced - own, behind)
        kind = CALL if paid else CHECK
        if action.paid is not None and action.paid != paid:
            raise LogError(f"expected a call of {paid}, got {action.paid}")
    return {
        "round": state.round,
        "seat": seat,
        "ordinal": state.num_raises,
        "size": size,
        "pot": sum(state.spent) + dead,
        "faced": faced,
        "own": own,
        "behind": behind,
        "kind": kind,
        "all_in": kind != FOLD and paid == behind,
    }


def verify_net(hand: RealHand, played: Played) -> None:
    """Checks the chips won against the betting: who folds loses what it put in, nobody wins more than the other put in.

    :raises LogError: if the chips won are not possible.
    """
    if any(map(math.isnan, hand.net)):
        return
    staked = min(spent - dead for spent, dead in zip(played.spent, hand.dead, strict=True))
    for won, own, other in zip(hand.net, hand.dead, hand.dead[::-1], strict=True):
        if sum(hand.net) > 0.01 or not -staked - own - 0.01 <= won <= staked + other + 0.01:
            raise LogError(
                f"expected winnings of at most {staked + other} chips, got {hand.net[0]:g} and {hand.net[1]:g}"
            )
    if played.folded >= 0 and hand.net[played.folded] != -played.spent[played.folded]:
        raise LogError(
            f"expected that the player who folds loses {played.spent[played.folded]}, got {hand.net[played.folded]:g}"
        )


def from_logged(hand: LoggedHand) -> RealHand:
    """Returns a hand of an ACPC, LBR or PHH log in neutral form.

    :raises LogError: if it is no heads-up no-limit hold'em hand with the small blind first before the flop.
    """
    gamedef = hand.state.gamedef
    objection = game_objection(gamedef)
    if objection is not None:
        raise LogError(f"expected heads-up no-limit hold'em, got {objection}")
    names = hand.names.split("|")
    if len(names) != 2:
        raise LogError(f"expected two names without |, got {hand.names!r}")
    rounds: list[list[RealAction]] = [[] for _ in range(ROUNDS)]
    for before, (kind, size) in hand.state.replay():
        to = size - before.round_start if size else 0
        rounds[before.round].append(RealAction(before.acting_position, kind, to))
    while rounds and not rounds[-1]:
        rounds.pop()
    blinds = (gamedef.blinds[0], gamedef.blinds[1])
    return RealHand(
        hand.hand_id,
        (names[0], names[1]),
        (gamedef.stacks[0], gamedef.stacks[1]),
        blinds,
        blinds,
        (0, 0),
        tuple(map(tuple, rounds)),
        (tuple(hand.hole_cards[0]), tuple(hand.hole_cards[1])),
        tuple(hand.board),
        (float(hand.values[0]), float(hand.values[1])),
    )


def game_objection(gamedef: GameDef) -> str | None:
    """Returns what keeps a game from being heads-up no-limit hold'em with the usual order of action; None: nothing."""
    if gamedef.num_players != 2:
        return f"a game of {gamedef.num_players} players"
    if not gamedef.no_limit:
        return "a limit game"
    if (gamedef.num_suits, gamedef.num_ranks, gamedef.num_hole_cards) != (4, 13, 2):
        return "another deck or number of hole cards"
    if gamedef.num_board_cards != (0, 3, 1, 1):
        return "another board"
    if gamedef.blinds[0] < gamedef.blinds[1] or gamedef.first_positions != (1, 0, 0, 0):
        return "another order of action (the small blind must act first before the flop and last after it)"
    if min(gamedef.max_raises) < MOST_ACTIONS:
        return "a game with a limited number of raises"
    return None


def to_logged(hand: RealHand) -> LoggedHand:
    """Returns a hand as the hand of an ACPC log whose game has the stacks and blinds of this hand.

    :raises LeftOutError: if no ACPC log can hold it.
    :raises LogError: if the hand is not possible.
    :raises MatchStateError: if the rules of the ACPC refuse an action.
    """
    state = play(hand).state
    if any(hand.dead):
        raise LeftOutError("antes or dead posts, which no ACPC log can hold")
    if hand.posts != hand.blinds:
        raise LeftOutError(INCOMPLETE_BLIND)
    if not all(map(math.isfinite, hand.net)):
        raise LeftOutError(_UNKNOWN_WINNINGS)
    if _joined(hand.names) != "|".join(hand.names):
        raise LeftOutError("names with | or line ends, which no ACPC log can hold")
    for before, action in state.replay():
        before.verify(action)
    return _logged(hand, state)


def to_played(hand: RealHand) -> LoggedHand:
    """Returns a hand in the form of the hand of an ACPC log, for statistics.

    Antes and dead posts are taken off the stacks and are in the values alone, the blinds are those that were posted,
    the smallest raise is not checked, and line ends and ``|`` in names are escapes.

    :raises LogError: if the hand or what was won is not possible.
    """
    played = play(hand)
    verify_net(hand, played)
    return _logged(hand, played.state)


def told_results(hand: LoggedHand) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Returns the name and the chips won of each position of a hand.

    :raises LeftOutError: if the names cannot be told apart, or what was won is not known.
    """
    names, chips = tuple(hand.names.split("|")), tuple(map(float, hand.values))
    if len(names) != hand.state.gamedef.num_players:
        raise LeftOutError("names that contain |")
    if len(set(names)) != len(names):
        raise LeftOutError("players of the same name")
    if any(map(math.isnan, chips)):
        raise LeftOutError(_UNKNOWN_WINNINGS)
    return names, chips


def with_dead(values: Sequence[float], state: HandState, dead: tuple[int, int]) -> tuple[float, float]:
    """Returns the chips won by both positions of a heads-up hand if dead money is in the pot, too.

    :param values: chips won by each position without the dead money, or their mean over boards.
    :param state: the state at the end of the hand.
    :param dead: antes and dead posts of each position.
    """
    staked = min(state.spent)
    if state.num_folded:
        share = float(state.folded[1])
    elif staked:
        share = (values[0] / staked + 1) / 2
    else:
        share = 0.5
    pot = sum(dead)
    return values[0] + share * pot - dead[0], values[1] + (1 - share) * pot - dead[1]


def _logged(hand: RealHand, state: HandState) -> LoggedHand:
    known = all(hand.hole_cards) and len(hand.board) == state.gamedef.board_cards_by(state.round)
    values = tuple(map(format_value, hand.net))
    if known and sum(hand.net) == 0 and not any(hand.dead):
        values = tuple(map(format_value, payoffs(state, hand.hole_cards, hand.board)))
    return LoggedHand(hand.hand, state, hand.hole_cards, hand.board, values, _joined(hand.names))


def _joined(names: Sequence[str]) -> str:
    return "|".join("".join(_ESCAPES.get(letter, letter) for letter in name) for name in names)


def heads_up_game(stacks: Sequence[int], blinds: Sequence[int]) -> GameDef:
    """Returns heads-up no-limit hold'em with given stacks and blinds, both (big blind, small blind)."""
    return GameDef(num_players=2, stacks=tuple(stacks), blinds=tuple(blinds), first_positions=(1, 0, 0, 0))


def betting(hand: RealHand) -> str:
    """Returns the betting of a hand as ACPC text with totals over the hand, for example ``r300c/cr900``."""
    text, level = [], max(hand.posts)
    for street, actions in enumerate(hand.rounds):
        base = level if street else 0
        words = [f"r{base + action.to}" if action.letter == "r" else action.letter for action in actions]
        text.append("".join(words))
        level = next((base + action.to for action in reversed(actions) if action.letter == "r"), level)
    return "/".join(text)
