"""Formats and protocols of other poker programs, so that tools made for them work with Hedgehog.

>>> from hedgehog import interop, solver
>>> converted = interop.convert_spot("tests/data/texassolver/river.txt")
>>> converted.notes[-1]
'the betting tree is the same, bet by bet'
>>> spot = solver.parse_spot(converted.text)
>>> dump = interop.read_strategy("tests/data/texassolver/river.json.xz", spot)
>>> solver.evaluate_strategy(spot, dump, compare=False)
<Evaluation: river: exploitability 0.2844 % of the pot>
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.interop.conversion import convert_spot
    from hedgehog.interop.strategies import read_strategy
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = ["convert_spot", "read_strategy"]
