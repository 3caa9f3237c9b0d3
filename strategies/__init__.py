"""Strategy packs: folders of arrays that hold strategies, their betting trees, and what made them.

Opening a pack verifies every byte of it.

>>> from hedgehog import poker, strategies
>>> pack = strategies.open_pack(strategies.default_packs() / "blueprint")
>>> pack.manifest.kind
'blueprint'

A blueprint has a row of probabilities per decision and group of hands, stored as bytes that sum to 255. Before the flop
the groups are the 169 hand classes. The first decision is that of the button.

>>> blueprint = strategies.read_blueprint(pack)
>>> [strategies.betting_token(blueprint.tree, child) for child in blueprint.tree.children(0)]
['f', 'c', 'r250', 'r700', 'r20000']
>>> blueprint.block(0)[poker.HAND_CLASS[poker.parse_combo("7c2d")]].tolist()
[255, 0, 0, 0, 0]

:func:`hedgehog.agent.ask_player` tells what Hedgehog's player does with a hand on any betting line, and why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind, betting_text, betting_token
    from hedgehog.strategies.blueprint_pack import BlueprintTable, blueprint_digest, read_blueprint
    from hedgehog.strategies.flop_pack import FlopLine, FlopSolution, read_flop_lines
    from hedgehog.strategies.manifest import PackManifest, read_manifest
    from hedgehog.strategies.pack import StrategyPack, default_packs, find_packs, open_pack, write_pack
    from hedgehog.strategies.preflop_values import PreflopValues, preflop_values_beside, read_preflop_values
    from hedgehog.strategies.quantize import dequantize_rows, quantize_rows
    from hedgehog.strategies.quick_flops import QuickFlops, read_quick_flops
    from hedgehog.strategies.translation import translate_size
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "ActionKind", "BettingTree", "BlueprintTable", "FlopLine", "FlopSolution", "NodeKind", "PackManifest",
    "PreflopValues", "QuickFlops", "StrategyPack", "betting_text", "betting_token", "blueprint_digest",
    "default_packs", "dequantize_rows", "find_packs", "open_pack", "preflop_values_beside", "quantize_rows",
    "read_blueprint", "read_flop_lines", "read_manifest", "read_preflop_values", "read_quick_flops",
    "translate_size", "write_pack",
]  # fmt: skip
