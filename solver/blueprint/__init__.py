"""Trains a blueprint, a strategy for the whole game over groups of similar hands, and measures it.

>>> from hedgehog.solver import blueprint
>>> config = blueprint.read_blueprint_pack_config("strategies/configs/quick-blueprint.yaml")
>>> size = blueprint.estimate_blueprint(blueprint.tree_of(config), config.cards.bucket_counts, config.algorithm)
>>> f"{size.infosets:,}"
'1,026,242'

:func:`train_blueprint` trains a blueprint, and :func:`hedgehog.solver.packs.write_blueprint_pack` writes it as a
strategy pack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
    from hedgehog.solver.blueprint.cards.card_config import CardConfig
    from hedgehog.solver.blueprint.config import (
        BlueprintPackConfig,
        MenuConfig,
        gamedef_of,
        menu_from,
        menu_of,
        read_blueprint_pack_config,
        tree_of,
    )
    from hedgehog.solver.blueprint.estimate import BlueprintEstimate, estimate_blueprint
    from hedgehog.solver.blueprint.match import compare_blueprints
    from hedgehog.solver.blueprint.report import main_spots, preflop_decision
    from hedgehog.solver.blueprint.table import Blueprint, load_blueprint
    from hedgehog.solver.blueprint.trainer import TrainingProgress
    from hedgehog.solver.blueprint.training import train_blueprint
    from hedgehog.solver.blueprint.tree import build_blueprint_tree
    from hedgehog.strategies.bet_menus import MENUS, BlueprintMenu
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "MENUS", "Blueprint", "BlueprintEstimate", "BlueprintMenu", "BlueprintPackConfig", "CardAbstraction", "CardConfig",
    "MenuConfig", "TrainingProgress", "build_blueprint_tree", "compare_blueprints", "estimate_blueprint",
    "gamedef_of", "load_blueprint", "main_spots", "menu_from", "menu_of", "preflop_decision",
    "read_blueprint_pack_config", "train_blueprint", "tree_of",
]  # fmt: skip
