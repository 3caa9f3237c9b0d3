"""Refines a blueprint on single flops with exact hands, and measures flop strategies by exact best responses.

>>> from hedgehog.solver import flops
>>> settings = flops.RefineConfig(boards=200)
>>> settings.boards, settings.prior
(200, 3.0)

:func:`refine_flop` refines one flop. A :class:`FlopGame` computes matches and best responses on one flop.
:mod:`hedgehog.solver.packs` builds whole packs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.solver.flops.refine import RefineConfig, RefinedFlop, refine_flop
    from hedgehog.solver.flops.response import FlopGame, FlopMatch
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "FlopGame", "FlopMatch", "RefineConfig", "RefinedFlop", "refine_flop",
]  # fmt: skip
