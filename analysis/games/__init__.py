"""Pictures of games: trees and charts of jam/fold strategies.

>>> from hedgehog.gametheory import EXAMPLES
>>> from hedgehog.analysis.games import tree_picture
>>> tree_picture(EXAMPLES["matching-pennies"].build()).startswith("<svg")
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.analysis.games.tree_drawing import tree_picture
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = ["tree_picture"]
