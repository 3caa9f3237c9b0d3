"""Draws a freeze-out for a person: the table, with the blind level and the stacks of both players."""

from __future__ import annotations

from rich.console import Console

from hedgehog.arena.freeze_out.rules import FreezeOutRules
from hedgehog.cli.table.table_screen import TableScreen
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.matchstate import MatchState


class FreezeOutScreen(TableScreen):
    """Draws a freeze-out between a person and one opponent."""

    def __init__(self, console: Console, opponent: str, rules: FreezeOutRules) -> None:
        """
        :param opponent: name of the opponent.
        :param rules: chips and blinds; the person is the first player.
        """
        super().__init__(console, opponent)
        self._rules = rules

    def _start_hand(self, matchstate: MatchState) -> None:
        """Prints the head of a hand, the level and the stacks before the blinds."""
        super()._start_hand(matchstate)
        rules, hand = self._rules, matchstate.hand_id
        level, number = rules.level(hand), rules.level_number(hand)
        text = f"Blinds {level.small}/{level.big}"
        if rules.earlier:
            text = f"Level {number + 1} of {len(rules.levels)}: blinds {level.small}/{level.big}"
        if level.hands:
            left = sum(one.hands for one in rules.earlier[: number + 1]) - hand
            following = rules.levels[number + 1]
            text += f", in {left} hand{'s' if left != 1 else ''} {following.small}/{following.big}"
        stacks = matchstate.state.gamedef.stacks
        own, other = stacks[matchstate.position], stacks[1 - matchstate.position]
        self.console.print(f"{text}. You have {own:,}, {self._opponent} has {other:,}.", highlight=False, markup=False)

    def result_text(self, gamedef: GameDef) -> str:
        """Returns a sentence with the chips of both players after the last finished hand."""
        hands = self.result.hands
        own = self._rules.stacks[0] + round(self.result.chips)
        other = self._rules.total - own
        after = f"after {hands:,} hand{'s' if hands != 1 else ''}"
        if not other:
            return f"you have won the freeze-out {after}"
        if not own:
            return f"{self._opponent} has won the freeze-out {after}"
        return f"{after} you have {own:,} chips and {self._opponent} has {other:,}"
