"""Reads hands in the text format of PokerStars: two players, no-limit hold'em.

A hand starts with a line ``PokerStars Hand #ID: ... Hold'em No Limit (SB/BB) ...``. Lines that say nothing about
blinds, cards, actions and chips are ignored. Amounts become cents, or chips where the blinds have neither a
currency nor decimals. A hand is checked: what was put in, less what was returned, is the total pot, and the total pot
is what was collected and the rake.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from analysis.histories.left_out import Block, LeftOutError
from analysis.histories.real_hands import RealAction, RealHand
from poker.cards import parse_cards
from poker.streets import BOARD_CARDS
from runtime.errors import CardError, LogError

_MONEY: Final = (
    r"([^\d\s.,-]{0,3}[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]{1,2})?|[^\d\s.,-]{0,3}[0-9]{1,15}(?:\.[0-9]{1,2})?)"
)
_START: Final = re.compile(r"PokerStars (?:Zoom )?(?:Hand|Game) #([0-9]{1,19}):(.*)")
_GAME: Final = re.compile(rf".*Hold'em No Limit (?:- Level [A-Z]+ )?\({_MONEY}/{_MONEY}(?: [A-Z]{{3}})?\).*")
_SEAT: Final = re.compile(rf"Seat [0-9]{{1,2}}: (.+) \({_MONEY} in chips(?:, [^()]* bounty)?\)(.*)")
_ABSENT: Final = re.compile(r".*(?:sitting out|out of hand)")
_POST: Final = re.compile(rf"posts (small blind|big blind|small & big blinds|the ante) {_MONEY}(?: and is all-in)?")
_ACTION: Final = re.compile(
    rf"(folds|checks|calls|bets|raises)(?: {_MONEY})?(?: to {_MONEY})?(?: and is all-in)?(?: \[.*\])?"
)
_STREET: Final = re.compile(r"\*\*\* (FLOP|TURN|RIVER) \*\*\* (?:\[([^\]]*)\] )?\[([^\]]*)\]")
_UNCALLED: Final = re.compile(rf"Uncalled bet \({_MONEY}\) returned to (.+)")
_COLLECTED: Final = re.compile(rf" collected {_MONEY} from (?:pot|main pot|side pot.*)")
_TOTAL: Final = re.compile(rf"Total pot {_MONEY}.*\| Rake {_MONEY}.*")
_CARDS: Final = re.compile(r"shows? \[([^\]]*)\]")
_SHOWN: Final = 80
MOST_LINES: Final = 2_000
"""A hand with more lines is refused."""


def is_start(line: str) -> bool:
    """Returns True if a line is the first one of a hand."""
    return _START.match(line) is not None


def parse_pokerstars(block: Block) -> RealHand:
    """Returns the hand in the lines of a block.

    :raises LeftOutError: if the hand is another game than no-limit hold'em between exactly two players with one board.
    :raises LogError: if the hand is malformed or its chips do not add up; ``line`` is the number of the line at fault.
    """
    reader = _Reader()
    if len(block.lines) > MOST_LINES:
        raise LogError(f"expected at most {MOST_LINES} lines in a hand", line=block.line)
    for number, line in enumerate(block.lines, block.line):
        try:
            reader.read(line)
        except LeftOutError as error:
            raise LeftOutError(error.message, line=number) from error
        except (LogError, CardError) as error:
            raise LogError(error.message, line=number) from error
    try:
        return reader.result()
    except LeftOutError as error:
        raise LeftOutError(error.message, line=block.line) from error
    except LogError as error:
        raise LogError(error.message, line=block.line) from error


class _Reader:
    """Reads the lines of one hand."""

    def __init__(self) -> None:
        self.hand = 0
        self.scale = 1
        self.blinds = (0, 0)
        self.seats: dict[str, int] = {}
        self.names: list[str] = []
        self.small_blind = ""
        self.big_blind = ""
        self.posts: dict[str, int] = {}
        self.dead: dict[str, int] = {}
        self.returned: dict[str, int] = {}
        self.collected: dict[str, int] = {}
        self.cards: dict[str, tuple[int, ...]] = {}
        self.rounds: list[list[tuple[str, str, int, int | None]]] = [[]]
        self.board: tuple[int, ...] = ()
        self.total: tuple[int, int] | None = None
        self.summary = False
        self.started = False

    def read(self, line: str) -> None:
        if not self.hand:
            self._read_start(line)
        elif self.summary:
            self._read_total(line)
        elif line.startswith("Seat "):
            self._read_seat(line)
        elif line.startswith("*** "):
            self._read_marker(line)
        elif line.startswith("Uncalled bet ("):
            self._read_uncalled(line)
        elif line.startswith("Dealt to "):
            self._read_dealt(line)
        else:
            name = next((name for name in self.names if line.startswith(name)), None)
            if name is not None:
                self._read_player(name, line[len(name) :])

    def _read_start(self, line: str) -> None:
        match = _START.fullmatch(line)
        if match is None:
            raise LogError(f"expected 'PokerStars Hand #ID: ...', got {line[:_SHOWN]!r}")
        self.hand = int(match[1])
        if self.hand >= 2**63 or not self.hand:
            raise LogError(f"expected a hand number from 1 to 2^63, got {match[1]}")
        if "Hold'em No Limit" not in line:
            raise LeftOutError("another game than no-limit hold'em")
        game = _GAME.fullmatch(match[2])
        if game is None:
            raise LogError(f"expected the blinds as (SB/BB), got {line[:_SHOWN]!r}")
        self.scale = 100 if any(not part.replace(",", "").isdigit() for part in (game[1], game[2])) else 1
        self.blinds = (self._money(game[2]), self._money(game[1]))
        if not 0 < self.blinds[1] <= self.blinds[0]:
            raise LogError(f"expected 0 < small blind <= big blind, got {game[1]} and {game[2]}")

    def _money(self, text: str) -> int:
        digits = re.sub(r"[^0-9.]", "", text)
        whole, _, cents = digits.partition(".")
        if self.scale == 1:
            if cents.strip("0"):
                raise LogError(f"expected whole chips, got {text!r}")
            return int(whole)
        return 100 * int(whole) + int(cents.ljust(2, "0"))

    def _read_seat(self, line: str) -> None:
        match = _SEAT.fullmatch(line)
        if match is None or self.started:
            return
        name, stack, rest = match.groups()
        if _ABSENT.match(rest):
            return
        if name in self.seats:
            raise LogError(f"the player {name!r} sits twice")
        self.seats[name] = self._money(stack)
        self.names = sorted(self.seats, key=len, reverse=True)

    def _read_marker(self, line: str) -> None:
        if line.startswith("*** HOLE CARDS ***"):
            self.started = True
        elif line.startswith("*** SUMMARY ***"):
            self.summary = True
        elif line.startswith(("*** FIRST ", "*** SECOND ")):
            raise LeftOutError("a second board")
        elif match := _STREET.match(line):
            street = ("FLOP", "TURN", "RIVER").index(match[1]) + 1
            if street != len(self.rounds):
                raise LogError(f"the {match[1].lower()} is dealt out of turn")
            self.board += tuple(parse_cards(match[3]))
            if len(self.board) != BOARD_CARDS[street]:
                raise LogError(f"expected {BOARD_CARDS[street]} board cards on the {match[1].lower()}")
            self.rounds.append([])

    def _read_uncalled(self, line: str) -> None:
        match = _UNCALLED.fullmatch(line)
        if match is None or match[2] not in self.seats:
            raise LogError(f"expected 'Uncalled bet (AMOUNT) returned to NAME', got {line[:_SHOWN]!r}")
        self.returned[match[2]] = self.returned.get(match[2], 0) + self._money(match[1])

    def _read_dealt(self, line: str) -> None:
        name, bracket, cards = line.removeprefix("Dealt to ").partition(" [")
        if bracket and name in self.seats and "]" in cards:
            self._show(name, cards[: cards.index("]")])

    def _show(self, name: str, text: str) -> None:
        cards = tuple(parse_cards(text))
        if len(cards) == 2:  # one card alone is sometimes shown
            self.cards[name] = cards

    def _read_player(self, name: str, rest: str) -> None:
        if match := _COLLECTED.fullmatch(rest):
            self.collected[name] = self.collected.get(name, 0) + self._money(match[1])
        if not rest.startswith(": "):
            return
        words = rest[2:].rstrip()
        if words.startswith("posts "):
            self._read_post(name, words)
        elif words.startswith(("folds", "checks", "calls", "bets", "raises")):
            self._read_action(name, words)
        elif words.startswith("show") and (match := _CARDS.match(words)):
            self._show(name, match[1])

    def _read_post(self, name: str, words: str) -> None:
        match = _POST.fullmatch(words)
        if match is None:
            if "straddle" in words:
                raise LeftOutError("a straddle")
            raise LogError(f"expected a blind or an ante, got {words[:_SHOWN]!r}")
        kind, amount = match[1], self._money(match[2])
        if kind == "the ante":
            self.dead[name] = self.dead.get(name, 0) + amount
            return
        live = amount
        if kind == "small & big blinds":
            live = min(amount, self.blinds[0])
            self.dead[name] = self.dead.get(name, 0) + amount - live
        if kind == "small blind":
            self.small_blind = self.small_blind or name
        else:
            self.big_blind = self.big_blind or name
        self.posts[name] = self.posts.get(name, 0) + live

    def _read_action(self, name: str, words: str) -> None:
        match = _ACTION.fullmatch(words)
        if match is None:
            raise LogError(f"expected an action, got {words[:_SHOWN]!r}")
        verb, amount, total = match[1], match[2], match[3]
        wanted = {"folds": (0, 0), "checks": (0, 0), "calls": (1, 0), "bets": (1, 0), "raises": (1, 1)}[verb]
        if (amount is not None, total is not None) != wanted:
            raise LogError(f"expected an amount as in '{verb}', got {words[:_SHOWN]!r}")
        letter = {"folds": "f", "bets": "r", "raises": "r"}.get(verb, "c")
        to = self._money(total or amount) if letter == "r" else 0
        paid = None if verb == "folds" else self._money(amount) if verb == "calls" else 0 if verb == "checks" else None
        self.rounds[-1].append((name, letter, to, paid))

    def _read_total(self, line: str) -> None:
        match = _TOTAL.fullmatch(line)
        if match is not None and self.total is None:
            self.total = (self._money(match[1]), self._money(match[2]))

    def result(self) -> RealHand:
        """Returns the hand.

        :raises LogError: if a part is missing or the chips do not add up.
        """
        if len(self.seats) != 2:
            raise LeftOutError(f"{len(self.seats)} players dealt in")
        if not self.big_blind and not self.small_blind:
            raise LogError("expected the posts of the blinds")
        small = self.small_blind or next(name for name in self.seats if name != self.big_blind)
        big = next(name for name in self.seats if name != small)
        if self.big_blind not in ("", big):
            raise LogError(f"the player {small!r} posts both blinds")
        order = (big, small)
        seat_of = {big: 0, small: 1}
        put_in = self._put_in(order)
        if self.total is None:
            raise LogError("expected the line 'Total pot AMOUNT | Rake AMOUNT'")
        pot, rake = self.total
        returned, collected = sum(self.returned.values()), sum(self.collected.values())
        if sum(put_in.values()) - returned != pot:
            raise LogError(f"the players put in {sum(put_in.values())}, less {returned} returned; the pot is {pot}")
        if collected + rake != pot:
            raise LogError(f"the players collect {collected} and the rake is {rake}; the pot is {pot}")
        net = [float(self.collected.get(name, 0) + self.returned.get(name, 0) - put_in[name]) for name in order]
        rounds = [
            tuple(RealAction(seat_of[name], letter, to, paid) for name, letter, to, paid in actions)
            for actions in self.rounds
        ]
        while rounds and not rounds[-1]:
            rounds.pop()
        cards = [self.cards.get(name, ()) for name in order]
        seen = [card for part in (*cards, self.board) for card in part]
        if len(set(seen)) != len(seen):
            raise LogError("a card is repeated")
        return RealHand(
            self.hand,
            order,
            (self.seats[big], self.seats[small]),
            (self.posts.get(big, 0), self.posts.get(small, 0)),
            self.blinds,
            (self.dead.get(big, 0), self.dead.get(small, 0)),
            tuple(rounds),
            (cards[0], cards[1]),
            self.board,
            (net[0], net[1]),
        )

    def _put_in(self, order: Sequence[str]) -> dict[str, int]:
        """Returns the chips that each player put in, uncalled bets included."""
        total = {name: self.posts.get(name, 0) + self.dead.get(name, 0) for name in order}
        for index, actions in enumerate(self.rounds):
            street = {name: self.posts.get(name, 0) if index == 0 else 0 for name in order}
            for name, letter, to, paid in actions:
                added = to - street[name] if letter == "r" else paid or 0
                street[name] += added
                total[name] += added
        return total
