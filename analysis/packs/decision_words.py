"""Says in words how our player decides: the layer, how real bets were read, and the abstract decisions behind it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from hedgehog.agent.player import ExplainsStrategy, ValuesActions
from hedgehog.agent.questions import expected_equities
from hedgehog.agent.strategy.explanation import AbstractSize, Explanation, Translation
from hedgehog.agent.strategy.live_strategy import LIVE
from hedgehog.analysis.histories.hand_words import action_text, street_names
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.matchstate import MatchState, parse_betting
from hedgehog.poker.cards import combo_index
from hedgehog.poker.state import HandState
from hedgehog.poker.streets import FLOP
from hedgehog.strategies.pack_games import big_blinds, same_depth

LAYERS: Final = {
    "blueprint": "the equilibrium approximation of the whole game, over groups of similar hands",
    "quick": "a flop strategy for exact hands, computed in advance from the blueprint",
    "exact": "a flop solved in advance for exact hands",
    "live": "this street solved now, with the true cards, pot, stacks, bets and both ranges",
    "fallback": "no strategy covers this betting, so that it checks or calls",
}
_NEGLIGIBLE: Final = 0.005
"""Weight below which an abstract size or line is not mentioned."""


def reasons(explanation: Explanation, gamedef: GameDef, street: int) -> Iterator[str]:
    """Yields sentences that explain a decision: its layer, how real bets were read, and its abstract nodes.

    :param street: street of the decision, 0 preflop .. 3 river.
    """
    layer = explanation.layer
    unit = "sampled run-outs" if street == FLOP else "iterations"
    iterations = f" ({explanation.iterations:,} {unit})" if explanation.iterations else ""
    yield f"Layer {layer}: {LAYERS[layer]}{iterations}."
    if note := depth_note(explanation.strategy_bb, gamedef):
        yield note if layer != LIVE else note.replace("The strategy is that", "Both ranges come from the strategy", 1)
    read = [text for one in explanation.translations if (text := translation_text(one, gamedef))]
    yield from read
    if explanation.translations and not read:
        yield "All bets before this decision have sizes that the strategy knows."
    if explanation.folds_kept < 1 - _NEGLIGIBLE:
        yield (
            f"The bet is smaller than any that the strategy knows: it keeps {100 * explanation.folds_kept:.0f} % of"
            " its folds and calls with the rest."
        )
    if explanation.folds_limited < 1 - _NEGLIGIBLE:
        yield (
            "The packs fold so much here that a bluff with any hand would win at once: "
            f"{100 * explanation.folds_limited:.0f} % of these folds stay, the best of the other hands call."
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


def depth_note(strategy_bb: float, gamedef: GameDef) -> str:
    """Returns a sentence that says which depth's strategy plays a game; empty if it is the game's own depth.

    :param strategy_bb: stacks, in big blinds, for which the strategy was made.
    """
    asked = big_blinds(gamedef)
    if same_depth(strategy_bb, asked):
        return ""
    return f"The strategy is that for {strategy_bb:.4g} big blinds, the nearest depth to the {asked:.4g} of this game."


def hint_lines(adviser: ExplainsStrategy, matchstate: MatchState) -> Iterator[str]:
    """Yields lines that say what the adviser would do with the hole cards of the acting player, and why."""
    position, _, hole_cards, board, state = matchstate
    explanation = adviser.explain(matchstate)
    combo = combo_index(*hole_cards[position])
    actions, probabilities = explanation.options
    shares = sorted(zip(probabilities[:, combo].tolist(), actions, strict=True), key=lambda one: -one[0])
    yield (
        "Our player would "
        + ", ".join(f"{action_text(action, state)} ({100 * share:.0f} %)" for share, action in shares if share > 0)
        + "."
    )
    evs = adviser.action_evs(matchstate, combo) if isinstance(adviser, ValuesActions) else {}
    if evs:
        unit = state.gamedef.big_blind
        known = sorted(evs.items(), key=lambda one: -one[1])
        yield (
            "EV in BB: "
            + ", ".join(f"{action_text(action, state)} {round(ev / unit, 2) + 0.0:+.2f}" for action, ev in known)
            + "."
        )
    yield from reasons(explanation, state.gamedef, state.round)
    found = expected_equities(explanation, combo, position, board)
    if found is not None and found[0] is not None and math.isfinite(found[0]):
        yield f"Your equity against the range it expects of the opponent: {100 * found[0]:.0f} %."


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
