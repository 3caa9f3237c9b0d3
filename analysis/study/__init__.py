"""The hand study: which bets people really make, which betting tree covers them, and a menu for the solver.

>>> from hedgehog.analysis import study
>>> study.count_tree(study.parse_shape("4-4-8")).nodes
12722
>>> source = study.StudyInput(["tests/data/acpc/log_hunl2p_s0.log.gz"])
>>> collected = study.study_hands(source)
>>> source.summary()
'500 hands of 2 players, 3,082 actions'
>>> collected.coverage.uncovered(study.parse_shape("4-4-8"))
2
>>> collected.menu(study.MenuRule(sizes=1, min_share=0)).text("limped")
'17.5x'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.analysis.study.line_model import LineModel, format_model_file
    from hedgehog.analysis.study.menus import MenuRule, format_menu_file, make_menu
    from hedgehog.analysis.study.profiles import Profiles
    from hedgehog.analysis.study.runs import study_coverage, study_hands, study_model, study_profiles, study_tree
    from hedgehog.analysis.study.study import ActorFilter
    from hedgehog.analysis.study.study_input import StudyInput
    from hedgehog.analysis.study.translation import reference_menu
    from hedgehog.analysis.study.trees.betting_tree import StudyTree
    from hedgehog.analysis.study.trees.files import read_tree, write_tree
    from hedgehog.analysis.study.trees.kinds import count_tree, parse_shape, published_trees
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "ActorFilter", "LineModel", "MenuRule", "Profiles", "StudyInput", "StudyTree", "count_tree", "format_menu_file",
    "format_model_file", "make_menu", "parse_shape", "published_trees", "read_tree", "reference_menu", "study_coverage",
    "study_hands", "study_model", "study_profiles", "study_tree", "write_tree",
]  # fmt: skip
