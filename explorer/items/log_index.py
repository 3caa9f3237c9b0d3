"""The hands of a hand-history file as rows that are quickly filtered and sorted, and single hands in full."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from hedgehog.analysis.histories.hand_files import ACPC, FileHand, HandFile
from hedgehog.analysis.histories.hand_input import HandInput
from hedgehog.analysis.histories.hand_words import ActionWords, action_words, made_hand, position_names, street_names
from hedgehog.poker.acpc.gamedef import UNLIMITED_STACK, GameDef, chosen_name, shipped_name
from hedgehog.poker.acpc.handlog import parse_log_line
from hedgehog.poker.cards import format_card, format_cards
from hedgehog.poker.state import HandState
from hedgehog.runtime.errors import one_line

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
    """One hand-history file: its hands as all commands count them, and what is left out."""

    def __init__(self, path: Path) -> None:
        """Reads the file.

        :raises InputError: if the file cannot be read, or all its hands are left out.
        """
        self.rows: list[HandRow] = []
        self.cut = False
        """Whether the file has more hands than are listed."""
        self._kept: list[FileHand | tuple[HandFile, GameDef]] = []
        """The hands of :attr:`rows`; those of an ACPC log, of which there may be many, are parsed again from it."""
        reading = HandInput([path])
        self.format: Final = reading.files[0].format
        for file in reading.files:
            for entry in reading.read(file, hidden_cards=True):
                if len(self.rows) >= MOST_HANDS:
                    self.cut = True
                    break
                self.rows.append(_row(entry))
                self._kept.append((file, entry.gamedef) if file.format == ACPC else entry)
        reading.verify_read()
        self.left_out: Final = [one_line(note) for note in reading.notes()]
        """What is to be said about hands that were left out or found twice, a line of text each."""

    def hand(self, place: int) -> FileHand:
        """Returns the hand at a place of :attr:`rows`."""
        kept = self._kept[place]
        if isinstance(kept, FileHand):
            return kept
        file, gamedef = kept
        line = self.rows[place].line
        return FileHand(line, parse_log_line(file.lines[line - 1], gamedef, hidden_cards=True))

    @property
    def gamedef(self) -> GameDef:
        """The game of the first hand."""
        return self.hand(0).gamedef

    @property
    def players(self) -> list[str]:
        """Names of all players of the listed hands, in order of appearance."""
        return list(dict.fromkeys(name for row in self.rows for name in row.names))

    @cached_property
    def player(self) -> str:
        """The player of most of the listed hands; among several the first to appear."""
        return Counter(name for row in self.rows for name in row.names).most_common(1)[0][0]


def _row(entry: FileHand) -> HandRow:
    hand = entry.hand
    values = tuple(map(float, hand.values))
    names = tuple(hand.names.split("|"))
    return HandRow(hand.hand_id, entry.line, hand.state.betting_string(), format_cards(hand.board), names, values)


def describe_logged_hand(entry: FileHand) -> dict[str, Any]:
    """Returns the JSON of a hand for the replayer: players, cards, and every action with the chips after it."""
    hand, dead = entry.hand, sum(entry.dead)
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
                    "pot": sum(state.spent) + dead,
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
        "dead": dead,
        "stacks": _stacks(HandState(gamedef)),
        "values": [float(value) for value in hand.values],
        "showdown": bool(hand.state.is_showdown),
        "made": made,
        "steps": steps,
        "game": shipped_name(gamedef),
        "chosen_game": None if dead else chosen_name(gamedef),
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
