"""Builds strategy packs (blueprints, exact flops, quick flops) and spot files from a blueprint's ranges.

>>> from hedgehog.solver import packs
>>> text = packs.spot_text("strategies/packs", "r250c", "Qh Jh 2c")
>>> print(text.splitlines()[4])
spot: "r250c Qh Jh 2c"

:func:`hedgehog.solver.parse_spot` turns the text into a spot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.solver.packs.blueprint import blueprint_of_pack, write_blueprint_pack
    from hedgehog.solver.packs.blueprint_spot import BlueprintSpot, format_spot, spot_text
    from hedgehog.solver.packs.build import build_pack, estimate_pack
    from hedgehog.solver.packs.exploit import respond_to_pack
    from hedgehog.solver.packs.pack_contents import check_packs, list_packs
    from hedgehog.solver.packs.preflop_values import build_preflop_values
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "BlueprintSpot", "blueprint_of_pack", "build_pack", "build_preflop_values", "check_packs", "estimate_pack",
    "format_spot", "list_packs", "respond_to_pack", "spot_text", "write_blueprint_pack",
]  # fmt: skip
