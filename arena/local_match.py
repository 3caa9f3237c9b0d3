"""Matches and tournaments of Python users, without sockets; the logs are those of the command line.

::

    played = play_match(["random", "call"], hands=200, seed=1, out="my-match")
    played.logs        # what analysis.stats.score_match reads
    play_tournament(["random", "call", "raise"], hands=200, seed=1, out="my-tournament")
    # ... and analysis.tournament.analyse_tournament("my-tournament")
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from agent.play_record import PlayRecord
from agent.player import Player
from agent.specs import PlayerSpec, parse_entrant, unique_names
from arena.in_process import Seat
from arena.local_seating import LocalEntrant, play_plan_seating
from arena.match import MATCH_FOLDER, MATCH_PLAN_FILE, Entrant, MatchPlan, PlayedSeating
from arena.records import TOURNAMENT_FOLDER
from arena.table_process import local_entrant, table_job, verify_in_process
from arena.tournament import TournamentPlan, TournamentProgress, run_tournament
from poker.acpc.gamedef import DEFAULT_GAME, GameDef, find_gamedef, read_gamedef
from runtime.errors import InputError
from runtime.files import write_text_file
from runtime.outputs import make_folder, verify_output_folder


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """The files that a match has left."""

    names: tuple[str, ...]
    """Of the players, as they stand in the logs."""
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
) -> PlayedMatch:
    """Plays a match and returns where its logs are.

    Cards, actions and logs are those of ``hedgehog match --in-process`` with the same arguments.

    :param players: a specification (:mod:`agent.specs`) with or without ``NAME=``, or a class of your own derived from
        :class:`agent.player.Player`, which is made without arguments.
    :param hands: hands per seating.
    :param out: new or empty folder for logs and reports.
    :param seed: 0 .. 2**32 - 1; decides the cards and the players' random numbers.
    :param game: a game definition file or the name of a shipped game.
    :param duplicate: play the same cards in every order of the seats.
    :param think_ms: thinking time of our player per decision; 0: the packs alone play.
    :param threads: of our player, None for its default.
    :raises InputError: if a player is a program of its own or malformed, their number is not that of the game, or the
        folder holds anything.
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
    folder = Path(out).resolve()
    verify_output_folder(folder, MATCH_FOLDER, proceed=False, inputs=[game_file])
    plan = MatchPlan(
        entrants=_entrants(names, specs),
        game=game_file,
        hands=hands,
        seed=seed,
        duplicate=duplicate,
        out=make_folder(folder),
        settings={"think_ms": think_ms, "threads": threads, "in_process": True},
    )
    entrants = [
        local_entrant(replace(spec, name=name), gamedef, think_ms, threads)
        if isinstance(player, str)
        else LocalEntrant(partial(_seat, player, gamedef))
        for player, spec, name in zip(players, specs, names, strict=True)
    ]
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

    The matches are those of ``hedgehog tournament run`` with ``in_process: true``. The same call goes on with an
    interrupted tournament. :func:`analysis.tournament.analyse_tournament` reads the result from the folder.

    :param players: specifications with or without ``NAME=``, at least as many as the game has players.
    :param out: folder of the tournament: new, empty, or of the same tournament. Its name is that of the tournament.
    :param against: name of the only player whose matches are played; empty: all meet all.
    :param jobs: processes; each plays a seating at a time. The result does not depend on their number.
    :raises InputError: if the tournament cannot be played, or the folder holds anything else.

    The other parameters are those of :func:`play_match`.
    """
    specs = [parse_entrant(player) for player in players]
    folder, game_file = Path(out).resolve(), find_gamedef(game)
    verify_output_folder(folder, TOURNAMENT_FOLDER, proceed=True, inputs=[game_file])
    plan = TournamentPlan(
        name=folder.name,
        entrants=_entrants(unique_names(specs), specs),
        game=game_file,
        hands=hands,
        seed=seed,
        duplicate=duplicate,
        out=folder,
        settings={"think_ms": think_ms, "threads": threads, "in_process": True},
        table=table_job(specs, think_ms=think_ms, threads=threads),
        against=against,
    )
    return asyncio.run(run_tournament(plan, jobs=jobs))


def _entrants(names: Sequence[str], specs: Sequence[PlayerSpec]) -> tuple[Entrant, ...]:
    """Returns participants that sit at a table, so that no command need start them."""
    return tuple(Entrant(name, lambda seed, report: (), spec.text) for name, spec in zip(names, specs, strict=True))


def _spec_of_class(player: type[Player]) -> PlayerSpec:
    name = "" if player.name == Player.name else player.name
    return PlayerSpec(f"py:{player.__module__}:{player.__qualname__}", "py", player.__qualname__, name)


def _seat(player: type[Player], gamedef: GameDef, seed: int) -> Seat:
    made = player()
    made.warm_up()
    made.new_match(gamedef, seed)
    return Seat(made, PlayRecord())
