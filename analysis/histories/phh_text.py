"""Reads hands of two players in the PHH format (Kim, Recording and Describing Poker Hands, 2024) without pokerkit.

Unlike :mod:`hedgehog.analysis.histories.phh`, which goes to ACPC logs, this reader takes antes and fractions of a chip,
reads a file hand by hand, and goes on after a hand that is malformed. Amounts with decimals are multiplied by 100.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from hedgehog.analysis.histories.left_out import Block, ForeignHandError, LeftOutError
from hedgehog.analysis.histories.real_hands import RealAction, RealHand, play
from hedgehog.analysis.histories.site_text import FOREIGN, iso_date, site_of, starts_hand
from hedgehog.poker.acpc.gamedef import UNLIMITED_STACK
from hedgehog.poker.cards import parse_cards
from hedgehog.poker.evaluation.showdown import hand_rank
from hedgehog.runtime.errors import CardError, LogError

_TABLE: Final = re.compile(r"\s*\[[^\[\]=\"']*\]\s*(#.*)?")
_MOST_CHARACTERS: Final = 200_000
"""A hand with a longer text is refused."""
_MOST_CHIPS: Final = 2**50
_DAY: Final = re.compile(r"\s*(year|month|day)\s*=\s*([0-9]{1,4})\s*(?:#.*)?")
_ROUND_CARDS: Final = (3, 1, 1)


def split_phh(lines: Iterable[str]) -> Iterator[Block]:
    """Yields the lines of each hand of a ``.phh`` or ``.phhs`` document, without the line ``[NUMBER]`` before it.

    Hands of other formats between them are blocks of their own.

    :param lines: lines without line ends.
    """
    start = 0
    block: list[str] = []
    length = 0
    empty = True
    for number, line in enumerate(lines, 1):
        table = _TABLE.fullmatch(line) is not None
        if table or site_of(line) is not None or (empty and "=" not in line and starts_hand(line)):
            if any(part.strip() and not part.lstrip().startswith("#") for part in block):
                yield Block(start, block)
            start, block, length = number, [], 0
        empty = not line.strip()
        if not table:
            start = start or number
            length += len(line) + 1
            if length <= _MOST_CHARACTERS + 1:
                block.append(line[: _MOST_CHARACTERS + 1])
    if any(part.strip() and not part.lstrip().startswith("#") for part in block):
        yield Block(start, block)


def phh_date(lines: Sequence[str], line: int) -> str:
    """Returns the day on which a hand of a PHH document was played, as ``2024-05-06``; empty if it tells none.

    :param lines: the lines of the document.
    :param line: number of the first line of the hand, from 1.
    """
    found = {}
    for number in range(line - 1, len(lines)):
        if number >= line and _TABLE.fullmatch(lines[number]):
            break
        match = _DAY.fullmatch(lines[number])
        if match is not None:
            found[match[1]] = int(match[2])
    return iso_date(*(found.get(name, 0) for name in ("year", "month", "day")))


def parse_phh(block: Block) -> RealHand:
    """Returns the hand in the lines of a block.

    :raises LeftOutError: if it is another game than no-limit hold'em between two players.
    :raises LogError: if the hand is malformed or impossible; ``line`` is the line on which it starts.
    """
    if "=" not in block.lines[0] and starts_hand(block.lines[0]):
        raise ForeignHandError(FOREIGN, line=block.line)
    try:
        text = "\n".join(block.lines)
        if len(text) > _MOST_CHARACTERS:
            raise LogError(f"expected at most {_MOST_CHARACTERS} characters in a hand")
        fields = tomllib.loads(text, parse_float=Decimal)
        return _hand(fields)
    except LeftOutError as error:
        raise LeftOutError(error.message, line=block.line) from error
    except (LogError, CardError) as error:
        raise LogError(error.message, line=block.line) from error
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise LogError(f"not a PHH hand: {error}", line=block.line) from error


def _hand(fields: dict[str, Any]) -> RealHand:
    if fields.get("variant") != "NT":
        raise LeftOutError("another game than no-limit hold'em")
    stacks = _amounts(fields, "starting_stacks")
    if len(stacks) != 2:
        raise LeftOutError(f"{len(stacks)} players dealt in")
    antes = _amounts(fields, "antes") if "antes" in fields else [Decimal(0)] * 2
    blinds = _amounts(fields, "blinds_or_straddles")[::-1]
    finishing = _amounts(fields, "finishing_stacks") if "finishing_stacks" in fields else None
    actions = fields.get("actions")
    if not isinstance(actions, list) or not all(isinstance(action, str) for action in actions):
        raise LogError("expected a list of actions")
    if len(antes) != 2 or len(blinds) != 2 or not 0 < blinds[1] <= blinds[0]:
        raise LogError("expected an ante and a blind of both players, the small blind first")
    words = [action.partition("#")[0].split() for action in actions]
    sizes = [_amount(word[2]) for word in words if len(word) > 2 and word[1] == "cbr"]
    scale = _scale([*stacks, *antes, *blinds, *sizes])
    start = [_chips(stack, scale) for stack in stacks]
    dead = [min(_chips(ante, scale), stack) for ante, stack in zip(antes, start, strict=True)]
    live = [_chips(blind, scale) for blind in blinds]
    rounds, cards, board = _actions(words, scale)
    number = fields.get("hand")
    hand = RealHand(
        number if isinstance(number, int) and 0 <= number < 2**63 else 0,
        _names(fields.get("players")),
        (start[0], start[1]),
        (min(live[0], start[0] - dead[0]), min(live[1], start[1] - dead[1])),
        (live[0], live[1]),
        (dead[0], dead[1]),
        rounds,
        cards,
        board,
        (math.nan, math.nan),
    )
    return replace(hand, net=_net(hand, finishing, scale))


def _names(players: Any) -> tuple[str, str]:
    if players is None:
        return "p1", "p2"
    if not isinstance(players, list) or len(players) != 2 or not all(isinstance(name, str) for name in players):
        raise LogError("expected the names of two players")
    return players[0], players[1]


def _amounts(fields: dict[str, Any], name: str) -> list[Decimal]:
    values = fields.get(name)
    if not isinstance(values, list):
        raise LogError(f"expected a list of amounts as {name}")
    return [_amount(value) for value in values]


def _amount(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, (int, Decimal, str)):
        raise LogError(f"expected an amount, got {value!r}")
    amount = Decimal(value)
    if amount == Decimal("inf"):
        return Decimal(UNLIMITED_STACK)
    if not amount.is_finite() or abs(amount) > _MOST_CHIPS:
        raise LogError(f"expected an amount of at most {_MOST_CHIPS}, got {value}")
    return amount


def _scale(amounts: Sequence[Decimal]) -> int:
    """Returns by how much the amounts are multiplied: 1 if all are whole, else 100."""
    return 1 if all(amount == amount.to_integral_value() for amount in amounts) else 100


def _chips(amount: Decimal, scale: int) -> int:
    scaled = amount * scale
    if scaled != scaled.to_integral_value() or scaled < 0:
        raise LogError(f"expected an amount of at least 0 with at most two decimals, got {amount}")
    return int(scaled)


def _actions(
    words: Sequence[Sequence[str]], scale: int
) -> tuple[tuple[tuple[RealAction, ...], ...], tuple[tuple[int, ...], tuple[int, ...]], tuple[int, ...]]:
    """Returns the actions of every round, the hole cards and the board."""
    rounds: list[list[RealAction]] = [[]]
    hole: list[tuple[int, ...]] = [(), ()]
    board: tuple[int, ...] = ()
    for word in words:
        match word:
            case ["d", "dh", ("p1" | "p2") as player, cards] | [("p1" | "p2") as player, "sm", cards]:
                known = _cards(cards)
                hole[_seat(player)] = known or hole[_seat(player)]
            case ["d", "db", cards]:
                dealt = _cards(cards)
                if len(rounds) > len(_ROUND_CARDS) or len(cards) != 2 * _ROUND_CARDS[len(rounds) - 1]:
                    raise LogError(f"expected a flop, a turn and a river, got {cards!r}")
                board += dealt
                rounds.append([])
            case [("p1" | "p2") as player, "f"]:
                rounds[-1].append(RealAction(_seat(player), "f"))
            case [("p1" | "p2") as player, "cc"]:
                rounds[-1].append(RealAction(_seat(player), "c"))
            case [("p1" | "p2") as player, "cbr", amount]:
                rounds[-1].append(RealAction(_seat(player), "r", _chips(_amount(amount), scale)))
            case [("p1" | "p2"), "sm"] | []:
                pass
            case _:
                raise LogError(f"expected an action of two players, got {' '.join(word)[:80]!r}")
    while rounds and not rounds[-1]:
        rounds.pop()
    seen = [card for part in (*hole, board) for card in part]
    if len(set(seen)) != len(seen):
        raise LogError("a card is repeated")
    return tuple(map(tuple, rounds)), (hole[0], hole[1]), board


def _seat(player: str) -> int:
    return int(player[1]) - 1


def _cards(text: str) -> tuple[int, ...]:
    """Returns the cards of a text; none if one is unknown."""
    return () if "?" in text else tuple(parse_cards(text))


def _net(hand: RealHand, finishing: Sequence[Decimal] | None, scale: int) -> tuple[float, float]:
    """Returns the chips won, from the final stacks or else from the cards; NaN if neither is known."""
    if finishing is not None and len(finishing) == 2:
        won = [float(end * scale) - start for end, start in zip(finishing, hand.stacks, strict=True)]
        return won[0], won[1]
    played = play(hand)
    staked = min(played.spent)
    if played.folded >= 0:
        won = [float(-staked), float(staked)]
        return (won[0], won[1]) if played.folded == 0 else (won[1], won[0])
    if not all(map(len, hand.hole_cards)) or len(hand.board) != 5:
        return math.nan, math.nan
    ranks = [hand_rank([*cards, *hand.board]) for cards in hand.hole_cards]
    sign = (ranks[0] > ranks[1]) - (ranks[0] < ranks[1])
    return float(sign * staked), float(-sign * staked)
