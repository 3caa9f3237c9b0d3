"""Discounted CFR against opponents who tremble, slow and plain: the oracle for the compiled trembles.

The player who is updated follows his own strategy. The other one trembles: with the probability ``share`` he takes an
action by ``exp(-loss / temperature)`` instead, where the loss of an action is what it costs the hand against the best
one, in chips per dealt opponent hand (*conditional* on getting there), averaged over the iterations so far.
"""

from __future__ import annotations

import numpy as np

from hedgehog.strategies.betting_tree import NodeKind
from tests.reference.slow_cfr import Array, Board, SlowCfr, SlowGame, normalise



class SlowTrembles(SlowCfr):
    """Discounted CFR whose opponents tremble.

    :param share: probability of a tremble at every decision.
    :param temperature: chips of loss that divide the probability of an action in a tremble by e.
    """

    both = False
    uniform = False
    gamma5 = False
    power = 1.0
    subsidy: dict[int, float] = {}
    recent = 0.0

    def __init__(self, game: SlowGame, share: float, temperature: float) -> None:
        super().__init__(game)
        self.share, self.temperature = share, temperature
        self.loss: dict[tuple[int, Board], Array] = {}
        self._updated = 0
        self.visits: dict[tuple[int, Board], int] = {}

    def update(self, player: int) -> None:
        self._updated = player
        super().update(player)

    def tremble(self, node: int, board: Board) -> Array:
        """Returns float64[actions, hands]: probabilities of the actions in a tremble."""
        loss = self._table(self.loss, node, board)
        if self.uniform:
            loss = loss * 0
        return normalise(np.exp(-(loss - loss.min(axis=0)) / self.temperature))

    def played(self, node: int, board: Board) -> Array:
        """Returns the strategy that a player follows in a pass: without trembles if it updates him."""
        strategy = self.current(node, board)
        if self.game.tree.player[node] == self._updated and not self.both:
            return strategy
        return (1 - self.share) * strategy + self.share * self.tremble(node, board)

    def _walk(self, node: int, board: Board, reach: Array, own_reach: Array, player: int) -> Array:
        values = super()._walk(node, board, reach, own_reach, player)
        game, tree = self.game, self.game.tree
        if node in self.subsidy and player == self.subsidy[node][0]:
            c = game.compatible if player == 0 else game.compatible.T
            values = values + self.subsidy[node][1] * (c @ reach)
        if tree.kind[node] == NodeKind.DECISION and tree.player[node] == player:
            compatible = game.compatible if player == 0 else game.compatible.T
            met = compatible @ reach
            met = met * game.live(player, board)
            costs = self._costs.pop((node, board))
            known = met > 0
            new = np.where(known, costs / np.where(known, met, 1), 0)
            loss = self._table(self.loss, node, board)
            t = self.visits.get((node, board), 0)
            weight = max((1 + self.power) / (t + 1 + self.power), self.recent) if t else 1.0
            loss += np.where(known, weight * (new - loss), 0)
            self.visits[node, board] = t + 1
        return values

    _costs: dict[tuple[int, Board], Array] = {}

    def learn(self, node: int, board: Board, strategy: Array, values: Array, own_reach: Array) -> Array:
        self._costs[node, board] = values.max(axis=0) - values
        value: Array = (strategy * values).sum(axis=0)
        regret = self._table(self.regret, node, board)
        weight = max(self.iteration - 1, 0) ** 1.5
        regret *= np.where(regret > 0, weight / (weight + 1), 0.5)
        regret += values - value
        clock = self.iteration
        if self.gamma5:
            keep = (clock / (clock + 1)) ** 5
        else:
            if clock:
                clock -= 4 ** ((clock.bit_length() - 1) // 2)
            keep = (clock / (clock + 1)) ** 3
        total = self._table(self.total, node, board)
        total *= keep
        total += strategy
        return value
