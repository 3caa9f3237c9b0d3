"""Plays matches and tournaments inside Python, without sockets.

The logs are the same as those of the ``hedgehog`` commands.

::

    played = play_match(["random", "call"], hands=200, seed=1, out="my-match")
    played.logs        # what hedgehog.analysis.stats.score_match reads
    play_tournament(["random", "call", "raise"], hands=200, seed=1, out="my-tournament")
    # ... and hedgehog.analysis.tournament.analyse_tournament("my-tournament")
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from hedgehog.agent.play_record import PlayRecord
from hedgehog.agent.player import Player
from hedgehog.agent.specs import PlayerSpec, parse_entrant, start_player, unique_names
from hedgehog.agent.time_manager import HandTime
from hedgehog.arena.in_process import Seat
from hedgehog.arena.match import MATCH_FOLDER, MATCH_PLAN_FILE, Entrant, MatchPlan, PlayedSeating
from hedgehog.arena.records import TOURNAMENT_FOLDER
from hedgehog.arena.runner import another_writer
from hedgehog.arena.seatings.local import LocalEntrant, play_plan_seating
from hedgehog.arena.table_process import local_entrant, table_job, verify_in_process
from hedgehog.arena.tournament import TournamentPlan, TournamentProgress, run_tournament
from hedgehog.poker.acpc.gamedef import DEFAULT_GAME, GameDef, find_gamedef, read_gamedef
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import real_path, write_text_file
from hedgehog.runtime.folder_lock import locked_folder
from hedgehog.runtime.outputs import make_folder, verify_output_folder


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A finished match: its game, its players and the files that it has left."""

    names: tuple[str, ...]
    """Names of the players, as they stand in the logs."""
    gamedef: GameDef
    seatings: tuple[PlayedSeating, ...]

    @property
    def logs(self) -> list[Path]:
        """One log per seating."""
        return [seating.log for seating in self.seatings]


def play_match(
    players: Sequence[str | type[Player]],
    *,
    hands: int,
    out: str | Path,
    seed: int = 0,
    game: str | Path = DEFAULT_GAME,
    duplicate: bool = True,
    think_ms: int = 0,
    threads: int | None = None,
    record: bool = False,
) -> PlayedMatch:
    """Plays a match and returns its files.

    Cards, actions and logs are those of ``hedgehog match --in-process`` with the same arguments.

    :param players: for each player a specification (:mod:`hedgehog.agent.specs`), with or without ``NAME=``, or a class
        of your own derived from :class:`hedgehog.agent.player.Player`, which is created without arguments.
    :param hands: hands per seating.
    :param out: new or empty folder for logs and reports.
    :param seed: seed of the cards and of the players' random numbers, 0 .. 2**32 - 1.
    :param game: a game definition file or the name of a shipped game.
    :param duplicate: play the same cards in every order of the seats.
    :param think_ms: milliseconds that Hedgehog's own player may think per decision; 0: it plays from its packs alone.
    :param threads: number of threads of Hedgehog's own player; None for its default.
    :param record: write down the decisions of Hedgehog's own players, for AIVAT
        (:mod:`hedgehog.agent.decision_record`).
    :raises InputError: if a player is a separate program, a specification is malformed, the number of players does not
        fit the game, or the folder is not empty.
    :raises MatchError: if the match cannot be completed.
    """
    game_file = find_gamedef(game)
    gamedef = read_gamedef(game_file)
    specs = [parse_entrant(player) if isinstance(player, str) else _spec_of_class(player) for player in players]
    if len(specs) != gamedef.num_players:
        raise InputError(f"the game is for {gamedef.num_players} players, got {len(specs)}", source=str(game_file))
    for spec in specs:
        verify_in_process(spec)
    names = unique_names(specs)
    folder = real_path(out)
    verify_output_folder(folder, MATCH_FOLDER, proceed=False, inputs=[game_file])
    plan = MatchPlan(
        entrants=_entrants(names, specs),
        game=game_file,
        hands=hands,
        seed=seed,
        duplicate=duplicate,
        out=make_folder(folder),
        settings=_settings(think_ms, threads),
    )
    entrants = [
        local_entrant(replace(spec, name=name), gamedef, think_ms, threads, HandTime(), record=record and spec.compiles)
        if isinstance(player, str)
        else LocalEntrant(partial(_seat, player, gamedef))
        for player, spec, name in zip(players, specs, names, strict=True)
    ]
    with locked_folder(plan.out, another_writer(plan.out)):
        verify_output_folder(folder, MATCH_FOLDER, proceed=False)  # another process may have been faster
        write_text_file(plan.out / MATCH_PLAN_FILE, json.dumps(plan.as_dict(), indent=2) + "\n")
        seatings = [play_plan_seating(plan, index, entrants) for index in range(1, len(plan.seatings()) + 1)]
    return PlayedMatch(tuple(names), gamedef, tuple(seatings))


def play_tournament(
    players: Sequence[str],
    *,
    hands: int,
    out: str | Path,
    seed: int = 0,
    game: str | Path = DEFAULT_GAME,
    duplicate: bool = True,
    think_ms: int = 0,
    threads: int | None = None,
    against: str = "",
    jobs: int = 1,
) -> TournamentProgress:
    """Plays every player against every other one and returns how the matches ended.

    The matches are the same as in ``hedgehog tournament run`` with ``in_process: true``. Repeating the call goes on
    with an interrupted tournament. :func:`hedgehog.analysis.tournament.analyse_tournament` reads the result from the
    folder.

    :param players: specifications (:mod:`hedgehog.agent.specs`) with or without ``NAME=``, at least as many as the game
        has players.
    :param hands: hands per seating.
    :param out: folder of the tournament. It is new or empty, or holds the same tournament. The name of the folder
        becomes the name of the tournament.
    :param seed: seed of the tournament, from which all cards and the players' random numbers follow.
    :param game: a game definition file or the name of a shipped game.
    :param duplicate: play the same cards in every order of the seats.
    :param think_ms: milliseconds that Hedgehog's own player may think per decision; 0: it plays from its packs alone.
    :param threads: number of threads of Hedgehog's own player; None for its default.
    :param against: name of one player: only its matches are played. Empty: all players meet all others.
    :param jobs: number of processes. Each plays one seating at a time. The result does not depend on the number.
    :raises InputError: if the tournament cannot be played, or the folder holds anything else.
    :raises MatchError: if two matches share cards.
    :raises ResourceError: if a file cannot be written.
    """
    specs = [parse_entrant(player) for player in players]
    folder, game_file = real_path(out), find_gamedef(game)
    verify_output_folder(folder, TOURNAMENT_FOLDER, proceed=True, inputs=[game_file])
    plan = TournamentPlan(
        name=folder.name,
        entrants=_entrants(unique_names(specs), specs),
        game=game_file,
        hands=hands,
        seed=seed,
        duplicate=duplicate,
        out=folder,
        settings=_settings(think_ms, threads),
        table=table_job(specs, think_ms=think_ms, threads=threads, hand_time=HandTime()),
        against=against,
    )
    return asyncio.run(run_tournament(plan, jobs=jobs))


def _settings(think_ms: int, threads: int | None) -> dict[str, object]:
    """Returns the settings of a match or tournament in process, with the default time for hands."""
    return {
        "think_ms": think_ms,
        "think_hand_ms": HandTime().average_ms,
        "threads": threads,
        "in_process": True,
    }


def _entrants(names: Sequence[str], specs: Sequence[PlayerSpec]) -> tuple[Entrant, ...]:
    """Returns the participants of a match in process. They have no command, because nothing has to start them."""
    return tuple(Entrant(name, lambda seed, report: (), spec.text) for name, spec in zip(names, specs, strict=True))


def _spec_of_class(player: type[Player]) -> PlayerSpec:
    name = "" if player.name == Player.name else player.name
    return PlayerSpec(f"py:{player.__module__}:{player.__qualname__}", "py", player.__qualname__, name)


def _seat(player: type[Player], gamedef: GameDef, seed: int) -> Seat:
    made = player()
    start_player(made, gamedef, seed)
    return Seat(made, PlayRecord())
