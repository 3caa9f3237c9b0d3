"""The answer to a line that nobody takes, as if a few hands took it: solved on the spot.

A solve says nothing of the answers to an action that no hand takes. Here the player who enters by the action *has* to
take it with a small part of its range, the *share*, and may choose which hands do. The hands that lose least by it
come, and the other player answers them. This is the answer of an observable perfect equilibrium (Ganzfried 2022,
Observable perfect equilibrium): trembles of what is seen, not of what is held. It is the same as paying the smallest
*subsidy* that brings this part of the range into the line.

Which hands come is found together with the answer. Discounted CFR solves the game after the action. After every
iteration the hands are chosen anew by what they have won so far beyond what they are worth in the solution, the best
ones first, and more and more sharply (smooth fictitious play, Fudenberg and Levine 1998). Nothing else of the solution
changes: the share is small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.streets import FLOP, RIVER, TURN
from hedgehog.runtime.errors import SpotError
from hedgehog.runtime.machine import available_memory
from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.solver.cfr.solver import CfrSolver
from hedgehog.solver.postflop.locks import LockedNode
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare_tree
from hedgehog.solver.postflop.queries import find_node
from hedgehog.solver.postflop.responses.standing import THIN, Standing, Step, standing_of
from hedgehog.solver.postflop.solution import PostflopSolution, met_weight
from hedgehog.solver.postflop.solution_files import StoredSolution
from hedgehog.solver.postflop.spot import PLAYERS
from hedgehog.solver.postflop.tree import format_line, line_of, parse_line
from hedgehog.strategies.betting_tree import subtree

SHARE: Final = 0.01
"""Part of the range that takes the line."""
ITERATIONS: Final = {FLOP: 200, TURN: 500, RIVER: 1000}
"""Iterations by the street of the action."""
_ALGORITHM: Final = "gamma5"
_GAMMA: Final = 5
# The choice of hands is sharp to this share of the pot after one iteration, and sharper with the root of their number.
_BLUR: Final = 0.02


@dataclass(frozen=True, slots=True)
class AsIf:
    """A line that nobody takes, solved as if a few hands took it."""

    solution: PostflopSolution
    """The game after the action; its root is the node there, and its ranges are those that come."""
    line: str
    """The rest of the line, from that root on."""
    action: str
    """The line up to the action, with it."""
    player: int
    """The player who enters by the action."""
    share: float
    """Part of its range, as it comes to the decision, that takes the action."""
    subsidy: float
    """Chips that would bring this part into the line, for every time that a hand takes it."""
    gap: float
    """What the best answer to these hands would win beyond the answer shown, in chips each time that they come."""
    root_pot: int
    """Chips in the pot at the root of the spot."""

    def leads_to(self, line: str) -> bool:
        """Returns whether another line goes through the action and needs no other assumption."""
        taken = parse_line(self.action)
        if parse_line(line)[: len(taken)] != taken:
            return False
        return self.towards(line)._standing().rare is None

    def towards(self, line: str) -> AsIf:
        """Returns this game with the rest of another line through the action."""
        return replace(self, line=format_line(parse_line(line)[len(parse_line(self.action)) :]))

    def _standing(self) -> Standing:
        return _standing_at(self.solution, self.line)

    def describe_data(self) -> dict[str, Any]:
        """Returns the JSON object of what is assumed."""
        return {
            "action": self.action,
            "player": self.player,
            "share": self.share,
            "subsidy_pct_pot": round(100 * self.subsidy / self.root_pot, 4),
            "gap_pct_pot": round(100 * self.gap / self.root_pot, 4),
            "text": self.describe(),
        }

    def describe(self) -> str:
        """Returns one sentence: what is assumed."""
        return (
            f"as if {100 * self.share:g} % of the hands of {PLAYERS[self.player]} took {self.action!r}, those that "
            f"lose least by it: a subsidy of {100 * self.subsidy / self.root_pot:.2f} % of the pot would bring them; "
            f"solved on the spot, the answer is {100 * self.gap / self.root_pot:.2f} % of the pot from the best one"
        )


def solve_as_if(
    solution: PostflopSolution,
    line: str,
    *,
    share: float = SHARE,
    iterations: int | None = None,
    threads: int | None = None,
    watch: Watch = SILENT,
) -> AsIf:
    """Returns the game after the rare action of a line, as if a part of the range took it.

    Of several rare actions each is treated so, the first one first. What is returned is about the last of them.

    :param line: action tokens and dealt cards separated by blanks.
    :param share: part of the range that takes the action, above 0 and below 1.
    :param iterations: iterations of the solve; None takes :data:`ITERATIONS`.
    :param threads: number of threads; None takes one per processor, but one on a river.
    :param watch: hears of the progress.
    :raises SpotError: if the tree has no such decision, the line is taken by at least :data:`THIN` of the range, the
        solution has no EVs or no strategies where they are needed, or ``share`` is out of range.
    :raises MemoryShortageError: if the game after the action does not fit into memory.
    """
    if not 0 < share < 1:
        raise SpotError(f"expected a share between 0 and 1, got {share:g}")
    return _solve(solution, line, share, iterations, threads, watch, [])


def _standing_at(solution: PostflopSolution, line: str) -> Standing:
    node, dealt = find_node(solution, line)
    return standing_of(solution, node, dealt, np.stack([solution.node_reach(each, node, dealt) for each in (0, 1)]))


def _solve(
    solution: PostflopSolution,
    line: str,
    share: float,
    iterations: int | None,
    threads: int | None,
    watch: Watch,
    before: list[str],
) -> AsIf:
    """Returns :func:`solve_as_if`.

    :param before: the line that leads to the root of the solution.
    """
    standing = _standing_at(solution, line)
    if standing.rare is None:
        raise SpotError(
            f"the line {line!r} is taken by {100 * standing.reach:.3g} % of the range of {PLAYERS[standing.player]}: "
            f"the answer as if it were (--as-if) is for lines below {100 * THIN:g} %"
        )
    _, dealt = find_node(solution, line)
    found = _solve_after(solution, standing.rare, dealt, share, iterations, threads, watch)
    tokens = parse_line(line)
    # All cards dealt before the action, and all actions up to it.
    taken = len(found.solution.board) - len(solution.board) + len(line_of(solution.tree, standing.rare.child))
    found = replace(found, action=format_line([*before, *tokens[:taken]]))
    rest = format_line(tokens[taken:])
    if _standing_at(found.solution, rest).rare is not None:
        return _solve(found.solution, rest, share, iterations, threads, watch, [*before, *tokens[:taken]])
    return replace(found, line=rest)


def _solve_after(
    solution: PostflopSolution,
    step: Step,
    dealt: Sequence[int],
    share: float,
    iterations: int | None,
    threads: int | None,
    watch: Watch,
) -> AsIf:
    """Returns the game after one action, with the hands that take it. ``line`` and ``action`` are left empty."""
    tree, spot, player = solution.tree, solution.spot, step.player
    seen = tuple(dealt)[: int(tree.street[step.node]) - spot.street]
    board = (*solution.board, *seen)
    if not solution.knows_values(step.node):
        raise SpotError("the pack holds no EVs at the decision before the rare action, which its answer needs")
    weights = [solution.node_reach(each, step.node, seen) for each in (0, 1)]
    if not all((each > 0).any() for each in weights):
        raise SpotError("a player never gets to the decision before the rare action: there is no range to choose from")
    below, nodes = subtree(tree, step.child)
    game = prepare_tree(below, board, (weights[0], weights[1]), rake=(spot.rake.rate, spot.rake.cap), merge_cards=False)
    game = replace(game, locks=_locks_below(spot, nodes, seen))
    street = int(tree.street[step.node])
    solver = CfrSolver(
        game.game,
        below,
        rake=spot.rake,
        threads=1 if street == RIVER else threads,
        algorithm=_ALGORITHM,
        locks=game.board_locks,
        layout=game.layout,
        memory_limit=available_memory(),
    )
    combos, hands = game.combos[player], game.hands[player]
    first = combos[np.unique(hands, return_index=True)[1]]
    met = met_weight(weights[1 - player], board)[first]
    held = weights[player][first].astype(np.float64)
    # Values of hands count from half the pot at the root, without the chips put in so far.
    stays = solution.node_values(step.node, seen)[player][first].astype(np.float64)
    stays = np.nan_to_num(stays) - tree.root_pot / 2 - float(tree.committed[step.node, player])
    chooser = _Chooser(held, met, stays, share, _BLUR * tree.root_pot)
    solver.set_weights(player, chooser.entering())
    solver.enter(player, chooser.choose)
    total = ITERATIONS[street] if iterations is None else iterations
    watch.begin("as if the line were taken", total, "iterations")
    chunk = {FLOP: 1, TURN: 10, RIVER: 200}[street]
    while solver.iteration < total:
        solver.step(min(chunk, total - solver.iteration))
        watch.update(solver.iteration)
    come = chooser.average()
    solver.set_weights(player, come)
    gap = _gap(solver, game, 1 - player, come, weights)
    entered = list(weights)
    entered[player] = np.zeros_like(weights[player])
    entered[player][combos] = come[hands]
    averages = solver.stored(regret=False)
    after = StoredSolution(_with_ranges(game, entered), averages, (), solver.iteration)
    return AsIf(after, "", "", player, share, chooser.subsidy, gap, tree.root_pot)


class _Chooser:
    """Chooses the hands that take an action: a given part of the range, the best ones first."""

    def __init__(
        self,
        held: NDArray[np.float64],
        met: NDArray[np.float64],
        stays: NDArray[np.float64],
        share: float,
        blur: float,
    ) -> None:
        """Makes a chooser whose hands all come equally often at first.

        :param held: (hands,) weight of each hand before the action.
        :param met: (hands,) weight of the opponent's hands that it can meet.
        :param stays: (hands,) value of each hand if it follows the solution, per opponent hand met.
        :param share: part of the range that comes.
        :param blur: chips within which hands are alike after one iteration.
        """
        self._held, self._met, self._stays, self._share, self._blur = held, met, stays, share, blur
        self._pairs = held * met
        self._chances = np.full(len(held), share)
        self._gains = np.zeros(len(held))
        self._total = np.zeros(len(held))
        self._time = 0
        self.subsidy = 0.0
        """Chips that the least of the hands that come lacks."""

    def entering(self) -> NDArray[np.float32]:
        """Returns float32[hands]: the weights with which hands come in the next pass."""
        weights: NDArray[np.float32] = (self._held * self._chances).astype(np.float32)
        return weights

    def average(self) -> NDArray[np.float32]:
        """Returns float32[hands]: the weights with which hands have come on average, as strategies are averaged."""
        chances = self._total if self._time else self._chances
        weights: NDArray[np.float32] = (self._held * chances).astype(np.float32)
        return weights

    def choose(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Returns :meth:`entering` after one more iteration.

        :param values: (hands,) values of the hands after the action, times the weight of the opponent's hands.
        """
        self._time += 1
        time = self._time
        kept = ((time - 1) / time) ** _GAMMA
        self._total = kept * self._total + (1 - kept) * self._chances
        gains = np.where(self._met > 0, values / np.where(self._met > 0, self._met, 1), 0) - self._stays
        self._gains += 2 / (time + 1) * (gains - self._gains)
        self._chances = self._softly_best(self._blur / np.sqrt(time))
        return self.entering()

    def _softly_best(self, blur: float) -> NDArray[np.float64]:
        """Returns (hands,): probabilities ``min(1, exp((gain - level) / blur))`` of the right sum; sets the subsidy."""
        known = np.flatnonzero(self._pairs > 0)
        best_first = known[np.argsort(-self._gains[known], kind="stable")]
        pairs, gains = self._pairs[best_first], self._gains[best_first] / blur
        # If the first k hands come for certain, the others share what is left of the sum.
        left = self._share * pairs.sum() - np.concatenate(([0.0], np.cumsum(pairs)[:-1]))
        others = np.logaddexp.accumulate((np.log(pairs) + gains)[::-1])[::-1]
        levels = np.where(left > 0, others - np.log(np.where(left > 0, left, 1)), np.inf)
        level = levels[np.argmax(levels >= gains)]
        self.subsidy = -float(level) * blur
        chances = np.zeros(len(self._pairs))
        chances[best_first] = np.exp(np.minimum(gains - level, 0))
        return chances


def _gap(
    solver: CfrSolver,
    game: PreparedSpot,
    player: int,
    come: NDArray[np.float32],
    weights: Sequence[NDArray[np.float32]],
) -> float:
    """Returns what the best answer of ``player`` to the hands that come wins beyond its answer, in chips per deal."""
    best, own = (solver.root_values(player, best_response=b).astype(np.float64) for b in (True, False))
    combos, hands = game.combos[1 - player], game.hands[1 - player]
    entered = np.zeros_like(weights[player])
    entered[combos] = come[hands]
    met = met_weight(entered, game.board)[game.combos[player]]
    pairs = float(weights[player][game.combos[player]].astype(np.float64) @ met)
    mine = game.game.total_weights(player)
    return max(float((best - own) @ mine) / pairs, 0.0) if pairs > 0 else 0.0


def _with_ranges(game: PreparedSpot, ranges: Sequence[NDArray[np.float32]]) -> PreparedSpot:
    """Returns a spot with other weights of the combos that it keeps."""
    by_hand = []
    for player in (0, 1):
        weights = np.zeros(len(game.game.hands[player]), dtype=np.float32)
        weights[game.hands[player]] = ranges[player][game.combos[player]]
        by_hand.append(weights)
    pairs = float(met_weight(ranges[1], game.board) @ ranges[0].astype(np.float64))
    cards = replace(game.game, weights=(by_hand[0], by_hand[1]))
    return replace(game, ranges=(ranges[0], ranges[1]), game=cards, pair_weight=pairs)


def _locks_below(spot: PreparedSpot, nodes: NDArray[np.int32], seen: tuple[int, ...]) -> tuple[LockedNode, ...]:
    """Returns the locks of a spot that hold in the tree below a node.

    :param nodes: the node of the spot's tree for each node of the tree below.
    :param seen: the cards dealt on the way there.
    """
    number = {int(node): index for index, node in enumerate(nodes)}
    return tuple(
        replace(lock, node=number[lock.node], dealt=lock.dealt[len(seen) :])
        for lock in spot.locks
        if lock.node in number
        and all(named is None or named == card for named, card in zip(lock.dealt, seen, strict=False))
    )
