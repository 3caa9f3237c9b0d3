"""Prints how a player decides, for ``hedgehog ask`` and the hints of ``hedgehog play-here``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from rich.table import Column, Table
from rich.text import Text

from agent.questions import Answer
from agent.strategy.explanation import AbstractSize, Explanation, Translation
from agent.strategy.shadow import Options
from analysis.drawing.hand_grid import cell_class
from analysis.histories.hand_words import street_names
from cli.table.hand_text import action_text
from poker.acpc.gamedef import GameDef
from poker.acpc.matchstate import parse_betting
from poker.cards import RANKS, combo_mask, format_combo
from poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES, NUM_HAND_CLASSES
from poker.state import HandState
from poker.streets import FLOP

LAYERS: Final = {
    "blueprint": "the equilibrium approximation of the whole game, over groups of similar hands",
    "quick": "a flop strategy for exact hands, computed in advance from the blueprint",
    "exact": "a flop solved in advance for exact hands",
    "live": "this street solved now, with the true cards, pot, stacks, bets and both ranges",
    "fallback": "no strategy covers this betting, so that it checks or calls",
}
_NEGLIGIBLE: Final = 0.005
"""Weight below which an abstract size or line is not mentioned."""
_LEAST_HELD: Final = 1e-3
"""Share of its combos above which a class of hands appears in the grid."""
_COLOURS: Final = {"f": "bright_blue", "c": "green", "r": "bright_red"}


def strategy_table(answer: Answer) -> Table:
    """Returns a table of how often each action is taken with the hand, if one is given, and with the whole range."""
    options, combo, state = answer.options, answer.decision.combo, answer.decision.state
    columns = [Column("action"), Column("in ACPC text")]
    if combo is not None:
        columns.append(Column(format_combo(combo), justify="right"))
    columns.append(Column("whole range", justify="right"))
    table = Table(*columns)
    average = answer.range_strategy()
    for number, action in enumerate(options.actions):
        cells = [Text(action_text(action, state), style=_COLOURS[action.kind]), Text(str(action))]
        if combo is not None:
            cells.append(Text(f"{100 * options.probabilities[number, combo]:.1f} %"))
        table.add_row(*cells, f"{100 * average[number]:.1f} %")
    return table


def reasons(explanation: Explanation, gamedef: GameDef, street: int) -> Iterator[str]:
    """Yields sentences that explain a decision: its layer, how real bets were read, and its abstract nodes.

    :param street: street of the decision, 0 preflop .. 3 river.
    """
    layer = explanation.layer
    unit = "sampled run-outs" if street == FLOP else "iterations"
    iterations = f" ({explanation.iterations:,} {unit})" if explanation.iterations else ""
    yield f"Layer {layer}: {LAYERS[layer]}{iterations}."
    read = [text for one in explanation.translations if (text := translation_text(one, gamedef))]
    yield from read
    if explanation.translations and not read:
        yield "All bets before this decision have sizes that the strategy knows."
    if explanation.folds_kept < 1 - _NEGLIGIBLE:
        yield (
            f"The bet is smaller than any that the strategy knows: it keeps {100 * explanation.folds_kept:.0f} % of"
            " its folds and calls with the rest."
        )
    if explanation.left_tree is not None:
        yield (
            f"The betting left the strategy's tree after {explanation.left_tree} and goes on at the most similar"
            " decision of that tree."
        )
    lines = [line for line in explanation.lines if line.weight >= _NEGLIGIBLE]
    if len(lines) > 1 or explanation.left_tree is not None:
        places = ", ".join(f"{line.betting} ({100 * line.weight:.0f} %)" for line in lines)
        yield f"Decisions of the strategy's tree that stand for this one, in ACPC text: {places}."


def translation_text(translation: Translation, gamedef: GameDef) -> str:
    """Returns a sentence that says how a bet was read; empty if the strategy has exactly that size."""
    event = translation.event
    sizes = [size for size in translation.sizes if size.weight >= _NEGLIGIBLE]
    if [size.action for size in sizes] == [event.action]:
        return ""
    state = parse_betting(event.betting, gamedef)
    real = f"{action_text(event.action, state)} ({100 * translation.pot_frac:.0f} % of the pot)"
    street = street_names(gamedef)[event.situation.street].capitalize()
    if not sizes:
        return f"{street}: {real} is outside the strategy's tree."
    return f"{street}: {real} is read as {_sizes_text(sizes, state)}."


def _sizes_text(sizes: Sequence[AbstractSize], state: HandState) -> str:
    named = []
    for size in sizes:
        text = action_text(size.action, state)
        if size.action.kind == "r":
            text += f" ({100 * size.pot_frac:.0f} %)"
        named.append(text if len(sizes) == 1 else f"{text} with weight {size.weight:.2f}")
    return ", ".join(named)


def grid_table(answer: Answer, action: str) -> Table:
    """Returns a 13 x 13 table of the range, suited hands above the diagonal; hands that are not held are blank.

    :param action: ``f``, ``c``, ``r`` or a raise such as ``r600``, whose frequency in percent fills the cells. If it is
        empty, every cell shows the most frequent kind of action and its frequency.
    """
    options, weights, live = answer.options, answer.weights, combo_mask(answer.decision.board)
    held = np.bincount(HAND_CLASS, weights * live, NUM_HAND_CLASSES)
    combos = np.bincount(HAND_CLASS, live, NUM_HAND_CLASSES)
    chances = {
        name: np.bincount(HAND_CLASS, weights * _chance(options, name), NUM_HAND_CLASSES)
        for name in ([action] if action else ["f", "c", "r"])
    }
    title = f"{action} in %" if action else "most frequent action in %: f fold, c check or call, r bet or raise"
    columns = [Column(rank, justify="right") for rank in RANKS[::-1]]
    table = Table("", *columns, title=title, title_justify="left", box=None, padding=(0, 0, 0, 1))
    for row, rank in enumerate(RANKS[::-1]):
        cells = [Text(rank, style="bold")]
        for column in range(len(RANKS)):
            hands = cell_class(row, column)
            if held[hands] <= _LEAST_HELD * combos[hands]:
                cells.append(Text())
                continue
            name = max(chances, key=lambda name: float(chances[name][hands]))
            percent = f"{100 * chances[name][hands] / held[hands]:.0f}"
            cells.append(Text(percent if action else f"{name}{percent:>3}", style=_COLOURS[name[0]]))
        table.add_row(*cells)
    return table


def _chance(options: Options, name: str) -> NDArray[np.float64]:
    """Returns float64[1326]: per combo the probability of all actions of a kind, or of one action."""
    taken = [action.kind == name or str(action) == name for action in options.actions]
    return np.asarray(options.probabilities[taken].sum(axis=0))


def class_name(combo: int) -> str:
    """Returns the class of a combo (0 to 1325), such as ``AKs``."""
    return str(HAND_CLASS_NAMES[HAND_CLASS[combo]])
