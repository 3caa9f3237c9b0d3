"""What the process of a limit strategy does: it answers what a limit player does at a place, and who says so."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.limit.explanation import LimitHands
from hedgehog.agent.limit.options import LimitOptions, Mode
from hedgehog.agent.limit.player import LimitPlayer
from hedgehog.agent.limit.players import make_limit_player
from hedgehog.agent.limit.situation import THREE_PLAYER_GAME
from hedgehog.agent.limit.three_player import LimitMappingPlayer
from hedgehog.agent.questions import Decision, ask_player, parse_decision
from hedgehog.agent.reported_strategy import LEAST_WEIGHT, filled_ranges, reported_ranges, reported_strategy
from hedgehog.analysis.packs.bucket_rows import bucket_rows, bucket_values, random_equity
from hedgehog.analysis.packs.limit_words import STEPS, limit_reasons, limit_values
from hedgehog.explorer.numbers import draw_bits, numbers, shown_range
from hedgehog.explorer.work.limit_asked import GRAFT, LIMIT3, MAPPED, TRAINED, Asked, answerers
from hedgehog.explorer.work.play_lines import PlayPlace, PlayStep, find_play_place, line_of_state, play_labels
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef, parse_gamedef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.cards import combo_index, format_card, parse_cards
from hedgehog.poker.hand_names import name_hands
from hedgehog.runtime.errors import CardError, InputError
from hedgehog.solver.postflop.queries import average_over, node_equities
from hedgehog.solver.postflop.solution import met_weight
from hedgehog.strategies.limit_pack import limit_packs
from hedgehog.strategies.manifest import read_manifest


class _Who(NamedTuple):
    """Who answers, ready."""

    player: LimitPlayer | LimitMappingPlayer
    gamedef: GameDef


@lru_cache(maxsize=12)
def _who(asked: Asked) -> _Who:
    """Returns who answers; it is kept.

    :raises InputError: if the packs cannot answer so.
    """
    found, folder = limit_packs(asked.path), Path(asked.path)
    if asked.by not in answerers(asked.path, asked.players):
        raise InputError(f"the limit packs at {asked.path} have no answer {asked.by!r} for {asked.players} players")
    source = found.get(asked.players)
    if source is None:
        gamedef = load_gamedef(THREE_PLAYER_GAME)
    else:
        gamedef = parse_gamedef(read_manifest(source).gamedef, str(source))
    player: LimitPlayer | LimitMappingPlayer
    if asked.by in (TRAINED, GRAFT):
        player = LimitPlayer(folder, folder if asked.by == GRAFT else None)
    else:
        way, mode = (MAPPED, Mode.ONE_FOLDED) if asked.by == LIMIT3 else (asked.by, Mode.ALWAYS)
        options = LimitOptions(way, asked.nearest, asked.by_distance, mode=mode, pack=asked.path)
        player = make_limit_player(options, LimitPlayer(folder) if asked.by == LIMIT3 else None, asked.by)
    player.warm_up()
    player.new_match(gamedef, 0)
    return _Who(player, gamedef)


def _matchstate(place: PlayPlace) -> MatchState:
    state = place.state
    return MatchState(state.acting_position, 0, ((),) * state.gamedef.num_players, place.board, state)


@lru_cache(maxsize=400)
def _step(asked: Asked, line: str) -> dict[str, Any]:
    """Returns the actions of a decision and how often the range takes them."""
    place = find_play_place(line, _who(asked).gamedef)
    answer = ask_player(_who(asked).player, Decision(place.state, place.board))
    labels = play_labels(place.state, answer.options.actions)
    return {"actions": labels, "freq": [round(float(x), 6) for x in answer.range_strategy()]}


def _path_step(asked: Asked, step: PlayStep) -> dict[str, Any]:
    state = step.state
    base = {"line": step.line, "street": state.round, "pot": sum(state.spent)}
    if step.cards is not None:
        return base | {"kind": "card", "card": "".join(map(format_card, step.cards)) or None}
    found = _step(asked, step.line)
    chosen = None
    if step.action is not None:
        chosen = [label["token"] for label in found["actions"]].index(str(step.action))
    return base | {"kind": "decision", "player": state.acting_position, **found, "chosen": chosen}


@lru_cache(maxsize=64)
def _place(asked: Asked, line: str) -> tuple[PlayPlace, NDArray[np.float64], NDArray[np.bool_]]:
    """Returns the place of a line, the ranges with which everybody comes there, and which of them are their own.

    Who never gets there by its own strategy has all hands.
    """
    place = find_play_place(line, _who(asked).gamedef)
    ranges = reported_ranges(_who(asked).player, _matchstate(place))
    return place, *filled_ranges(ranges, place.board)


@lru_cache(maxsize=64)
def _hands(asked: Asked, line: str) -> LimitHands:
    place = _place(asked, line)[0]
    return _who(asked).player.explain_limit_hands(_matchstate(place))


def node(asked: Asked, line: str) -> dict[str, Any]:
    """Returns the JSON values of a place: the strategy there, everybody's range, and who answers.

    :param line: a line of :mod:`hedgehog.explorer.work.play_lines`.
    :raises InputError: if the line is illegal.
    """
    place = _place(asked, line)[0]
    state = place.state
    content: dict[str, Any] = {
        "line": line,
        "kind": place.kind,
        "street": state.round,
        "board": [format_card(card) for card in place.board],
        "pot": sum(state.spent),
        "player": place.actor,
        "path": [_path_step(asked, step) for step in place.steps],
    }
    content |= place.card_choices()
    if place.kind == "decision":
        content |= _decision(asked, line)
    return content


def _decision(asked: Asked, line: str) -> dict[str, Any]:
    place, ranges, held = _place(asked, line)
    state, board = place.state, place.board
    names = name_hands(board) if len(board) >= 3 else None
    bits = None if names is None else draw_bits(names)
    players = []
    for weights in ranges:
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
    options = reported_strategy(_who(asked).player, _matchstate(place))
    own = np.array(players[state.acting_position]["combos"], dtype=np.int64)
    found, step = _hands(asked, line), _step(asked, line)
    actions = [
        label | {"freq": share, "ev": None, "leads_to": ""}
        for label, share in zip(step["actions"], step["freq"], strict=True)
    ]
    figures = {name: numbers(values[own], 5) for name, values in _figures(found).items()}
    return {
        "actions": actions,
        "note": ""
        if held[state.acting_position]
        else "the player never gets here by this strategy: all hands are shown",
        "players": players,
        "folded": [bool(state.folded[position]) for position in range(state.gamedef.num_players)],
        "strategy": numbers(options.probabilities[:, own], 5),
        "action_evs": None,
        "figures": figures,
        "source": found.source,
        "averages": _averages(found, ranges[state.acting_position]),
    }


def _figures(found: LimitHands) -> dict[str, NDArray[Any]]:
    """Returns what the page shows of every combo besides the strategy."""
    return {
        name: np.asarray(values, dtype=np.float64)
        for name, values in (
            ("distance", found.distance),
            ("unreached", found.unreached),
            ("reached", found.reached),
            ("step", found.steps),
        )
        if values is not None
    }


def _averages(found: LimitHands, weights: NDArray[np.float64]) -> dict[str, float]:
    """Returns the means over the range of the player to act."""
    total = float(weights.sum())
    if not total:
        return {}
    values = {name: float(figure @ weights) / total for name, figure in _figures(found).items() if name != "step"}
    if found.steps is not None:
        values["substituted"] = float((found.steps > 0) @ weights) / total
    return {name: round(value, 5) for name, value in values.items()}


def hand(asked: Asked, line: str, cards: str) -> dict[str, Any]:
    """Returns where the answer for two hole cards comes from, as ``hedgehog ask`` tells it.

    :raises InputError: if no player acts at the end of the line, or the cards are no hand there.
    """
    place = _decision_place(asked, line)
    low, high = _parse_hand(cards, place.board)
    answer = ask_player(_who(asked).player, Decision(place.state, place.board, combo_index(low, high)))
    assert answer.limit is not None
    return {
        "hand": format_card(high) + format_card(low),
        "strategy": answer.strategy(),
        "reasons": list(limit_reasons(answer.limit, _who(asked).gamedef)),
        "steps": list(STEPS),
        **(limit_values(answer.limit) or {}),
    }


def _parse_hand(text: str, board: tuple[int, ...]) -> tuple[int, int]:
    cards = parse_cards(text)
    if len(cards) != 2:
        raise CardError(f"expected two cards such as AhKd, got {text!r}")
    if set(cards) & set(board):
        raise CardError(f"{text} holds a card of the board")
    low, high = sorted(cards)
    return low, high


def _decision_place(asked: Asked, line: str) -> PlayPlace:
    place = _place(asked, line)[0]
    if place.kind != "decision":
        raise InputError(f"no player acts after the line {line!r}")
    return place


def buckets(asked: Asked, line: str) -> dict[str, Any]:
    """Returns the card buckets of a decision: how many hands of the board lie in each, which, and what is done.

    :raises InputError: if no player acts at the end of the line.
    """
    place, found = _decision_place(asked, line), _hands(asked, line)
    if found.buckets is None:
        return {"line": line, "rows": []}
    position = place.state.acting_position
    options = reported_strategy(_who(asked).player, _matchstate(place))
    figures = _figures(found)
    if len(place.board) >= 3:
        figures["equity"] = random_equity(place.board)
    rows = bucket_rows(found.buckets, _place(asked, line)[1][position], options.probabilities, figures)
    return {"line": line, "rows": [bucket_values(row) for row in rows]}


def equity(asked: Asked, line: str) -> dict[str, Any]:
    """Returns the equities of both players' combos at a decision of a two-player game, in the order of :func:`node`.

    :raises InputError: if no player acts at the end of the line, there is no board yet, or there are three players.
    """
    place = _decision_place(asked, line)
    if len(place.board) < 3 or place.state.gamedef.num_players != 2:
        raise InputError("equities are known at decisions of two players from the flop on")
    ranges = _place(asked, line)[1]
    reach = ranges.astype(np.float32)
    met = np.stack([met_weight(reach[1 - position], place.board) for position in (0, 1)])
    found = node_equities(reach, met, place.board)
    return {
        "line": line,
        "avg_equity": numbers(average_over(found, reach * met), 6),
        "equity": [numbers(found[position, ranges[position] >= LEAST_WEIGHT], 5) for position in (0, 1)],
    }


def range_text(asked: Asked, line: str, position: int, action: int | None) -> str:
    """Returns the range of a position at a decision as text; ``action`` counts the hands that take this action.

    :raises InputError: if there is no such decision, player or action.
    """
    place = _decision_place(asked, line)
    ranges = _place(asked, line)[1]
    if not 0 <= position < len(ranges):
        raise InputError(f"expected a player from 0 to {len(ranges) - 1}")
    weights = np.where(ranges[position] >= LEAST_WEIGHT, ranges[position], 0)
    if action is not None:
        options = reported_strategy(_who(asked).player, _matchstate(place))
        if position != place.state.acting_position or not 0 <= action < len(options.actions):
            raise InputError("the player has no such action here")
        weights = weights * options.probabilities[action]
    return shown_range(weights)


def parse(asked: Asked, line: str, board: str) -> str:
    """Returns the line of the page for a line as ``hedgehog ask`` takes it.

    :raises InputError: if betting and board do not describe a decision.
    """
    decision = parse_decision(line, board, gamedef=_who(asked).gamedef)
    return line_of_state(decision.state, decision.board)
