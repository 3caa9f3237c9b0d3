"""Made-up packs on the real betting tree, with random rows and with buckets that need no card tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.strategy.sources import BlueprintSource
from hedgehog.poker.acpc.gamedef import find_gamedef, read_gamedef
from hedgehog.poker.betsizes import parse_bet_sizes
from hedgehog.poker.cards import NUM_COMBOS, combo_mask, parse_cards
from hedgehog.poker.isomorphism import COMBO_PERMUTATIONS, flop_class, flop_representative, permute_cards
from hedgehog.poker.streets import FLOP, FLOP_COMBOS
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.tree import build_blueprint_tree
from hedgehog.solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree
from hedgehog.strategies.bet_menus import SMALL
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind
from hedgehog.strategies.blueprint_pack import DIGEST_KEY, BlueprintTable, blueprint_digest, read_blueprint, row_offsets
from hedgehog.strategies.flop_pack import flop_street_tree
from hedgehog.strategies.flop_turns import block_offsets
from hedgehog.strategies.manifest import FORMAT_VERSION, FlopLineEntry, PackManifest, read_manifest
from hedgehog.strategies.pack import default_packs, open_pack, tree_arrays, write_pack
from hedgehog.strategies.quantize import SCALE, quantize_rows
from hedgehog.strategies.quick_flops import QuickFlops
from hedgehog.strategies.translation import DEFAULT_MAPPING, SizeMapping
from tests.strategies.provenance import PROVENANCE

GAME = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))
BUCKETS = (5, 7, 6, 4)


class ModuloAbstraction:
    """Buckets that need no tables: the combo's index modulo the number of buckets."""

    def bucket(self, street: int, board: tuple[int, ...], combo: int) -> int:
        return combo % BUCKETS[street]

    def buckets(self, street: int, board: tuple[int, ...]) -> NDArray[np.uint16]:
        buckets = np.arange(NUM_COMBOS) % BUCKETS[street]
        return np.where(combo_mask(board), buckets, 65535).astype(np.uint16)


class RandomQuickFlops:
    """A quick pack with random rows for the flop nodes and classes that ``covers`` says."""

    def __init__(self, tree: BettingTree, classes: Iterable[int]) -> None:
        self._tree = tree
        self._classes = set(classes)

    def covers(self, node: int, flop_class: int) -> bool:
        return flop_class in self._classes and self._tree.street[node] == 1 and node % 3 > 0

    def block(self, node: int, flop_class: int) -> NDArray[np.uint8]:
        rng = np.random.default_rng((node, flop_class))
        actions = int(self._tree.num_children[node])
        return quantize_rows(rng.dirichlet(np.ones(actions), FLOP_COMBOS).astype(np.float32))

    def row(self, node: int, flop_class: int, combo: int) -> NDArray[np.uint8]:
        number = np.count_nonzero(combo_mask(flop_representative(flop_class))[:combo])
        row: NDArray[np.uint8] = self.block(node, flop_class)[number]
        return row


@cache
def random_table() -> BlueprintTable:
    """Returns a SMALL blueprint of random rows."""
    tree = build_blueprint_tree(SMALL)
    offsets, total = row_offsets(tree, BUCKETS)
    rng = np.random.default_rng(5)
    rows = np.empty(total, dtype=np.uint8)
    for node in np.flatnonzero(tree.kind == NodeKind.DECISION):
        actions, count = int(tree.num_children[node]), BUCKETS[tree.street[node]]
        block = quantize_rows(rng.dirichlet(np.ones(actions), count).astype(np.float32))
        rows[offsets[node] : offsets[node] + block.size] = block.ravel()
    return BlueprintTable(tree, BUCKETS, rows, offsets, {})


@cache
def fearful_table() -> BlueprintTable:
    """Returns the blueprint of :func:`random_table` with most of every row that has a fold moved to the fold."""
    table = random_table()
    tree, rows = table.tree, table.rows.copy()
    for child in np.flatnonzero(tree.action == ActionKind.FOLD).tolist():
        node = int(tree.parent[child])
        actions, start = int(tree.num_children[node]), int(table.offsets[node])
        block = rows[start : start + actions * table.buckets[tree.street[node]]].reshape(-1, actions)
        block //= 3
        block[:, child - tree.first_child[node]] += SCALE - block.sum(axis=1, dtype=np.uint8)
    return replace(table, rows=rows)


def exact_arrays(name: str, pot: int, flops: Iterable[str]) -> tuple[FlopLineEntry, dict[str, NDArray[Any]]]:
    """Returns a made-up line of an exact flop pack, with random rows that treat like suits alike."""
    stack = 20_000 - pot // 2
    sizes = tuple(
        StreetSizes(parse_bet_sizes(text), parse_bet_sizes(text)) for text in ("33%,75%/100%/100%/", "75%/", "100%/")
    )
    config = TreeConfig(street=FLOP, pot=pot, stack=stack, sizes=sizes, force_allin_threshold=0.2)
    tree, _ = flop_street_tree(build_postflop_tree(config))
    classes = sorted(flop_class(parse_cards(flop))[0] for flop in flops)
    rows = []
    for number in classes:
        flop = flop_representative(number)
        same = [i for i in range(len(COMBO_PERMUTATIONS)) if sorted(permute_cards(flop, i)) == sorted(flop)]
        alike = COMBO_PERMUTATIONS[same].min(axis=0)[combo_mask(flop)]
        for node in block_offsets(tree, FLOP)[0]:
            rng = np.random.default_rng((number, node))
            block = rng.dirichlet(np.full(int(tree.num_children[node]), 0.5), NUM_COMBOS)[alike]
            rows.append(quantize_rows(block.astype(np.float32)).ravel())
    found = {
        **tree_arrays(name, tree),
        f"{name}_classes": np.array(classes, dtype="<i2"),
        f"{name}_rows": np.concatenate(rows).reshape(len(classes), -1),
        f"{name}_ranges": np.ones((2, NUM_COMBOS), dtype="<f4"),
        f"{name}_evs": np.zeros((len(classes), 2, FLOP_COMBOS), dtype="<f2"),
        f"{name}_quality": np.ones((len(classes), 3), dtype="<f4"),
    }
    betting = {200: "cc", 500: "r250c"}[pot]
    return FlopLineEntry(name=name, betting=betting, pot=pot, stack=stack), found


def write_exact_pack(folder: Path, digest: str | None, *, name: str = "exact-flops") -> Path:
    """Writes an exact flop pack of random rows for two preflop lines and returns its folder.

    :param digest: digest of the blueprint that the pack records; None: it records none.
    """
    entries, arrays = [], {}
    for line, pot in (("single_raised", 500), ("limped", 200)):
        entry, found = exact_arrays(line, pot, ("Qh Jh 2c", "As Kd 7c", "Ac Ad 7h", "Kc 8c 3c"))
        entries.append(entry)
        arrays.update(found)
    manifest = PackManifest(
        format="hedgehog-strategy-pack",
        format_version=FORMAT_VERSION,
        kind="flops",
        name=name,
        tier="exact",
        gamedef=read_manifest(default_packs() / "blueprint").gamedef,
        provenance=PROVENANCE,
        config={} if digest is None else {DIGEST_KEY: digest},
        quality={},
        lines=entries,
        arrays={},
    )
    write_pack(folder, manifest, arrays)
    return folder


def shipped_digest() -> str:
    """Returns the digest of the shipped blueprint."""
    return blueprint_digest(read_blueprint(open_pack(default_packs() / "blueprint")))


def random_source(
    quick: Iterable[QuickFlops] = (), mapping: SizeMapping = DEFAULT_MAPPING, table: BlueprintTable | None = None
) -> BlueprintSource:
    """Returns a blueprint source with some quick packs and the rows of a table; None: :func:`random_table`."""
    return BlueprintSource(GAME, table or random_table(), cast(CardAbstraction, ModuloAbstraction()), quick, mapping)


def tiny_build(flop: str) -> str:
    """Returns the configuration of a build of one flop in seconds, with the shipped blueprint."""
    return f"""\
kind: flops
name: tiny
blueprint: {default_packs() / "blueprint"}
target_pct: 100
max_iterations: 2
lines:
  - name: four_bet
    betting: r250r850r2125c
    flop: {{oop: "a", ip: "a"}}
    turn: {{oop: "a", ip: "a"}}
    river: {{oop: "a", ip: "a"}}
flops: [{flop}]
"""
