"""A person at the table: a player whose actions are typed in a terminal.

If a player raises an :class:`Exception`, the table calls in its place and the match goes on. Leaving the table and a
closed terminal must end the match instead, so they raise :class:`LeftTable`, which is no :class:`Exception`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hedgehog.agent.player import ExplainsStrategy, Player
from hedgehog.analysis.packs.decision_words import hint_lines
from hedgehog.cli.table.table_keys import Command, parse_answer
from hedgehog.cli.table.table_screen import TableScreen
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.state import Action
from hedgehog.runtime.errors import HedgehogError, InputError


class LeftTable(BaseException):
    """Raised when the person at the table has left, or cannot be asked any more."""

    def __init__(self, cause: BaseException | None = None) -> None:
        super().__init__(cause)
        self.cause = cause
        """What went wrong; None if the person wanted to leave."""


Grader = Callable[[MatchState], Iterable[str]]
"""Returns lines that say what the decisions of a finished hand cost."""
Adviser = Callable[[GameDef], ExplainsStrategy]
"""Returns the player who gives hints in a game, and loads it when it is first needed; raises HedgehogError if there is
none."""


class HumanPlayer(Player):
    """A player that asks a person for every action."""

    name = "you"

    def __init__(
        self,
        screen: TableScreen,
        read_line: Callable[[str], str],
        adviser: Adviser,
        *,
        hints: bool = False,
        grader: Grader | None = None,
    ) -> None:
        """
        :param read_line: (prompt) -> the line typed; raises EOFError at the end of the input.
        :param hints: show a hint at every decision.
        :param grader: says after every hand what its decisions cost; None: nothing is said.
        """
        self._screen = screen
        self._read_line = read_line
        self._adviser = adviser
        self._hints = hints
        self._grader = grader

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        """Shows the table and asks until the answer is a legal action.

        :raises LeftTable: if the person leaves.
        """
        try:
            self._screen.show(matchstate)
            self._screen.show_choices(matchstate)
            if self._hints:
                self._hint(matchstate)
            return self._ask(matchstate)
        except Exception as error:
            raise LeftTable(error) from error

    def observe(self, matchstate: MatchState) -> None:
        """Shows what has happened.

        :raises LeftTable: if that fails, as it does when the terminal is closed.
        """
        try:
            self._screen.show(matchstate)
            if self._grader is not None and matchstate.state.finished:
                self._tell_grades(self._grader, matchstate)
        except Exception as error:
            raise LeftTable(error) from error

    def _tell_grades(self, grader: Grader, matchstate: MatchState) -> None:
        try:
            for line in grader(matchstate):
                self._screen.say(line)
        except HedgehogError as error:
            self._screen.say(str(error))

    def _ask(self, matchstate: MatchState) -> Action:
        while True:
            try:
                text = self._read_line("> ")
            except EOFError:
                raise LeftTable from None
            try:
                answer = parse_answer(text, matchstate.state)
            except InputError as error:
                self._screen.say(str(error))
                continue
            if isinstance(answer, Action):
                return answer
            if answer is Command.QUIT:
                raise LeftTable
            if answer is Command.HINT:
                self._hint(matchstate)
            else:
                self._screen.show_last_hands()

    def _hint(self, matchstate: MatchState) -> None:
        try:
            for line in hint_lines(self._adviser(matchstate.state.gamedef), matchstate):
                self._screen.say(line)
        except HedgehogError as error:
            self._screen.say(f"no hint: {error}")
