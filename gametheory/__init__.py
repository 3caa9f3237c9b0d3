"""Small games, exactly: trees from rules, linear programs, dominance, best responses, jam or fold.

>>> from hedgehog import gametheory
>>> game = gametheory.EXAMPLES["kuhn"].build()
>>> game.counts.nodes, game.counts.infosets
(58, (6, 6))
>>> solution = gametheory.solve_sequence_form(game)
>>> print(f"{solution.value:.6f}")
-0.055556

A game of your own is a function with the rules. ``yield`` deals or asks, ``return outcome(...)`` pays.

>>> @gametheory.game(players=("odd", "even"))
... def pennies():
...     one = yield gametheory.choose("odd", ["heads", "tails"], seen_by=())
...     other = yield gametheory.choose("even", ["heads", "tails"])
...     return gametheory.outcome(1 if one != other else -1)
>>> gametheory.solve_matrix(gametheory.normal_form(pennies.build())).row.tolist()
[0.5, 0.5]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.gametheory.cfr import GameCfr
    from hedgehog.gametheory.dominance import eliminate, eliminate_at_infosets, remove_dominated, without_actions
    from hedgehog.gametheory.examples import EXAMPLES, jam_fold_hand
    from hedgehog.gametheory.files import (
        exact_value,
        format_efg,
        format_matrix,
        game_document,
        parse_game,
        parse_matrix,
        read_efg,
    )
    from hedgehog.gametheory.induction import backward_induction
    from hedgehog.gametheory.lookahead import lookahead_gain, lookahead_response
    from hedgehog.gametheory.losses import decision_values, expected_loss, loss_lines
    from hedgehog.gametheory.normal_games import (
        NormalForm,
        matrix_game,
        normal_form,
        normal_form_game,
        pure_equilibria,
        solve_matrix,
    )
    from hedgehog.gametheory.rules import ALL, RuleGame, amounts, chance, choose, game, outcome, reveal
    from hedgehog.gametheory.sequence_form import payoff_matrix, solve_sequence_form
    from hedgehog.gametheory.solutions import matrix_document, solve_game
    from hedgehog.gametheory.strategies import (
        best_response,
        describe,
        expected_payoffs,
        exploitability,
        uniform_profile,
    )
    from hedgehog.gametheory.tournaments.chart_rating import JamChart, rate_chart
    from hedgehog.gametheory.tournaments.freeze_out import exact_freeze_out
    from hedgehog.gametheory.tournaments.icm import place_chances, prizes
    from hedgehog.gametheory.tournaments.jam_fold import (
        Bound,
        Structure,
        Tournament,
        chip_stage,
        solve_bound,
        solve_tournament,
    )
    from hedgehog.gametheory.tournaments.jam_stages import HandTables, hand_tables, solve_big_blind, solve_small_blind
    from hedgehog.gametheory.tree import ExtensiveGame, decision, extensive_game, leaf, nature
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "ALL", "EXAMPLES", "Bound", "ExtensiveGame", "GameCfr", "HandTables", "JamChart", "NormalForm", "RuleGame",
    "Structure", "Tournament", "amounts", "backward_induction", "best_response", "chance", "chip_stage", "choose",
    "decision", "decision_values", "describe", "eliminate", "eliminate_at_infosets", "exact_freeze_out", "exact_value",
    "expected_loss", "expected_payoffs", "exploitability", "extensive_game", "format_efg", "format_matrix", "game",
    "game_document", "hand_tables", "jam_fold_hand", "leaf", "lookahead_gain", "lookahead_response", "loss_lines",
    "matrix_document", "matrix_game", "nature", "normal_form", "normal_form_game", "outcome", "parse_game",
    "parse_matrix", "payoff_matrix", "place_chances", "prizes", "pure_equilibria", "rate_chart", "read_efg",
    "remove_dominated", "reveal", "solve_big_blind", "solve_bound", "solve_game", "solve_matrix", "solve_sequence_form",
    "solve_small_blind", "solve_tournament", "uniform_profile", "without_actions",
]  # fmt: skip
