"""Configurations of TexasSolver as texts of spot files, and spots as configurations.

The trees are compared, bet by bet. A configuration whose tree a spot file can say with bet sizes gets these; another
one gets the exact lines of TexasSolver's tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.interop.differences import SAME_TREE, Converted, bets_of, describe_differences, spot_with_bets
from hedgehog.interop.texassolver.betting import Bets, texas_bets
from hedgehog.interop.texassolver.config import LEAST_WEIGHT, PLAYERS, StreetMenu, TexasConfig, format_texas_config
from hedgehog.poker.betsizes import AllIn, Menu, PotFraction, format_bet_size
from hedgehog.poker.cards import combo_mask, format_cards
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES
from hedgehog.poker.ranges import format_range
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.errors import InputError
from hedgehog.solver.postflop.spot import PostflopSpot
from hedgehog.solver.postflop.tree import build_postflop_tree, format_line

PROGRAM: Final = "TexasSolver"
_NO_THRESHOLD: Final = 1e6
"""All-in threshold that no bet reaches."""
_MAX_BETS: Final = 4


def spot_of_texas(config: TexasConfig, name: str) -> Converted:
    """Returns the text of a spot file with the tree of a TexasSolver configuration.

    :param name: name of the spot.
    :raises InputError: if the configuration describes no spot.
    """
    bets = texas_bets(config)
    notes = list(_notes_on(config, bets))
    content: dict[str, Any] = {
        "spot": name,
        "board": format_cards(config.board, " "),
        "pot": config.pot,
        "stack": config.stack,
        "range": {player: format_range(weights) for player, weights in zip(PLAYERS, config.ranges, strict=True)},
    }
    found = spot_with_bets(content, {"sizes": _sizes(config), "max_bets": _MAX_BETS}, bets.legal, PROGRAM)
    return Converted(found.text, (*notes, *found.notes))


def texas_of_spot(spot: PostflopSpot, dump: str = "output_result.json") -> Converted:
    """Returns a configuration of TexasSolver for a spot, which solves it and dumps the strategies of all streets.

    :param dump: name of the dump that TexasSolver shall write.
    :raises InputError: if the spot has something that TexasSolver does not know.
    """
    if " " in dump or not dump:
        raise InputError(f"TexasSolver takes no name with blanks for its dump, got {dump!r}")
    for key, given in (
        ("rake", spot.rake_rate > 0), ("locks", spot.locks), ("abstraction", spot.abstraction),
        ("tremble", spot.tremble), ("lines", spot.tree.lines),
    ):  # fmt: skip
        if given:
            raise InputError(f"TexasSolver has nothing like the key {key!r} of the spot file: expected none")
    menus = dict(_menus(spot))
    base = TexasConfig(spot.board, spot.pot, spot.stack, spot.ranges, menus, _NO_THRESHOLD)
    ours = bets_of(build_postflop_tree(spot.tree))
    config = next((one for one in _candidates(base) if texas_bets(one).legal == ours), base)
    bets = texas_bets(config)
    notes = list(describe_differences(ours, bets.legal, PROGRAM)) or [SAME_TREE]
    if bets.short:
        notes.append(_short_note(bets))
    ranges = [_texas_range(spot, player) for player in (0, 1)]
    return Converted(format_texas_config(config, ranges, dump), tuple(notes))


def _candidates(base: TexasConfig) -> Iterator[TexasConfig]:
    """Yields configurations with different all-in thresholds."""
    yield base
    for percent in range(100, 0, -1):
        yield replace(base, allin_threshold=percent / 100)


def _notes_on(config: TexasConfig, bets: Bets) -> Iterator[str]:
    if config.unknown:
        yield f"left out commands that TexasSolver does not know: {', '.join(config.unknown[:3])}"
    if bets.short:
        yield _short_note(bets)
    accuracy = config.run.get("accuracy")
    if accuracy:
        yield f"set_accuracy {accuracy:g} is hedgehog solve --target-pct {accuracy:g}"
    if any(config.menu(0, street).donk for street in (2, 3)):
        return
    if any(config.menu(0, street).bet for street in range(max(len(config.board) - 1, 2), len(STREETS))):
        yield "without donk sizes OOP cannot bet after it called on the street before, in TexasSolver and in the spot"


def _short_note(bets: Bets) -> str:
    first = format_line(bets.short[0])
    return (
        f"the trees differ: TexasSolver has {len(bets.short):,} raises smaller than the rules allow, "
        f"such as {first!r}; the spot leaves them out"
    )


def _sizes(config: TexasConfig) -> dict[str, dict[str, str]]:
    found = {}
    for street in range(len(config.board) - 2, len(STREETS)):
        oop, ip = (config.menu(player, street) for player in (0, 1))
        found[STREETS[street]] = {"oop": _both(oop), "ip": _both(ip)}
        if street > len(config.board) - 2:
            found[STREETS[street]]["donk"] = _menu_text(oop.donk, oop.allin)
    return found


def _both(menu: StreetMenu) -> str:
    return f"{_menu_text(menu.bet, menu.allin)} / {_menu_text(menu.raise_, menu.allin)}"


def _menu_text(sizes: tuple[float, ...], allin: bool) -> str:
    return ",".join(
        [*(f"{size:.9f}".rstrip("0").rstrip(".") + "%" for size in sizes if size > 0), *(["a"] if allin else [])]
    )


def _menus(spot: PostflopSpot) -> Iterator[tuple[tuple[str, str], StreetMenu]]:
    for street, sizes in zip(range(spot.street, len(STREETS)), spot.tree.sizes, strict=True):
        for player, menus in ((0, sizes.oop), (1, sizes.ip)):
            if len({menus.menu(number) for number in range(1, _MAX_BETS)}) > 1:
                raise InputError(
                    f"TexasSolver has one menu for all raises, {PLAYERS[player]} has several on the {STREETS[street]}"
                )
            listed = [menus.menu(0), menus.menu(1)]
            if player == 0 and street > spot.street:
                listed.append(menus.menu(0) if sizes.donk is None else sizes.donk)
            allin = {AllIn() in menu for menu in listed}
            if len(allin) > 1:
                raise InputError(
                    f"TexasSolver offers all-in with all bets, raises and donk bets of a street or with none: "
                    f"{PLAYERS[player]} has both on the {STREETS[street]}"
                )
            percents = [_percents(menu) for menu in listed]
            donk = percents[2] if len(percents) > 2 else ()
            yield (PLAYERS[player], STREETS[street]), StreetMenu(percents[0], percents[1], donk, allin == {True})


def _percents(menu: Menu) -> tuple[float, ...]:
    found = []
    for size in menu:
        if isinstance(size, PotFraction):
            found.append(100 * size.fraction)
        elif not isinstance(size, AllIn):
            raise InputError(
                f"TexasSolver has no bet size like {format_bet_size(size)}: expected percent of the pot, or a"
            )
    return tuple(found)


def _texas_range(spot: PostflopSpot, player: int) -> str:
    """Returns a range class by class; combos that hit the board do not matter."""
    weights, live = spot.ranges[player], combo_mask(spot.board)
    entries = []
    for number, name in enumerate(HAND_CLASS_NAMES):
        members = live & (number == HAND_CLASS)
        held = weights[members]
        if not held.any():
            continue
        if (held != held[0]).any():
            raise InputError(
                f"TexasSolver has one weight for all combos of a hand: those of {name} in the {PLAYERS[player]} range "
                "differ"
            )
        if held[0] <= LEAST_WEIGHT:
            raise InputError(
                f"TexasSolver leaves out hands of a weight up to {LEAST_WEIGHT}: {name} in the {PLAYERS[player]} range "
                f"has {held[0]:g}"
            )
        entries.append(name if held[0] == 1 else f"{name}:{_shortest(held[:1])}")
    return ",".join(entries)


def _shortest(weight: NDArray[np.float32]) -> str:
    """Returns the fewest digits that give a float32 back."""
    return np.format_float_positional(weight[0], unique=True, trim="-")
