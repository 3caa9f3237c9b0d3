"""A player who follows a fixed strategy with some probability: the game behind restricted Nash responses.

In this game one player, the *restricted* one, draws a lot before every hand, hidden from the other player. With
probability p it follows a *model*, with 1 - p it plays freely. The strategy of the other player in an equilibrium is a
restricted Nash response (Johanson, Zinkevich and Bowling 2007, Computing robust counter-strategies): no strategy wins
more against the model and is as hard to exploit.
"""

from __future__ import annotations

import numpy as np

from hedgehog.solver.cfr.array_types import Floats
from hedgehog.solver.cfr.kernels._game_kernels import Boards, Programs
from hedgehog.solver.cfr.kernels._restricted_kernels import mix_strategies
from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.cfr.layout import Layout


class Restriction:
    """The model of the restricted player, and the mixture of the model with its free strategy."""

    def __init__(self, player: int, model: Floats, share: float, layout: Layout, num_blocks: int) -> None:
        """Makes the restriction of a player.

        :param player: the restricted player, 0 or 1.
        :param model: float32, flat in the order of ``layout``: weights of its actions, of any scale.
        :param share: probability of following the model, 0 to 1.
        :param num_blocks: number of 16-hand blocks of the player.
        """
        self.player = player
        self.model = model
        self._num_blocks = num_blocks
        self._mixed = np.zeros(layout.sizes[player], dtype=np.float32)
        self._entry = np.empty((2, num_blocks * LANES), dtype=np.float32)
        self._entry[0], self._entry[1] = share, 1 - share
        slots = LANES * max(forest.num_roots + max(forest.num_rows) for forest in layout.forests)
        exits = [num_blocks * len(forest.exits) * LANES for forest in layout.forests] + [0, 0]
        self._reach = np.zeros((2, slots), dtype=np.float32)
        self._exits = (np.zeros((2, exits[0]), dtype=np.float32), np.zeros((2, exits[1]), dtype=np.float32))

    def mixed(self, free: Floats, boards: Boards, programs: Programs) -> Floats:
        """Returns the rows that the other player meets. The next call writes to the same array.

        :param free: the player's free strategy or regrets, laid out like the model.
        :param boards: the boards of the game.
        :param programs: the programs with which the other player is updated.
        """
        root_exits, exits = self._exits
        mix_strategies(
            self._mixed, root_exits, exits, self._reach, self._entry, self.model, free, boards, programs,
            self._num_blocks,
        )  # fmt: skip
        return self._mixed
