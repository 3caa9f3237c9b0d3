"""Betting menus of the whole-game blueprint and the betting trees they make, from the blinds to the river.

Amounts are in chips. They are street totals, and blinds count as chips put in preflop. The rules are:

* the first raise goes to ``opens`` big blinds, or to ``isolations`` after a limp; later preflop raises multiply the
  amount faced;
* a postflop bet or raise adds a fraction of the pot after a call to the amount faced;
* a size may also be any token of :mod:`hedgehog.poker.betsizes`, such as ``100c``, ``3x`` or ``e``;
* a raise below the legal minimum is increased to it, and one that would put in ``all_in_share`` of the stack becomes
  all-in; all-in itself is always offered unless ``all_in`` is off;
* the sizes of a betting line in ``lines`` stand in place of all these;
* a street has at most ``caps`` bets and raises; after ``max_raises`` in the hand only all-in is left;
* a called all-in leads directly to a SHOWDOWN, on any street.

Presets: :data:`SMALL` (5,134 decisions), :data:`MEDIUM` (12,282), :data:`LARGE` (40,938) and the shipped
:data:`STANDARD`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from hedgehog.poker.betsizes import parse_bet_size, verify_opening_menu
from hedgehog.poker.streets import RIVER
from hedgehog.runtime.errors import InputError, ResourceError
from hedgehog.runtime.extending.registry import Registry
from hedgehog.solver.postflop.tree import menu_amounts
from hedgehog.strategies.betting_tree import IP, OOP, ActionKind, BettingTree, NodeKind, TreeBuilder

Size = float | str
"""A number, whose meaning depends on the field of :class:`BlueprintMenu`, or a token of
:mod:`hedgehog.poker.betsizes`."""
Sizes = tuple[Size, ...]
MAX_STACK: Final = 1_000_000_000
"""Stacks must be below this number of chips, because trees store chips as int32."""
MAX_SIZE: Final = 1_000_000
"""Largest number allowed as a bet size. Larger multiples or fractions of the pot would all be all-in."""
MAX_RAISES: Final = 1_000_000
_LINE: Final = re.compile(r"[cr]{0,60}(/[cr]{0,60}){0,3}")
MAX_NODES: Final = 2_000_000
"""Most nodes of a tree that :func:`build_blueprint_tree` builds. With 200 buckets its tables take about 3 GB."""


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


def build_blueprint_tree(menu: BlueprintMenu, blinds: tuple[int, int] = (50, 100), stack: int = 20_000) -> BettingTree:
    """Returns the whole-game betting tree of a menu. The button (IP) has the small blind and acts first preflop.

    :param blinds: small and big blind in chips.
    :param stack: chips of each player at the start of the hand, blinds included.
    :raises InputError: if the stack does not cover the big blind.
    :raises ResourceError: if the tree exceeds :data:`MAX_NODES` nodes.
    """
    small, big = blinds
    if not 0 < small <= big < stack < MAX_STACK:
        raise InputError(f"expected 0 < small blind <= big blind < stack < {MAX_STACK:,}, got {small}, {big}, {stack}")
    return _Builder(menu, big, stack).build(small)


@dataclass(slots=True)
class _Pending:
    """A decision whose children are still to be made."""

    node: int
    start: int
    """Chips each player had put in when the street began."""
    acted: int
    """Actions on this street so far."""
    raises: int
    """Bets and raises on this street so far."""
    total_raises: int
    last_raise: int
    """Size of the last bet or raise on this street; the next one is at least as large."""
    line: str
    """Betting so far, as in :attr:`BlueprintMenu.lines`."""


class _Builder(TreeBuilder):
    def __init__(self, menu: BlueprintMenu, big_blind: int, stack: int) -> None:
        super().__init__()
        self.menu = menu
        self.big_blind = big_blind
        self.stack = stack
        self.lines = dict(menu.lines)

    def build(self, small_blind: int) -> BettingTree:
        root = self.add(NodeKind.DECISION, 0, IP, -1, ActionKind.ROOT, 0, (self.big_blind, small_blind))
        todo = [_Pending(root, 0, 0, 0, 0, self.big_blind, "")]
        while todo:
            todo.extend(reversed(self._expand(todo.pop())))
            if len(self.kind) > MAX_NODES:
                raise ResourceError(f"the betting tree exceeds {MAX_NODES:,} nodes: use fewer sizes or lower caps")
        return self.finish(0, self.stack)

    def _expand(self, state: _Pending) -> list[_Pending]:
        """Adds the children of a decision and returns the decisions that follow."""
        node, start = state.node, state.start
        street, player = self.street[node], self.player[node]
        mine, theirs = self.committed[node][player], self.committed[node][1 - player]
        matched = (theirs, theirs)
        following: list[_Pending] = []
        deals: list[int] = []

        first = self.first_child[node] = len(self.kind)
        if theirs > mine:
            self.add(NodeKind.FOLD, street, player, node, ActionKind.FOLD, 0, self.committed[node])
        action, amount = (ActionKind.CALL, theirs - start) if theirs > mine else (ActionKind.CHECK, 0)
        limp = street == 0 and state.acted == 0
        if state.acted > 0:
            if theirs == self.stack or street == RIVER:
                self.add(NodeKind.SHOWDOWN, street, -1, node, action, amount, matched)
            else:
                deals.append(self.add(NodeKind.DEAL, street, -1, node, action, amount, matched))
        elif not limp or self.menu.limp:
            child = self.add(NodeKind.DECISION, street, 1 - player, node, action, amount, matched)
            following.append(
                _Pending(child, start, 1, state.raises, state.total_raises, state.last_raise, f"{state.line}c")
            )
        for total in self._raise_totals(state, street, mine, theirs):
            if total == self.stack:
                action = ActionKind.ALL_IN
            else:
                action = ActionKind.RAISE if theirs > start else ActionKind.BET
            committed = (total, theirs) if player == OOP else (theirs, total)
            child = self.add(NodeKind.DECISION, street, 1 - player, node, action, total - start, committed)
            following.append(
                _Pending(
                    child, start, state.acted + 1, state.raises + 1, state.total_raises + 1, total - theirs,
                    f"{state.line}r",
                )
            )  # fmt: skip
        self.num_children[node] = len(self.kind) - first

        for deal in deals:
            self.first_child[deal] = self.add(NodeKind.DECISION, street + 1, OOP, deal, ActionKind.DEAL, 0, matched)
            self.num_children[deal] = 1
            opened = _Pending(
                self.first_child[deal], theirs, 0, 0, state.total_raises, self.big_blind, f"{state.line}c/"
            )
            following.append(opened)
        return following

    def _raise_totals(self, state: _Pending, street: int, mine: int, theirs: int) -> list[int]:
        """Returns the chips that the player may have put in after a bet or raise, ascending; all-in is last."""
        menu = self.menu
        if theirs == self.stack or state.raises >= menu.caps[street]:
            return []
        totals = {self.stack} if menu.all_in else set()
        if state.total_raises < menu.max_raises:
            for wish in self._wishes(state, street, mine, theirs):
                total = max(math.floor(wish + 0.5), theirs + max(state.last_raise, self.big_blind))
                totals.add(total if total < menu.all_in_share * self.stack else self.stack)
        return sorted(totals)

    def _wishes(self, state: _Pending, street: int, mine: int, theirs: int) -> list[float]:
        """Returns the menu's raises as total chips put in over the hand, before rounding and legal limits."""
        menu = self.menu
        sizes: Sizes
        if state.line in self.lines:
            sizes = self.lines[state.line]
        elif street == 0:
            if state.raises == 0:
                sizes = menu.isolations if mine == theirs else menu.opens
            else:
                sizes = _level(menu.reraises, state.raises - 1)
        else:
            sizes = menu.bets[street - 1] if state.raises == 0 else _level(menu.raises[street - 1], state.raises - 1)
        wishes: list[float] = []
        for size in sizes:
            if isinstance(size, str):
                # Preflop the blind is the bet; after it the first raise is a bet.
                raises = state.raises if street == 0 else max(state.raises - 1, 0)
                faced, largest = theirs - state.start, self.stack - state.start
                token = (parse_bet_size(size),)
                wishes += [
                    state.start + amount for amount in menu_amounts(token, street, raises, 2 * theirs, faced, largest)
                ]
            else:
                wishes.append(size * theirs if street == 0 else theirs + size * 2 * theirs)
        return wishes


def _level(levels: tuple[Sizes, ...], number: int) -> Sizes:
    return levels[min(number, len(levels) - 1)]
