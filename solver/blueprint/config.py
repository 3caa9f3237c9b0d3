"""The YAML configuration of a blueprint: game, betting menu, card buckets, trainer, and when to stop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from hedgehog.poker.acpc.gamedef import GameDef, find_gamedef, read_gamedef
from hedgehog.poker.betsizes import BetSize, Menu, PotFraction, PreviousBetMultiple, format_bet_size, parse_menu
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.config_file import ConfigFile, include_file, read_text
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint.cards.card_config import RIVER_FEATURES, TURN_FEATURES, CardConfig
from hedgehog.solver.blueprint.snapshots import StopRule
from hedgehog.solver.blueprint.training import TrainingConfig
from hedgehog.solver.blueprint.tree import MAX_STACK, build_blueprint_tree
from hedgehog.strategies.bet_menus import MENUS, BlueprintMenu, Size, Sizes, verify_lines
from hedgehog.strategies.betting_tree import BettingTree

GAME: Final = "holdem.nolimit.2p.reverse_blinds"
"""The game definition whose blinds and stacks a configuration replaces."""
GATE_DEPTH: Final = 200
"""Stack depth in big blinds for which the bounds of :func:`hedgehog.solver.blueprint.report.gate_faults` hold."""
MAX_NAME: Final = 80
"""Largest number of characters of the name of a pack."""
_STREETS: Final = STREETS[1:]
_SIZE_KEYS: Final = ("preflop", "limped", *_STREETS)


class MenuConfig(BaseModel):
    """Bet sizes in the grammar of :mod:`hedgehog.poker.betsizes`, with menus of successive raises separated by ``/``.

    In YAML this is the name of a preset or a mapping. Keys that a mapping with a ``preset`` leaves out have the values
    of the preset.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    preset: str | None = None
    preflop: str | None = None
    """Sizes of the first raise, the 3-bet, the 4-bet and so on, such as ``2.5x / 3.4x / 2.5x``."""
    limped: str | None = None
    """Sizes of the first raise after a limp; None for the first preflop menu."""
    flop: str | None = None
    """Sizes of the bet, the raise, the re-raise and so on, such as ``50%,100% / 100%``."""
    turn: str | None = None
    """Sizes on the turn, in the form of ``flop``."""
    river: str | None = None
    """Sizes on the river, in the form of ``flop``."""
    caps: tuple[int, int, int, int] | None = None
    """Most bets and raises on each street, preflop to river."""
    max_raises: int | None = None
    """Number of bets and raises in a hand after which only all-in is offered."""
    all_in_share: float | None = None
    """A bet that puts in at least this share of the stack becomes all-in."""
    limp: bool | None = None
    """Whether the button may call the big blind first in."""
    all_in: bool | None = None
    """Whether all-in is offered beside the sizes."""
    lines: dict[str, str] | None = None
    """Sizes of single decisions by the betting before them, such as ``rc/c``, in place of all others there."""

    @model_validator(mode="before")
    @classmethod
    def _name(cls, value: Any) -> Any:
        return {"preset": value} if isinstance(value, str) else value


class StopConfig(BaseModel):
    """The stop rule of a training, which is checked whenever the training time has doubled."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mbb: float = Field(gt=0)
    """Training stops when the blueprint wins fewer than this many mbb per hand against the one of half the time."""
    gate: bool = True
    """Whether the preflop frequencies must also be sound (:func:`hedgehog.solver.blueprint.report.gate_faults`)."""


class TrainedPackConfig(BaseModel):
    """What the configurations of all trained packs have: card buckets, trainer, and when to stop."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=rf"^[A-Za-z0-9_.-]{{1,{MAX_NAME}}}$")
    flop_buckets: int = Field(default=200, ge=1)
    turn_buckets: int = Field(default=200, ge=1)
    river_buckets: int = Field(default=200, ge=1)
    card_seed: int = Field(default=1, ge=0)
    average_power: Literal[1, 2] = 2
    """The weight of a strategy in the average is the number of its epoch, to this power."""
    seed: int = Field(default=1, ge=0)
    threads: int | None = Field(default=None, ge=1, le=256)
    seconds: float | None = Field(default=None, gt=0)
    iterations: int | None = Field(default=None, gt=0)
    snapshots: bool = True
    """Whether the work folder keeps the strategies after 1, 2, 4, 8, ... minutes of training (two players only)."""

    @field_validator("average_power", mode="before")
    @classmethod
    def _number(cls, value: Any) -> Any:
        return {"1": 1, "2": 2}.get(value, value)  # YAML scalars come as text, a Literal takes numbers only


class BlueprintPackConfig(TrainedPackConfig):
    """The YAML configuration of the build of a blueprint pack."""

    kind: str = Field(pattern="^blueprint$")
    menu: MenuConfig
    blinds: tuple[int, int] = (50, 100)
    """Small and big blind in chips."""
    stack: int = Field(default=20_000, gt=0, lt=MAX_STACK)
    """Chips of each player at the start of a hand."""
    turn_features: str = TURN_FEATURES[0]
    """The kind of turn buckets, one of :data:`hedgehog.solver.blueprint.cards.card_config.TURN_FEATURES`."""
    river_features: str = RIVER_FEATURES[0]
    """The kind of river buckets, one of :data:`hedgehog.solver.blueprint.cards.card_config.RIVER_FEATURES`."""
    algorithm: Literal["pcs", "external"] = "pcs"
    """``pcs`` trains on one board at a time with all hands, ``external`` on one hand per player at a time."""
    stop: StopConfig | None = None

    @property
    def cards(self) -> CardConfig:
        """The configuration of the card buckets."""
        return CardConfig(
            flop=self.flop_buckets,
            turn=self.turn_buckets,
            river=self.river_buckets,
            seed=self.card_seed,
            turn_features=self.turn_features,
            river_features=self.river_features,
        )

    def training(self, threads: int) -> TrainingConfig:
        """Returns the training that the configuration describes."""
        return TrainingConfig(
            menu_of(self),
            iterations=self.iterations,
            seconds=self.seconds,
            stop=None if self.stop is None else StopRule(self.stop.mbb, self.stop.gate),
            seed=self.seed,
            threads=threads,
            blinds=self.blinds,
            stack=self.stack,
            algorithm=self.algorithm,
            average_power=self.average_power,
        )


def read_blueprint_pack_config(path: Path, text: str | None = None) -> BlueprintPackConfig:
    """Returns the checked configuration of a blueprint pack.

    :param text: text of the file, if it has been read already.
    :raises InputError: if a key is wrong, a menu is malformed or no limit is given. The message has file and line.
    """
    text = read_text(path, InputError, "a blueprint pack") if text is None else text
    text = include_file(text, "menu", path, InputError)
    file = ConfigFile(text, BlueprintPackConfig, InputError, str(path), "a blueprint pack")
    verify_blueprint_config(file, file.model)
    return file.model


def verify_blueprint_config(file: ConfigFile[Any], config: BlueprintPackConfig, place: tuple[str, ...] = ()) -> None:
    """Checks what a model of a configuration cannot check by itself.

    :param file: the file that the configuration comes from.
    :param config: a configuration that is made of the keys of the file and of those below ``place``.
    :param place: keys that lead to the part of the file that stands before the rest.
    :raises InputError: if a key is wrong, a menu is malformed or no limit is given. The message has file and line.
    """
    for street in _STREETS:
        count = getattr(config, f"{street}_buckets")
        file.at((f"{street}_buckets",), lambda key, value: CardConfig(**{key: value}), street, count)
    for features in ("turn_features", "river_features"):
        file.at((features,), lambda key: CardConfig(**{key: getattr(config, key)}), features)
    file.at(("card_seed",), lambda: config.cards)
    _verify_menu(file, config, place)
    small, big = config.blinds
    if not 0 < small <= big:
        raise file.fail(("blinds",), f"expected 0 < small blind <= big blind, got {small} and {big}")
    if config.stack <= big:
        raise file.fail(("stack",), f"expected a stack above the big blind of {big}, got {config.stack}")
    if config.seconds is None and config.iterations is None and config.stop is None:
        raise file.fail(place, "expected a limit: 'seconds', 'iterations' or 'stop'")
    if config.stop is not None and not config.snapshots:
        raise file.fail(("snapshots",), "the stop rule compares snapshots: write 'snapshots: yes'")
    if config.stop is not None and config.stop.gate and config.stack != GATE_DEPTH * big:
        where = (*(place if file.has((*place, "stop")) else ()), "stop", "gate")
        raise file.fail(where, f"the frequency gate holds at {GATE_DEPTH} big blinds only: write 'gate: no'")


def _verify_menu(file: ConfigFile[Any], config: BlueprintPackConfig, place: tuple[str, ...]) -> None:
    """Builds the menu key by key, so that a fault is reported on its line, below ``place`` if the key stands there."""
    menu = config.menu
    whole = (*place, "menu") if file.has((*place, "menu")) else ("menu",)
    alone = not any(file.has((*whole, key)) for key in MenuConfig.model_fields)  # the name of a preset

    def line_of(key: str) -> tuple[str, ...]:
        return (*whole, key) if alone or file.has((*whole, key)) else ("menu", key)

    if menu.preset is not None and menu.preset not in MENUS:
        raise file.fail(line_of("preset"), f"unknown menu {menu.preset!r}, expected {', '.join(MENUS)}")
    if menu.preset is not None:
        file.at(line_of("preset"), MENUS.verify, menu.preset)
    if menu.preset is None:
        for key in ("preflop", *_STREETS):
            if getattr(menu, key) is None:
                raise file.fail(whole, f"the key 'menu.{key}' is missing (or name a preset)")
    for key in _SIZE_KEYS:
        text = getattr(menu, key)
        if text is not None:
            where = line_of(key)
            file.at(where, parse_sizes, text, key not in _STREETS)
            if key == "limped" and "/" in text:
                raise file.fail(where, "expected one menu; the raises after it are those of 'menu.preflop'")
            if key in _STREETS:
                index = _STREETS.index(key)
                file.at(where, _with_street, MENUS["small"], index, text)
    for line, text in (menu.lines or {}).items():
        file.at((*line_of("lines"), line), _line_sizes, line, text)
    file.at(whole, menu_of, config)


def _line_sizes(line: str, text: str) -> tuple[tuple[str, Sizes], ...]:
    """Returns the sizes of one betting line as :attr:`BlueprintMenu.lines` holds them."""
    found = parse_sizes(text, preflop="/" not in line)
    if len(found) != 1:
        raise InputError("expected the sizes of one decision, without '/'")
    lines = ((line, found[0]),)
    verify_lines(lines)
    return lines


def parse_sizes(text: str, preflop: bool) -> tuple[Sizes, ...]:
    """Returns the sizes of menus separated by ``/``, in the form of :class:`BlueprintMenu`.

    :param preflop: True turns multiples of the amount faced into plain numbers, False fractions of the pot.
    :raises InputError: if a token is malformed.
    """

    def plain(size: BetSize) -> Size:
        if preflop and isinstance(size, PreviousBetMultiple):
            return size.factor
        if not preflop and isinstance(size, PotFraction):
            return size.fraction
        return format_bet_size(size)

    menus: list[Menu] = [parse_menu(menu) for menu in text.split("/")]
    return tuple(tuple(plain(size) for size in menu) for menu in menus)


def _with_street(menu: BlueprintMenu, index: int, text: str) -> BlueprintMenu:
    """Returns a menu with the sizes of flop, turn or river (0 to 2) replaced."""
    bets, *raises = parse_sizes(text, preflop=False)
    return replace(
        menu,
        bets=_replaced(menu.bets, index, bets),
        raises=_replaced(menu.raises, index, tuple(raises) or (bets,)),
    )


def _replaced(values: tuple[Any, ...], index: int, value: Any) -> Any:
    return (*values[:index], value, *values[index + 1 :])


def menu_of(config: BlueprintPackConfig) -> BlueprintMenu:
    """Returns the betting menu of a checked configuration."""
    return menu_from(config.menu)


def menu_from(wanted: MenuConfig) -> BlueprintMenu:
    """Returns the betting menu of texts in the bet-size grammar, such as those below the key ``menu``.

    :raises InputError: if a text is malformed, or the preset is unknown.
    """
    menu = MENUS.find(wanted.preset or "small")
    if wanted.preflop is not None:
        opens, *reraises = parse_sizes(wanted.preflop, preflop=True)
        menu = replace(menu, opens=opens, isolations=opens, reraises=tuple(reraises) or (opens,))
    if wanted.limped is not None:
        menu = replace(menu, isolations=parse_sizes(wanted.limped, preflop=True)[0])
    for index, street in enumerate(_STREETS):
        text = getattr(wanted, street)
        if text is not None:
            menu = _with_street(menu, index, text)
    if wanted.lines is not None:
        menu = replace(menu, lines=tuple(one for line, text in wanted.lines.items() for one in _line_sizes(line, text)))
    others: Mapping[str, Any] = wanted.model_dump(include={"caps", "max_raises", "all_in_share", "limp", "all_in"})
    return replace(menu, **{key: value for key, value in others.items() if value is not None})


def tree_of(config: BlueprintPackConfig) -> BettingTree:
    """Returns the betting tree of a checked configuration.

    :raises ResourceError: if the tree is too large.
    """
    return build_blueprint_tree(menu_of(config), config.blinds, config.stack)


def gamedef_of(config: BlueprintPackConfig) -> GameDef:
    """Returns the definition of heads-up no-limit hold'em with the blinds and stacks of a configuration."""
    small, big = config.blinds
    return replace(read_gamedef(find_gamedef(GAME)), blinds=(big, small), stacks=(config.stack, config.stack))
