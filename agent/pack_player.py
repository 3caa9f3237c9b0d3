"""Our player: blueprint preflop, flop packs on the flop, live re-solving on turn and river."""

from __future__ import annotations

import logging
import random
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np

from agent.hand_view import Event, HandView, situation_of, view_of
from agent.live import PostflopLiveSolver
from agent.player import STREETS, Player
from agent.sources import BlueprintSource, FlopPacks
from agent.tracker import HandTracker
from poker.cards import NUM_COMBOS, parse_cards
from poker.errors import InputError, PackError
from poker.gamedef import GameDef, parse_gamedef
from poker.matchstate import MatchState
from poker.state import Action, HandState
from solver.card_abstraction import CardAbstraction
from strategies.blueprint_pack import read_blueprint
from strategies.flop_pack import FlopLine, read_flop_lines
from strategies.pack import default_packs, find_packs, open_pack

logger = logging.getLogger(__name__)

PURIFY_BELOW: Final = 0.02
"""Actions with less probability are not sampled: so little is noise of quantisation and of unfinished convergence."""


class PackPlayer(Player):
    """Plays heads-up no-limit hold'em from strategy packs."""

    name = "hedgehog"

    def __init__(
        self,
        pack_paths: list[Path] | None = None,
        *,
        seed: int = 0,
        think_ms: int = 1500,
        threads: int | None = None,
        randomised_translation: bool = False,
    ) -> None:
        """
        :param pack_paths: packs, or folders of packs; None for the shipped ones.
        :param think_ms: time for live re-solving per decision; 0 plays from the packs alone.
        :param threads: solver threads, by default one.
        :param randomised_translation: draw one neighbour of an off-tree size instead of mixing both.
        """
        self._pack_paths = pack_paths if pack_paths is not None else [default_packs()]
        self._seed = seed
        self._think_ms = think_ms
        self._threads = threads or 1
        self._randomised = randomised_translation
        self._layers: Counter[str] = Counter()
        self._gamedef: GameDef | None = None
        self._hand: HandTracker | None = None
        self._decisions = 0
        self._blueprint: BlueprintSource
        self._flop_packs: FlopPacks
        self._live: PostflopLiveSolver | None = None

    def warm_up(self) -> None:
        """Opens and verifies the packs, loads the card tables and compiles or loads every kernel.

        :raises PackError: if there is no blueprint or a pack is damaged.
        """
        blueprint = None
        lines: list[FlopLine] = []
        for path in self._pack_paths:
            for folder in find_packs(path):
                pack = open_pack(folder)
                if pack.manifest.kind == "flops":
                    lines += read_flop_lines(pack)
                elif blueprint is None:
                    blueprint = read_blueprint(pack)
                    self._gamedef = parse_gamedef(pack.manifest.gamedef, str(folder))
        if blueprint is None or self._gamedef is None:
            raise PackError("there is no blueprint pack", source=", ".join(map(str, self._pack_paths)))
        abstraction = CardAbstraction.load_or_build(blueprint.config["cards"], progress=_print_progress)
        self._blueprint = BlueprintSource(blueprint, abstraction)
        self._flop_packs = FlopPacks(blueprint.tree, lines)
        self._live = PostflopLiveSolver(self._think_ms, self._threads) if self._think_ms > 0 else None
        self._rehearse()

    def _rehearse(self) -> None:
        """Takes one decision on every street, so that nothing is compiled or loaded during play."""
        assert self._gamedef is not None
        board = tuple(parse_cards("QhJh2c7d5s"))
        state = HandState(self._gamedef)
        events: list[Event] = []
        for street in range(4):
            situation = situation_of(state)
            view = HandView(0, situation.position, NUM_COMBOS - 1, board[: (0, 3, 4, 5)[street]], events, situation)
            tracker = HandTracker(0, self._blueprint, self._flop_packs)
            tracker.decide(view, self._live, time.monotonic() + 0.05)
            for _ in range(2):
                situation = situation_of(state)
                state.apply(Action("c"))
                events = [*events, Event(situation, Action("c"), state.round != situation.street)]

    def new_match(self, gamedef: GameDef, seed: int) -> None:
        """Starts a match.

        :raises InputError: if the packs are for another game.
        """
        mine = self._gamedef
        assert mine is not None
        if gamedef != mine:
            raise InputError("the strategy packs are for another game than the one to be played")
        self._seed = seed
        self._hand = None
        self._layers.clear()

    def act(self, state: MatchState, deadline: float) -> Action:
        """Chooses a legal action by sampling our mixed strategy."""
        assert self._gamedef is not None
        started = time.monotonic()
        view = view_of(state, self._gamedef)
        if self._hand is None or self._hand.hand_id != view.hand_id:
            draws = random.Random(f"{self._seed}/{view.hand_id}/translation") if self._randomised else None
            self._hand = HandTracker(view.hand_id, self._blueprint, self._flop_packs, draws)
        decision = self._hand.decide(view, self._live, deadline)
        probabilities = purified(decision.options.probabilities[:, view.combo])
        # Each decision has a random stream of its own: one lost or repeated request does not shift the others.
        rng = random.Random(f"{self._seed}/{view.hand_id}/{len(view.events)}")
        chosen = rng.choices(range(len(probabilities)), weights=list(probabilities))[0]
        self._hand.acted(decision, chosen)
        action = decision.options.actions[chosen]
        self._layers[f"{STREETS[view.situation.street]} {decision.layer}"] += 1
        if logger.isEnabledFor(logging.DEBUG):
            mixed = ", ".join(
                f"{candidate} {p:.3f}" for candidate, p in zip(decision.options.actions, probabilities, strict=True)
            )
            logger.debug(
                "hand %d %s: %s -> %s [%s], ranges %.1f/%.1f combos, %.1f ms",
                view.hand_id,
                STREETS[view.situation.street],
                decision.layer,
                action,
                mixed,
                self._hand.ranges[0].sum(),
                self._hand.ranges[1].sum(),
                1000 * (time.monotonic() - started),
            )
        return action

    def report(self) -> Mapping[str, object]:
        """Returns how many decisions each layer gave."""
        return {"layers": dict(sorted(self._layers.items()))}


def purified(probabilities: np.ndarray) -> np.ndarray:
    """Drops actions below :data:`PURIFY_BELOW` and rescales the rest to sum to one."""
    kept = np.where(probabilities >= PURIFY_BELOW * probabilities.sum(), probabilities, 0.0)
    total = float(kept.sum())
    return kept / total if total > 0 else np.full(len(probabilities), 1 / len(probabilities))


def _print_progress(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
