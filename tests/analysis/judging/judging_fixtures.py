"""The worked hand and the reference sessions of ``tests/data/judging``, and random hands of limit hold'em."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

from hedgehog.analysis.judging.hands import SeatedHand, limit_betting
from hedgehog.analysis.judging.settings import PUBLISHED
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.poker.acpc.handlog import LoggedHand, format_value, parse_log_line
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.state import Action, HandState

DATA = Path(__file__).parents[2] / "data" / "judging"
LIMIT = load_gamedef("holdem.limit.2p.reverse_blinds")
BETTING = limit_betting(LIMIT, PUBLISHED)
WORKED: dict[str, Any] = json.loads((DATA / "worked_hand.json").read_text())
SESSIONS: dict[str, Any] = json.loads(gzip.decompress((DATA / "sessions.json.gz").read_bytes()))


def seated(line: str, name: str, gamedef: GameDef = LIMIT) -> SeatedHand:
    """Returns a hand from its log line, with the position of a player."""
    hand = parse_log_line(line, gamedef)
    return SeatedHand(hand, hand.names.split("|").index(name))


def worked_hand() -> SeatedHand:
    return seated(WORKED["line"], "A")


def random_hand(source: random.Random, gamedef: GameDef = LIMIT, fold: float = 0.1) -> LoggedHand:
    """Returns a hand with random cards and actions. Raises are as likely as calls."""
    dealt = 2 * gamedef.num_players
    cards = source.sample(range(52), dealt + 5)
    hole_cards = tuple(tuple(cards[place : place + 2]) for place in range(0, dealt, 2))
    state = HandState(gamedef)
    while not state.finished:
        legal = state.raise_range()
        folds = state.can_fold() and source.random() < fold
        kind = "f" if folds else source.choice("cr") if legal else "c"
        size = source.randint(*legal) if legal and kind == "r" and gamedef.no_limit else 0
        state.apply(Action(kind, size))
    board = tuple(cards[dealt : dealt + gamedef.board_cards_by(state.round)])
    values = tuple(map(format_value, payoffs(state, hole_cards, board)))
    return LoggedHand(source.randrange(1000), state, hole_cards, board, values, "|".join("ABC"[: gamedef.num_players]))
