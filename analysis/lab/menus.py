"""The best bet sizes of a player under a budget, by what they are worth, and the price of leaving one out.

The opponent has all its sizes and knows the answer to every bet, so that what is compared are values of games. Each
menu is solved, and two best responses enclose its value. Taking sizes away never helps the player who loses them; so
the value of a menu is at most that of a larger one.

::

    from hedgehog.analysis.lab.menus import MenuSettings, compare_menus

    found = compare_menus(MenuSettings(read_spot("docs/examples/spots/river.yaml"), most=2))
    print(found.best[1])
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hedgehog.analysis.lab.report import Findings, output_folder, write_report
from hedgehog.analysis.lab.row_files import describe_spot
from hedgehog.poker.betsizes import BetSizes, Menu, format_menu, verify_opening_menu
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.documents import json_document, json_text
from hedgehog.runtime.errors import InputError, SpotError
from hedgehog.runtime.files import write_text_file
from hedgehog.runtime.input_files import read_file
from hedgehog.runtime.outputs import FolderKind, remove_contents
from hedgehog.runtime.table import Table, Value, table_of, table_records
from hedgehog.runtime.validation import first_complaint
from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.solver.abstraction.solving import solve
from hedgehog.solver.postflop.estimate import choose_storage, estimate
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare
from hedgehog.solver.postflop.spot import PLAYERS, PostflopSpot
from hedgehog.solver.postflop.tree import TreeConfig
from hedgehog.strategies.betting_tree import BettingTree
from hedgehog.strategies.provenance import provenance

DEFAULT_TARGET_PCT: Final = 0.05
MOST_ITERATIONS: Final = 5_000
ALGORITHM: Final = "dcfr"
MOST_MENUS: Final = 128
"""Most menus of up to the budget that are all solved. With more, each menu is the best smaller one and one size."""
FOLDER: Final = FolderKind("results of hedgehog lab menus", ("results.json", "*.csv", "menu-*.json"))
"""What the folder of a run holds."""
_NEARLY: Final = 0.99
"""Largest part of a menu that counts as done before it is."""


@dataclass(frozen=True, slots=True)
class MenuSettings:
    """Whose sizes are compared, and how."""

    spot: PostflopSpot
    """The game in which the opponent's sizes and all raises are given."""
    player: int = 0
    """Whose bets are compared: 0 is OOP, 1 is IP."""
    street: int | None = None
    """Street of these bets, 1 flop to 3 river; None for the first of the spot."""
    sizes: Menu | None = None
    """The sizes to choose from; None for those that the spot gives the player on this street."""
    most: int = 3
    """Largest number of sizes of a menu."""
    target_pct: float = DEFAULT_TARGET_PCT
    """Exploitability in percent of the pot to which each menu is solved."""
    iterations: int = MOST_ITERATIONS
    """Most iterations of a menu."""
    threads: int | None = None

    @property
    def on(self) -> int:
        """Street of the bets, 1 flop to 3 river."""
        return self.spot.street if self.street is None else self.street


@dataclass(frozen=True, slots=True)
class MenuValue:
    """The value of the game with a menu, for the player whose menu it is, in chips less half the pot."""

    sizes: str
    """The menu as text; empty: the player cannot bet."""
    count: Annotated[int, Field(ge=0)]
    """Number of its sizes."""
    ev: float
    """EV if both players follow the strategies found."""
    low: float
    """EV that the strategies guarantee the player: the value is at least this."""
    high: float
    """EV of the best response to the opponent's strategy: the value is at most this."""
    iterations: Annotated[int, Field(ge=0)]

    def equals(self, other: MenuValue) -> bool:
        """Returns whether the two values cannot be told apart by what was solved."""
        return self.low <= other.high and other.low <= self.high


@dataclass(frozen=True, slots=True)
class Price:
    """What a size is worth: a difference of two values, in chips."""

    size: str
    ev: float
    """Difference of the EVs."""
    low: float
    """The least that it can be."""
    high: float
    """The most that it can be."""

    @property
    def known(self) -> bool:
        """Whether the price is surely more than nothing."""
        return self.low > 0


@dataclass(frozen=True, slots=True)
class MenuFindings:
    """What a comparison of menus has found."""

    full: MenuValue
    """All sizes."""
    values: tuple[MenuValue, ...]
    """Every menu that was solved, the empty one first."""
    best: dict[int, MenuValue]
    """By number of sizes, the menu with the highest EV."""
    left_out: tuple[Price, ...]
    """Per size, what all others together lack without it."""
    exhaustive: bool
    """Whether all menus of up to the budget were solved."""
    findings: Findings
    """Tables and JSON document."""

    def enough(self) -> MenuValue:
        """Returns the smallest best menu whose value cannot be told from that of all sizes."""
        return next((self.best[size] for size in sorted(self.best) if self.best[size].equals(self.full)), self.full)


class _MenuFile(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    conditions: dict[str, Any]
    value: MenuValue


class _PartWatch(Watch):
    """Hears of the iterations of one menu, and tells the watch of all menus that a part of it is done."""

    def __init__(self, whole: Watch, start: int, name: str) -> None:
        self._whole = whole
        self._start = start
        self._name = name
        self._total = 0.0
        self._part = 0.0
        self._text = ""

    def update(self, done: float, text: str | None = None, *, total: float | None = None) -> None:
        if total:  # known after each computation of the exploitability
            self._total = total
            self._text = text or ""
        if self._total:  # a longer forecast takes nothing back
            self._part = max(self._part, min(done / self._total, _NEARLY))
        self._whole.update(self._start + self._part, ", ".join(filter(None, (self._name, self._text))))


def menu_sizes(settings: MenuSettings) -> Table:
    """Returns how many menus would be solved, and the size and memory of the smallest and the largest game.

    :raises SpotError: as :func:`compare_menus`.
    """
    menus = _Menus(settings, None, SILENT)
    rows = [("no bet", menus.prepared(())), (format_menu(menus.sizes), menus.prepared(menus.sizes))]
    columns = {
        "menu": lambda row: row[0],
        "decision nodes": lambda row: sum(row[1].counts.decision_nodes),
        "infosets": lambda row: row[1].size.infosets,
        "f32 MB": lambda row: estimate(row[1], threads=settings.threads).memory_bytes / 1e6,
    }
    number, exhaustive = menus.number()
    way = "all menus of the budget" if exhaustive else "the best smaller menu and one size"
    note = f"Up to {number} menus are solved one after the other: {way}, all sizes, and all but one."
    return table_of("sizes", "The smallest and the largest game", rows, columns, note)


def compare_menus(
    settings: MenuSettings,
    out: Path | None = None,
    *,
    overwrite: bool = False,
    inputs: Sequence[Path] = (),
    watch: Watch = SILENT,
) -> MenuFindings:
    """Solves a spot with many menus of a player, and returns what each is worth.

    :param out: folder of results and of finished menus, with which the next call goes on; None for no files.
    :param overwrite: replace results in ``out`` of another spot or with other settings.
    :param inputs: files that were read, none of which may be in ``out``.
    :param watch: hears of the menus.
    :raises InputError: if ``out`` holds anything else.
    :raises SpotError: if the spot has rake, locks, trembles, lines or an abstraction; if the street is none of it, or
        there is no size to choose.
    :raises ResourceError: if the game with all sizes does not fit into memory; nothing has been solved then.
    """
    menus = _Menus(settings, out, watch)
    with nullcontext() if out is None else output_folder(out, FOLDER, inputs):
        return menus.run(overwrite=overwrite)


class _Menus:
    """One comparison of menus."""

    def __init__(self, settings: MenuSettings, out: Path | None, watch: Watch) -> None:
        spot = settings.spot
        _verify(settings)
        self.settings = settings
        self.out = out
        self._watch = watch
        given = spot.tree.sizes[settings.on - spot.street]
        sizes = (given.oop if settings.player == 0 else given.ip).menus[0] if settings.sizes is None else settings.sizes
        verify_opening_menu(sizes)
        self.sizes: Menu = tuple(dict.fromkeys(sizes))
        if not self.sizes:
            raise SpotError(f"{PLAYERS[settings.player]} has no bet on the {STREETS[settings.on]} to choose from")
        self._known: dict[str, MenuValue] = {}
        self._asked: set[str] = set()
        self._by_tree: dict[bytes, MenuValue] = {}

    def run(self, *, overwrite: bool) -> MenuFindings:
        """Solves the menus that the folder lacks, and returns what was found."""
        self._read(overwrite=overwrite)
        sizes, most = self.sizes, self._most
        number, exhaustive = self.number()
        self._watch.begin("menus", number, "menus", "compiling")
        if format_menu(sizes) not in self._known:
            choose_storage(self._spot(sizes), self.prepared(sizes), ALGORITHM, "auto", self.settings.threads)
        best = {0: self._value(())}
        chosen: Menu = ()
        for count in range(1, most + 1):
            menus: Iterable[Menu] = (
                combinations(sizes, count)
                if exhaustive
                else (self._ordered((*chosen, size)) for size in sizes if size not in chosen)
            )
            found = {menu: self._value(menu) for menu in menus}
            chosen = max(found, key=lambda menu: found[menu].ev)
            best[count] = found[chosen]
        full = self._value(sizes)
        without = {size: self._value(tuple(other for other in sizes if other != size)) for size in sizes}
        prices = tuple(
            Price(format_menu((size,)), full.ev - one.ev, full.low - one.high, full.high - one.low)
            for size, one in without.items()
        )
        asked = [self._known[name] for name in self._asked]
        values = tuple(sorted(asked, key=lambda one: (one.count, one.sizes)))
        result = MenuFindings(full, values, best, prices, exhaustive, Findings((), {}))
        found_all = self._findings(result)
        if self.out is not None:
            write_report(self.out, found_all)
        return replace(result, findings=found_all)

    def number(self) -> tuple[int, bool]:
        """Returns the most menus that are solved, and whether they are all menus of up to the budget."""
        count, most = len(self.sizes), self._most
        number = sum(math.comb(count, size) for size in range(most + 1))
        if number > MOST_MENUS:
            return 2 + count + sum(count - size for size in range(most)), False
        others = {count, count - 1} - set(range(most + 1))
        return number + sum(math.comb(count, size) for size in others), True

    def prepared(self, menu: Menu) -> PreparedSpot:
        """Returns the game in which the player opens with a menu."""
        return prepare(self._spot(menu))

    def _spot(self, menu: Menu) -> PostflopSpot:
        return replace(self.settings.spot, tree=_with_menu(self.settings, menu), text="")

    @property
    def _most(self) -> int:
        return min(self.settings.most, len(self.sizes))

    def _ordered(self, menu: Menu) -> Menu:
        return tuple(size for size in self.sizes if size in menu)

    def _value(self, menu: Menu) -> MenuValue:
        name = format_menu(menu)
        if name not in self._known:
            settings = self.settings
            prepared = self.prepared(menu)
            key = _tree_key(prepared.tree)
            found = self._by_tree.get(key)
            if found is None:
                done, shown = len(self._asked), name or "no bet"
                self._watch.update(done, shown)
                solver = solve(
                    prepared, settings.target_pct, settings.iterations, threads=settings.threads, algorithm=ALGORITHM,
                    watch=_PartWatch(self._watch, done, shown),
                )  # fmt: skip
                reached = solver.exploitability()
                player, best = settings.player, reached.best_response_ev_minus_half_pot
                ev = reached.ev_minus_half_pot[player]
                found = MenuValue(name, len(menu), ev, -best[1 - player], best[player], solver.iterations)
            # Thresholds can turn two menus into one betting tree.
            self._by_tree[key] = found
            self._known[name] = replace(found, sizes=name, count=len(menu))
            self._write(self._known[name])
        self._asked.add(name)
        self._watch.update(len(self._asked), name)
        return self._known[name]

    def _conditions(self) -> dict[str, Any]:
        settings = self.settings
        return {
            "spot": describe_spot(settings.spot),
            "player": PLAYERS[settings.player],
            "street": STREETS[settings.on],
            "target_pct": settings.target_pct,
            "iterations": settings.iterations,
        }

    def _read(self, *, overwrite: bool) -> None:
        """Takes the menus that the folder holds."""
        paths = sorted(self.out.glob("menu-*.json")) if self.out is not None and self.out.is_dir() else []
        try:
            for path in paths:
                try:
                    file = _MenuFile.model_validate_json(read_file(path))
                except ValidationError as error:
                    raise InputError(f"no menu: {first_complaint(error, 'the file')}", source=str(path)) from error
                if file.conditions != self._conditions():
                    raise InputError(
                        "was made with another spot or other options: expected another folder, or --overwrite",
                        source=str(path),
                    )
                self._known[file.value.sizes] = file.value
        except InputError:
            if not overwrite or self.out is None:
                raise
            self._known.clear()
            remove_contents(self.out, FOLDER)

    def _write(self, value: MenuValue) -> None:
        if self.out is not None:
            content = {"conditions": self._conditions(), "value": asdict(value)}
            write_text_file(self.out / f"menu-{len(self._known)}.json", json_text(content))

    def _findings(self, found: MenuFindings) -> Findings:
        settings, spot = self.settings, self.settings.spot
        tables = _tables(found, spot.pot)
        document = json_document(
            "menus",
            game=spot.name,
            players=PLAYERS,
            conditions=self._conditions(),
            exhaustive=found.exhaustive,
            program=vars(provenance()),
            values=[asdict(one) for one in found.values],
            enough=found.enough().sizes,
            tables=table_records(tables),
        )
        return Findings(tables, document, _remarks(found, PLAYERS[settings.player], spot.pot))


def _verify(settings: MenuSettings) -> None:
    spot = settings.spot
    if spot.rake_rate:
        raise SpotError("menus are compared by the value of the game, which needs a spot without rake")
    if spot.locks or spot.tremble is not None or spot.abstraction:
        raise SpotError("menus are compared without locks, trembles and abstraction: leave out these keys of the spot")
    if spot.tree.lines:
        raise SpotError("menus are compared on spots with the key 'sizes', not 'lines'")
    if not spot.street <= settings.on <= STREETS.index("river"):
        raise SpotError(f"the spot has no {STREETS[settings.on]}: it begins on the {STREETS[spot.street]}")


def _with_menu(settings: MenuSettings, menu: Menu) -> TreeConfig:
    """Returns the betting tree in which the player opens with a menu on the street."""
    config = settings.spot.tree
    place = settings.on - settings.spot.street
    street = config.sizes[place]
    if settings.player == 0:
        donk = None if street.donk is None else menu
        street = replace(street, oop=BetSizes((menu, *_raises(street.oop))), donk=donk)
    else:
        street = replace(street, ip=BetSizes((menu, *_raises(street.ip))))
    return replace(config, sizes=(*config.sizes[:place], street, *config.sizes[place + 1 :]))


def _raises(sizes: BetSizes) -> tuple[Menu, ...]:
    """Returns the menus of raises, which must not change with those of the bet: a single menu serves all."""
    return sizes.menus[1:] or sizes.menus


def _tree_key(tree: BettingTree) -> bytes:
    return tree.parent.tobytes() + tree.action.tobytes() + tree.amount.tobytes()


def _tables(found: MenuFindings, pot: int) -> tuple[Table, ...]:
    full = found.full

    def loss(one: MenuValue) -> Value:
        return 0.0 if one.equals(full) else 100 * (full.ev - one.ev) / pot

    def twins(one: MenuValue) -> int:
        return sum(other.count == one.count and other.equals(one) for other in found.values) - 1

    budgets = [found.best[count] for count in sorted(found.best)]
    if full.count not in found.best:
        budgets.append(full)
    columns = {
        "sizes": lambda one: one.count,
        "best menu": lambda one: one.sizes or "no bet",
        "EV": lambda one: one.ev + pot / 2,
        "at least": lambda one: one.low + pot / 2,
        "at most": lambda one: one.high + pot / 2,
        "loss % pot": loss,
        "equal menus": twins,
    }
    way = "of all menus" if found.exhaustive else "of the best smaller menu and one size"
    note = (
        f"EV in chips, and what encloses the value. Best: {way}. A loss of 0 cannot be told from none. Equal menus: "
        "others of this number of sizes that cannot be told from the best one."
    )
    prices = {
        "left out": lambda one: one.size,
        "price % pot": lambda one: 100 * one.ev / pot if one.known else 0.0,
        "at least": lambda one: max(100 * one.low / pot, 0.0),
        "at most": lambda one: 100 * one.high / pot,
    }
    alone = [one for one in found.values if one.count == 1]
    singles = {
        "alone": lambda one: one.sizes,
        "EV": lambda one: one.ev + pot / 2,
        "at least": lambda one: one.low + pot / 2,
        "at most": lambda one: one.high + pot / 2,
        "loss % pot": loss,
    }
    return (
        table_of("menus", "Best menus", budgets, columns, note),
        table_of("prices", "The price of leaving one size out of all", found.left_out, prices,
                 "A price of 0 cannot be told from nothing."),
        table_of("alone", "Single sizes", alone, singles, "With one size the player may bet it or check."),
    )  # fmt: skip


def _remarks(found: MenuFindings, player: str, pot: int) -> tuple[str, ...]:
    enough, full = found.enough(), found.full
    said = []
    if enough.count < full.count:
        what = f"the menu {enough.sizes}" if enough.count else "no bet at all"
        said.append(f"{what[0].upper()}{what[1:]} is worth to {player} what all {full.count} sizes are worth.")
    dear = max(found.left_out, key=lambda one: one.low)
    if dear.known:
        said.append(f"{dear.size} is missed most: {100 * dear.ev / pot:.3g} % of the pot.")
    return tuple(said)
