"""The answer of a player at a decision as values for JSON: its strategy, and where the strategy comes from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hedgehog.agent.questions import Answer
from hedgehog.agent.strategy.explanation import Explanation
from hedgehog.analysis.histories.hand_words import street_names
from hedgehog.analysis.packs.limit_words import limit_values
from hedgehog.poker.acpc.betting_line import format_betting_line
from hedgehog.poker.cards import combo_mask, format_cards, format_combo
from hedgehog.runtime.documents import finite
from hedgehog.strategies.pack_games import big_blinds


def answer_values(answer: Answer, *, every_hand: bool) -> dict[str, Any]:
    """Returns an answer as JSON-serialisable values.

    :param every_hand: include the weight and the strategy of every combo of the range.
    """
    decision, options, explanation = answer.decision, answer.options, answer.explanation
    state, combo = decision.state, decision.combo
    average = answer.range_strategy()
    equities = answer.equities() or (None, None)
    content: dict[str, Any] = {
        "betting": state.betting_string(),
        "line": format_betting_line(state),
        "board": format_cards(decision.board),
        "street": street_names(state.gamedef)[state.round],
        "position": state.acting_position,
        "pot": decision.pot,
        "to_call": decision.to_call,
        "stack": decision.stack,
        "hand": format_combo(combo) if combo is not None else None,
        "actions": [
            {
                "action": str(action),
                "raise_to_street": action.size - state.round_start if action.size else None,
                "probability": float(options.probabilities[number, combo]) if combo is not None else None,
                "range_frequency": float(average[number]),
                "ev_bb": None if answer.evs is None else finite(answer.evs.of(action).ev),
                "ev_error_bb": None if answer.evs is None else finite(answer.evs.of(action).error),
            }
            for number, action in enumerate(options.actions)
        ],
        "hand_equity": equities[0],
        "range_equity": equities[1],
        "layer": None,
        "limit": limit_values(answer.limit),
        "own_range": answer.own_range,
    }
    if explanation is not None:
        content |= {
            "layer": explanation.layer,
            "iterations": explanation.iterations,
            "folds_kept": explanation.folds_kept,
            "folds_limited": explanation.folds_limited,
            "left_tree": explanation.left_tree,
            "strategy_bb": explanation.strategy_bb,
            "game_bb": big_blinds(state.gamedef),
            "translations": translation_values(explanation),
            "abstract_lines": line_values(explanation),
        }
    if every_hand:
        content["hands"] = [
            {
                "hand": format_combo(number),
                "weight": float(answer.weights[number]),
                "probabilities": [float(chance) for chance in options.probabilities[:, number]],
            }
            for number in combo_mask(decision.board).nonzero()[0].tolist()
        ]
    return content


def translation_values(
    explanation: Explanation, rounded: Callable[[float], float | None] = float
) -> list[dict[str, Any]]:
    """Returns how bets of other sizes than the player's own were read.

    :param rounded: makes a number ready for JSON.
    """
    return [
        {
            "betting": one.event.betting,
            "action": str(one.event.action),
            "pot_frac": rounded(one.pot_frac),
            "layer": one.layer,
            "sizes": [
                {"action": str(size.action), "pot_frac": rounded(size.pot_frac), "weight": rounded(size.weight)}
                for size in one.sizes
            ],
        }
        for one in explanation.translations
    ]


def line_values(explanation: Explanation, rounded: Callable[[float], float | None] = float) -> list[dict[str, Any]]:
    """Returns the abstract decisions that stand for the real one, with their weights.

    :param rounded: makes a number ready for JSON.
    """
    return [{"betting": line.betting, "weight": rounded(line.weight)} for line in explanation.lines]
