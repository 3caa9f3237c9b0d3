"""Where a mapped strategy is off: how far from the strategy trained for three players, and what that costs, by line.

Hands are played by the trained strategy alone, so decisions come as often as in its self-play. At every decision the
mapping is asked with the same cards. What it loses is the mean value of the trained strategy's action less that of its
own, if everybody plays the trained strategy from there on (:mod:`hedgehog.analysis.three_players.values`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.limit.hand_buckets import HandBuckets
from hedgehog.agent.limit.line_bias import KIND
from hedgehog.agent.limit.mapped_strategy import MappedStrategy
from hedgehog.agent.limit.nearest import Way
from hedgehog.agent.limit.strategy import LimitStrategy
from hedgehog.agent.limit.two_player import open_two_player_table
from hedgehog.agent.strategy.pack_strategy import purified_list
from hedgehog.analysis.three_players.experiments import GAME
from hedgehog.analysis.three_players.values import NUM_PLAYERS, StrategyValues, strategy_values
from hedgehog.poker.cards import NUM_CARDS
from hedgehog.poker.limit_betting import ACTION_LETTERS, NO_CHILD
from hedgehog.poker.streets import BOARD_CARDS, STREETS
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.files import replacing
from hedgehog.runtime.npy_files import read_npz_arrays
from hedgehog.runtime.table import Table, Value

WAYS: Final = ("hbb1", "hbb2", "hbb3", "hbb4", "hbb5")
LEAST: Final = 50
"""Fewest decisions of a line from which its bias is taken, and with which it is listed."""
_WORST: Final = 10


class PlayedDecision(NamedTuple):
    """A decision of a hand that the trained strategy plays against itself."""

    betting: str
    node: int
    bucket: int
    """Bucket of the player to act in the trained strategy."""
    hole_cards: tuple[int, ...]
    board: tuple[int, ...]
    row: list[float]
    """What the trained strategy plays: probabilities of fold, call and raise."""


def self_play(strategy: LimitStrategy, hands: int, seed: int) -> Iterator[tuple[int, PlayedDecision]]:
    """Yields the decisions of hands that a three-player strategy plays against itself, each with its hand's number."""
    rng = np.random.default_rng([seed, hands])
    tree, bucket = strategy.tree, HandBuckets(strategy.cards).bucket
    child, street_of, player = tree.child.tolist(), tree.street.tolist(), tree.player.tolist()
    for hand in range(hands):
        cards = rng.permutation(NUM_CARDS)[: 2 * NUM_PLAYERS + 5].tolist()
        holes = [tuple(sorted(cards[2 * seat : 2 * seat + 2])) for seat in range(NUM_PLAYERS)]
        board = tuple(cards[2 * NUM_PLAYERS :])
        node, betting = 0, ""
        while node < tree.num_decisions:
            street, hole = street_of[node], holes[player[node]]
            shown = board[: BOARD_CARDS[street]]
            group = bucket(street, hole, shown)
            row = purified_list(strategy.row(node, group))
            yield hand, PlayedDecision(betting, node, group, hole, shown, row)
            action = min(int(np.searchsorted(np.cumsum(row), rng.random(), side="right")), len(row) - 1)
            while child[node][action] == NO_CHILD or row[action] == 0:
                action -= 1
            node = child[node][action]
            betting += ACTION_LETTERS[action] + "/" * (node < tree.num_decisions and street_of[node] > street)


@dataclass(frozen=True, slots=True)
class Misses:
    """Sums over the decisions of a match, by decision of the merged betting, ``D`` of them."""

    hands: NDArray[np.int64]
    """() hands played."""
    counts: NDArray[np.int64]
    """(D,) number of decisions."""
    distances: NDArray[np.float64]
    """(D,) sum of the distances: half the absolute differences of the probabilities."""
    losses: NDArray[np.float64]
    """(D,) sum of the losses in chips."""
    squares: NDArray[np.float64]
    """(D,) sum of the squares of the losses."""
    shifts: NDArray[np.float64]
    """(D, 3) sum of the trained probabilities of fold, call and raise less those of the mapping."""

    def write(self, path: Path) -> None:
        """Writes the sums as a file of numpy arrays.

        :raises ResourceError: if the file cannot be written.
        """
        with replacing(path, make_folder=True) as file:
            np.savez_compressed(file, **{field.name: getattr(self, field.name) for field in fields(self)})

    @classmethod
    def read(cls, path: Path) -> Misses:
        """Returns the sums of a file.

        :raises InputError: if the file is damaged, or has no such sums.
        """
        arrays = read_npz_arrays(path, [field.name for field in fields(cls)])
        return cls(*(arrays[field.name] for field in fields(cls)))


def measure_misses(
    way: str,
    strategy: LimitStrategy,
    *,
    hands: int,
    seed: int,
    pack: str = "",
    on_hands: Callable[[int], None] | None = None,
) -> Misses:
    """Returns how far a mapping is from the strategy trained for three players.

    :param way: ``hbb1`` to ``hbb5``, with the nearest decision alone.
    :param strategy: the strategy for three players.
    :param hands: number of hands of self-play.
    :param pack: path of the two-player pack; empty for the shipped one.
    :param on_hands: called with the number of hands done.
    """
    mapped = MappedStrategy(Way[way.upper()], open_two_player_table(Path(pack) if pack else None))
    values, tree = strategy_values(strategy), strategy.tree
    decisions = tree.num_decisions
    counts, shifts = np.zeros(decisions, dtype=np.int64), np.zeros((decisions, 3))
    distances, losses, squares = np.zeros(decisions), np.zeros(decisions), np.zeros(decisions)
    told = 0
    for hand, one in self_play(strategy, hands, seed):
        if on_hands is not None and hand > told:
            on_hands(hand)
            told = hand
        shift = np.array(one.row) - mapped.answer(one.betting, one.hole_cards, one.board)
        loss = float(shift @ action_values(strategy, values, one.node, one.bucket))
        counts[one.node] += 1
        shifts[one.node] += shift
        distances[one.node] += np.abs(shift).sum() / 2
        losses[one.node] += loss
        squares[one.node] += loss * loss
    return Misses(np.array(hands), counts, distances, losses, squares, shifts)


def action_values(strategy: LimitStrategy, values: StrategyValues, node: int, bucket: int) -> NDArray[np.float64]:
    """Returns (3,) what fold, call and raise win from a decision on, in chips; 0 for actions that are not legal."""
    tree, table = strategy.tree, strategy.table
    legal = np.flatnonzero(tree.child[node] != NO_CHILD)
    start = int(table.offsets[node]) + bucket * len(legal)
    found = np.zeros(3)
    found[legal] = values.actions[int(tree.player[node]), start : start + len(legal)]
    owed = int(tree.to_call[node])
    found -= [0, owed, owed + tree.gamedef.raise_sizes[int(tree.street[node])]]
    found[0] = 0.0
    found[tree.child[node] == NO_CHILD] = 0.0
    return found


def miss_table(strategy: LimitStrategy, misses: dict[str, Misses]) -> Table:
    """Returns distance and loss of each way by street and players left."""
    tree = strategy.tree
    decisions = tree.num_decisions
    players = np.array([int(active).bit_count() for active in tree.active[:decisions]])
    rows: list[tuple[Value, ...]] = []
    for way, found in misses.items():
        for street, name in enumerate((*STREETS, "all")):
            for left in (3, 2) if name != "all" else (0,):
                chosen = (tree.street[:decisions] == street) & (players == left) if left else np.full(decisions, True)
                rows.append((way, name, left or None, *_figures(strategy, found, chosen)))
    return Table(
        "misses",
        "Distance from the strategy trained for three players, and what it costs",
        ("way", "street", "players", "decisions", "distance", "mbb lost per decision", "± 95 %", "mbb lost per hand"),
        tuple(rows),
        "Decisions come as in the trained strategy's self-play. Distance: half the absolute differences of the "
        "probabilities. Lost: against the trained strategy, if all play it from there on; per hand of one seat.",
    )


def _figures(strategy: LimitStrategy, found: Misses, chosen: NDArray[np.bool_]) -> tuple[Value, ...]:
    count = int(found.counts[chosen].sum())
    if not count:
        return 0, None, None, None, 0.0
    unit = 1000 / strategy.tree.gamedef.big_blind
    total = float(found.losses[chosen].sum())
    mean = total / count
    spread = max(0.0, float(found.squares[chosen].sum()) / count - mean * mean)
    margin = 1.96 * unit * (spread / count) ** 0.5
    per_hand = unit * total / (NUM_PLAYERS * int(found.hands))
    return count, float(found.distances[chosen].sum()) / count, unit * mean, margin, per_hand


def line_table(way: str, strategy: LimitStrategy, found: Misses) -> Table:
    """Returns the lines with enough decisions that cost most, and to which side the mapping is off there."""
    unit = 1000 / strategy.tree.gamedef.big_blind
    rows: list[tuple[Value, ...]] = []
    often = np.flatnonzero((found.counts >= LEAST) & (found.losses > 0))
    for node in often[np.argsort(-found.losses[often])][:_WORST].tolist():
        count = int(found.counts[node])
        fold, call, raising = (found.shifts[node] / count).tolist()
        rows.append(
            (
                strategy.tree.histories[node] or "(start)",
                count,
                float(found.distances[node]) / count,
                unit * float(found.losses[node]) / count,
                unit * float(found.losses[node]) / (NUM_PLAYERS * int(found.hands)),
                *(fold, call, raising),
            )
        )
    columns = ("line", "decisions", "distance", "mbb lost per decision", "mbb lost per hand", "fold", "call", "raise")
    return Table(
        f"misses-{way}",
        f"Lines at which {way} loses most",
        columns,
        tuple(rows),
        f"Lines with at least {LEAST} decisions. fold, call, raise: what the trained strategy does more often.",
    )


def line_bias_document(way: str, strategy: LimitStrategy, found: Misses, *, seed: int, pack: str) -> dict[str, Any]:
    """Returns the bias of every line with enough decisions as a JSON document, which ``bias=FILE`` reads."""
    histories = strategy.tree.histories
    often = np.flatnonzero(found.counts >= LEAST).tolist()
    lines = {histories[node]: np.round(found.shifts[node] / found.counts[node], 4).tolist() for node in often}
    return json_document(
        KIND,
        game=GAME,
        seed=seed,
        players=[f"limit3p:{way}"],
        way=way,
        hands=int(found.hands),
        pack=pack,
        lines=lines,
        observations={histories[node]: int(found.counts[node]) for node in often},
    )
