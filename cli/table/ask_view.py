"""The answer of ``hedgehog ask``, on the screen and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from agent.explanation import Explanation
from agent.shadow import Options
from analysis.histories.hand_words import heads_up_position, street_names
from cli.console import output_console
from cli.table.explain_view import average_strategy, class_name, equities, grid_table, reasons, strategy_table
from cli.table.hand_text import cards_text, did_text, has_suit_symbols
from poker.acpc.betting_line import format_betting_line, street_start
from poker.acpc.gamedef import GameDef
from poker.cards import COMBO_CARDS, combo_mask, format_cards, format_combo
from poker.state import HandState


@dataclass(frozen=True, slots=True)
class Answer:
    """A decision and what is done there."""

    gamedef: GameDef
    state: HandState
    board: tuple[int, ...]
    combo: int | None
    options: Options
    explanation: Explanation | None
    weights: NDArray[np.float64]
    """(1326,) the range of the player to act."""

    @property
    def pot(self) -> int:
        """All chips in the middle, the bet to call included."""
        return sum(self.state.spent)

    @property
    def to_call(self) -> int:
        """Chips that a call costs."""
        return self.state.max_spent - self.state.spent[self.state.acting_position]

    @property
    def stack(self) -> int:
        """Chips the player to act has left."""
        position = self.state.acting_position
        return self.gamedef.stacks[position] - self.state.spent[position]

    def equities(self) -> tuple[float | None, float] | None:
        """Returns the equity of the hand and of the range; see :func:`cli.table.explain_view.equities`."""
        if self.explanation is None:
            return None
        return equities(self.explanation, self.combo, self.state.acting_position, self.board)

    def as_dict(self, *, every_hand: bool) -> dict[str, Any]:
        """Returns the answer as JSON-serialisable values.

        :param every_hand: with the weight and the strategy of every combo of the range.
        """
        state, combo, explanation = self.state, self.combo, self.explanation
        started = street_start(state)
        average = average_strategy(self.options, self.weights)
        equities = self.equities() or (None, None)
        content: dict[str, Any] = {
            "betting": state.betting_string(),
            "line": format_betting_line(state),
            "board": format_cards(self.board),
            "street": street_names(self.gamedef)[state.round],
            "position": state.acting_position,
            "pot": self.pot,
            "to_call": self.to_call,
            "stack": self.stack,
            "hand": format_combo(combo) if combo is not None else None,
            "actions": [
                {
                    "action": str(action),
                    "raise_to_street": action.size - started if action.size else None,
                    "probability": float(self.options.probabilities[number, combo]) if combo is not None else None,
                    "range_frequency": float(average[number]),
                }
                for number, action in enumerate(self.options.actions)
            ],
            "hand_equity": equities[0],
            "range_equity": equities[1],
            "layer": None,
        }
        if explanation is not None:
            content |= {
                "layer": explanation.layer,
                "iterations": explanation.iterations,
                "folds_kept": explanation.folds_kept,
                "left_tree": explanation.left_tree,
                "translations": [
                    {
                        "betting": one.event.betting,
                        "action": str(one.event.action),
                        "pot_frac": one.pot_frac,
                        "layer": one.layer,
                        "sizes": [
                            {"action": str(size.action), "pot_frac": size.pot_frac, "weight": size.weight}
                            for size in one.sizes
                        ],
                    }
                    for one in explanation.translations
                ],
                "abstract_lines": [{"betting": line.betting, "weight": line.weight} for line in explanation.lines],
            }
        if every_hand:
            content["hands"] = [
                {
                    "hand": format_combo(number),
                    "weight": float(self.weights[number]),
                    "probabilities": [float(chance) for chance in self.options.probabilities[:, number]],
                }
                for number in combo_mask(self.board).nonzero()[0].tolist()
            ]
        return content


def print_answer(answer: Answer, name: str, grid: str | None) -> None:
    console = output_console()
    symbols = has_suit_symbols(console)
    gamedef, state, combo = answer.gamedef, answer.state, answer.combo
    for line in _story(state, answer.board, symbols):
        console.print(line)
    actor = heads_up_position(gamedef, state.acting_position)
    console.print(
        f"Pot {answer.pot:,}. The {actor} is to act: {answer.to_call:,} to call, {answer.stack:,} left"
        f" ({answer.stack / gamedef.big_blind:,.1f} bb)."
    )
    console.print(f"In ACPC text: {state.betting_string() or '(no action yet)'}", soft_wrap=True)
    console.print()
    if combo is not None:
        hand = cards_text([*COMBO_CARDS[combo]][::-1], symbols)
        console.print(Text(f"{name} with ").append_text(hand).append(f" ({class_name(combo)}):"))
    else:
        console.print(f"{name} on average over its range:")
    console.print(strategy_table(answer.options, answer.weights, combo, state))
    if answer.explanation is not None:
        for sentence in reasons(answer.explanation, gamedef):
            console.print(sentence)
    equities = answer.equities()
    if equities is not None:
        of_hand, of_range = equities
        alone = f"{100 * of_hand:.1f} % for this hand, " if of_hand is not None else ""
        console.print(f"Equity against the opponent's range: {alone}{100 * of_range:.1f} % for the whole range.")
    if grid is not None:
        console.print()
        console.print(grid_table(answer.options, answer.weights, combo_mask(answer.board), grid))


def _story(state: HandState, board: tuple[int, ...], symbols: bool) -> Iterator[Text]:
    """Yields the hand so far, a line per street."""
    gamedef = state.gamedef
    replay = HandState(gamedef)
    for street, actions in enumerate(state.actions):
        done = []
        for position, action in actions:
            done.append(f"{heads_up_position(gamedef, position)} {did_text(action, replay)}")
            replay.perform(action)
        line = Text(street_names(gamedef)[street].capitalize().ljust(9))
        cards = board[gamedef.board_cards_by(street) - gamedef.num_board_cards[street] :][
            : gamedef.num_board_cards[street]
        ]
        if cards:
            line.append_text(cards_text(cards, symbols)).append("  " if done else "")
        line.append(", ".join(done)).rstrip()
        yield line
