"""Discounted CFR against opponents who tremble, slow and plain: the oracle for the compiled trembles.

The player who is updated follows his own strategy. The other one trembles: with the probability ``share`` a hand
chooses among all actions by ``(1 - loss / (256 temperature)) ^ 256`` instead, nearly ``exp(-loss / temperature)``. The
loss of the cheapest action is subtracted first. The loss of an action is what it costs the hand against its best one,
in chips per opponent hand that it can meet there. It is the average over the iterations so far, in which iteration t
(from 1) has the weight t.
"""

from __future__ import annotations

import numpy as np

from hedgehog.strategies.betting_tree import NodeKind
from tests.reference.slow_cfr import Array, Board, SlowCfr, SlowGame, normalise


class SlowTrembles(SlowCfr):
    """Discounted CFR whose opponents tremble.

    :param share: probability of a tremble at every decision.
    :param temperature: chips of loss that divide the weight of an action by e.
    """

    def __init__(self, game: SlowGame, share: float, temperature: float) -> None:
        super().__init__(game)
        self.share, self.temperature = share, temperature
        self.loss: dict[tuple[int, Board], Array] = {}
        self.met: dict[tuple[int, Board], Array] = {}
        """Part of the opponent's weight at a decision that each hand could meet in the last pass."""
        self._updated = 0
        self._costs: dict[tuple[int, Board], Array] = {}

    def update(self, player: int) -> None:
        self._updated = player
        super().update(player)

    def tremble(self, node: int, board: Board) -> Array:
        """Returns float64[actions, hands]: probabilities of the actions in a tremble."""
        loss = self._table(self.loss, node, board)
        temperatures = (loss - loss.min(axis=0)) / self.temperature
        return normalise(np.maximum(1 - temperatures / 256, 0) ** 256)

    def played(self, node: int, board: Board) -> Array:
        """Returns the strategy that a player follows in a pass: without trembles if it updates him."""
        strategy = self.current(node, board)
        if self.game.tree.player[node] == self._updated:
            return strategy
        return (1 - self.share) * strategy + self.share * self.tremble(node, board)

    def learn(self, node: int, board: Board, strategy: Array, values: Array, own_reach: Array) -> Array:
        self._costs[node, board] = values.max(axis=0) - values
        return super().learn(node, board, strategy, values, own_reach)

    def _walk(self, node: int, board: Board, reach: Array, own_reach: Array, player: int) -> Array:
        values = super()._walk(node, board, reach, own_reach, player)
        game, tree = self.game, self.game.tree
        if tree.kind[node] == NodeKind.DECISION and tree.player[node] == player:
            compatible = game.compatible if player == 0 else game.compatible.T
            met = (compatible @ reach) * game.live(player, board)
            self.met[node, board] = met / max(float(reach.sum()), 1e-300)
            loss = self._table(self.loss, node, board)
            new = self._costs.pop((node, board)) / np.where(met > 0, met, 1)
            loss += np.where(met > 0, 2 / (self.iteration + 2) * (new - loss), 0)
        return values
