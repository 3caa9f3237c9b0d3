"""How the players of matches and tournaments are started, and what time they and the dealer have."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from hedgehog.agent.specs import PlayerSpec
from hedgehog.agent.time_manager import HAND_AVERAGE_MS, HAND_LIMIT_MS, HandTime
from hedgehog.arena.match import RECORD_SUFFIX, Entrant
from hedgehog.poker.acpc.gamedef import GameDef, read_gamedef
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import real_path
from hedgehog.runtime.machine import num_processors

START_TIMEOUT_MS: Final = 30 * 60 * 1000
"""Longest wait for a player to compile and load before it connects; one that dies earlier ends the match at once."""
SHARE_OF_RESPONSE: Final = 0.6
"""Share of the dealer's limit for one answer that a decision may be planned for."""
_HEDGEHOG: Final = (sys.executable, "-P", "-m", "hedgehog.cli")
"""Starts our commands in a process of its own, whatever the current folder holds. Only ``py:`` players look into it
(:mod:`hedgehog.agent.plugins`)."""
DEALER_COMMAND: Final = (*_HEDGEHOG, "dealer")


@dataclass(frozen=True, slots=True)
class DealerLimits:
    """Time limits of the dealer in milliseconds; None leaves the dealer's default."""

    t_response: int | None = None
    """For one answer."""
    t_hand: int | None = None
    """Per player and hand."""
    t_per_hand: int | None = None
    """Per player and hand on average over a seating."""
    t_start: int = START_TIMEOUT_MS
    """For all players of a seating to load and connect."""
    t_version: int | None = None
    """For the version lines of the players, once all have connected."""

    def of_play(self) -> dict[str, int | None]:
        """Returns the limits of players that play."""
        return {name: ms for name, ms in asdict(self).items() if name not in ("t_start", "t_version")}

    def options(self) -> tuple[str, ...]:
        """Returns the options of ``hedgehog dealer``."""
        limits = {"start_timeout": self.t_start, **self.of_play(), "version_timeout": self.t_version}
        return tuple(f"--{name}={ms}" for name, ms in limits.items() if ms is not None)


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """How our own players play in a match or tournament."""

    think_ms: int = 0
    """Most milliseconds to think per decision; 0: from the packs alone."""
    think_hand_ms: int = HAND_AVERAGE_MS
    """Most milliseconds to think per hand, on average over a seating."""
    threads: int | None = None
    """Number of threads of each player; None for the player's default."""
    in_process: bool = True
    """Whether the players of a seating sit in one process, without sockets."""
    limits: DealerLimits = DealerLimits()
    block_hands: int | None = None
    """Number of hands after which all players start afresh, so that the blocks of one seating can be played at the same
    time; None: every seating is played in one piece."""

    def as_dict(self) -> dict[str, Any]:
        """Returns the settings as the plan of a match holds them, without the limits."""
        values = {name: value for name, value in asdict(self).items() if name != "limits"}
        if self.block_hands is None:
            del values["block_hands"]
        return values

    def verify_specs(self, specs: Sequence[PlayerSpec]) -> None:
        """Checks the thinking times which specifications give themselves.

        :raises InputError: if the dealer does not allow a player of ours to think that long.
        """
        if self.limits.t_response is None:
            return
        most = int(SHARE_OF_RESPONSE * self.limits.t_response)
        for spec in specs:
            if spec.thinking(0) > most:
                raise InputError(
                    f"{spec.text!r} thinks longer than the dealer's limit of {self.limits.t_response} ms for an answer "
                    f"allows: at most {most}"
                )

    def time_to_think(self) -> tuple[int, HandTime]:
        """Returns the thinking time of our players: most milliseconds per decision, and the limits for hands.

        Both are at most what the dealer allows. An answer may take longer than its planned time, so it is planned for a
        share of the dealer's limit for one answer.
        """
        limits, think_ms = self.limits, self.think_ms
        if limits.t_response is not None:
            think_ms = min(think_ms, int(SHARE_OF_RESPONSE * limits.t_response))
        return think_ms, HandTime(
            average_ms=min(self.think_hand_ms, HAND_AVERAGE_MS if limits.t_per_hand is None else limits.t_per_hand),
            limit_ms=HAND_LIMIT_MS if limits.t_hand is None else limits.t_hand,
        )

    def default_jobs(self) -> int:
        """Returns the number of seatings to play at the same time; in each only one player thinks at a time.

        It is the number of cores of this process divided by ``threads``, at least 1.
        """
        return max(1, num_processors() // (self.threads or 1))


def read_match_game(path: Path) -> GameDef:
    """Returns the game definition in a file, whose big blind is the unit of winnings.

    :raises InputError: if the definition is malformed or the game has no blinds.
    """
    gamedef = read_gamedef(path)
    if gamedef.big_blind == 0:
        raise InputError("the game has no blinds, so that winnings have no unit", source=str(path))
    return gamedef


def launch_command(
    spec: PlayerSpec, settings: PlaySettings, *, game: Path, seed: int, report: Path, record: bool = False
) -> list[str]:
    """Returns the command that plays a specification once HOST and PORT are appended.

    :param game: game definition file.
    :param report: file our client writes its JSON report to; an external command writes none.
    :param record: record the decisions in a file beside the report.
    """
    if spec.external:
        return shlex.split(spec.argument)
    think_ms, hand_time = settings.time_to_think()
    command = [*_HEDGEHOG, "play", "--player", spec.text, "--game", str(game), "--seed", str(seed)]
    command += ["--think-ms", str(think_ms), "--think-hand-ms", str(hand_time.average_ms)]
    command += ["--t-hand", str(hand_time.limit_ms), "--report", str(report)]
    if settings.threads is not None:
        command += ["--threads", str(settings.threads)]
    if record:
        command += ["--record", str(report.with_suffix(RECORD_SUFFIX))]
    return command


def make_entrants(
    specs: Sequence[PlayerSpec],
    names: Sequence[str],
    settings: PlaySettings,
    *,
    game: Path,
    recorded: Collection[str] = (),
) -> tuple[Entrant, ...]:
    """Returns the participants of a match.

    :param recorded: names of the players whose decisions are recorded.
    """
    game = real_path(game)

    def command(name: str, spec: PlayerSpec) -> Callable[[int, Path], list[str]]:
        return lambda seed, report: launch_command(
            spec, settings, game=game, seed=seed, report=report, record=name in recorded
        )

    def resume(name: str) -> Callable[[Path], list[str]]:
        return lambda log: ["--after-log", str(log), "--as", name]

    return tuple(
        Entrant(name, command(name, spec), spec.text, resume(name) if spec.forgets else None)
        for name, spec in zip(names, specs, strict=True)
    )


def recorded_names(
    specs: Sequence[PlayerSpec], names: Sequence[str], gamedef: GameDef, *, think_ms: int, record: bool | None
) -> list[str]:
    """Returns the names of the players of a match whose decisions are recorded.

    :param specs: specifications of the players.
    :param names: names of the players, in the same order.
    :param gamedef: the game of the match.
    :param think_ms: milliseconds that our player may think per decision.
    :param record: record the decisions of our player; None: if it solves, because then they cannot be computed again.
    :raises InputError: if a record is wanted, but nobody's decisions can be recorded.
    """
    specs = [spec.for_game(gamedef) for spec in specs]
    if record and not any(spec.compiles for spec in specs):
        raise InputError("--record is for our player, default or pack:PATH: none of the players is")
    return [
        name
        for name, spec in zip(names, specs, strict=True)
        if (spec.solves(think_ms) if record is None else record and spec.compiles)
    ]
