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

from agent.hand_view import view_of
from agent.live import PostflopLiveSolver
from agent.player import STREETS, Player
from agent.sources import BlueprintSource, FlopPacks
from agent.tracker import HandTracker
from poker.errors import InputError, PackError
from poker.gamedef import GameDef, parse_gamedef
from poker.matchstate import MatchState
from poker.state import CALL, Action, HandState
from solver.card_abstraction import CardAbstraction
from strategies.blueprint_pack import read_blueprint
from strategies.flop_pack import FlopLine, read_flop_lines
from strategies.pack import default_packs, find_packs, open_pack

logger = logging.getLogger(__name__)

PURIFY_BELOW: Final = 0.02
"""Actions with less probability are not sampled: so little is noise of quantisation and of unfinished convergence."""
REHEARSAL_HANDS: Final = 6
REHEARSAL_THINK_MS: Final = 1
REHEARSAL_BOARD: Final = (39, 34, 0, 21, 15)


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
        if blueprint.config.get("card_digest") != abstraction.digest:
            logger.warning("the card tables of this machine differ from those the blueprint was trained with")
        self._blueprint = BlueprintSource(blueprint, abstraction)
        self._flop_packs = FlopPacks(blueprint.tree, lines)
        self._live = PostflopLiveSolver(self._think_ms, self._threads) if self._think_ms > 0 else None
        self._rehearse()

    def _rehearse(self) -> None:
        """Plays a few hands against random raises, so that nothing is compiled or loaded during the match."""
        assert self._gamedef is not None
        live = PostflopLiveSolver(REHEARSAL_THINK_MS, self._threads) if self._live is not None else None
        rng = random.Random(0)
        for hand_id in range(REHEARSAL_HANDS):
            tracker = HandTracker(hand_id, self._blueprint, self._flop_packs)
            position = hand_id % 2
            hole_cards = ((50, 51), ()) if position == 0 else ((), (50, 51))
            state = HandState(self._gamedef)
            while not state.finished:
                limits = state.raise_range()
                if state.acting_position == position:
                    board = REHEARSAL_BOARD[: (0, 3, 4, 5)[state.round]]
                    view = view_of(MatchState(position, hand_id, hole_cards, board, state.copy()), self._gamedef)
                    decision = tracker.decide(view, live, time.monotonic())
                    state.apply(CALL)
                elif limits is not None and rng.random() < 0.4:
                    state.apply(Action("r", min(limits[1], round(limits[0] * rng.uniform(1, 2)))))
                else:
                    state.apply(CALL)
            logger.debug("rehearsed hand %d, last layer %s", hand_id, decision.layer)

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
        by_street = sorted(self._layers.items(), key=lambda item: (STREETS.index(item[0].split()[0]), item[0]))
        return {"layers": dict(by_street)}


def purified(probabilities: np.ndarray) -> np.ndarray:
    """Drops actions below :data:`PURIFY_BELOW` and rescales the rest to sum to one."""
    kept = np.where(probabilities >= PURIFY_BELOW * probabilities.sum(), probabilities, 0.0)
    total = float(kept.sum())
    return kept / total if total > 0 else np.full(len(probabilities), 1 / len(probabilities))


def _print_progress(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
