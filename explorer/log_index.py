"""The hands of a hand-history file as rows that are quickly filtered and sorted, and single hands in full."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from analysis.histories.hand_files import ACPC, FileHand, HandFile, open_hand_file
from analysis.histories.hand_words import ActionWords, action_words, made_hand, position_names, street_names
from poker.acpc.gamedef import UNLIMITED_STACK, GameDef, shipped_name
from poker.acpc.handlog import LoggedHand, parse_log_line, scan_log_line
from poker.cards import format_card, format_cards
from poker.state import HandState
from runtime.errors import InputError, LogError

MOST_HANDS: Final = 200_000
"""Largest number of hands of a file that are listed."""


@dataclass(frozen=True, slots=True)
class HandRow:
    """One hand of a file."""

    number: int
    """Number of the hand in the file."""
    line: int
    """Line of the file on which the hand starts, from 1."""
    betting: str
    """Betting in ACPC text."""
    board: str
    names: tuple[str, ...]
    """Names of the players in position order."""
    values: tuple[float, ...]
    """Chips won or lost in position order."""

    @property
    def streets(self) -> int:
        """Number of the last street that was bet on, from 0."""
        return self.betting.count("/")

    @property
    def showdown(self) -> bool:
        """Whether the hand was shown down: nobody but one folded."""
        return self.betting.count("f") < len(self.names) - 1


class LogIndex:
    """One hand-history file."""

    def __init__(self, path: Path) -> None:
        """Reads the file.

        :raises InputError: if the file cannot be read, or holds a hand that is malformed.
        """
        self.file: HandFile = open_hand_file(path)
        self.rows: list[HandRow] = []
        self.cut = False
        """Whether the file has more hands than are listed."""
        self._hands: dict[int, LoggedHand] = {}
        for row in self._read():
            if len(self.rows) >= MOST_HANDS:
                self.cut = True
                break
            self.rows.append(row)
        if not self.rows:
            raise LogError("the file holds no hand", source=str(path))

    def _read(self) -> Any:
        if self.file.format == ACPC:
            for line, text in enumerate(self.file.lines, 1):
                if not text.startswith("STATE:"):
                    continue
                try:
                    hand = scan_log_line(text)
                except InputError:
                    yield self._row(
                        FileHand(line, self._parse(line, text))
                    )  # hidden cards, or a message with the fault
                    continue
                names = tuple(hand.names.split("|"))
                board = hand.board.replace("/", "")
                yield HandRow(hand.hand_id, line, hand.betting, board, names, tuple(hand.values))
            return
        for entry in self.file.hands(hidden_cards=True):
            self._hands[entry.line] = entry.hand
            yield self._row(entry)

    def _row(self, entry: FileHand) -> HandRow:
        hand = entry.hand
        values = tuple(map(float, hand.values))
        names = tuple(hand.names.split("|"))
        return HandRow(hand.hand_id, entry.line, hand.state.betting_string(), format_cards(hand.board), names, values)

    def _parse(self, line: int, text: str) -> LoggedHand:
        assert self.file.gamedef is not None
        try:
            return parse_log_line(text, self.file.gamedef, hidden_cards=True)
        except InputError as error:
            raise LogError(error.message, source=str(self.file.path), line=line) from None

    def hand(self, place: int) -> LoggedHand:
        """Returns the hand at a place of :attr:`rows`.

        :raises InputError: if the hand breaks the rules.
        """
        row = self.rows[place]
        if row.line in self._hands:
            return self._hands[row.line]
        return self._parse(row.line, self.file.lines[row.line - 1])

    @property
    def gamedef(self) -> GameDef:
        """The game of the first hand."""
        return self.file.gamedef or self.hand(0).state.gamedef

    @property
    def players(self) -> list[str]:
        """Names of all players of the listed hands, in order of appearance."""
        return list(dict.fromkeys(name for row in self.rows for name in row.names))

    @cached_property
    def player(self) -> str:
        """The player of most of the listed hands; among several the first to appear."""
        return Counter(name for row in self.rows for name in row.names).most_common(1)[0][0]


def describe_logged_hand(hand: LoggedHand) -> dict[str, Any]:
    """Returns the JSON of a hand for the replayer: players, cards, and every action with the chips after it."""
    gamedef = hand.state.gamedef
    count = gamedef.num_players
    names = hand.names.split("|")
    if len(names) != count:
        names = [f"player {position + 1}" for position in range(count)]
    state = HandState(gamedef)
    steps: list[dict[str, Any]] = []
    tokens: list[str] = []
    streets = street_names(gamedef)
    for street, actions in enumerate(hand.state.actions):
        board = hand.board[: gamedef.board_cards_by(street)]
        dealt = board[gamedef.board_cards_by(street - 1) if street else 0 :]
        if dealt:
            tokens.append(format_cards(dealt))
            steps.append({"kind": "deal", "street": streets[street], "cards": [format_card(card) for card in dealt]})
        for position, action in actions:
            words = action_words(action, state)
            before = " ".join(tokens)
            state.perform(action)
            tokens.append(str(action))
            steps.append(
                {
                    "kind": "action",
                    "street": streets[street],
                    "position": position,
                    "action": str(action),
                    "words": _words(words),
                    "line": before,
                    "pot": sum(state.spent),
                    "stacks": _stacks(state),
                    "folded": list(state.folded),
                }
            )
    made = []
    for position, cards in enumerate(hand.hole_cards):
        shown = state.is_showdown and not state.folded[position] and bool(cards)
        made.append(made_hand((*cards, *hand.board)) if shown else "")
    return {
        "number": hand.hand_id,
        "names": names,
        "positions": position_names(gamedef),
        "hole_cards": [[format_card(card) for card in cards] for cards in hand.hole_cards],
        "board": [format_card(card) for card in hand.board],
        "blinds": list(gamedef.blinds),
        "stacks": _stacks(HandState(gamedef)),
        "values": [float(value) for value in hand.values],
        "showdown": bool(hand.state.is_showdown),
        "made": made,
        "steps": steps,
        "game": shipped_name(gamedef),
        "big_blind": gamedef.big_blind,
    }


def _words(words: ActionWords) -> str:
    verb, chips, all_in = words
    to = " to" if verb == "raise" else ""
    return f"{verb}s{f'{to} {chips:,}' if chips else ''}{' and is all-in' if all_in else ''}"


def _stacks(state: HandState) -> list[int | None]:
    gamedef = state.gamedef
    return [
        None if gamedef.stacks[position] == UNLIMITED_STACK else gamedef.stacks[position] - state.spent[position]
        for position in range(gamedef.num_players)
    ]
