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
    from hedgehog.analysis.histories.sources import Source, find_sources
    from hedgehog.analysis.study.batches import HandBatch, Texts
    from hedgehog.analysis.study.hand_tables import study_tables
    from hedgehog.analysis.study.line_model import LineModel, ModelLine, format_model_file
    from hedgehog.analysis.study.line_profile import LineProfile, LineShares
    from hedgehog.analysis.study.menus import MenuRule, StudyMenu, format_menu_file, make_menu
    from hedgehog.analysis.study.profiles import Profile, Profiles
    from hedgehog.analysis.study.reading import HandReader, Tally
    from hedgehog.analysis.study.runs import study_coverage, study_hands, study_model, study_profiles, study_tree
    from hedgehog.analysis.study.store import HandStore
    from hedgehog.analysis.study.study import ActorFilter, HandStudy
    from hedgehog.analysis.study.study_input import StudyInput
    from hedgehog.analysis.study.translation import BetMenu, Distances, MenuDistance, reference_menu
    from hedgehog.analysis.study.trees.betting_tree import StudyTree
    from hedgehog.analysis.study.trees.files import read_tree, write_tree
    from hedgehog.analysis.study.trees.kinds import (
        Coverage,
        TreeShape,
        TreeSize,
        count_tree,
        parse_shape,
        published_trees,
    )
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "ActorFilter", "BetMenu", "Coverage", "Distances", "HandBatch", "HandReader", "HandStore", "HandStudy",
    "LineModel", "LineProfile", "LineShares", "MenuDistance", "MenuRule", "ModelLine", "Profile", "Profiles",
    "Source", "StudyInput", "StudyMenu", "StudyTree", "Tally", "Texts", "TreeShape", "TreeSize", "count_tree",
    "find_sources", "format_menu_file", "format_model_file", "make_menu", "parse_shape", "published_trees",
    "read_tree", "reference_menu", "study_coverage", "study_hands", "study_model", "study_profiles", "study_tables",
    "study_tree", "write_tree",
]  # fmt: skip
