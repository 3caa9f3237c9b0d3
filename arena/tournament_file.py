"""Tournament files: a tournament as YAML, with agents, game, hands, times and limits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from hedgehog.agent.specs import PlayerSpec, parse_entrant
from hedgehog.agent.time_manager import DEFAULT_THINK_MS, HAND_AVERAGE_MS
from hedgehog.arena.launch import START_TIMEOUT_MS, DealerLimits, PlaySettings, read_match_game
from hedgehog.arena.play import RUNS, ReadyTournament, ready_tournament
from hedgehog.poker.acpc.chosen_game import chosen_game
from hedgehog.poker.acpc.gamedef import DEFAULT_GAME, find_gamedef
from hedgehog.poker.acpc.names import verify_player_names
from hedgehog.runtime.config_file import ConfigFile, read_config
from hedgehog.runtime.errors import GamedefError, InputError

_NOT_IN_A_FOLDER_NAME = re.compile(r"[^A-Za-z0-9_.+-]+")

Milliseconds = Annotated[int, Field(ge=0)]


class AgentConfig(BaseModel):
    """One participant of a tournament: a player specification, with or without a name."""

    model_config = ConfigDict(extra="forbid")

    player: str
    name: str | None = None


class TournamentConfig(BaseModel):
    """The content of a tournament file."""

    model_config = ConfigDict(extra="forbid")

    agents: list[AgentConfig] = Field(min_length=2)
    name: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    """Name of the tournament; by default the name of the file."""
    game: str = DEFAULT_GAME
    """Name of a shipped game, or a file beside the tournament file or in the current folder."""
    stack: str | None = None
    """Heads-up no-limit hold'em with this stack, in chips or big blinds, in place of ``game``."""
    blinds: str | None = None
    """Heads-up no-limit hold'em with these blinds, in place of ``game``."""
    hands: int = Field(default=1000, ge=1, lt=2**32)
    """Hands per seating."""
    block_hands: Annotated[int, Field(ge=1)] | None = None
    """Hands after which all players of a seating start afresh, so that its blocks can be played at the same time."""
    seed: int = Field(default=0, ge=0, lt=2**64)
    duplicate: bool = True
    think_ms: Milliseconds = DEFAULT_THINK_MS
    """Most thinking time of our player per decision."""
    think_hand_ms: Milliseconds = HAND_AVERAGE_MS
    """Most thinking time of our player per hand, on average over a seating."""
    threads: Annotated[int, Field(ge=1)] | None = None
    in_process: bool = False
    against: str | None = None
    """Name of the only agent whose matches are played."""
    t_response: Milliseconds | None = None
    t_hand: Milliseconds | None = None
    t_per_hand: Milliseconds | None = None
    t_start: Annotated[int, Field(ge=1)] = START_TIMEOUT_MS
    """Time for the players of a seating to load and connect."""
    t_version: Milliseconds | None = None
    """Time for the version lines of the players, once all have connected."""

    @field_validator("agents", mode="before")
    @classmethod
    def _name_is_optional(cls, agents: Any) -> Any:
        if not isinstance(agents, list):
            return agents
        return [{"player": agent} if isinstance(agent, str) else agent for agent in agents]


def read_tournament(
    file: Path,
    out: Path | None = None,
    *,
    record: bool | None = False,
    overwrite: bool = False,
    add: Sequence[str] = (),
    hands: int | None = None,
) -> ReadyTournament:
    """Reads a tournament file, and checks that the tournament can be played, without changing anything.

    :param out: folder of the tournament; None for a folder below ``runs`` with the name of the tournament.
    :param record: write down the decisions of Hedgehog's own players; None: if they think.
    :param overwrite: replace a tournament in the folder.
    :param add: specifications of further agents, behind those of the file. The tournament in the folder may lack them.
    :param hands: hands per seating in place of those of the file. The tournament in the folder may have fewer.
    :raises InputError: with file and line, if anything in it cannot be played, or if the folder holds anything else.
    :raises ResourceError: if the logs do not fit on the disk.
    """
    config = read_config(file, TournamentConfig, InputError, "a tournament")
    model = config.model
    specs = [
        config.at(("agents", str(index), "player"), _parse_agent, agent) for index, agent in enumerate(model.agents)
    ]
    specs += map(parse_entrant, add)
    name = model.name or file.stem
    limits = DealerLimits(**{limit: getattr(model, limit) for limit in asdict(DealerLimits())})
    return ready_tournament(
        specs,
        hands=model.hands if hands is None else hands,
        out=out or RUNS / _NOT_IN_A_FOLDER_NAME.sub("_", name),
        seed=model.seed,
        game=_game_of(config, file),
        name=name,
        duplicate=model.duplicate,
        settings=PlaySettings(
            model.think_ms, model.think_hand_ms, model.threads, model.in_process, limits, model.block_hands
        ),
        against=model.against or "",
        record=record,
        grows=bool(add) or hands is not None,
        overwrite=overwrite,
        inputs=[file],
        at=config.at,
    )


def _game_of(config: ConfigFile[TournamentConfig], file: Path) -> Path:
    """Returns the file of the game that ``game``, or ``stack`` and ``blinds``, describe.

    :raises InputError: if they are malformed, or stand beside each other.
    """
    model = config.model
    if model.stack is None and model.blinds is None:
        return config.at(("game",), _find_game, model.game, file)
    if config.has(("game",)):
        raise config.fail(("game",), "the key 'game' does not go with 'stack' and 'blinds', which choose a game")
    place = ("stack",) if model.stack is not None else ("blinds",)
    if model.blinds is not None:
        config.at(("blinds",), chosen_game, "2bb", model.blinds)  # errors of the blinds alone
    return find_gamedef(config.at(place, chosen_game, model.stack, model.blinds))


def _find_game(name: str, file: Path) -> Path:
    """Returns the file of a game: beside the tournament file, at the path as given, or among the shipped games."""
    try:
        game = find_gamedef(file.parent / name)
    except GamedefError:
        game = find_gamedef(name)
    read_match_game(game)
    return game


def _parse_agent(agent: AgentConfig) -> PlayerSpec:
    """Parses an agent's player; its name comes from ``name:`` or from ``NAME=SPEC``.

    :raises InputError: if the specification is malformed, or names the agent a second time.
    """
    spec = parse_entrant(agent.player)
    if agent.name is None:
        return spec
    verify_player_names([agent.name])
    if spec.name:
        raise InputError(f"the agent {agent.name!r} is given a second name in {agent.player!r}")
    return replace(spec, name=agent.name)
