"""What the process of a player does: it answers what the player would do at a place, and why."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.player import ExplainsStrategy, GroupsHands, Player, ValuesActions
from hedgehog.agent.questions import Answer, Decision, ask_player, parse_decision
from hedgehog.agent.specs import make_player, parse_player_spec, start_player
from hedgehog.analysis.packs.answer_values import line_values, translation_values
from hedgehog.analysis.packs.bucket_rows import bucket_rows, bucket_values, random_equity
from hedgehog.analysis.packs.decision_words import LAYERS, reasons
from hedgehog.explorer.numbers import draw_bits, number, numbers, shown_range
from hedgehog.explorer.work.play_lines import PlayStep, find_play_place, line_of_state, play_labels
from hedgehog.poker.acpc.gamedef import DEFAULT_GAME, load_gamedef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.cards import combo_mask, format_card
from hedgehog.poker.hand_names import name_hands
from hedgehog.poker.state import Action
from hedgehog.runtime.errors import InputError
from hedgehog.solver.postflop.queries import average_over, node_equities
from hedgehog.solver.postflop.solution import met_weight
from hedgehog.strategies.pack_games import big_blinds

LEAST_WEIGHT: Final = 0.004
"""Weight below which a combo is not shown. The inferred ranges keep traces of all combos."""


class _Seat:
    """A player at its page: it stays loaded while the stacks change."""

    def __init__(self, spec: str, think_ms: int) -> None:
        self._spec = spec
        self._think_ms = think_ms
        self._player: Player | None = None
        self._game = ""

    def player(self, game: str) -> Player:
        """Returns the player, ready for a game; another game than the last one begins as a new match."""
        if self._player is None:
            gamedef = load_gamedef(game)
            player = make_player(parse_player_spec(self._spec), gamedef, think_ms=self._think_ms)
            if isinstance(player, ValuesActions):
                player.keep_values()
            start_player(player, gamedef, 0)
            if not isinstance(player, ExplainsStrategy):
                raise InputError(f"the player {self._spec!r} does not explain its strategy")
            self._player = player
        elif self._game != game:
            self._player.new_match(load_gamedef(game), 0)
        self._game = game
        return self._player


_seat = lru_cache(maxsize=2)(_Seat)


@lru_cache(maxsize=400)
def _ask(spec: str, think_ms: int, line: str, game: str) -> Answer:
    """Returns what a player answers at the decision at the end of a line."""
    player = _seat(spec, think_ms).player(game)
    place = find_play_place(line, load_gamedef(game))
    return ask_player(player, Decision(place.state, place.board))


@lru_cache(maxsize=400)
def _evs(spec: str, think_ms: int, line: str, game: str) -> dict[Action, NDArray[np.float32]]:
    """Returns (1326,) chips by action that the player knows the worth of, at the decision at the end of a line."""
    player = _seat(spec, think_ms).player(game)
    if not isinstance(player, ValuesActions):
        return {}
    place = find_play_place(line, load_gamedef(game))
    return player.range_evs(MatchState(place.state.acting_position, 0, ((), ()), place.board, place.state))


def warm_up(spec: str, game: str) -> None:
    """Loads the player that plays from packs alone, for a game."""
    _seat(spec, 0).player(game)


def parse(line: str, board: str, game: str = DEFAULT_GAME) -> str:
    """Returns the line of the page for a line as ``hedgehog ask`` takes it.

    :raises InputError: if betting and board do not describe a decision.
    """
    decision = parse_decision(line, board, gamedef=load_gamedef(game))
    return line_of_state(decision.state, decision.board)


def node(spec: str, think_ms: int, line: str, game: str) -> dict[str, Any]:
    """Returns the JSON values of a place: the strategy of the player there, both ranges, and the reasons.

    :param spec: the player.
    :param think_ms: thinking time for a decision on the flop and later; 0 for packs alone.
    :param line: a line of :mod:`hedgehog.explorer.work.play_lines`.
    :param game: name of the game.
    :raises InputError: if the line is illegal.
    """
    line = " ".join(line.split())
    gamedef = load_gamedef(game)
    place = find_play_place(line, gamedef)
    state = place.state
    spent = state.spent
    stacks = [gamedef.stacks[position] - spent[position] for position in (0, 1)]
    pot = sum(spent)
    content: dict[str, Any] = {
        "line": line,
        "kind": place.kind,
        "street": state.round,
        "board": [format_card(card) for card in place.board],
        "pot": pot,
        "stacks": stacks,
        "spr": number(min(stacks) / pot, 3),
        "player": place.actor,
        "path": [_step(spec, step, game) for step in place.steps],
        "game_bb": number(big_blinds(gamedef), 4),
    }
    content |= place.card_choices()
    if place.kind == "decision":
        decision = _decision(_ask(spec, think_ms, line, game), think_ms, _evs(spec, think_ms, line, game))
        content |= decision
        content["path"][-1] |= {
            "actions": decision["actions"],
            "freq": [action["freq"] for action in decision["actions"]],
        }
    return content


def _step(spec: str, step: PlayStep, game: str) -> dict[str, Any]:
    state = step.state
    base = {"line": step.line, "street": state.round, "pot": sum(state.spent)}
    if step.cards is not None:
        return base | {"kind": "card", "card": "".join(map(format_card, step.cards)) or None}
    answer = _ask(spec, 0, step.line, game)
    actions, freq = list(answer.options.actions), [round(float(x), 6) for x in answer.range_strategy()]
    if step.action is not None and step.action not in actions:  # a real bet of another size
        actions, freq = [*actions, step.action], [*freq, 0.0]
    return base | {
        "kind": "decision",
        "player": state.acting_position,
        "actions": play_labels(state, actions),
        "freq": freq,
        "chosen": None if step.action is None else actions.index(step.action),
    }


def _decision(answer: Answer, think_ms: int, evs: Mapping[Action, NDArray[np.float32]]) -> dict[str, Any]:
    state, board, options = answer.decision.state, answer.decision.board, answer.options
    explanation = answer.explanation
    assert explanation is not None
    average = answer.range_strategy()
    actions = play_labels(state, options.actions)
    for label, share in zip(actions, average, strict=True):
        label |= {"freq": round(float(share), 6), "ev": None, "leads_to": ""}
    live = combo_mask(board)
    names = name_hands(board) if len(board) >= 3 else None
    bits = None if names is None else draw_bits(names)
    players = []
    for position in (0, 1):
        weights = explanation.ranges[position] * live
        combos = np.flatnonzero(weights >= LEAST_WEIGHT)
        players.append(
            {
                "combos": combos.tolist(),
                "weight": numbers(weights[combos], 6),
                "ev": None,
                "made": None if names is None else names.made[combos].tolist(),
                "draws": None if bits is None else bits[combos].tolist(),
                "counts": None,
            }
        )
    own = np.array(players[state.acting_position]["combos"], dtype=np.int64)
    action_evs = None
    if all(action in evs for action in options.actions):
        rows = np.stack([evs[action] for action in options.actions])[:, own].astype(np.float64)
        action_evs = numbers(rows, 4)
        taken = options.probabilities[:, own]
        players[state.acting_position]["ev"] = numbers(np.where(taken > 0, taken * rows, 0).sum(axis=0), 4)
    return {
        "actions": actions,
        "reached": None,
        "avg_ev": [None, None],
        "players": players,
        "strategy": numbers(options.probabilities[:, own], 5),
        "action_evs": action_evs,
        "layer": explanation.layer,
        "layer_text": LAYERS[explanation.layer],
        "iterations": explanation.iterations,
        "strategy_bb": number(explanation.strategy_bb, 4),
        "think_ms": think_ms,
        "reasons": list(reasons(explanation, state.gamedef, state.round)),
        "shadows": line_values(explanation, _short),
        "translations": translation_values(explanation, _short),
    }


def _short(value: float) -> float | None:
    return number(value, 4)


def equity(spec: str, think_ms: int, line: str, game: str) -> dict[str, Any]:
    """Returns the equities of both players' combos at a decision on the flop or later, in the order of :func:`node`.

    :raises InputError: if no player acts at the end of the line, or there is no board yet.
    """
    line = " ".join(line.split())
    place = find_play_place(line, load_gamedef(game))
    if place.kind != "decision" or len(place.board) < 3:
        raise InputError("equities are known at decisions from the flop on")
    explanation = _ask(spec, think_ms, line, game).explanation
    assert explanation is not None
    reach = (explanation.ranges * combo_mask(place.board)).astype(np.float32)
    met = np.stack([met_weight(reach[1 - position], place.board) for position in (0, 1)])
    found = node_equities(reach, met, place.board)
    shown = [explanation.ranges[position] * combo_mask(place.board) >= LEAST_WEIGHT for position in (0, 1)]
    return {
        "line": line,
        "avg_equity": numbers(average_over(found, reach * met), 6),
        "equity": [numbers(found[position, shown[position]], 5) for position in (0, 1)],
    }


def buckets(spec: str, think_ms: int, line: str, game: str) -> dict[str, Any]:
    """Returns the blueprint's card buckets at a decision: how many hands lie in each, which, and what is done.

    :raises InputError: if no player acts at the end of the line.
    """
    line = " ".join(line.split())
    place = find_play_place(line, load_gamedef(game))
    if place.kind != "decision":
        raise InputError(f"no player acts after the line {line!r}")
    answer, player = _ask(spec, think_ms, line, game), _seat(spec, think_ms).player(game)
    if not isinstance(player, GroupsHands):
        return {"line": line, "rows": []}
    found = player.hand_buckets(MatchState(place.state.acting_position, 0, ((), ()), place.board, place.state))
    figures = {"equity": random_equity(place.board)} if len(place.board) >= 3 else {}
    weights = answer.weights * combo_mask(place.board)
    weights = np.where(weights >= LEAST_WEIGHT, weights, 0)
    rows = bucket_rows(found, weights, answer.options.probabilities, figures)
    return {"line": line, "rows": [bucket_values(row) for row in rows]}


def range_text(spec: str, think_ms: int, line: str, game: str, position: int, action: int | None) -> str:
    """Returns the range of a position at a decision as text; ``action`` counts the hands that take this action.

    :raises InputError: if there is no such decision or action.
    """
    line = " ".join(line.split())
    place = find_play_place(line, load_gamedef(game))
    if place.kind != "decision":
        raise InputError(f"no player acts after the line {line!r}")
    answer = _ask(spec, think_ms, line, game)
    assert answer.explanation is not None
    weights = answer.explanation.ranges[position] * combo_mask(place.board)
    weights = np.where(weights >= LEAST_WEIGHT, weights, 0)
    if action is not None:
        if position != place.state.acting_position or not 0 <= action < len(answer.options.actions):
            raise InputError("the player has no such action here")
        weights = weights * answer.options.probabilities[action]
    return shown_range(weights)
