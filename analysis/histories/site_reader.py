"""Reads one hand in the text of a poker site: what the formats of the sites have in common.

Lines that say nothing about blinds, cards, actions and chips are ignored. Amounts become cents, or chips where the
blinds have neither a currency nor cents. A hand is checked: what was put in, less what was returned, is what was
collected and the fees, and the total of the pot is the same with or without the fees.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from hedgehog.analysis.histories.left_out import Block, LeftOutError
from hedgehog.analysis.histories.real_hands import RealAction, RealHand
from hedgehog.poker.cards import parse_cards
from hedgehog.poker.evaluation.showdown import hand_rank
from hedgehog.poker.streets import BOARD_CARDS
from hedgehog.runtime.errors import CardError, LogError

MONEY: Final = (
    r"([^\d\s.,()-]{0,3}[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]{1,2})?|[^\d\s.,()-]{0,3}[0-9]{1,15}(?:\.[0-9]{1,2})?)"
)
"""Pattern of an amount with or without currency and thousands separators, as one group."""
MOST_LINES: Final = 2_000
"""A hand with more lines is refused."""
_MOST_CHARACTERS: Final = 1_000
"""A hand with a longer first line is refused."""
OTHER_GAME: Final = "another game than no-limit hold'em"
_ACTION: Final = re.compile(
    rf"(folds|checks|calls|bets|raises)(?: {MONEY})?(?: to {MONEY})?"
    r"(?: and is all-in| and has reached the \S+ cap)?(?: \[([^\]]*)\])?"
)
_VERBS: Final = ("folds", "checks", "calls", "bets", "raises")
_ABSENT: Final = re.compile(r"\b(?:sitting out|out of hand|sits out|waits for (?:the )?big blind)")
_STREET: Final = re.compile(r"\*\*\* (FLOP|TURN|RIVER) \*\*\* (?:\[([^\]]*)\] )?\[([^\]]*)\]")
_SECOND_BOARD: Final = re.compile(r"\*\*\* (?:FIRST|SECOND|THIRD|RUN IT|(?:FLOP|TURN|RIVER|SHOW DOWN) [0-9]).*")
_UNCALLED: Final = re.compile(rf"Uncalled bet \({MONEY}\) returned to (.+)")
_COLLECTED: Final = re.compile(rf" collected {MONEY} from (?:main |side )?pot.*")
_SHOWN_CARDS: Final = re.compile(r"(?:shows?|mucks)(?: hand)? \[([^\]]*)\]")
_TOTAL: Final = re.compile(rf"Total pot {MONEY}[^|]*((?:\|[^|]*)*)")
_FEE: Final = re.compile(rf" ?[A-Za-z ]+ {MONEY} ?")
_SUMMARY_SEAT: Final = re.compile(r"Seat [0-9]{1,2}: ")
_SUMMARY_CARDS: Final = re.compile(r"\b(?:showed|mucked) \[([^\]]*)\]")
_SUMMARY_WON: Final = re.compile(rf"\b(?:won|collected) \(?{MONEY}(?=\)|\s|$)")
SHOWN: Final = 80
"""Number of characters of a bad line that a message shows."""


def parse_block(block: Block, reader: SiteReader) -> RealHand:
    """Returns the hand in the lines of a block.

    :param reader: a new reader of the site.
    :raises LeftOutError: if the hand is another game than no-limit hold'em between exactly two players with one board.
    :raises LogError: if the hand is malformed or its chips do not add up; ``line`` is the number of the line at fault.
    """
    if len(block.lines) > MOST_LINES:
        raise LogError(f"expected at most {MOST_LINES} lines in a hand", line=block.line)
    number = block.line
    try:
        for offset, line in enumerate(block.lines):
            number = block.line + offset
            reader.take(line.rstrip())
        number = block.line
        return reader.result()
    except LeftOutError as error:
        raise LeftOutError(error.message, line=number) from error
    except (LogError, CardError) as error:
        raise LogError(error.message, line=number) from error


class SiteReader:
    """Reads the lines of one hand. A subclass knows what is peculiar to a site."""

    start: ClassVar[re.Pattern[str]]
    """The first line of a hand: its number, and the rest of the line."""
    first_line: ClassVar[str]
    """What the first line looks like, for messages."""
    no_limit: ClassVar[re.Pattern[str]]
    """Occurs in the first line of a hand of no-limit hold'em, and of no other game."""
    game: ClassVar[re.Pattern[str]]
    """The rest of the first line of a no-limit hand: small blind, big blind and perhaps a cap."""
    blinds_form: ClassVar[str]
    """How the first line states the blinds, for messages."""
    seat_line: ClassVar[re.Pattern[str]]
    """A player at the table: name, stack and the rest of the line."""
    post: ClassVar[re.Pattern[str]]
    """A post, after the name: kind and amount."""
    live_posts: ClassVar[Mapping[str, str]]
    """By kind of post, ``small`` or ``big`` for a blind, ``both`` for a blind and a dead part; all others are dead."""
    left_out: ClassVar[Mapping[str, str]] = {}
    """By the start of a line, the kind of hands that have such a line and are left out."""
    after_name = ": "
    """What stands between a player's name and an action."""

    def __init__(self) -> None:
        self.hand = 0
        self.scale = 1
        self.blinds = (0, 0)
        self.cap: int | None = None
        """Largest number of chips that a player may put in, if the table has a cap."""
        self.seats: dict[str, int] = {}
        self.names: list[str] = []
        self.absent: set[str] = set()
        """Players who sit out or wait for their blind."""
        self.active: set[str] = set()
        """Players who post or act. In tournaments those who sit out do."""
        self.small_blind = ""
        self.big_blind = ""
        self.posts: dict[str, int] = {}
        self.dead: dict[str, int] = {}
        self.returned: dict[str, int] = {}
        self.collected: dict[str, int] = {}
        self.won: dict[str, int] = {}
        self.cards: dict[str, tuple[int, ...]] = {}
        self.rounds: list[list[tuple[str, str, int, int | None]]] = [[]]
        self.board: tuple[int, ...] = ()
        self.total: tuple[int, int] | None = None
        self.summary = False
        self.started = False

    def take_first(self, line: str) -> None:
        """Takes the first line of a hand: number and blinds.

        :raises LogError: if it is no such line, or of another game.
        """
        match = self.start.fullmatch(line)
        if match is None:
            raise LogError(f"expected {self.first_line!r}, got {line[:SHOWN]!r}")
        self.set_hand(match[1])
        if not self.no_limit.search(line):
            raise LeftOutError(OTHER_GAME)
        game = self.game.fullmatch(match[2])
        if game is None:
            raise LogError(f"expected the blinds as {self.blinds_form}, got {line[:SHOWN]!r}")
        self.set_blinds(*filter(None, game.groups()))

    def set_hand(self, number: str) -> None:
        """Sets the number of the hand."""
        self.hand = int(number)
        if self.hand >= 2**63 or not self.hand:
            raise LogError(f"expected a hand number from 1 to 2^63, got {number}")

    def set_blinds(self, small: str, big: str, cap: str | None = None) -> None:
        """Sets the blinds, the cap if there is one, and the unit of all amounts."""
        plain = all(re.fullmatch(r"[0-9,]+(?:\.0*)?", part) for part in (small, big))
        self.scale = 1 if plain else 100
        self.blinds = (self.money(big), self.money(small))
        if not 0 < self.blinds[1] <= self.blinds[0]:
            raise LogError(f"expected 0 < small blind <= big blind, got {small} and {big}")
        self.cap = None if cap is None else self.money(cap)

    def money(self, text: str) -> int:
        """Returns an amount in the unit of the hand."""
        digits = re.sub(r"[^0-9.]", "", text)
        whole, _, cents = digits.partition(".")
        if self.scale == 1:
            if cents.strip("0"):
                raise LogError(f"expected whole chips, got {text!r}")
            return int(whole)
        return 100 * int(whole) + int(cents.ljust(2, "0"))

    def take(self, line: str) -> None:
        """Takes a line.

        :raises LeftOutError: if the hand is of a kind that is left out.
        :raises LogError: if the line is malformed.
        """
        if not self.hand:
            if len(line) > _MOST_CHARACTERS:
                raise LogError(f"expected at most {_MOST_CHARACTERS} characters in the first line of a hand")
            self.take_first(line)
        elif self.summary:
            self._read_summary(line)
        elif not self.started and (match := self.seat_line.fullmatch(line)):
            self._read_seat(match[1], match[2], match[3])
        elif not self._read_player(line):
            if line.startswith("*** "):
                self._read_marker(line)
            elif line.startswith("Uncalled bet ("):
                self._read_uncalled(line)
            elif line.startswith("Dealt to "):
                self._read_dealt(line)
            else:
                self._leave_out(line)

    def _leave_out(self, line: str) -> None:
        for start, kind in self.left_out.items():
            if line.startswith(start):
                raise LeftOutError(kind)

    def _read_seat(self, name: str, stack: str, rest: str) -> None:
        if name in self.seats:
            raise LogError(f"the player {name!r} sits twice")
        self.seats[name] = self.money(stack)
        if _ABSENT.search(rest) or not self.seats[name]:
            self.absent.add(name)
        self.names = sorted(self.seats, key=len, reverse=True)

    def _read_marker(self, line: str) -> None:
        if line.startswith("*** HOLE CARDS ***"):
            self.started = True
        elif line.startswith("*** SUMMARY ***"):
            self.summary = True
        elif _SECOND_BOARD.match(line):
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
            raise LogError(f"expected 'Uncalled bet (AMOUNT) returned to NAME', got {line[:SHOWN]!r}")
        self.returned[match[2]] = self.returned.get(match[2], 0) + self.money(match[1])

    def _read_dealt(self, line: str) -> None:
        name, bracket, cards = line.removeprefix("Dealt to ").rpartition(" [")
        if bracket and name in self.seats and "]" in cards:
            self._show(name, cards[: cards.index("]")])

    def _show(self, name: str, text: str) -> None:
        cards = tuple(parse_cards(text))
        if len(cards) != 2:  # one card alone is sometimes shown
            return
        if set(self.cards.setdefault(name, cards)) != set(cards):
            raise LogError(f"the player {name!r} shows two different hands")

    def name_at(self, line: str, start: int = 0) -> str | None:
        """Returns the player whose name stands at a place of a line; of several the longest."""
        return next((name for name in self.names if line.startswith(name, start)), None)

    def _read_player(self, line: str) -> bool:
        """Reads a line about a player; returns False if it is none."""
        name = self.name_at(line)
        if name is None:
            return False
        rest = line[len(name) :]
        if match := _COLLECTED.fullmatch(rest):
            self.collected[name] = self.collected.get(name, 0) + self.money(match[1])
            return True
        if not rest.startswith(self.after_name):
            return False
        words = rest[len(self.after_name) :]
        if words.startswith("posts "):
            self._read_post(name, words)
        elif words.startswith(("straddle", "caps ")):
            raise LeftOutError("a straddle" if words.startswith("straddle") else "a bet that is capped")
        elif words.startswith(_VERBS):
            self._read_action(name, words)
        elif _ABSENT.search(words):
            self.absent.add(name)
        elif match := _SHOWN_CARDS.match(words):
            self._show(name, match[1])
        else:
            return False
        return True

    def _read_post(self, name: str, words: str) -> None:
        match = self.post.fullmatch(words)
        if match is None:
            if "straddle" in words:
                raise LeftOutError("a straddle")
            raise LogError(f"expected a blind or an ante, got {words[:SHOWN]!r}")
        self.active.add(name)
        kind, amount = self.live_posts.get(match[1] or ""), self.money(match[2])
        live = amount if kind in ("small", "big") else min(amount, self.blinds[0]) if kind == "both" else 0
        if amount > live:
            self.dead[name] = self.dead.get(name, 0) + amount - live
        if kind is None:
            return
        if kind == "small":
            self.small_blind = self.small_blind or name
        else:
            self.big_blind = self.big_blind or name
        self.posts[name] = self.posts.get(name, 0) + live

    def _read_action(self, name: str, words: str) -> None:
        match = _ACTION.fullmatch(words)
        if match is None:
            raise LogError(f"expected an action, got {words[:SHOWN]!r}")
        verb, amount, total, cards = match.groups()
        wanted = {"folds": (0, 0), "checks": (0, 0), "calls": (1, 0), "bets": (1, 0), "raises": (1, 1)}[verb]
        if (amount is not None, total is not None) != wanted:
            raise LogError(f"expected an amount as in '{verb}', got {words[:SHOWN]!r}")
        if cards is not None:
            self._show(name, cards)
        self.active.add(name)
        letter = {"folds": "f", "bets": "r", "raises": "r"}.get(verb, "c")
        to = self.money(total or amount) if letter == "r" else 0
        paid = None if verb == "folds" else self.money(amount) if verb == "calls" else 0 if verb == "checks" else None
        self.rounds[-1].append((name, letter, to, paid))

    def _read_summary(self, line: str) -> None:
        if match := _SUMMARY_SEAT.match(line):
            name = self.name_at(line, match.end())
            if name is None:
                return
            rest = line[match.end() + len(name) :]
            if match := _SUMMARY_CARDS.search(rest):
                self._show(name, match[1])
            if match := _SUMMARY_WON.search(rest):
                self.won[name] = self.won.get(name, 0) + self.money(match[1])
        elif self.total is None and (match := _TOTAL.fullmatch(line)):
            fees = [_FEE.fullmatch(part) for part in match[2].split("|")[1:]]
            if None in fees:
                raise LogError(f"expected 'Total pot AMOUNT | FEE AMOUNT', got {line[:SHOWN]!r}")
            self.total = (self.money(match[1]), sum(self.money(fee[1]) for fee in fees if fee))
        else:
            self._leave_out(line)

    def result(self) -> RealHand:
        """Returns the hand.

        :raises LogError: if a part is missing or the chips do not add up.
        """
        players = [name for name in self.seats if name in self.active or name not in self.absent]
        if len(players) != 2:
            raise LeftOutError("one player dealt in" if len(players) == 1 else f"{len(players)} players dealt in")
        if not self.big_blind and not self.small_blind:
            raise LogError("expected the posts of the blinds")
        small = self.small_blind or next(name for name in players if name != self.big_blind)
        big = next(name for name in players if name != small)
        if self.big_blind not in ("", big):
            raise LogError(f"the player {small!r} posts both blinds")
        order = (big, small)
        seat_of = {big: 0, small: 1}
        put_in = self._put_in(order)
        collected = self._collected(put_in)
        net = [float(collected.get(name, 0) + self.returned.get(name, 0) - put_in[name]) for name in order]
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
        if all(cards) and len(self.board) == BOARD_CARDS[-1] and not self._folded():
            ranks = [hand_rank([*one, *self.board]) for one in cards]
            if (ranks[0] > ranks[1] and collected.get(small)) or (ranks[0] < ranks[1] and collected.get(big)):
                raise LogError("the player with the weaker hand collects chips")
        stacks = [self.seats[name] if self.cap is None else min(self.seats[name], self.cap) for name in order]
        return RealHand(
            self.hand,
            order,
            (stacks[0], stacks[1]),
            (self.posts.get(big, 0), self.posts.get(small, 0)),
            self.blinds,
            (self.dead.get(big, 0), self.dead.get(small, 0)),
            tuple(rounds),
            (cards[0], cards[1]),
            self.board,
            (net[0], net[1]),
        )

    def _folded(self) -> list[str]:
        return [name for actions in self.rounds for name, letter, *_ in actions if letter == "f"]

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

    def _collected(self, put_in: Mapping[str, int]) -> dict[str, int]:
        """Returns the chips that each player got from the pot, and completes those that were returned.

        A winner who took a cash-out stands in the summary alone: the pot then counts as won by the cards. Old hands do
        not say that a bet nobody called was returned.

        :param put_in: chips that each player put in.
        :raises LogError: if the chips do not add up.
        """
        if self.total is None:
            raise LogError("expected the line 'Total pot AMOUNT | Rake AMOUNT'")
        total, fees = self.total
        pot = sum(put_in.values()) - sum(self.returned.values())
        folded = self._folded()
        collected = self.collected or self.won or {name: pot - fees for name in put_in if folded and name not in folded}
        paid = sum(collected.values()) + fees
        if not self.returned and pot != paid:
            live = {name: chips - self.dead.get(name, 0) for name, chips in put_in.items()}
            first, second = live
            uncalled = abs(live[first] - live[second])
            if pot - uncalled == paid:
                self.returned[first if live[first] > live[second] else second] = uncalled
                pot = paid
        if pot != paid:
            raise LogError(f"the pot is {pot} without bets that were returned; {paid} are collected or fees")
        if total not in (pot, pot - fees):
            raise LogError(f"the total pot is {total}; {pot} are in it, or {pot - fees} without fees")
        return collected
