"""Draws the table for a person: recent actions, cards, pot, stacks, choices and results."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final, NamedTuple

from rich.console import Console
from rich.control import Control
from rich.rule import Rule
from rich.segment import ControlType
from rich.text import Text

from hedgehog.analysis.histories.hand_words import (
    action_text,
    action_words,
    did_text,
    made_hand,
    position_name,
    street_names,
)
from hedgehog.cli.table.hand_text import (
    big_blinds,
    cards_text,
    drawn_cards,
    has_suit_symbols,
)
from hedgehog.cli.table.table_keys import POT_SHARES, share_of_pot
from hedgehog.poker.acpc.betting_line import format_spot_actions
from hedgehog.poker.acpc.gamedef import UNLIMITED_STACK, GameDef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.evaluation.allin import expected_payoffs
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.state import CALL, Action, HandState

KEPT_HANDS: Final = 5


class Result(NamedTuple):
    """The result of a person so far."""

    hands: int
    chips: float
    adjusted: float
    """Chips won if all-ins before the last street count as their average over all boards."""


class _PlayedHand(NamedTuple):
    """A finished hand in the list of the last hands."""

    hand_id: int
    position: str
    own: Text
    other: Text
    board: Text
    line: str
    won: float


class TableScreen:
    """Draws a match between a person and one opponent."""

    def __init__(self, console: Console, opponent: str) -> None:
        """
        :param opponent: name of the opponent.
        """
        self.console = console
        self.symbols = has_suit_symbols(console)
        self.result = Result(0, 0.0, 0.0)
        self._opponent = opponent
        self._hand_id = -1
        self._shown = 0
        """Number of actions of the hand that are on the screen."""
        self._street = 0
        """Last street whose cards are on the screen."""
        self._waiting = False
        """Whether the last line says that the opponent is thinking."""
        self._played: deque[_PlayedHand] = deque(maxlen=KEPT_HANDS)

    def say(self, text: str) -> None:
        """Prints a message."""
        self.console.print(Text(text, style="italic"))

    def show(self, matchstate: MatchState) -> None:
        """Prints what has happened since the last call, with the result if the hand is over."""
        state = matchstate.state
        self._clear_waiting()
        if matchstate.hand_id != self._hand_id:
            self._start_hand(matchstate)
        self._tell_actions(matchstate)
        if state.finished:
            self._end_hand(matchstate)
        elif state.acting_position != matchstate.position and self.console.is_terminal:
            self.console.print(f"{self._opponent} is thinking", style="dim", end="")
            self._waiting = True

    def _clear_waiting(self) -> None:
        """Removes the note that the opponent is thinking."""
        if self._waiting:
            self.console.control(Control((ControlType.ERASE_IN_LINE, 2), ControlType.CARRIAGE_RETURN))
            self._waiting = False

    def _start_hand(self, matchstate: MatchState) -> None:
        gamedef = matchstate.state.gamedef
        self._hand_id = matchstate.hand_id
        self._shown = self._street = 0
        own = position_name(gamedef, matchstate.position)
        self.console.print()
        line = "─" if self.symbols else "-"
        self.console.print(Rule(f"Hand {matchstate.hand_id}, your position: {own}", characters=line, style="dim"))

    def _tell_actions(self, matchstate: MatchState) -> None:
        """Prints the actions since the last call, and the cards dealt between them."""
        position, _, _, board, state = matchstate
        replay = HandState(state.gamedef)
        number = 0
        for street, actions in enumerate(state.actions):
            if street > self._street:
                self._tell_street(street, board, replay.gamedef)
            for actor, action in actions:
                if number >= self._shown and actor != position:
                    self.console.print(f"{self._opponent} {did_text(action, replay)}", highlight=False)
                replay.perform(action)
                number += 1
        self._shown = number

    def _tell_street(self, street: int, board: tuple[int, ...], gamedef: GameDef) -> None:
        self._street = street
        dealt = board[gamedef.board_cards_by(street - 1) : gamedef.board_cards_by(street)]
        line = Text(f"{street_names(gamedef)[street].capitalize()}: ", style="bold")
        line.append_text(cards_text(dealt, self.symbols))
        self.console.print(line)

    def show_choices(self, matchstate: MatchState) -> None:
        """Draws cards, pot and stacks, and lists what the person may do."""
        position, _, hole_cards, board, state = matchstate
        gamedef = state.gamedef
        own = _high_first(hole_cards[position])
        groups = [own, list(board)] if board else [own]
        rows = drawn_cards(groups, self.symbols)
        owed = state.max_spent - state.spent[position]
        notes = [f"pot {sum(state.spent):,}" + (f", {owed:,} to call" if owed else ""), "", ""]
        if gamedef.stacks[position] < UNLIMITED_STACK:
            left = [stack - spent for stack, spent in zip(gamedef.stacks, state.spent, strict=True)]
            notes[1] = f"you have {left[position]:,}"
            notes[2] = f"{self._opponent} has {left[1 - position]:,}"
        for row, note in zip(rows, notes, strict=True):
            line = Text("  ").append_text(row).append(f"   {note}" if note else "")
            self.console.print(line, no_wrap=True, overflow="ellipsis")
        for line in self._filled([*_choices(state), ("?", "hint")]):
            self.console.print(line)

    def _filled(self, choices: list[tuple[str, str]]) -> list[Text]:
        """Puts choices into lines that fit the terminal."""
        lines = [Text(" ")]
        for key, what in choices:
            choice = Text(" ").append(key, style="bold").append(f" {what}")
            if len(lines[-1]) + len(choice) + 1 > self.console.width:
                lines.append(Text(" "))
            lines[-1].append_text(choice).append("  ")
        for line in lines:
            line.rstrip()
        return lines

    def _end_hand(self, matchstate: MatchState) -> None:
        position, hand_id, hole_cards, board, state = matchstate
        gamedef = state.gamedef
        other = 1 - position
        shown = hole_cards[other] if state.is_showdown else ()
        if shown:
            text = Text(f"{self._opponent} shows ").append_text(cards_text(_high_first(shown), self.symbols))
            text.append(_made_hand(shown, board))
            self.console.print(text)
            own = Text("you have ").append_text(cards_text(_high_first(hole_cards[position]), self.symbols))
            self.console.print(own.append(_made_hand(hole_cards[position], board)))
        won = payoffs(state, hole_cards, board)[position]
        hands, chips, adjusted = self.result
        self.result = Result(hands + 1, chips + won, adjusted + expected_payoffs(state, hole_cards, board)[position])
        verdict = f"You {'win' if won > 0 else 'lose'} {abs(won):,.10g} ({big_blinds(won, gamedef)})."
        self.console.print(Text(verdict if won else "The pot is split.", style="bold"))
        self.console.print(self.result_text(gamedef), highlight=False)
        self._played.append(
            _PlayedHand(
                hand_id=hand_id,
                position=position_name(gamedef, position),
                own=cards_text(_high_first(hole_cards[position]), self.symbols),
                other=cards_text(_high_first(shown), self.symbols),
                board=cards_text(board, self.symbols),
                line=format_spot_actions(state),
                won=won,
            )
        )

    def result_text(self, gamedef: GameDef) -> str:
        """Returns a sentence with the result of the match so far."""
        hands, chips, adjusted = self.result
        return (
            f"{hands:,} hand{'s' if hands != 1 else ''}: {big_blinds(chips, gamedef)}, all-in adjusted"
            f" {big_blinds(adjusted, gamedef)}"
        )

    def show_last_hands(self) -> None:
        """Prints the last finished hands, with the opponent's cards if they were shown."""
        if not self._played:
            self.say("no hand is finished yet")
        for hand in self._played:
            line = Text(f"Hand {hand.hand_id}, {hand.position}: ").append_text(hand.own)
            if hand.other:
                line.append(" against ").append_text(hand.other)
            if hand.board:
                line.append(" on ").append_text(hand.board)
            self.console.print(line.append(f": {hand.won:+,.10g}"))
            self.console.print(Text(f"  {hand.line}", style="dim"))


def _choices(state: HandState) -> list[tuple[str, str]]:
    """Returns the keys of the legal actions and what they do."""
    found = [("f", "fold")] if state.can_fold() else []
    found.append(("c", action_text(CALL, state)))
    limits = state.raise_range()
    if limits is None:
        return found
    if not limits[1]:
        return [*found, ("r", action_text(Action("r"), state))]
    started = state.round_start
    low, high = limits[0] - started, limits[1] - started
    verb = action_words(Action("r", limits[1]), state).verb
    found.append(("r N", f"{verb} to {low:,} .. {high:,}"))
    for key, name in (("h", "half pot"), ("p", "pot")):
        found.append((key, f"{name}: to {share_of_pot(POT_SHARES[key], state) - started:,}"))
    return [*found, ("a", f"all-in: to {high:,}")]


def _high_first(hole_cards: Sequence[int]) -> list[int]:
    return sorted(hole_cards, reverse=True)


def _made_hand(hole_cards: tuple[int, ...], board: tuple[int, ...]) -> str:
    """Returns what hole cards make on a board, in parentheses; empty for what has no name."""
    name = made_hand((*hole_cards, *board))
    return f" ({name})" if name else ""
