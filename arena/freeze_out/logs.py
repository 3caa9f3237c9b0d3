"""The logs of freeze-outs, and the folder that holds them.

A log holds one game in the format of the ACPC. Every hand whose stacks or blinds differ from those of the hand before
has a header line before it that names its game: ``# name/game/hands/seed pair_1_1 holdem.nolimit.2p.10-20.1480-1520 9
123``. All headers of a log have the same name, number of hands and seed. A log is written when its game is over.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from hedgehog.arena.freeze_out.game import FreezeOutGame, FreezeOutPair, PlayedHand
from hedgehog.arena.freeze_out.rules import FreezeOutRules
from hedgehog.arena.freeze_out.tally import PairResult, Tally, expected_value
from hedgehog.arena.match_folder import claim_folder
from hedgehog.poker.acpc.handlog import (
    LogHeader,
    format_header,
    format_log_line,
    format_score_line,
    parse_log_line,
    read_log,
)
from hedgehog.runtime.documents import json_text
from hedgehog.runtime.engines.jobs import STATUS_FILE
from hedgehog.runtime.errors import InputError, LogError
from hedgehog.runtime.files import replacing, write_text_file
from hedgehog.runtime.input_files import read_file
from hedgehog.runtime.outputs import FolderKind, make_folder, remove_contents

TASK_FILE: Final = "freezeouts.json"
FREEZE_OUTS: Final = FolderKind("a folder of freeze-outs", (TASK_FILE, STATUS_FILE, "pair_*.log"))


class GameLog:
    """Collects the hands of one game."""

    def __init__(self, rules: FreezeOutRules, names: Sequence[str]) -> None:
        """
        :param names: names of the two players.
        """
        self._rules = rules
        self._names = names
        self._hands: list[tuple[str, str]] = []
        self._totals = [0, 0]
        self._seats: tuple[int, int] = (0, 1)

    def add(self, hand: PlayedHand) -> None:
        """Adds a finished hand."""
        if not self._hands:
            self._seats = hand.order
        self._hands.append((self._rules.game_name(hand.number, hand.state.gamedef.stacks), log_line(hand, self._names)))
        for player, value in zip(hand.order, hand.values, strict=True):
            self._totals[player] += value

    def text(self, match: str, seed: int) -> str:
        """Returns the whole log.

        :param match: name of the game in the headers.
        :param seed: seed of the cards.
        """
        lines = []
        before = ""
        for game, line in self._hands:
            if game != before:
                lines.append(format_header(LogHeader(match, game, len(self._hands), seed)))
            lines.append(line)
            before = game
        totals = [self._totals[player] for player in self._seats]
        lines.append(format_score_line(totals, [self._names[player] for player in self._seats]))
        return "\n".join(lines) + "\n"


def log_name(pair: int, game: int) -> str:
    """Returns the name of a game in its log, and of the log without its ending: it counts pairs and games from 1."""
    return f"pair_{pair + 1}_{game + 1}"


def log_line(hand: PlayedHand, names: Sequence[str]) -> str:
    """Returns the ``STATE:`` line of a hand, without line end.

    :param names: names of the two players.
    """
    positioned = [names[player] for player in hand.order]
    return format_log_line(hand.number, hand.state, hand.deal.hole_cards, hand.board, hand.values, positioned)


class FreezeOutFolder:
    """A folder with the logs of freeze-outs. Pairs whose logs are whole need not be played again."""

    def __init__(
        self,
        path: Path,
        task: dict[str, Any],
        *,
        resume: bool = False,
        overwrite: bool = False,
        inputs: Sequence[Path] = (),
    ) -> None:
        """Checks that freeze-outs can be played into the folder, without changing anything.

        :param task: what is played: everything that the logs depend on but the number of games.
        :param resume: go on with the same freeze-outs in the folder.
        :param overwrite: replace freeze-outs in the folder.
        :param inputs: files and folders that the players read.
        :raises InputError: if the folder holds anything else, or other freeze-outs than those to go on with.
        """
        self.path = path
        self._task = task
        self.resume = resume
        """Whether pairs that are in the folder are not played again."""
        self._overwrite = overwrite
        claim_folder(path, FREEZE_OUTS, resume=resume, overwrite=overwrite, inputs=inputs)
        if resume and (path / TASK_FILE).exists():
            self._verify_same()

    def _verify_same(self) -> None:
        file = self.path / TASK_FILE
        try:
            found = json.loads(read_file(file))
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise InputError("does not say which freeze-outs these are", source=str(file))
        for key, value in self._task.items():
            if found.get(key) != value:
                raise InputError(
                    f"the folder holds other freeze-outs: {key} is {found.get(key)!r} there and {value!r} here",
                    source=str(file),
                )

    def begin(self) -> None:
        """Makes the folder, and empties it if its content is to be replaced.

        :raises ResourceError: if that fails.
        """
        make_folder(self.path)
        if self._overwrite:
            remove_contents(self.path, FREEZE_OUTS)
        write_text_file(self.path / TASK_FILE, json_text(self._task))

    def write(self, pair: int, game: int, content: bytes) -> None:
        """Writes the log of a game.

        :param game: 0 for the game in which the first player has the first button, else 1.
        :param content: what :meth:`GameLog.text` returns under the name :func:`log_name`, as bytes.
        :raises ResourceError: if it cannot be written.
        """
        with replacing(self.log(pair, game), sync=False) as file:
            file.write(content)

    def log(self, pair: int, game: int) -> Path:
        """Returns the log of a game."""
        return self.path / f"{log_name(pair, game)}.log"

    def read(self, pair: int, rules: FreezeOutRules, names: Sequence[str]) -> PairResult | None:
        """Returns the result of a pair from its logs; None if one is missing, damaged or not whole.

        :param names: names of the two players.
        """
        tally = Tally(rules)
        try:
            games = [_read_game(read_log(self.log(pair, game)), rules, names, game, tally) for game in (0, 1)]
        except InputError:
            return None
        return PairResult(pair, FreezeOutPair(*games), tally.big_blinds, tally.adjusted)


def _read_game(
    lines: Sequence[str], rules: FreezeOutRules, names: Sequence[str], button: int, tally: Tally
) -> FreezeOutGame:
    """Returns the result of a game from its log, and adds its hands to a tally.

    :raises InputError: if the log is not that of a whole game.
    """
    if not lines or not lines[-1].startswith("SCORE:"):
        raise LogError("the log ends before its score")
    stacks = list(rules.stacks)
    number = 0
    for line in lines:
        if not line.startswith("STATE:"):
            continue
        order = (1 - (button + number) % 2, (button + number) % 2)
        hand = parse_log_line(line, rules.game(number, [stacks[player] for player in order]))
        if (hand.hand_id, hand.names) != (number, "|".join(names[player] for player in order)):
            raise LogError("a hand of another game")
        values = [int(value) for value in hand.values]
        position = order.index(0)
        won = values[position]
        tally.add(number, won, expected_value(hand.state, hand.hole_cards, hand.board, won, position))
        for player, value in zip(order, values, strict=True):
            stacks[player] += value
        number += 1
    return FreezeOutGame(stacks[0] / rules.total, number)
