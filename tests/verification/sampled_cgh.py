"""Prints how counterfactual greedy hedging (CGH) converges on Leduc hold'em if the board card is drawn at random.

::

    python -m tests.verification.sampled_cgh                # some minutes

Voelkel's thesis asks for CGH with sampling. Here every pass draws one board card for all hands, so it walks a sixth
of the second street. Hands that hold the card learn nothing in the pass. A decision's constant shrinks with the number
of its own visits. CGH takes the action that is best in this pass, and has neither regrets nor an average in which the
noise of the draws could cancel out. Beside it: the same draws with regrets (vanilla CFR), and CGH on all cards.
"""

from __future__ import annotations

import argparse
from typing import Final

import numpy as np

from hedgehog.strategies.betting_tree import NodeKind
from tests.reference.slow_algorithms import PublishedCfr
from tests.reference.slow_cfr import Array, Board, exploitability
from tests.reference.small_games import leduc

CARDS: Final = 6


class SampledCfr(PublishedCfr):
    """An algorithm of the family that draws one board card per iteration.

    :param name: ``cgh`` or ``cfr``.
    """

    def __init__(self, name: str, seed: int, *, c: float = 1.0) -> None:
        super().__init__(leduc(), name, c=c)
        self.drawn = 0
        self.visits: dict[tuple[int, Board], Array] = {}
        self._random = np.random.default_rng(seed)

    def step(self, iterations: int) -> None:
        for _ in range(iterations):
            self.drawn = int(self._random.integers(CARDS))
            super().step(1)

    def update(self, player: int) -> None:
        # Two hands that miss the card meet it in one deal of four, whatever they are: so all of the pass is conditioned
        # on the card, folds before it included, and no weight is needed.
        reach = self.game.weights[1 - player] * self.game.live(1 - player, (self.drawn,))
        self._walk(0, self.game.board, reach, np.ones(len(self.game.holes[player])), player)

    def _walk(self, node: int, board: Board, reach: Array, own_reach: Array, player: int) -> Array:
        if self.game.tree.kind[node] != NodeKind.DEAL:
            return super()._walk(node, board, reach, own_reach, player)
        child = int(self.game.tree.first_child[node])
        return self._walk(child, (*board, self.drawn), reach, own_reach, player)

    def learn(self, node: int, board: Board, strategy: Array, values: Array, own_reach: Array) -> Array:
        player = int(self.game.tree.player[node])
        live = self.game.live(player, (self.drawn,)) > 0
        if self.name != "cgh":
            return super().learn(node, board, strategy, np.where(live, values, 0), own_reach * live)
        visits = self.visits.setdefault((node, board), np.zeros(len(live)))
        visits += live
        old = self.current(node, board)
        count = len(values)
        best = count - 1 - np.argmax(values[::-1], axis=0)
        n = np.maximum(visits, 1)
        new = np.maximum(0, (n - 1) / n * old - self.c / (n * count))
        every = np.arange(values.shape[1])
        new[best, every] = 0
        new[best, every] = 1 - new.sum(axis=0)
        self.strategy[node, board] = np.where(live, new, old)
        return (old * values).sum(axis=0)


def main() -> None:
    """Prints exploitability after equal work."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--iterations", type=int, default=400, help="iterations on all cards")
    given = parser.parse_args()
    game = leduc()
    decisions = (game.tree.kind == NodeKind.DECISION) * np.where(game.tree.street == 3, CARDS, 1)
    # Decisions on one drawn card, and on all of them.
    factor = float(decisions.sum() / (game.tree.kind == NodeKind.DECISION).sum())
    print(f"an iteration on all cards walks {factor:.2f} times the decisions of one with a drawn card")
    for c in (0.175, 1.0):
        full = PublishedCfr(game, "cgh", c=c)
        full.step(given.iterations)
        print(f"cgh c={c} all cards    {given.iterations:6} {exploitability(game, full.average):.4f}", flush=True)
    for name, c in (("cgh", 0.175), ("cgh", 1.0), ("cfr", 1.0)):
        for seed in (1, 2, 3):
            sampled = SampledCfr(name, seed, c=c)
            found = []
            for part in (1, 2):
                sampled.step(round(factor * given.iterations * part / 2) - sampled.iteration)
                found.append(exploitability(game, sampled.average))
            label = f"{name} c={c}" if name == "cgh" else name
            print(f"{label} drawn card, seed {seed} {sampled.iteration:6} {found[0]:.4f} {found[1]:.4f}", flush=True)


if __name__ == "__main__":
    main()
