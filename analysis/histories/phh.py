"""Reads and writes hands in the PHH format (Kim, Recording and Describing Poker Hands, 2024), with pokerkit.

A ``.phh`` file is a TOML document with one hand, a ``.phhs`` file one with a table per hand. Of the 11 variants of the
standard two are ACPC games: ``NT`` (no-limit hold'em) and ``FT`` (fixed-limit hold'em). Player ``pN`` of PHH is
position N - 1 of ACPC: the first after the button, so heads-up ``p1`` has the big blind and ``p2`` the button. Heads-up
the standard assigns ``blinds_or_straddles`` in reverse, so the list starts with the small blind as in every other
game. The first to act is the one after the last of the largest blinds; a negative blind is posted, too, but does not
count for that. So the button, which acts first heads-up, has a negative one if both post the same. Bets are totals over
the betting round in PHH and totals over the hand in ACPC logs.

pokerkit is an optional dependency; without it every function here raises :class:`~hedgehog.runtime.errors.InputError`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from hedgehog.analysis.histories.left_out import Block, ForeignHandError, LeftOutError
from hedgehog.analysis.histories.phh_text import parse_phh, split_phh
from hedgehog.analysis.histories.real_hands import INCOMPLETE_BLIND, RealHand, play, verify_net
from hedgehog.poker.acpc.gamedef import MAX_PLAYERS, UNLIMITED_RAISES, UNLIMITED_STACK, GameDef
from hedgehog.poker.acpc.handlog import LoggedHand, format_value
from hedgehog.poker.cards import format_cards, parse_cards
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.state import CALL, FOLD, LIMIT_RAISE, Action, HandState
from hedgehog.runtime.errors import GamedefError, HedgehogError, InputError, LogError
from hedgehog.runtime.packages import require

if TYPE_CHECKING:
    from pokerkit import HandHistory, Poker, State

_NO_LIMIT: Final = "NT"
_LIMIT: Final = "FT"
_LIMIT_RAISES: Final = (3, 4, 4, 4)
"""``FT`` allows a bet and three raises per round; the big blind is the bet of the first one."""
_BOARD: Final = (0, 3, 1, 1)
_AMOUNTS: Final = (
    "antes", "blinds_or_straddles", "starting_stacks", "min_bet", "small_bet", "big_bet", "bring_in",
    "finishing_stacks", "winnings",
)  # fmt: skip
"""Fields with amounts of chips."""
_STAKES: Final = 7
"""The first of them are stakes; the rest are results, which split pots make fractional."""
_SCORE_REMARK: Final = "# SCORE:"
_RAISED_ON_BAD_HANDS: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What pokerkit and the TOML reader raise on bad hands."""


def require_pokerkit() -> None:
    """Verifies that pokerkit can be imported.

    :raises InputError: if it cannot; the message names the command that installs it.
    """
    require("pokerkit", "PHH files need")


def _exact_divmod(amount: int, players: int) -> tuple[Any, int]:
    """Splits a pot without odd chips, as the ACPC dealer does."""
    return Fraction(amount) / players, 0


def _opener(blinds: Sequence[int]) -> int:
    """Returns the first position to act before the flop: the one after the (last) largest blind.

    :param blinds: blinds in position order; negative ones do not count.
    """
    largest = max(range(len(blinds)), key=lambda position: (blinds[position], position))
    return (largest + 1) % len(blinds)


def _signed_blinds(gamedef: GameDef) -> tuple[int, ...]:
    """Returns the blinds in position order, with the sign that makes the first to act in PHH that of the game."""
    blinds = gamedef.blinds
    if len(blinds) == 2 and blinds[0] == blinds[1] and gamedef.first_positions[0] == 1:
        return blinds[0], -blinds[1]
    return blinds


def phh_variant(gamedef: GameDef) -> str:
    """Returns the variant code of a game: ``NT`` or ``FT``.

    :raises GamedefError: if the game is none of the variants; the message names the first difference.
    """
    objection = _objection(gamedef)
    if objection is not None:
        raise GamedefError(f"PHH has no variant for this game: {objection}")
    return _NO_LIMIT if gamedef.no_limit else _LIMIT


def _objection(gamedef: GameDef) -> str | None:
    if (gamedef.num_suits, gamedef.num_ranks) != (4, 13):
        return f"expected the full deck, got {gamedef.num_suits} suits of {gamedef.num_ranks} ranks"
    if gamedef.num_hole_cards != 2 or gamedef.num_board_cards != _BOARD:
        board = " ".join(map(str, gamedef.num_board_cards))
        return f"expected hold'em (2 hole cards, board 0 3 1 1), got {gamedef.num_hole_cards} and board {board}"
    if max(gamedef.blinds) == 0:
        return "expected a blind"
    if gamedef.first_positions != (_opener(_signed_blinds(gamedef)), 0, 0, 0):
        return "expected the position after the largest blind to act first, later the first position"
    if gamedef.no_limit:
        return None if gamedef.max_raises == (UNLIMITED_RAISES,) * 4 else "expected no limit on the number of raises"
    small, second, big, last = gamedef.raise_sizes
    if (second, last) != (small, big):
        return "expected one raise size before the turn and one from the turn on"
    if gamedef.max_raises != _LIMIT_RAISES:
        expected, got = (" ".join(map(str, raises)) for raises in (_LIMIT_RAISES, gamedef.max_raises))
        return f"expected at most {expected} raises per round, got {got}"
    return None


class PhhFormatter:
    """Formats hands of one game as PHH. Every hand is also played by pokerkit, which must agree on the winnings.

    :param gamedef: the game.
    :raises InputError: if pokerkit is missing.
    :raises GamedefError: if PHH cannot express the game.
    """

    def __init__(self, gamedef: GameDef) -> None:
        require_pokerkit()
        self._variant = phh_variant(gamedef)
        self._gamedef = gamedef
        blinds = list(_signed_blinds(gamedef))
        self._fields: dict[str, Any] = {
            "antes": [0] * gamedef.num_players,
            "blinds_or_straddles": blinds[::-1] if gamedef.num_players == 2 else blinds,
            "starting_stacks": list(gamedef.stacks),
        }
        if gamedef.no_limit:
            self._fields["min_bet"] = gamedef.big_blind
        else:
            self._fields |= {"small_bet": gamedef.raise_sizes[0], "big_bet": gamedef.raise_sizes[2]}
        self._poker = self._create_poker()

    def _create_poker(self) -> Poker:
        from pokerkit import Automation, HandHistory, Mode

        automations = [name for name in HandHistory.automations if name != Automation.CARD_BURNING]
        bets = [self._fields[name] for name in ("min_bet", "small_bet", "big_bet") if name in self._fields]
        variant: Any = HandHistory.game_types[self._variant]
        poker: Poker = variant(
            tuple(automations),
            False,  # no ante trimming
            self._fields["antes"],
            self._fields["blinds_or_straddles"],
            *bets,
            mode=Mode.CASH_GAME,
            divmod=_exact_divmod,
        )
        return poker

    def format(self, hand: LoggedHand) -> str:
        """Returns a hand as the TOML fields of PHH, without line end.

        :raises LogError: if the hand's values are not what its cards and betting give, a name contains ``|``, or
            pokerkit's rules refuse an action that the ACPC rules allow.
        """
        from pokerkit import HandHistory

        gamedef = self._gamedef
        players = hand.names.split("|")
        if len(players) != gamedef.num_players:
            raise LogError(f"hand {hand.hand_id}: expected {gamedef.num_players} names without |, got {hand.names!r}")
        if not all(hand.hole_cards) and hand.state.is_showdown:
            raise LogError(f"hand {hand.hand_id}: expected all hole cards, as it is a showdown")
        values = payoffs(hand.state, hand.hole_cards, hand.board)
        stated = [float(value) for value in hand.values]
        if [format_value(value) for value in values] != list(hand.values) and not is_raked(values, stated):
            expected = "|".join(map(format_value, values))
            raise LogError(f"hand {hand.hand_id}: expected values {expected}, got {'|'.join(hand.values)}")
        state = self._play(hand)
        for position, value in enumerate(values):
            if abs(float(state.payoffs[position]) - value) > 1e-6:
                raise LogError(
                    f"hand {hand.hand_id}: PHH cannot express it: by its rules position {position} wins "
                    f"{format_value(float(state.payoffs[position]))} instead of {format_value(value)}"
                )
        won = stated if is_raked(values, stated) else values
        stacks = [stack + value for stack, value in zip(gamedef.stacks, won, strict=True)]
        history = HandHistory.from_game_state(
            self._poker,
            state,
            **self._fields,
            hand=hand.hand_id,
            players=players,
            finishing_stacks=[int(stack) if stack == int(stack) else stack for stack in stacks],
        )
        return history.dumps()

    def _play(self, hand: LoggedHand) -> State:
        """Plays a hand in pokerkit."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                state = self._poker(self._fields["starting_stacks"], self._gamedef.num_players)
                for cards in hand.hole_cards:
                    state.deal_hole(format_cards(cards) or "????")
                actions = iter([action for actions in hand.state.actions for _, action in actions])
                dealt = 0
                while state.status:
                    if state.can_burn_card():
                        state.burn_card("??")
                    elif state.can_deal_board():
                        count = state.board_dealing_count
                        assert count is not None
                        state.deal_board(format_cards(hand.board[dealt : dealt + count]))
                        dealt += count
                    elif state.can_show_or_muck_hole_cards(True):
                        state.show_or_muck_hole_cards(True)
                    else:
                        _act(state, next(actions))
                rest = list(actions)
                if rest not in ([], [CALL]):  # who faces somebody all-in by a blind checks in ACPC, not in PHH
                    raise ValueError("the betting is over")
        except (*_RAISED_ON_BAD_HANDS, StopIteration) as error:
            raise LogError(f"hand {hand.hand_id}: PHH cannot express it: {error or 'the betting goes on'}") from error
        return state


def _act(state: State, action: Action) -> None:
    """Performs an ACPC action in pokerkit."""
    if action.kind == "f":
        state.fold()
    elif action.kind == "c":
        state.check_or_call()
    elif action.size:
        assert state.actor_index is not None
        # What the player has put in in earlier rounds does not count in PHH.
        earlier = -state.payoffs[state.actor_index] - state.bets[state.actor_index]
        state.complete_bet_or_raise_to(action.size - earlier)
    else:
        state.complete_bet_or_raise_to()


def is_raked(values: Sequence[float], stated: Sequence[float]) -> bool:
    """Returns True if stated winnings are the computed ones less a rake, which only players who get chips back pay.

    :param values: chips won by each position by cards and betting.
    :param stated: chips won by each position as a hand history states them.
    """
    rake = sum(values) - sum(stated)
    most = max(sum(value for value in values if value > 0), 0)
    return (
        rake > 0.005
        and all(
            won == value if value < 0 else value - rake - 0.005 <= won <= value
            for value, won in zip(values, stated, strict=True)
        )
        and (rake <= most or not most)
    )


def format_remark(line: str) -> str:
    """Returns a header, comment or ``SCORE:`` line of an ACPC log as a TOML comment.

    :raises LogError: if the line has characters that TOML forbids.
    """
    if any((character < " " and character != "\t") or character == "\x7f" for character in line):
        raise LogError(f"expected no control characters in a PHH comment, got {line!r}")
    return line if line.startswith("#") else f"# {line}"


def _parse_remark(line: str) -> str:
    return line.removeprefix("# ") if line.startswith(_SCORE_REMARK) else line


PhhContent = LoggedHand | tuple[RealHand, LogError] | LogError | str
"""What stands in a PHH document: a hand that an ACPC log can hold; a hand between two players that none can hold, with
the reason; the error of a hand that is left out; a comment."""


def read_phh(lines: Sequence[str]) -> Iterator[tuple[int, PhhContent]]:
    """Yields the hands of a PHH document and the comments between them, each with its line number from 1.

    Comments become lines of an ACPC log, the reverse of :func:`format_remark`. The winnings of a hand are recomputed.
    Hole cards that are not shown are empty. Hands without a number are numbered from 0.

    :param lines: the lines of the document, without line ends.
    :raises InputError: if pokerkit is missing.
    """
    require_pokerkit()
    remarks = [(number, _parse_remark(line)) for number, line in enumerate(lines, 1) if line.startswith("#")]
    written = 0
    for ordinal, block in enumerate(split_phh(lines)):
        while written < len(remarks) and remarks[written][0] < block.line:
            yield remarks[written]
            written += 1
        yield block.line, _read_block(block, ordinal)
    yield from remarks[written:]


def _read_block(block: Block, ordinal: int) -> PhhContent:
    try:
        return parse_history(_history(block), ordinal)
    except _RAISED_ON_BAD_HANDS as error:
        message = error.message if isinstance(error, InputError) else f"malformed field ({error})"
        objection = LogError(message, line=block.line)
    try:
        hand = parse_phh(block)
        verify_net(hand, play(hand))
    except ForeignHandError as error:
        return error
    except LeftOutError as error:
        return LeftOutError(error.kind, reason=objection.message, line=block.line)
    except LogError:
        return objection
    if any(hand.dead) or not all(map(math.isfinite, hand.net)):
        objection = LeftOutError("antes, fractions or winnings that no ACPC log can hold", reason=objection.message)
    elif hand.posts != hand.blinds:
        objection = LeftOutError(INCOMPLETE_BLIND, reason=objection.message)
    return hand, objection


def _history(block: Block) -> HandHistory:
    """Returns the hand in the lines of a block, as pokerkit has it."""
    from pokerkit import HandHistory

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return HandHistory.loads("\n".join(block.lines))
    except _RAISED_ON_BAD_HANDS as error:
        raise LogError(f"not a PHH hand: {error}") from error


def history_gamedef(history: HandHistory) -> GameDef:
    """Returns the ACPC game of a PHH hand.

    :raises LogError: if an ACPC game definition cannot express the game; the message says why.
    """
    if history.variant not in (_NO_LIMIT, _LIMIT):
        raise LogError(f"expected variant NT or FT, which ACPC games can express, got {history.variant!r}")
    stacks = tuple(_chips(stack, "stack") for stack in history.starting_stacks)
    players = len(stacks)
    signed = tuple(_chips(blind, "blind") for blind in history.blinds_or_straddles or ())
    if not 2 <= players <= MAX_PLAYERS:
        raise LogError(f"expected 2 to {MAX_PLAYERS} players, got {players}")
    if len(signed) != players or max(signed) <= 0 or -min(signed) > max(signed):
        raise LogError(f"expected a blind for each of {players} players, at least one above 0, got {list(signed)}")
    if any(history.antes):
        raise LogError("ACPC games have no antes")
    if players == 2:
        signed = signed[::-1]
    blinds = tuple(map(abs, signed))
    if any(stack < max(1, blind) for stack, blind in zip(stacks, blinds, strict=True)):
        raise LogError(f"expected stacks not smaller than the blinds, got {list(stacks)}")
    no_limit = history.variant == _NO_LIMIT
    raise_sizes: tuple[int, ...] = ()
    if no_limit:
        if history.min_bet != max(blinds):
            raise LogError(f"expected the largest blind {max(blinds)} as the smallest bet, got {history.min_bet}")
    else:
        small, big = (_chips(bet, "bet") for bet in (history.small_bet, history.big_bet))
        raise_sizes = (small, small, big, big)
    return GameDef(
        num_players=players,
        no_limit=no_limit,
        stacks=stacks,
        blinds=blinds,
        raise_sizes=raise_sizes,
        first_positions=(_opener(signed), 0, 0, 0),
        max_raises=(UNLIMITED_RAISES,) * 4 if no_limit else _LIMIT_RAISES,
    )


def _in_cents(history: HandHistory) -> HandHistory:
    """Returns a hand with whole stakes: all amounts are multiplied by 100 if a stake has decimals.

    :raises LogError: if a stake has more than two decimals.
    """
    words = [action.partition("#")[0].split() for action in history.actions]
    bets = [word for word in words if len(word) > 2 and word[1] == "cbr"]
    fields = {name: value for name in _AMOUNTS if (value := getattr(history, name)) is not None}
    stakes = [word[2] for word in bets]
    for name in _AMOUNTS[:_STAKES]:
        value = fields.get(name, [])
        stakes += value if isinstance(value, Sequence) else [value]
    fractions = [amount for amount in map(_decimal, stakes) if amount != amount.to_integral_value()]
    if not fractions:
        return history
    if any(100 * amount != (100 * amount).to_integral_value() for amount in fractions):
        raise LogError(f"expected amounts with at most two decimals, got {fractions[0]}")
    for word in bets:
        word[2] = format(100 * Decimal(word[2]), "f")
    scaled: dict[str, Any] = {
        name: [100 * amount for amount in value] if isinstance(value, Sequence) else 100 * value
        for name, value in fields.items()
    }
    return replace(history, actions=[" ".join(word) for word in words], **scaled)


def _decimal(value: Any) -> Decimal:
    """Returns an amount; 0 for what is none, which its reader refuses."""
    try:
        amount = Decimal(value)
    except (ArithmeticError, TypeError, ValueError):
        return Decimal(0)
    return amount if amount.is_finite() else Decimal(0)


def _chips(value: Any, what: str) -> int:
    """Returns a PHH amount as whole chips; an infinite stack is the largest one of ACPC."""
    if isinstance(value, Decimal):
        if value == Decimal("inf") and what == "stack":
            return UNLIMITED_STACK
        if not value.is_finite() or value != value.to_integral_value():
            raise LogError(f"expected whole chips as {what}, got {value}")
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise LogError(f"expected a number as {what}, got {value!r}")
    if abs(value) > UNLIMITED_STACK:
        raise LogError(f"expected at most {UNLIMITED_STACK} chips as {what}, got {value}")
    return value


def parse_history(history: HandHistory, ordinal: int) -> LoggedHand:
    """Returns a PHH hand as the hand of an ACPC log.

    :param ordinal: number of the hand if it has none of its own.
    :raises LogError: if the hand is malformed or an ACPC log cannot express it; the message says why.
    """
    history = _in_cents(history)
    gamedef = history_gamedef(history)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            *_, state = history
    except _RAISED_ON_BAD_HANDS as error:
        raise LogError(f"pokerkit cannot play this hand: {error}") from error
    try:
        betting, hole_cards, board = _replay(state.operations, gamedef)
        if not state.status and not betting.finished and not betting.can_fold() and betting.raise_range() is None:
            betting.apply(CALL)  # who faces somebody all-in by a blind checks in ACPC, not in PHH
    except LogError:
        raise
    except HedgehogError as error:
        raise LogError(f"the ACPC rules do not allow it: {error}") from error
    if not betting.finished:
        raise LogError(f"expected a finished hand, but after {betting.betting_string()!r} somebody acts")
    needed = gamedef.board_cards_by(betting.round)
    if len(board) != needed:
        raise LogError(f"expected {needed} known board cards, got {len(board)}")
    seen = [card for cards in (*hole_cards, board) for card in cards]
    if len(set(seen)) != len(seen):
        raise LogError(f"a card is repeated in {format_cards(seen)}")
    number = history.hand
    hand_id = number if isinstance(number, int) and 0 <= number < 2**32 else ordinal
    players = history.players or [f"p{index + 1}" for index in range(gamedef.num_players)]
    if len(players) != gamedef.num_players or not all(isinstance(name, str) for name in players):
        raise LogError(f"expected the names of {gamedef.num_players} players, got {players}")
    if any("|" in name or "\n" in name for name in players):
        raise LogError(f"expected names without | and line ends, got {players}")
    values = _values(history, betting, hole_cards, board)
    return LoggedHand(hand_id, betting, hole_cards, board, values, "|".join(players))


def _replay(
    operations: Sequence[object], gamedef: GameDef
) -> tuple[HandState, tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """Plays what pokerkit has played by the ACPC rules, and collects the cards."""
    from pokerkit import (
        BoardDealing,
        CheckingOrCalling,
        CompletionBettingOrRaisingTo,
        Folding,
        HoleCardsShowingOrMucking,
        HoleDealing,
    )

    betting = HandState(gamedef)
    dealt: list[list[str]] = [[] for _ in range(gamedef.num_players)]
    board: list[int] = []
    for operation in operations:
        if isinstance(operation, HoleDealing):
            dealt[operation.player_index] += map(repr, operation.cards)
        elif isinstance(operation, HoleCardsShowingOrMucking):
            shown = [repr(card) for card in operation.hole_cards]
            if shown and not any("?" in card for card in shown):  # without an `sm`, pokerkit shows unknown cards
                dealt[operation.player_index] = shown
        elif isinstance(operation, BoardDealing):
            board += parse_cards("".join(map(repr, operation.cards)).replace("??", ""))
        elif isinstance(operation, Folding):
            betting.apply(FOLD)
        elif isinstance(operation, CheckingOrCalling):
            betting.apply(CALL)
        elif isinstance(operation, CompletionBettingOrRaisingTo):
            amount = _chips(operation.amount, "bet")
            betting.apply(Action("r", amount + betting.round_start) if gamedef.no_limit else LIMIT_RAISE)
    hole_cards = []
    for position, cards in enumerate(dealt):
        known = [card for card in cards if "?" not in card]
        if len(known) not in (0, 2):
            raise LogError(f"expected both or none of the hole cards of p{position + 1}, got {''.join(cards)}")
        hole_cards.append(tuple(parse_cards("".join(known))))
    return betting, tuple(hole_cards), tuple(board)


def _values(
    history: HandHistory, betting: HandState, hole_cards: Sequence[Sequence[int]], board: Sequence[int]
) -> tuple[str, ...]:
    """Returns what every position wins, recomputed, or from the final stacks if a hand at the showdown is unknown."""
    finishing = history.finishing_stacks
    won = None
    if finishing is not None:
        won = [float(end) - float(start) for start, end in zip(history.starting_stacks, finishing, strict=True)]
        won = won if all(map(math.isfinite, won)) else None
    compared = [cards for cards, folded in zip(hole_cards, betting.folded, strict=True) if not folded]
    if betting.is_showdown and not all(compared):
        if won is None:
            raise LogError("expected the hole cards of everybody at the showdown, or finishing_stacks")
        return tuple(format_value(value) for value in won)
    values = payoffs(betting, hole_cards, board)
    if won and is_raked(values, won):
        return tuple(format_value(value) for value in won)
    # Less than a chip is a matter of who gets the odd chip of a split pot.
    if won and any(abs(value - logged) >= 1 for value, logged in zip(values, won, strict=True)):
        expected = " ".join(format_value(value) for value in values)
        raise LogError(f"expected winnings {expected}, got {' '.join(map(format_value, won))} by the finishing_stacks")
    return tuple(format_value(value) for value in values)
