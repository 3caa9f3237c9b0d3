"""Games on the table: finding them by name, jam or fold, freeze-outs, and pictures of trees and charts.

>>> from hedgehog.gametheory import EXAMPLES
>>> from hedgehog.analysis.games import tree_picture
>>> tree_picture(EXAMPLES["matching-pennies"].build()).startswith("<svg")
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.analysis.games.freeze_outs import measure_freeze_outs
    from hedgehog.analysis.games.jam_fold import answer_jam_fold
    from hedgehog.analysis.games.sources import find_game
    from hedgehog.analysis.games.tree_drawing import tree_picture
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = ["answer_jam_fold", "find_game", "measure_freeze_outs", "tree_picture"]
