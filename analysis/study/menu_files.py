"""Reads menus of bet sizes to compare with real bets: menu files, blueprint configurations and presets."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from hedgehog.analysis.study.translation import REFERENCES, BetMenu, menu_from_texts, reference_menu
from hedgehog.poker.betsizes import (
    BetSize,
    PotFraction,
    PreviousBetMultiple,
    parse_bet_size,
    parse_bet_sizes,
    parse_menu,
)
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.config_file import read_config, read_text
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint.config import menu_of, read_blueprint_pack_config
from hedgehog.strategies.bet_menus import MENUS, BlueprintMenu, Size, Sizes

_STREETS: Final = STREETS[1:]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Roles(_Strict):
    oop: str
    ip: str
    donk: str | None = None


class _Streets(_Strict):
    flop: _Roles | None = None
    turn: _Roles | None = None
    river: _Roles | None = None


class _Menu(_Strict):
    preflop: str | None = None
    limped: str | None = None
    flop: str | None = None
    turn: str | None = None
    river: str | None = None


class _MenuFile(_Strict):
    sizes: _Streets = _Streets()
    menu: _Menu = _Menu()


def read_menu(name: str) -> BetMenu:
    """Returns the menu with a name: a reference menu, a preset of blueprints, or a file.

    A file is a menu file as ``hedgehog study hands --menu`` writes it, or the configuration of a blueprint pack.

    :raises InputError: if there is no such menu or file, or the file is malformed; the message has file and line.
    """
    if name in REFERENCES:
        return reference_menu(name)
    if name in MENUS:
        return blueprint_menu(name, MENUS[name])
    path = Path(name)
    if not path.exists():
        known = ", ".join((*REFERENCES, *MENUS))
        raise InputError(f"no menu {name!r}: expected {known}, a menu file or a blueprint configuration")
    text = read_text(path, InputError, "a menu")
    if any(line.startswith("kind:") for line in text.split("\n")):
        return blueprint_menu(path.stem, menu_of(read_blueprint_pack_config(path)))
    return _read_menu_file(path)


def _read_menu_file(path: Path) -> BetMenu:
    """Returns the menu of a menu file. Sizes of one role go before those of both."""
    file = read_config(path, _MenuFile, InputError, "a menu")
    texts: dict[str, str] = {}
    for key in ("preflop", "limped", *_STREETS):
        text = getattr(file.model.menu, key)
        if text is not None:
            file.at(("menu", key), _verify_preflop if key in ("preflop", "limped") else parse_bet_sizes, text)
            texts[key] = text
    for street in _STREETS:
        roles = getattr(file.model.sizes, street)
        for role in ("oop", "ip") if roles is not None else ():
            file.at(("sizes", street, role), parse_bet_sizes, getattr(roles, role))
            texts[f"{street} {role}"] = getattr(roles, role)
    if not texts:
        raise file.fail((), "expected the key 'sizes' or 'menu'")
    return menu_from_texts(path.stem, texts)


def _verify_preflop(text: str) -> None:
    for menu in text.split("/"):
        parse_menu(menu)


def blueprint_menu(name: str, menu: BlueprintMenu) -> BetMenu:
    """Returns the menu of a blueprint. Its limit on the raises of a hand plays no role.

    :raises InputError: if it has sizes by betting line.
    """
    if menu.lines:
        raise InputError(f"the menu {name!r} has sizes by betting line, which 'hedgehog study menu' measures")
    streets: dict[tuple[int, int], tuple[tuple[BetSize, ...], ...]] = {}
    for index in range(len(_STREETS)):
        levels = (menu.bets[index], *menu.raises[index])
        parsed = tuple(_sizes(level, preflop=False) for level in levels)
        streets[index + 1, 0] = streets[index + 1, 1] = parsed
    preflop = tuple(_sizes(level, preflop=True) for level in (menu.opens, *menu.reraises))
    return BetMenu(
        name,
        preflop,
        _sizes(menu.isolations, preflop=True),
        streets,
        all_in=menu.all_in,
        all_in_share=menu.all_in_share,
        caps=menu.caps,
    )


def _sizes(sizes: Sizes, *, preflop: bool) -> tuple[BetSize, ...]:
    return tuple(_size(size, preflop) for size in sizes)


def _size(size: Size, preflop: bool) -> BetSize:
    if isinstance(size, str):
        return parse_bet_size(size)
    return PreviousBetMultiple(size) if preflop else PotFraction(size)
