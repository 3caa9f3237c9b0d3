"""A trained strategy of a limit game, asked by betting, hole cards and board."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS, combo_index
from hedgehog.poker.limit_betting import ACTIONS, NO_CHILD
from hedgehog.poker.streets import BOARD_CARDS
from hedgehog.runtime.errors import PackError
from hedgehog.solver.blueprint.cards.card_abstraction import BLOCKED, CardAbstraction
from hedgehog.strategies.limit_pack import LimitTable, find_limit_pack, read_limit_pack
from hedgehog.strategies.quantize import SCALE

_NAN: Final = np.full(len(ACTIONS), np.nan)


class LimitStrategy:
    """The strategy of a limit pack."""

    def __init__(self, table: LimitTable, abstraction: CardAbstraction) -> None:
        """:param abstraction: the card buckets that the strategy was trained with."""
        self.table = table
        self.tree = table.tree
        """The betting of the game; the strategy has one decision for each of its decisions."""
        self.cards = abstraction
        """The card buckets that the strategy was trained with."""
        self._rows = np.asarray(table.rows).data  # plain bytes, which Python reads faster than arrays
        self._offsets = table.offsets.tolist()
        self._legal = [
            tuple(number for number, child in enumerate(children) if child != NO_CHILD)
            for children in table.tree.child[: table.tree.num_decisions].tolist()
        ]
        self._street = table.tree.street.tolist()
        self.index = lru_cache(1 << 16)(table.tree.index)
        """Returns the number of the decision after a history."""
        self.bucket = lru_cache(1 << 10)(abstraction.bucket)
        """Returns the bucket of a combo on a street, given the combo and the tuple of the street's board cards."""

    @classmethod
    def open(cls, path: str | Path, num_players: int | None = None) -> LimitStrategy:
        """Returns the strategy of a limit pack, with its card tables loaded from the cache or built.

        :param path: the pack, or a folder of packs.
        :param num_players: number of players of the game; None for any.
        :raises PackError: if there is no such pack, or it is damaged or was trained with other card tables.
        """
        pack = find_limit_pack(path, num_players)
        table = read_limit_pack(pack)
        abstraction = CardAbstraction.load_or_build(table.config["cards"])
        if table.config.get("card_digest") != abstraction.digest:
            raise PackError("was trained with other card tables than those of this machine", source=str(pack.folder))
        return cls(table, abstraction)

    def probabilities(self, history: str, hole: Sequence[int], board: Sequence[int]) -> NDArray[np.float64]:
        """Returns float64[3]: the probabilities of fold, call and raise, which sum to one; illegal actions have 0.

        :param history: ACPC betting text at which the player is to act, such as ``rc/cr``.
        :param hole: card ids of the two hole cards.
        :param board: card ids of at least the cards dealt up to the street of the history, in dealt order.
        :raises MatchStateError: if the betting is not legal or nobody is to act.
        """
        node = self.index(history)
        return np.array(self.row(node, self.bucket_of(node, hole, board)))

    def triple(self, history: str, hole: Sequence[int], board: Sequence[int]) -> NDArray[np.float64]:
        """Returns :meth:`probabilities`, or three NaN where the strategy hardly ever plays towards the decision."""
        node = self.index(history)
        bucket = self.bucket_of(node, hole, board)
        return np.array(self.row(node, bucket)) if self.reached(node, bucket) else _NAN.copy()

    def bucket_of(self, node: int, hole: Sequence[int], board: Sequence[int]) -> int:
        """Returns the bucket of two hole cards at a decision."""
        street = self._street[node]
        return self.bucket(street, tuple(board[: BOARD_CARDS[street]]), combo_index(*hole))

    def reached(self, node: int, bucket: int) -> bool:
        """Returns whether the strategy plays towards a decision with a bucket often enough to mean something."""
        return bool(self.table.reached[self.table.first_rows[node] + bucket])

    def row(self, node: int, bucket: int) -> tuple[float, float, float]:
        """Returns the probabilities of fold, call and raise at a decision for one bucket."""
        legal = self._legal[node]
        start = self._offsets[node] + bucket * len(legal)
        row = [0.0, 0.0, 0.0]
        for place, number in enumerate(legal):
            row[number] = self._rows[start + place] / SCALE
        return row[0], row[1], row[2]

    def rows(self, node: int, board: Sequence[int]) -> NDArray[np.float64]:
        """Returns float64 (3, 1326): the probabilities of fold, call and raise for every combo at a decision.

        Columns sum to one, or are 0 where the board blocks the combo.

        :param board: card ids of the board at the decision.
        """
        street = self._street[node]
        buckets = self.cards.buckets(street, board[: BOARD_CARDS[street]])
        live = buckets != BLOCKED
        rows = np.zeros((len(ACTIONS), NUM_COMBOS))
        rows[np.ix_(self._legal[node], live)] = self.table.block(node)[buckets[live]].T / SCALE
        return rows
