"""The YAML configuration of an exact flop pack: blueprint, precision, flops, and a betting menu for each line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from hedgehog.poker.betsizes import parse_bet_sizes
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.config_file import ConfigFile, include_file, read_text
from hedgehog.runtime.errors import InputError
from hedgehog.solver.cfr.trembles import Tremble
from hedgehog.solver.packs.jobs import verify_flops
from hedgehog.solver.postflop.spot import MOST_TREMBLE, PLAYERS, parse_temperature, verify_abstraction, verify_pots
from hedgehog.strategies.bet_menus import include_menu
from hedgehog.strategies.flop_pack import NUM_FLOP_CLASSES


class StreetMenu(BaseModel):
    """Bet sizes of both players on one street, in the grammar of :mod:`hedgehog.poker.betsizes`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    oop: str
    ip: str


class LineConfig(BaseModel):
    """One preflop line and the postflop menus with which its flops are solved.

    The fields after ``river`` are those of :class:`hedgehog.solver.postflop.tree.TreeConfig`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern="^[a-z0-9_]{1,40}$")
    betting: str = Field(pattern="^[crf0-9/]{1,80}$")
    flop: StreetMenu
    turn: StreetMenu
    river: StreetMenu
    add_allin_threshold: float = 0.0
    force_allin_threshold: float = 0.0
    max_bets: int | None = Field(default=None, ge=1, le=20)


class TrembleConfig(BaseModel):
    """Trembles as a spot file has them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    share: float = Field(gt=0, le=MOST_TREMBLE, allow_inf_nan=False)
    temperature: str
    """In percent of the pot at the root, such as ``5%``."""

    def of_pot(self, pot: int) -> Tremble:
        """Returns the trembles of a spot with a pot of so many chips."""
        return Tremble(self.share, parse_temperature(self.temperature) * pot)


class FlopPackConfig(BaseModel):
    """The YAML configuration of the build of an exact flop pack."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str = Field(pattern="^flops$")
    name: str = Field(pattern="^[A-Za-z0-9_.-]{1,80}$")
    blueprint: str
    """Folder of the blueprint pack whose ranges are used; relative paths count from the configuration file."""
    target_pct: float = Field(gt=0, le=100)
    """Exploitability in percent of the pot at which a solve stops."""
    max_iterations: int = Field(ge=1, le=100_000)
    """Iterations after which a solve stops in any case."""
    storage: Literal["f32", "f16"] = "f32"
    """Precision of regrets and averages."""
    abstraction: str | None = None
    """Name of a hand abstraction (:mod:`hedgehog.solver.abstraction`): hands of equal value share a strategy."""
    tremble: TrembleConfig | None = None
    """How opponents tremble while the other player learns (:mod:`hedgehog.solver.cfr.trembles`); not with groups."""
    threads: int = Field(default=1, ge=1, le=256)
    """Threads of one solve. The last digits of a solve depend on it."""
    depth: Literal["flop", "turn"] = "flop"
    """The last street whose strategies the pack holds."""
    evs: Literal["root", "flop"] = "root"
    """Where the pack holds EVs: at the first decision of the flop, or at every node of the flop."""
    flops: Literal["all"] | Annotated[list[str], Field(min_length=1, max_length=NUM_FLOP_CLASSES)]
    """``all``, or a list of flops such as ``Qh Jh 2c``, one for each class to be solved."""
    lines: list[LineConfig] = Field(min_length=1, max_length=100)


class _Sizes(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    flop: StreetMenu | None = None
    turn: StreetMenu | None = None
    river: StreetMenu | None = None


class _LineFile(LineConfig):
    flop: StreetMenu | None = None  # type: ignore[assignment]
    turn: StreetMenu | None = None  # type: ignore[assignment]
    river: StreetMenu | None = None  # type: ignore[assignment]


class FlopPackFile(FlopPackConfig):
    """The configuration as a file has it, where lines may leave their sizes to the key ``sizes``."""

    sizes: _Sizes = _Sizes()
    lines: list[_LineFile] = Field(min_length=1, max_length=100)  # type: ignore[assignment]


def described_config(config: FlopPackConfig) -> dict[str, Any]:
    """Returns the configuration as packs and their digests hold it: without trembles where there are none.

    So the bytes of packs from before there were trembles do not change.
    """
    return config.model_dump(exclude=set() if config.tremble is not None else {"tremble"})


def read_flop_pack_config(path: Path, text: str | None = None) -> FlopPackConfig:
    """Returns the checked configuration of an exact flop pack.

    A key ``sizes`` has the bet sizes of lines that name none, as in a spot file. A line ``sizes: FILE.yaml`` stands for
    the key ``sizes`` of that file, such as a menu of ``hedgehog study hands``, and ``sizes: NAME`` for those of a bet
    menu. The configuration that is returned has the sizes in its lines.

    :param text: text of the file, if it has been read already.
    :raises InputError: if a key, a bet size or a flop is wrong, or a name or flop class is repeated. The message has
        file and line.
    """
    text = read_text(path, InputError, "a flop pack") if text is None else text
    text = include_menu(include_file(text, "sizes", path, InputError), str(path), InputError)
    file = ConfigFile(text, FlopPackFile, InputError, str(path), "a flop pack")
    for name in STREETS[1:]:
        menu = getattr(file.model.sizes, name)
        for player in () if menu is None else PLAYERS:
            file.at(("sizes", name, player), parse_bet_sizes, getattr(menu, player))
    config = _with_sizes(file)
    for i, line in enumerate(config.lines):
        if any(line.name == other.name for other in config.lines[:i]):
            raise file.fail(("lines", str(i), "name"), f"the line name {line.name!r} is repeated")
        for threshold in ("add_allin_threshold", "force_allin_threshold"):
            file.at(("lines", str(i), threshold), verify_pots, getattr(line, threshold))
        for street in STREETS[1:]:
            for player in PLAYERS:
                file.at(("lines", str(i), street, player), parse_bet_sizes, getattr(getattr(line, street), player))
    if config.abstraction:
        file.at(("abstraction",), verify_abstraction, config.abstraction, prefix=False)
        if config.storage != "f32":
            raise file.fail(("storage",), "groups of hands are stored in f32")
        if config.tremble is not None:
            raise file.fail(("tremble",), "groups of hands are solved without trembles")
    if config.tremble is not None:
        file.at(("tremble", "temperature"), parse_temperature, config.tremble.temperature)
    verify_flops(file, "flops", [] if config.flops == "all" else config.flops)
    return config


def _with_sizes(file: ConfigFile[FlopPackFile]) -> FlopPackConfig:
    """Returns the configuration with the sizes of every street in every line."""
    found = file.model.model_dump(exclude={"sizes"})
    sizes = file.model.sizes.model_dump()
    for i, line in enumerate(found["lines"]):
        for street in STREETS[1:]:
            line[street] = line[street] or sizes[street]
            if line[street] is None:
                path = ("lines", str(i), street)
                raise file.fail(path, f"the key {file.name(path)} is missing, and so are {street} sizes for all lines")
    return FlopPackConfig(**found)
