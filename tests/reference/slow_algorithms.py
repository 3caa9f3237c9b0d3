"""The published members of the CFR family, slow and plain, with the formulas as printed. Iterations count from 1.

Brown and Sandholm, "Solving imperfect-information games via discounted regret minimization" (2019); Tammelin,
"Solving large imperfect information games using CFR+" (2014); Farina, Kroer and Sandholm, "Faster game solving via
predictive Blackwell approachability" (2021); Xu et al., "Minimizing weighted counterfactual regret with optimistic
online mirror descent" (2024), for ``dcfr+`` and ``pdcfr+``; Zhang, McAleer and Sandholm, "Faster game solving via
hyperparameter schedules" (2024), for ``hs-dcfr`` and ``hs-pcfr+``; Meng et al., "Asynchronous predictive counterfactual
regret minimization+ algorithm in solving extensive-form games" (2025), for ``apcfr+``.
"""

from __future__ import annotations

import numpy as np

from hedgehog.strategies.betting_tree import ActionKind
from tests.reference.slow_cfr import Array, Board, SlowCfr, SlowGame, normalise

EXPONENTS = {
    "cfr": 0, "cfr-new": 0, "cfr+": 1, "linear": 1, "dcfr": 2, "pcfr+": 2, "apcfr+": 2, "dcfr+": 4, "pdcfr+": 5
}  # fmt: skip
"""Algorithm -> exponent e: iteration t has the weight t ** e in the average."""
PLANNED = 400
"""Iterations for which hyperparameter schedules are planned."""


class PublishedCfr(SlowCfr):
    """One algorithm of the family.

    :param average: ``reach`` weights strategies by the player's own reach, ``plain`` does not, and ``new`` averages the
        strategies after the update without that weight.
    :param c: constant of ``cgh``, which ``per_action`` divides by the number of actions.
    """

    def __init__(
        self,
        game: SlowGame,
        name: str,
        *,
        average: str = "reach",
        simultaneous: bool = False,
        c: float = 1.0,
        per_action: bool = True,
    ) -> None:
        super().__init__(game)
        self.name = name
        self.average_of = average
        self.simultaneous = simultaneous
        self.c = c
        self.per_action = per_action
        self.strategy: dict[tuple[int, Board], Array] = {}
        self.prediction: dict[tuple[int, Board], Array] = {}
        self.next_factor: dict[tuple[int, Board], float] = {}
        """(node, board) -> discount of its regrets in the next iteration, for ``pdcfr+``."""
        self.gap: dict[tuple[int, Board], Array] = {}
        """(node, board) -> float64[hands]: how far the new strategy was from a tie in the last pass.

        For ``cgh`` it is the lead of the best action over the next one, for others the sum of the positive regrets."""
        self._frozen: dict[tuple[int, Board], Array] = {}

    def step(self, iterations: int) -> None:
        for _ in range(iterations):
            self._frozen = {place: self.current(*place) for place in self.regret} if self.simultaneous else {}
            super().step(1)

    def current(self, node: int, board: Board) -> Array:
        if self.name == "cgh":
            if (node, board) not in self.strategy:
                tree = self.game.tree
                passive = [tree.action[child] in (ActionKind.CHECK, ActionKind.CALL) for child in tree.children(node)]
                hands = len(self.game.holes[int(tree.player[node])])
                self.strategy[node, board] = np.repeat(np.array(passive, dtype=float)[:, None], hands, axis=1)
            return self.strategy[node, board]
        regret = self._table(self.regret, node, board)
        if self.name.endswith("pcfr+") or self.name == "pdcfr+":
            kept = self.next_factor.get((node, board), 1.0) * regret
            regret = kept + self._table(self.prediction, node, board)
        return normalise(np.maximum(regret, 0))

    def played(self, node: int, board: Board) -> Array:
        if not self.simultaneous:
            return self.current(node, board)
        uniform = np.ones_like(self._table(self.regret, node, board))
        return self._frozen.get((node, board), uniform / len(uniform))

    def average(self, node: int, board: Board) -> Array:
        return self.current(node, board) if self.name == "cgh" else super().average(node, board)

    def learn(self, node: int, board: Board, strategy: Array, values: Array, own_reach: Array) -> Array:
        if self.name == "cgh":
            return self._hedge(node, board, strategy, values)
        t = self.iteration + 1
        value: Array = (strategy * values).sum(axis=0)
        regret = self._table(self.regret, node, board)
        if self.name == "dcfr+":
            regret *= (t - 1) ** 1.5 / ((t - 1) ** 1.5 + 1.5)
        elif self.name == "pdcfr+":
            regret *= (t - 1) ** 2.3 / ((t - 1) ** 2.3 + 1)
            self.next_factor[node, board] = t**2.3 / (t**2.3 + 1)
        regret += values - value
        if self.name == "linear":
            regret *= t / (t + 1)
        elif self.name == "dcfr":
            regret *= np.where(regret > 0, t**1.5 / (t**1.5 + 1), 0.5)
        elif self.name == "hs-dcfr":
            alpha, beta = 1 + 3 * t / PLANNED, -1 - 2 * t / PLANNED
            regret *= np.where(regret > 0, t**alpha / (t**alpha + 1), t**beta / (t**beta + 1))
        elif self.name.endswith("+"):
            np.maximum(regret, 0, out=regret)
            self.prediction[node, board] = (values - value) / (3 if self.name == "apcfr+" else 1)
        self.gap[node, board] = np.maximum(regret, 0).sum(axis=0)
        new = normalise(np.maximum(regret, 0))
        summed = {"reach": own_reach * strategy, "plain": strategy, "new": new}[self.average_of]
        total = self._table(self.total, node, board)
        if self.name.startswith("hs-"):
            # Gamma changes, so no weight of the form t ** e fits.
            total *= ((t - 1) / t) ** (30 - 5 * (t - 1) / PLANNED)
            total += summed
        else:
            total += t ** EXPONENTS[self.name] * summed
        return (new * values).sum(axis=0) if self.name == "cfr-new" else value

    def _hedge(self, node: int, board: Board, strategy: Array, values: Array) -> Array:
        n = self.iteration + 1
        count = len(values)
        # The last of the best actions, which is the highest bet.
        best = count - 1 - np.argmax(values[::-1], axis=0)
        loss = self.c / (n * count) if self.per_action else self.c / n
        new = np.maximum(0, (n - 1) / n * strategy - loss)
        hands = np.arange(values.shape[1])
        new[best, hands] = 0
        new[best, hands] = 1 - new.sum(axis=0)
        self.strategy[node, board] = new
        self.gap[node, board] = np.diff(np.sort(values, axis=0), axis=0)[-1]
        value: Array = (strategy * values).sum(axis=0)
        return value
