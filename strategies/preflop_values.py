"""Tables of preflop values: the EV of every action before the flop, for every hand class, against a blueprint.

A table is a pack of its own (kind ``values``) beside the blueprint it belongs to, whose digest it records. Its one
array, ``values_data``, is an LZMA stream of four tables of 32-bit integers, byte by byte from the lowest to the
highest: EV, half the difference between the EVs of the two halves of the boards, and the two standard errors, all in
ten-thousandths of a big blind. Each table holds a block [hand class][action] for every decision before the flop, in
node order.
"""

from __future__ import annotations

import lzma
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.evaluation.equity import class_pairs
from hedgehog.poker.hand_classes import NUM_HAND_CLASSES
from hedgehog.runtime.errors import PackError
from hedgehog.runtime.files import real_path
from hedgehog.strategies.betting_tree import BettingTree, NodeKind
from hedgehog.strategies.blueprint_pack import BlueprintTable, blueprint_digest, recorded_blueprint, verify_blueprint
from hedgehog.strategies.manifest import read_manifest
from hedgehog.strategies.pack import StrategyPack, find_packs, open_pack
from hedgehog.strategies.quantize import SCALE

Floats = NDArray[np.float64]
KIND: Final = "values"
TIER: Final = "preflop"
PER_BB: Final = 10_000
"""How many units of a table's integers are a big blind."""
_PLANES: Final = 4
_UNKNOWN: Final = np.iinfo(np.int32).min
"""Stands for a value that nobody knows, because the opponent never comes to the decision."""


@dataclass(frozen=True)
class NodeValues:
    """The values of the actions of one decision before the flop, in big blinds from the decision on: a fold is worth 0.

    Arrays of shape (169, actions) or (169,) are by hand class (:mod:`hedgehog.poker.hand_classes`) and by action in the
    order of the tree. They are NaN where the opponent's strategy never comes to the decision.
    """

    node: int
    """The decision in the blueprint's tree."""
    strategy: Floats
    """(169, actions) the blueprint's own probabilities."""
    ev: Floats
    """(169, actions) EV of the action, if both players follow the blueprint after it."""
    half_difference: Floats
    """(169, actions) half the difference between the EVs estimated on the two halves of the boards."""
    error_to_best: Floats
    """(169, actions) standard error of the difference between the EV and that of the action with the best EV."""
    error_to_mixed: Floats
    """(169, actions) standard error of the difference between the EV and ``mixed``."""
    share: Floats
    """(169,) the opponent's hands whose actions lead here, as a part of all its hands that the class can meet."""

    @cached_property
    def mixed(self) -> Floats:
        """(169,) EV of the blueprint's own mix of actions."""
        return np.asarray((self.strategy * self.ev).sum(axis=1))

    @cached_property
    def best(self) -> Floats:
        """(169,) EV of the best action.

        The action that looks best on one half of the boards is valued on the other half. So errors of the sampling do
        not make it look better than it is, as they would in the maximum of ``ev``.
        """
        first, second = self.ev + self.half_difference, self.ev - self.half_difference
        found = np.full(NUM_HAND_CLASSES, np.nan)
        known = np.flatnonzero(~np.isnan(self.ev).any(axis=1))
        by_first, by_second = (half[known].argmax(axis=1) for half in (first, second))
        found[known] = (second[known, by_first] + first[known, by_second]) / 2
        return found


@dataclass(frozen=True)
class PreflopValues:
    """The table of preflop values of a blueprint."""

    blueprint: BlueprintTable
    boards: int
    """Number of boards that it was estimated on."""
    nodes: dict[int, NodeValues]
    """The values by decision, in node order."""


def preflop_decisions(tree: BettingTree) -> NDArray[np.int64]:
    """Returns the decisions before the flop, ascending."""
    return np.flatnonzero((tree.kind == NodeKind.DECISION) & (tree.street == 0))


def preflop_reach(tree: BettingTree, strategy: dict[int, Floats]) -> dict[int, tuple[Floats, Floats]]:
    """Returns for every decision before the flop, by position, (169,): the probability that its actions lead to it.

    :param strategy: (169, actions) probabilities by decision.
    """
    full = np.ones(NUM_HAND_CLASSES)
    found: dict[int, tuple[Floats, Floats]] = {}
    todo = [(0, (full, full))]
    while todo:
        node, reach = todo.pop()
        player = int(tree.player[node])
        found[node] = reach
        for action, child in enumerate(tree.children(node)):
            if child in strategy:
                own = reach[player] * strategy[node][:, action]
                todo.append((child, (own, reach[1]) if player == 0 else (reach[0], own)))
    return found


def opponent_reach(tree: BettingTree, strategy: dict[int, Floats]) -> dict[int, Floats]:
    """Returns for every decision before the flop (169,): the probability that the opponent's actions lead to it.

    :param strategy: (169, actions) probabilities by decision.
    """
    return {node: reach[1 - int(tree.player[node])] for node, reach in preflop_reach(tree, strategy).items()}


def encode_values(tables: Sequence[Sequence[Floats]]) -> NDArray[np.uint8]:
    """Returns the array ``values_data`` of a pack.

    :param tables: the four tables, each as arrays (169, actions) of big blinds in node order; NaN is kept.
    """
    numbers = np.stack([np.concatenate([block.ravel() for block in blocks]) for blocks in tables])
    whole = np.where(np.isnan(numbers), _UNKNOWN, np.rint(np.nan_to_num(numbers) * PER_BB)).astype("<i4")
    planes = whole.view(np.uint8).reshape(len(tables), -1, 4).transpose(0, 2, 1)
    return np.frombuffer(lzma.compress(planes.tobytes(), preset=9 | lzma.PRESET_EXTREME), dtype=np.uint8)


def read_preflop_values(pack: StrategyPack, blueprint: BlueprintTable) -> PreflopValues:
    """Returns the table of preflop values of an open pack.

    :raises PackError: if the pack is of another kind, damaged, or belongs to another blueprint.
    """
    if pack.manifest.kind != KIND:
        raise pack.error(f"is a {pack.manifest.kind} pack, expected a pack of preflop values")
    verify_blueprint(pack, blueprint)
    tree = blueprint.tree
    nodes = preflop_decisions(tree)
    counts = tree.num_children[nodes].astype(np.int64)
    tables = _decode(pack, NUM_HAND_CLASSES * int(counts.sum()))
    boards = pack.manifest.config.get("boards")
    if not isinstance(boards, int) or blueprint.buckets[0] != NUM_HAND_CLASSES:
        raise pack.error("does not say on how many boards it was estimated, or its blueprint is none of hand classes")
    strategy = {int(node): blueprint.block(int(node)) / float(SCALE) for node in nodes}
    reach = opponent_reach(tree, strategy)
    pairs = class_pairs().astype(np.float64)
    found, start = {}, 0
    for node, count in zip(nodes.tolist(), counts.tolist(), strict=True):
        part = tables[:, start : start + NUM_HAND_CLASSES * count].reshape(_PLANES, NUM_HAND_CLASSES, count)
        share = pairs @ reach[node] / pairs.sum(axis=1)
        found[node] = NodeValues(node, strategy[node], part[0], part[1], part[2], part[3], share)
        start += NUM_HAND_CLASSES * count
    return PreflopValues(blueprint, boards, found)


def _decode(pack: StrategyPack, cells: int) -> Floats:
    """Returns (4, cells): the tables of a pack in big blinds."""
    data: NDArray[Any] = pack.array("values_data", dtype="|u1", ndim=1)
    size = _PLANES * cells * 4
    decompressor = lzma.LZMADecompressor(format=lzma.FORMAT_XZ)
    try:
        text = decompressor.decompress(data.tobytes(), max_length=size)
    except lzma.LZMAError as error:
        raise pack.error(f"values_data is damaged: {error}") from None
    if len(text) != size or not decompressor.eof:
        raise pack.error(f"values_data does not hold {size} bytes, as the blueprint's tree needs")
    planes = np.frombuffer(text, dtype=np.uint8).reshape(_PLANES, 4, cells)
    whole = np.ascontiguousarray(planes.transpose(0, 2, 1)).view("<i4")[:, :, 0]
    return np.where(whole == _UNKNOWN, np.nan, whole / PER_BB)


def preflop_values_beside(folder: Path, blueprint: BlueprintTable) -> PreflopValues | None:
    """Returns the table of preflop values that lies beside a blueprint and belongs to it; None if there is none.

    :param folder: the folder of the blueprint.
    :raises PackError: if the table is damaged.
    """
    wanted = blueprint_digest(blueprint)
    try:
        packs = find_packs(real_path(folder).parent)
    except PackError:
        return None
    for path in packs:
        if read_manifest(path).kind == KIND:
            pack = open_pack(path)
            if recorded_blueprint(pack) == wanted:
                return read_preflop_values(pack, blueprint)
    return None
