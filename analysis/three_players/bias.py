"""The preflop bias: how much more often a reference bot folds a hand class than a carried-over strategy does."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib import resources
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.limit.options import parse_limit_options
from hedgehog.agent.limit.players import make_limit_player
from hedgehog.agent.limit.preflop_bias import KIND
from hedgehog.agent.play_record import PlayRecord
from hedgehog.agent.player import Player
from hedgehog.agent.specs import ready_player
from hedgehog.analysis.three_players.experiments import GAME
from hedgehog.arena.in_process import Seat, play_seating
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.cards import combo_index
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES, NUM_HAND_CLASSES
from hedgehog.poker.state import Action
from hedgehog.runtime.documents import json_document

HANDS: Final = 100_000
LEAST: Final = 50
"""Fewest observations of a hand class from which its bias is taken."""


class OwnFolds(NamedTuple):
    """How often a player folds before the flop against a bet of three players."""

    share: NDArray[np.float64]
    """(169,) mean probability of a fold; 0 for classes that were not observed."""
    observations: NDArray[np.int64]
    """(169,) number of decisions."""


def reference_folds() -> NDArray[np.float64]:
    """Returns the shares of folds of the published reference bot, float64 (169,)."""
    text = (
        resources.files("hedgehog.analysis.three_players").joinpath("reference_folds.json").read_text(encoding="utf-8")
    )
    shares: Mapping[str, float] = json.loads(text)["fold"]
    return np.array([shares[name] for name in HAND_CLASS_NAMES])


def compute_bias(
    reference: NDArray[np.float64], own: NDArray[np.float64], observations: NDArray[np.int64], least: int = LEAST
) -> NDArray[np.float64]:
    """Returns the bias of each hand class, float64 (169,); 0 for classes with too few observations.

    :param reference: shares of folds of the reference bot.
    :param own: shares of folds of the player.
    :param observations: number of the player's decisions.
    :param least: fewest observations.
    """
    return np.where(observations >= least, reference - own, 0.0)


def seen_classes(document: Mapping[str, Any], least: int = LEAST) -> int:
    """Returns the number of hand classes of a bias document that were observed often enough to have a bias."""
    return sum(count >= least for count in document["observations"].values())


class _FoldCounter(Player):
    """Plays as another player and adds up its probabilities of folding."""

    def __init__(self, way: str, pack: str) -> None:
        options = parse_limit_options(way + (f"?pack={pack}" if pack else ""), ())
        self._player = make_limit_player(options, None, options.label)
        self.sums = np.zeros(NUM_HAND_CLASSES)
        self.counts = np.zeros(NUM_HAND_CLASSES, dtype=np.int64)

    def warm_up(self) -> None:
        self._player.warm_up()

    def new_match(self, gamedef: GameDef, seed: int) -> None:
        self._player.new_match(gamedef, seed)

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        state = matchstate.state
        if state.round == 0 and state.num_folded == 0 and state.can_fold():
            low, high = sorted(matchstate.hole_cards[matchstate.position])
            hand_class = HAND_CLASS[combo_index(low, high)]
            self.sums[hand_class] += self._player.triple(matchstate)[0]
            self.counts[hand_class] += 1
        return self._player.act(matchstate, deadline)


def measure_folds(
    way: str, *, hands: int = HANDS, seed: int, pack: str = "", on_hands: Callable[[int], None] | None = None
) -> OwnFolds:
    """Returns how often a carried-over strategy folds before the flop, measured against two ``potodds``.

    :param way: ``hbb1`` to ``hbb5``.
    :param hands: hands of the match, which has one seating.
    :param seed: seed of the cards.
    :param pack: path of the two-player pack; empty for the shipped one.
    :param on_hands: called after every hand with the number of hands played.
    """
    gamedef = load_gamedef(GAME)
    counter = _FoldCounter(way, pack)
    counter.warm_up()
    counter.new_match(gamedef, seed)
    players = [counter, *(ready_player("potodds", gamedef) for _ in range(2))]
    play_seating(
        gamedef,
        [Seat(player, PlayRecord()) for player in players],
        ["a", "b", "c"],
        num_hands=hands,
        seed=seed,
        on_progress=None if on_hands is None else lambda done, _: on_hands(done),
    )
    share = np.divide(counter.sums, counter.counts, out=np.zeros(NUM_HAND_CLASSES), where=counter.counts > 0)
    return OwnFolds(share, counter.counts)


def bias_document(way: str, own: OwnFolds, *, hands: int, seed: int, pack: str) -> dict[str, Any]:
    """Returns the JSON document of a bias, which ``bias=FILE`` reads."""
    reference = reference_folds()
    bias = compute_bias(reference, own.share, own.observations)

    def by_class(values: NDArray[Any]) -> dict[str, Any]:
        return dict(zip(HAND_CLASS_NAMES, values.tolist(), strict=True))

    return json_document(
        KIND,
        game=GAME,
        seed=seed,
        players=[f"limit3p:{way}"],
        way=way,
        hands=hands,
        pack=pack,
        bias=by_class(bias.round(4)),
        own=by_class(own.share.round(4)),
        reference=by_class(reference),
        observations=by_class(own.observations),
    )
