"""A spot with everything that estimates, descriptions, solves and live play derive from it, built once.

::

    from hedgehog.solver.postflop.prepared import prepare
    from hedgehog.solver.postflop.solver import solve
    from hedgehog.solver.postflop.spot import read_spot

    solution = solve(prepare(read_spot("docs/examples/spots/river.yaml")), target_pct=0.5)
    print(solution.exploitability().pct_pot, solution.node_strategy(0).mean(axis=1))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_CARDS, NUM_COMBOS, combo_mask, format_cards
from hedgehog.poker.ranges import disjoint_weight
from hedgehog.poker.streets import RIVER
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.cfr.algorithms import Algorithm
from hedgehog.solver.cfr.card_game import CardGame
from hedgehog.solver.cfr.layout import Layout, make_layout
from hedgehog.solver.cfr.locks import BoardLock
from hedgehog.solver.cfr.programs import Rake
from hedgehog.solver.cfr.trembles import Tremble
from hedgehog.solver.postflop.cards import Combos, boards_on, make_card_game
from hedgehog.solver.postflop.chance import (
    NodeCounts,
    Range,
    Runouts,
    SolveSize,
    build_runouts,
    combo_permutation,
    count_nodes,
    measure_solve,
)
from hedgehog.solver.postflop.locks import Lock, LockedNode, resolve_locks, respected_swaps
from hedgehog.solver.postflop.merging import MergedCards, merged_cards
from hedgehog.solver.postflop.spot import PostflopSpot, verify_live
from hedgehog.solver.postflop.tree import build_postflop_tree
from hedgehog.strategies.betting_tree import BettingTree

SHARED_RIVER: Final = 500_000
"""Pairs of action and hand from which on threads share a river: an iteration takes about half a millisecond then."""


@dataclass(frozen=True, eq=False, repr=False)
class PreparedSpot:
    """A spot with its betting tree, locks, run-outs, merged cards and card game.

    :func:`prepare` and :func:`prepare_tree` make prepared spots.
    """

    tree: BettingTree
    """The betting lines from the street of the board on."""
    board: tuple[int, ...]
    """Three to five card ids; the tree starts on that street."""
    ranges: tuple[Range, Range]
    """float32[1326] weights of OOP and IP, 0 for combos that hit the board."""
    rake: Rake
    """What the house takes from every pot."""
    locks: tuple[LockedNode, ...]
    """The strategies that are given."""
    runouts: Runouts
    """The turn and river cards after suit isomorphism, before cards are merged."""
    cards: MergedCards
    """The hands that are kept and the cards that are dealt."""
    game: CardGame
    """The hands and boards as the solver kernels take them."""
    combos: tuple[Combos, Combos]
    """Per player the combos it can hold, ascending."""
    hands: tuple[Combos, Combos]
    """Per player the index of each of these combos in the list of its hands, ``game.hands``."""
    pair_weight: float
    """Sum of the weights of all pairs of combos that can be dealt."""
    abstraction: str = ""
    """Name of the hand abstraction that the spot file asks for (:mod:`hedgehog.solver.abstraction`); empty without
    one."""
    tremble: Tremble | None = None
    """How opponents tremble while the other player learns; None if they do not."""

    def __repr__(self) -> str:
        """Returns the board, the pot, and the size of the betting tree in one line."""
        cards, tree = format_cards(self.board, " "), self.tree
        return f"<PreparedSpot: {cards}, pot {tree.pot(0):,}, {tree.num_nodes:,} nodes of the betting tree>"

    @property
    def street(self) -> int:
        """Street of the root: 1 flop, 2 turn, 3 river."""
        return len(self.board) - 2

    @cached_property
    def layout(self) -> Layout:
        """Where regrets and average strategies lie in their flat arrays."""
        return make_layout(self.game, self.tree)

    @cached_property
    def slots(self) -> tuple[NDArray[np.int32], ...]:
        """Per street from the root's on, int32[tree nodes]: the slot of each node in the layout, -1 if not there."""
        return slots_of_nodes(self.tree, self.layout)

    @cached_property
    def unmerged(self) -> PreparedSpot:
        """This spot without merged cards: every combo is a hand, and suit isomorphism alone thins out the cards."""
        if not self.cards.merged:
            return self
        return _with_cards(self, merged_cards(self.runouts, self.ranges, enabled=False))

    @cached_property
    def with_every_river(self) -> PreparedSpot:
        """The spot with every river card of its turns as a board of its own, and without merged cards."""
        runouts = build_runouts(self.board, self.ranges, every_river=True, respected=respected_swaps(self.locks))
        return _with_cards(replace(self, runouts=runouts), merged_cards(runouts, self.ranges, enabled=False))

    @cached_property
    def counts(self) -> NodeCounts:
        """Numbers of nodes of the public tree, over all boards that suit isomorphism leaves."""
        return count_nodes(self.tree, self.runouts)

    @cached_property
    def size(self) -> SolveSize:
        """How many hands, infosets and actions a solve stores."""
        return measure_solve(self.tree, self.cards.runouts, self.ranges, self.cards.hand_of)

    def solver_threads(self, threads: int | None) -> int | None:
        """Returns the number of threads for a solve; None stands for one per processor.

        :param threads: most threads to take; None stands for one per processor. A river with fewer than
            :data:`SHARED_RIVER` elements takes one in any case, because sharing its work would cost more than it saves.
        """
        return 1 if self.street == RIVER and sum(self.layout.sizes) < SHARED_RIVER else threads

    def verify_single_hands(self) -> None:
        """Checks that the spot asks for a strategy of every single hand.

        :raises SpotError: if it asks for a hand abstraction.
        """
        if self.abstraction:
            raise SpotError(
                f"the spot asks for the abstraction {self.abstraction!r}, which hedgehog solve and solver.solve obey; "
                "expected a spot without abstraction here"
            )

    def for_algorithm(self, algorithm: Algorithm) -> PreparedSpot:
        """Returns the spot as an algorithm needs it: without merged cards if the algorithm samples cards."""
        return self.unmerged if algorithm.samples_cards else self

    def with_tree(self, tree: BettingTree) -> PreparedSpot:
        """Returns a spot with the same cards and other betting lines.

        :raises SpotError: if the spot has locks, which belong to its betting lines, or the tree starts on another
            street.
        """
        if self.locks:
            raise SpotError("a spot with locks keeps its betting tree")
        _verify_street(tree, self.board)
        return replace(self, tree=tree)

    @cached_property
    def board_locks(self) -> tuple[BoardLock, ...]:
        """The locks, expressed by the boards that are dealt and the hands that are kept."""
        return tuple(self._board_lock(lock) for lock in self.locks)

    def _board_lock(self, lock: LockedNode) -> BoardLock:
        solved = boards_on(self.cards.runouts, int(self.tree.street[lock.node]))
        covered = [number for number, cards in enumerate(solved) if lock.covers(cards[len(self.board) :])]
        player = int(self.tree.player[lock.node])
        strategy = np.empty((len(lock.strategy), len(self.game.hands[player])), dtype=np.float32)
        wanted = np.where(lock.hands, lock.strategy, np.float32(-1))
        strategy[:, self.hands[player]] = wanted[:, self.combos[player]]
        return BoardLock(lock.node, np.array(covered, dtype=np.int64), strategy)

    def locate(self, node: int, dealt: Sequence[int]) -> tuple[int, int, NDArray[np.int16] | None]:
        """Returns where a node is stored: its level, the number of its board there, and a permutation of combos.

        The permutation is int16[1326], the combo under which each combo is stored; None if it is each combo itself.

        :param dealt: the cards dealt after the root board on the way to the node.
        :raises SpotError: if there is no such node, or ``dealt`` are not the cards on the way to it.
        """
        if not 0 <= node < self.tree.num_nodes:
            raise SpotError(f"expected a node from 0 to {self.tree.num_nodes - 1}, got {node}")
        level = int(self.tree.street[node]) - self.street
        if len(dealt) != level:
            raise SpotError(f"node {node} comes after {level} dealt cards, got {len(dealt)}")
        return self.locate_board(dealt)

    def locate_board(self, dealt: Sequence[int]) -> tuple[int, int, NDArray[np.int16] | None]:
        """Returns where the nodes after the cards ``dealt`` are stored: level, board, permutation of combos.

        :meth:`locate` describes the three.

        :raises SpotError: if a card cannot be dealt.
        """
        runouts = self.cards.runouts
        turn = board = 0
        permutation: NDArray[np.int16] | None = None
        cards = [int(card) for card in dealt]
        for street, card in enumerate(cards, start=self.street + 1):
            on_turn = street < RIVER
            index_of = runouts.turn_of if on_turn else runouts.river_of[turn]
            if not 0 <= card < NUM_CARDS or index_of[card] < 0:
                raise SpotError(f"the card {card} cannot be dealt on the board {self.board} {tuple(dealt)}")
            board = int(index_of[card])
            a, b = (int(suit) for suit in (runouts.turn_swap if on_turn else runouts.river_swap[turn])[card])
            solved = int((runouts.turns if on_turn else runouts.rivers)[board])
            if on_turn:
                turn = board
            # The later cards follow the card that was solved, so they are renamed like it. Going from a card to
            # another one of its class leaves every combo in its hand.
            stand_in = _swap_suits(solved, a, b)
            cards[:] = [_swap_suits(card if later == stand_in else later, a, b) for later in cards]
            if a != b:
                swap = combo_permutation(a, b)
                permutation = swap if permutation is None else swap[permutation]
        return len(dealt), board, permutation


def prepare(spot: PostflopSpot, *, isomorphism: bool = True, merge_cards: bool = True) -> PreparedSpot:
    """Returns a spot ready to be estimated and solved.

    :param spot: what :func:`~hedgehog.solver.postflop.spot.read_spot` returned.
    :param isomorphism: deal cards of interchangeable suits once, unless the locks treat the suits differently.
    :param merge_cards: where it saves time, keep one hand for all that differ in interchangeable cards only. The hands
        of a spot with a hand abstraction are never merged.
    :raises SpotError: if a lock does not fit the spot.
    :raises ResourceError: if the betting tree is too large.
    """
    prepared = prepare_tree(
        build_postflop_tree(spot.tree),
        spot.board,
        spot.ranges,
        rake=(spot.rake_rate, spot.rake_cap),
        locks=spot.locks,
        isomorphism=isomorphism,
        merge_cards=merge_cards and not spot.abstraction,
    )
    return replace(prepared, abstraction=spot.abstraction, tremble=spot.tremble)


def prepare_tree(
    tree: BettingTree,
    board: Sequence[int],
    ranges: Sequence[Range],
    *,
    rake: tuple[float, float] = (0.0, 0.0),
    locks: Sequence[Lock] = (),
    isomorphism: bool = True,
    merge_cards: bool = True,
) -> PreparedSpot:
    """Returns a spot with a given betting tree, ready to be estimated and solved.

    :param tree: betting lines from the street of the board on.
    :param board: three to five card ids.
    :param ranges: float32[1326] weights of OOP and IP, each at least 0.
    :param rake: (rate, cap in chips): the house takes ``min(rate * pot, cap)`` from every pot; ``math.inf`` is no cap.
    :param locks: decisions at which a player's strategy is given (:mod:`hedgehog.solver.postflop.locks`).
    :param isomorphism: deal cards of interchangeable suits once, unless the locks treat the suits differently.
    :param merge_cards: where it saves time, keep one hand for all that differ in interchangeable cards only.
    :raises SpotError: if board, ranges, tree or locks do not fit together.
    """
    cards = tuple(int(card) for card in board)
    _verify_parts(tree, cards, ranges)
    mask = combo_mask(cards)
    live = tuple(np.where(mask & (weights > 0), weights, 0).astype(np.float32) for weights in ranges)
    pair_weight = float(disjoint_weight(live[1]) @ live[0].astype(np.float64))
    if pair_weight <= 0:
        raise SpotError("the two ranges cannot be dealt together: every pair of hands shares a card")
    resolved = resolve_locks(locks, tree, cards, ranges)
    runouts = build_runouts(cards, live, isomorphism=isomorphism, respected=respected_swaps(resolved))
    merged = merged_cards(runouts, live, resolved, enabled=merge_cards)
    game, combos, hands = make_card_game(merged, len(cards) - 2, live)
    return PreparedSpot(
        tree=tree,
        board=cards,
        ranges=(live[0], live[1]),
        rake=Rake(*rake),
        locks=resolved,
        runouts=runouts,
        cards=merged,
        game=game,
        combos=combos,
        hands=hands,
        pair_weight=pair_weight,
    )


def slots_of_nodes(tree: BettingTree, layout: Layout) -> tuple[NDArray[np.int32], ...]:
    """Returns per level int32[tree nodes]: the slot of each node in the forest of the level, -1 if it has none."""
    found = np.full((len(layout.forests), tree.num_nodes), -1, dtype=np.int32)
    for slots, forest in zip(found, layout.forests, strict=True):
        slots[forest.nodes] = np.arange(len(forest.nodes))
    return tuple(found)


def _with_cards(spot: PreparedSpot, cards: MergedCards) -> PreparedSpot:
    game, combos, hands = make_card_game(cards, spot.street, spot.ranges)
    return replace(spot, cards=cards, game=game, combos=combos, hands=hands)


def _swap_suits(card: int, a: int, b: int) -> int:
    suit = card & 3
    return card - suit + {a: b, b: a}.get(suit, suit)


def _verify_parts(tree: BettingTree, board: tuple[int, ...], ranges: Sequence[Range]) -> None:
    """Checks that the parts of a spot fit together."""
    if not 3 <= len(board) <= 5 or len(set(board)) != len(board) or not all(0 <= card < NUM_CARDS for card in board):
        raise SpotError(f"expected a board of 3 to 5 different card ids, got {board}")
    _verify_street(tree, board)
    if len(ranges) != 2:
        raise SpotError(f"expected two ranges, got {len(ranges)}")
    for name, weights in zip(("OOP", "IP"), ranges, strict=True):
        if np.shape(weights) != (NUM_COMBOS,):
            raise SpotError(f"expected {NUM_COMBOS} weights as the {name} range, got shape {np.shape(weights)}")
        if not (np.isfinite(weights).all() and (weights >= 0).all()):
            raise SpotError(f"expected weights of at least 0 in the {name} range")
        verify_live(weights, board, name)


def _verify_street(tree: BettingTree, board: tuple[int, ...]) -> None:
    if tree.street[0] != len(board) - 2:
        raise SpotError(
            f"the tree starts on street {int(tree.street[0])}, a board of {len(board)} cards on {len(board) - 2}"
        )
