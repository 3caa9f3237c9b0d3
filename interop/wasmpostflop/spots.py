"""Tree configurations of WASM Postflop and Desktop Postflop as texts of spot files, and spots as configurations.

Both programs use postflop-solver, whose rules for bet sizes are those of :mod:`hedgehog.solver.postflop.tree`. So most
configurations become bet sizes. Edited trees become exact lines; the other way round, what bet sizes of the program
cannot say becomes added and removed lines.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.interop.differences import SAME_TREE, Converted, bets_of, spot_with_bets
from hedgehog.interop.wasmpostflop.exports import (
    CONFIGURATIONS,
    MOST_CHIPS,
    PLAYER_KEYS,
    RANGES,
    Line,
    TreeSettings,
    format_export,
    format_settings,
)
from hedgehog.poker.betsizes import BetSizes, Menu, format_bet_sizes, format_menu
from hedgehog.poker.cards import format_cards
from hedgehog.poker.range_view import Range
from hedgehog.poker.ranges import format_range
from hedgehog.poker.streets import RIVER, STREETS
from hedgehog.runtime.errors import InputError, SpotError
from hedgehog.solver.postflop.spot import PLAYERS, PostflopSpot
from hedgehog.solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree, node_for_line

PROGRAM: Final = "WASM Postflop"
MOST_EDITS: Final = 5_000
"""Most added and removed lines that a configuration is given."""
_PASSIVE: Final = ("F", "X", "C")


def spot_of_settings(
    settings: TreeSettings, name: str, board: tuple[int, ...], ranges: tuple[NDArray[np.float32], NDArray[np.float32]]
) -> Converted:
    """Returns the text of a spot file with the tree of a configuration.

    :param name: name of the spot.
    :param board: three to five card ids.
    :param ranges: float32[1326] weights of OOP and IP.
    :raises InputError: if the configuration describes no spot, or has something that a spot cannot have.
    """
    if settings.board_length not in (0, len(board)):
        raise InputError(
            f"the tree was edited for a board of {settings.board_length} cards, the given board has {len(board)}"
        )
    config = _tree_config(settings, len(board) - 2)
    bets = _edited_bets(config, settings)
    notes: list[str] = []
    if settings.added or settings.removed:
        added, removed = len(settings.added), len(settings.removed)
        notes.append(f"the tree has the {added:,} added and lacks the {removed:,} removed lines")
    content: dict[str, Any] = {
        "spot": name,
        "board": format_cards(board, " "),
        "pot": settings.pot,
        "stack": settings.stack,
        "range": {player: format_range(weights) for player, weights in zip(PLAYERS, ranges, strict=True)},
    }
    if settings.rake_percent and settings.rake_cap:
        content["rake"] = {"rate": _share(settings.rake_percent), "cap": settings.rake_cap}
    elif settings.rake_percent:
        notes.append("there is no rake: its cap is 0")
    sizes: dict[str, Any] = {"sizes": _size_texts(config)}
    for key in ("add_allin_threshold", "force_allin_threshold", "merging_threshold"):
        if value := getattr(config, key):
            sizes[key] = value
    found = spot_with_bets(content, sizes, bets, PROGRAM)
    return Converted(found.text, (*notes, *found.notes))


def settings_of_spot(spot: PostflopSpot) -> TreeSettings:
    """Returns a configuration with the tree of a spot.

    :raises InputError: if the spot has something that the programs do not know, or too many lines to add or remove.
    """
    for key, given in (("locks", spot.locks), ("abstraction", spot.abstraction), ("tremble", spot.tremble)):
        if given:
            raise InputError(f"a configuration of {PROGRAM} has nothing like the key {key!r} of the spot file")
    if max(spot.pot, spot.stack) > MOST_CHIPS:
        raise InputError(
            f"{PROGRAM} takes a pot and a stack of at most {MOST_CHIPS:,} chips, the spot has {spot.pot:,} and "
            f"{spot.stack:,}: choose a larger unit in the whole file"
        )
    tree = spot.tree
    cap = spot.rake_cap if math.isfinite(spot.rake_cap) else float(spot.pot + 2 * spot.stack)
    base = TreeSettings(
        spot.pot, spot.stack, dict(_menus(tree)), any(sizes.donk is not None for sizes in tree.sizes[1:]),
        _percent(spot.rake_rate), cap if spot.rake_rate else 0.0, _percent(tree.add_allin_threshold),
        _percent(tree.force_allin_threshold), _percent(tree.merging_threshold), 0, (), (),
    )  # fmt: skip
    wanted = bets_of(build_postflop_tree(tree))
    added: list[Line] = []
    config = _tree_config(base, spot.street)
    while True:
        there = bets_of(build_postflop_tree(config, added))
        missing = wanted - there
        if not missing or len(added) > MOST_EDITS:
            break
        # A line brings the bets of the menus after it, which need not be added.
        shortest = min(map(len, missing))
        added += sorted(line for line in missing if len(line) == shortest)
    removed = _first(there - wanted)
    if len(added) + len(removed) > MOST_EDITS:
        raise InputError(
            f"bet sizes of {PROGRAM} differ from the spot by more than {MOST_EDITS:,} added and removed lines"
        )
    length = len(spot.board) if added or removed else 0
    return replace(base, board_length=length, added=tuple(added), removed=tuple(removed))


def configuration_of_spot(spot: PostflopSpot) -> Converted:
    """Returns a file with the tree configuration of a spot, for the button Import of the page Tree Configuration.

    :raises InputError: if the spot has something that the programs do not know.
    """
    settings = settings_of_spot(spot)
    notes = [SAME_TREE]
    if edits := len(settings.added) + len(settings.removed):
        notes = [f"{SAME_TREE}, with {edits:,} added and removed lines"]
    notes.append(f"the board is {format_cards(spot.board, ' ')}; --to wasm-postflop-ranges writes the ranges")
    return Converted(format_export(CONFIGURATIONS, {_name(spot): format_settings(settings)}), tuple(notes))


def ranges_of_spot(spot: PostflopSpot) -> Converted:
    """Returns a file with both ranges of a spot, for the button Import of the pages OOP Range and IP Range."""
    items = {
        f"{_name(spot)} {player.upper()}": Range(spot.ranges[number]).as_text("pio")
        for number, player in enumerate(PLAYERS)
    }
    return Converted(format_export(RANGES, items), (f"the ranges are named {' and '.join(map(repr, items))}",))


def _name(spot: PostflopSpot) -> str:
    return spot.name.strip() or "spot"


def _tree_config(settings: TreeSettings, street: int) -> TreeConfig:
    menus = {key: settings.menus[key] for key in PLAYER_KEYS}
    sizes = []
    for name in (STREETS[number].capitalize() for number in range(street, RIVER + 1)):
        oop, ip = (BetSizes((menus[f"{player}{name}Bet"], menus[f"{player}{name}Raise"])) for player in PLAYERS)
        sizes.append(StreetSizes(oop, ip, menus.get(f"oop{name}Donk") if settings.donk else None))
    return TreeConfig(
        street, settings.pot, settings.stack, tuple(sizes), _share(settings.add_allin_percent),
        _share(settings.force_allin_percent), _share(settings.merging_percent),
    )  # fmt: skip


def _edited_bets(config: TreeConfig, settings: TreeSettings) -> frozenset[Line]:
    """Returns the bets of a tree after its edits."""
    for line in settings.added:
        if line[-1][0] in _PASSIVE:
            raise InputError(f"addedLines: expected a line that ends with a bet, got {'-'.join(line)!r}")
    try:
        tree = build_postflop_tree(config, settings.added)
    except SpotError as error:
        raise InputError(f"addedLines: {error.message}") from None
    for line in settings.removed:
        if line[-1][0] in _PASSIVE:
            raise InputError(
                f"removedLines: {'-'.join(line)!r} takes away a fold, check or call, which a spot always offers"
            )
        try:
            node_for_line(tree, line)
        except SpotError as error:
            raise InputError(f"removedLines: {error.message}") from None
    gone = set(settings.removed)
    return frozenset(line for line in bets_of(tree) if not any(line[:end] in gone for end in range(1, len(line) + 1)))


def _size_texts(config: TreeConfig) -> Mapping[str, Mapping[str, str]]:
    texts = {}
    for street, sizes in enumerate(config.sizes, config.street):
        texts[STREETS[street]] = {"oop": _both(sizes.oop), "ip": _both(sizes.ip)}
        if sizes.donk is not None and street > config.street:
            texts[STREETS[street]]["donk"] = format_menu(sizes.donk)
    return texts


def _both(sizes: BetSizes) -> str:
    return format_bet_sizes(sizes).replace("/", " / ").strip()


def _menus(tree: TreeConfig) -> Iterator[tuple[str, Menu]]:
    """Yields the keys of a configuration with the menus of a tree, as far as they have room there."""
    by_street = dict(zip((STREETS[n].capitalize() for n in range(tree.street, RIVER + 1)), tree.sizes, strict=True))
    for key, (player, street, kind) in PLAYER_KEYS.items():
        sizes = by_street.get(street)
        if sizes is None:
            yield key, ()
        elif kind == "Donk":
            yield key, sizes.oop.menu(0) if sizes.donk is None else sizes.donk
        else:
            yield key, (sizes.oop if player == "oop" else sizes.ip).menu(int(kind == "Raise"))


def _first(lines: Iterable[Line]) -> list[Line]:
    """Returns the lines that go on with no other one of them."""
    found = set(lines)
    return sorted(line for line in found if not any(line[:end] in found for end in range(1, len(line))))


def _share(percent: float) -> float:
    return float(f"{percent / 100:.15g}")


def _percent(share: float) -> float:
    return float(f"{100 * share:.15g}")
