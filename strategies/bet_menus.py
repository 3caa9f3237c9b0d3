"""Bet menus of the whole game by name: presets, those of other packages, and what they are in the sizes of spots.

Presets: :data:`SMALL` (5,134 decisions), :data:`MEDIUM` (12,282), :data:`LARGE` (40,938) and the shipped
:data:`STANDARD`. :func:`hedgehog.solver.blueprint.build_blueprint_tree` makes the betting tree of a menu.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from hedgehog.poker.betsizes import parse_bet_size, verify_opening_menu
from hedgehog.poker.streets import RIVER, STREETS
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.extending.registry import Registry

Size = float | str
"""A number, whose meaning depends on the field of :class:`BlueprintMenu`, or a token of
:mod:`hedgehog.poker.betsizes`."""
Sizes = tuple[Size, ...]
MAX_SIZE: Final = 1_000_000
"""Largest number allowed as a bet size. Larger multiples or fractions of the pot would all be all-in."""
MAX_RAISES: Final = 1_000_000
_LINE: Final = re.compile(r"[cr]{0,60}(/[cr]{0,60}){0,3}")


@dataclass(frozen=True, slots=True)
class BlueprintMenu:
    """The bet sizes of a blueprint, the same for both players.

    Where sizes depend on the number of the raise, the outer tuple has one entry per raise, and its last entry also
    serves all later raises.

    :raises InputError: if a size is neither a positive number nor a fitting token, or the streets do not match.
    """

    opens: Sizes
    """First raise of an unlimped pot, in big blinds."""
    isolations: Sizes
    """First raise after a limp, in big blinds."""
    reraises: tuple[Sizes, ...]
    """Second, third, ... preflop raise, as multiples of the amount faced."""
    bets: tuple[Sizes, Sizes, Sizes]
    """Flop, turn and river bets, as fractions of the pot."""
    raises: tuple[tuple[Sizes, ...], tuple[Sizes, ...], tuple[Sizes, ...]]
    """First, second, ... raise of a bet on flop, turn and river, as fractions of the pot after a call."""
    caps: tuple[int, int, int, int] = (4, 3, 3, 3)
    """Most bets and raises per street, preflop to river. The blinds are not counted."""
    max_raises: int = 7
    """Number of bets and raises in the whole hand after which only all-in is offered."""
    all_in_share: float = 0.6
    """A bet that puts in at least this share of the stack becomes all-in."""
    limp: bool = True
    """Whether the button may call the big blind first in."""
    all_in: bool = True
    """Whether all-in is offered beside the sizes."""
    lines: tuple[tuple[str, Sizes], ...] = ()
    """Sizes of single decisions: the betting before them, such as ``rc/c`` (r bet or raise, c check or call, a slash
    before each later street), and sizes as of ``opens`` and ``reraises`` before the flop, else as of ``bets``."""

    def __post_init__(self) -> None:
        if len(self.bets) != RIVER or len(self.raises) != RIVER or len(self.caps) != RIVER + 1:
            raise InputError("expected bets and raises for three streets and caps for four")
        sizes = [*self.opens, *self.isolations]
        for group in (self.reraises, self.bets, *self.raises):
            if not group:
                raise InputError("expected at least one entry (which may be empty) for every raise")
            sizes += [size for level in group for size in level]
        for size in sizes:
            if isinstance(size, str):
                parse_bet_size(size)
            elif not 0 < size <= MAX_SIZE:
                raise InputError(f"bet sizes must be positive numbers of at most {MAX_SIZE:,}, got {_shown(size)}")
        if not 0 < self.all_in_share <= 1:
            raise InputError(f"all_in_share must be above 0 and at most 1, got {_shown(self.all_in_share)}")
        for size in (size for street in self.bets for size in street if isinstance(size, str)):
            verify_opening_menu((parse_bet_size(size),))
        verify_lines(self.lines)
        if not all(isinstance(count, int) and 0 <= count <= MAX_RAISES for count in (*self.caps, self.max_raises)):
            raise InputError(f"caps and max_raises must be whole numbers from 0 to {MAX_RAISES}")

    def to_dict(self) -> dict[str, Any]:
        """Returns the menu as plain lists and numbers, which :func:`parse_menu` reads back."""
        return {name: _lists(value) for name, value in asdict(self).items() if name != "lines" or value}


def verify_lines(lines: tuple[tuple[str, Sizes], ...]) -> None:
    """Checks the sizes of single decisions.

    :raises InputError: if a betting line is malformed or stands there twice, or a size is wrong.
    """
    known = set()
    for line, sizes in lines:
        if not isinstance(line, str) or not _LINE.fullmatch(line):
            raise InputError(f"expected the betting before a decision, such as rc/c, got {line!r}")
        if line in known:
            raise InputError(f"the betting line {line!r} stands there twice")
        known.add(line)
        for size in sizes:
            if isinstance(size, str):
                token = (parse_bet_size(size),)
                if "/" in line and not line.rpartition("/")[2].count("r"):
                    verify_opening_menu(token)
            elif not 0 < size <= MAX_SIZE:
                raise InputError(f"bet sizes must be positive numbers of at most {MAX_SIZE:,}, got {_shown(size)}")


def _shown(number: float) -> str:
    """Returns the text of a number for messages. JSON may hold a number with thousands of digits."""
    try:
        return f"{number:g}"
    except OverflowError:
        return "a number of hundreds of digits"


def _lists(value: Any) -> Any:
    return [_lists(item) for item in value] if isinstance(value, tuple) else value


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list | tuple) else value


def parse_menu(config: Mapping[str, Any], source: str | None = None) -> BlueprintMenu:
    """Returns the menu of a mapping with the fields of :class:`BlueprintMenu`, as loaded from JSON or YAML.

    :param source: name of the file, for messages.
    :raises InputError: if a key is unknown or missing, or a value has the wrong shape.
    """
    names = {field.name for field in fields(BlueprintMenu)}
    unknown = sorted(set(config) - names)
    if unknown:
        raise InputError(f"unknown menu key {unknown[0]!r}, expected one of {', '.join(sorted(names))}", source=source)
    try:
        return BlueprintMenu(**{name: _tuples(value) for name, value in config.items()})
    except InputError as error:
        raise InputError(error.message, source=source) from None
    except TypeError:
        raise InputError("a menu value is missing or is no list of numbers of the right depth", source=source) from None


SMALL: Final = BlueprintMenu(
    opens=(2.5,),
    isolations=(3.75,),
    reraises=((3.4,), (2.5,)),
    bets=((0.5, 1.0),) * 3,
    raises=(((1.0,),),) * 3,
)
MEDIUM: Final = BlueprintMenu(
    opens=(2.0, 3.0),
    isolations=(3.0, 4.0),
    reraises=((3.0,), (2.5,)),
    bets=((0.5, 1.0, 2.0),) * 3,
    raises=(((1.0,),),) * 3,
    caps=(4, 3, 2, 2),
)
LARGE: Final = BlueprintMenu(
    opens=(2.0, 3.0),
    isolations=(3.0, 4.0),
    reraises=((3.0,), (2.5,)),
    bets=((0.33, 0.67, 1.0), (0.33, 0.67, 1.0), (0.5, 1.0, 2.0)),
    raises=(((0.5, 1.0), (1.0,)), ((0.5, 1.0), (1.0,)), ((1.0,),)),
)
STANDARD: Final = BlueprintMenu(
    opens=(2.5, 7.0),
    isolations=(3.75, 10.0),
    reraises=((3.4, 7.0), (2.5,)),
    bets=((0.33, 0.75, 2.0, 6.0), (0.5, 1.25), (0.5, 1.0, 2.0)),
    raises=(((1.0, 3.0), (1.0,)), ((1.0,),), ((1.0,),)),
    caps=(4, 3, 2, 2),
)
"""The shipped menu. It has small and very large sizes preflop and on the flop, mainly so that the player can answer
them: without them, an unusual bet between the pot and all-in would be translated half to all-in. Turn and river need
fewer sizes, because the player solves with the true sizes there."""


def _verify_menu(name: str, part: Any) -> None:
    if not isinstance(part, BlueprintMenu):
        raise InputError(f"expected a BlueprintMenu, got {type(part).__name__}")


MENUS: Final = Registry(
    "hedgehog.bet_menus",
    "menu",
    {"small": SMALL, "medium": MEDIUM, "large": LARGE, "standard": STANDARD},
    verify=_verify_menu,
    reserved=("own", "fcpa", "fcpta", "fchpda"),
)
"""The preset menus by name, ours and those of other packages."""

_NAMED: Final = re.compile(r"^sizes:[ \t]+([a-z0-9][a-z0-9+_-]*)[ \t]*(?:#.*)?$", re.MULTILINE)


def include_menu(text: str, source: str | None, error: type[InputError]) -> str:
    """Returns a configuration in which a line ``sizes: NAME`` has become the sizes of a menu (:func:`street_sizes`).

    They are written in one line, so that line numbers in messages stay right. A text without such a line is returned
    as it is.

    :param text: text of a spot file or of another configuration with the key ``sizes``.
    :param source: name of the file, for messages.
    :param error: the class of the exceptions raised.
    :raises InputError: an exception of class ``error``, if there is no menu of this name, or it cannot be used.
    """
    found = _NAMED.search(text)
    if found is None:
        return text
    try:
        sizes = street_sizes(MENUS.find(found[1]))
    except InputError as problem:
        line = text.count("\n", 0, found.start()) + 1
        raise error(f"{problem}, or FILE.yaml, or sizes by street", source=source, line=line) from problem
    streets = (f'{street}: {{oop: "{menu}", ip: "{menu}"}}' for street, menu in sizes.items())
    return f"{text[: found.start()]}sizes: {{{', '.join(streets)}}}{text[found.end() :]}"


def street_sizes(menu: BlueprintMenu) -> dict[str, str]:
    """Returns a menu's bets and raises on flop, turn and river in the grammar of :mod:`hedgehog.poker.betsizes`.

    Each street has as many bets and raises as ``caps`` allows. What concerns the whole hand is left out, because a spot
    has only a part of it: the preflop sizes, ``max_raises`` and ``all_in_share``.
    """
    return {
        street: _levels_text([menu.bets[place], *menu.raises[place]], menu.caps[place + 1], menu.all_in)
        for place, street in enumerate(STREETS[1:])
    }


def _levels_text(levels: list[Sizes], cap: int, all_in: bool) -> str:
    """Returns menus separated by slashes: one for each bet or raise up to the cap, then an empty one.

    The last menu repeats, so that equal ones at the end would say nothing; the empty one ends the betting.
    """
    menus = [*levels[:cap], *[levels[-1]] * (cap - len(levels))]
    texts = []
    for sizes in menus:
        tokens = [size if isinstance(size, str) else f"{100 * size:.9g}%" for size in sizes]
        texts.append(",".join([*tokens, "a"] if all_in and "a" not in tokens else tokens))
    return " / ".join([*texts, ""]).rstrip() if texts else ""
