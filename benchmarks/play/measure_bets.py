"""Measures how much an opponent gains by bets and raises of all sizes on a turn or a river, with all its hands.

The opponent checks and calls with every hand. On the street all actions of the player are followed that have a
probability of 3 %. At each decision of the opponent the gain of a bet is what it wins beyond the better of a call and a
fold, if the rest of the hand is called down: the utilities of local best response
(:mod:`hedgehog.analysis.lbr.response`), averaged over its hands, in percent of the pot. Only positive gains count. An
honest bet for value gains too, so figures mean something only in comparison::

    python -m benchmarks.play.measure_bets turn --boards 30 --out turn.json
    python -m benchmarks.play.measure_bets turn --boards 30 --compare turn.json

The second command, of another version, prints the differences on the decisions that both have met.
"""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.common import run
from hedgehog.agent.player import ReportsStrategy
from hedgehog.analysis.lbr._kernels import hand_equity_kernel
from hedgehog.analysis.lbr.match import make_opponent, open_player
from hedgehog.analysis.lbr.response import LbrDecision
from hedgehog.analysis.lbr.settings import parse_lbr_setting, raise_to
from hedgehog.analysis.stats.estimate import mean_estimate
from hedgehog.analysis.stats.number_text import format_estimate
from hedgehog.cli.outputs import overwrite_option
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, combo_mask
from hedgehog.poker.evaluation.evaluator import evaluator_tables
from hedgehog.poker.state import CALL, HandState
from hedgehog.poker.streets import BOARD_CARDS, RIVER, TURN
from hedgehog.runtime.files import write_text_file
from hedgehog.runtime.outputs import verify_output_file

STREETS: Final = {"turn": TURN, "river": RIVER}
SIZES: Final = (0.5, 1, 2, 4, 9, 99)
"""Bets in pots; of the 56 bets of local best response, those that are nearest."""
BANDS: Final = ((0, 0.8), (0.8, 1.5), (1.5, 4), (4, 1000))
LEAST_PROBABILITY: Final = 0.03
KINDS: Final[dict[str, Callable[[str, int], bool]]] = {
    "first to act": lambda betting, ask: betting.endswith("/"),
    "after a check": lambda betting, ask: ask == 0 and not betting.endswith("/"),
    "facing a bet": lambda betting, ask: ask > 0,
}
DISJOINT: Final = np.array([combo_mask(tuple(cards)) for cards in COMBO_CARDS.tolist()])
"""(1326, 1326) True for pairs of combos that share no card."""
Decisions = dict[str, dict[str, Any]]


class Bets:
    """The decisions of an opponent of one player, and what bets gain at them."""

    def __init__(self, player: ReportsStrategy, street: int) -> None:
        self._opponent = make_opponent(player)
        self._street = street
        self._actions = parse_lbr_setting("56bets").rounds[street]
        self.decisions: Decisions = {}

    def play(self, number: int, seed: int) -> None:
        """Follows one deal of the cards, with the opponent in both positions."""
        rng = random.Random(f"{seed}/{number}")
        cards = rng.sample(range(52), 9)
        board = tuple(cards[4:])
        equity = equities(board[: BOARD_CARDS[self._street]])
        for position in (0, 1):
            spot = LbrDecision(
                2 * number + position, 1 - position, (cards[2], cards[3]), board, HandState(load_gamedef())
            )
            for found, reach in self._walk(spot, np.ones(NUM_COMBOS), rng):
                self._measure(f"{number} {found.state.betting_string()}", found, reach, equity)

    def _walk(
        self, spot: LbrDecision, reach: NDArray[np.float64], rng: random.Random
    ) -> Iterator[tuple[LbrDecision, NDArray[np.float64]]]:
        """Yields the opponent's decisions on the street, with the weights of the player's combos."""
        state = spot.state
        while not state.finished and state.round <= self._street:
            live = reach * combo_mask(spot.visible_board)
            if state.acting_position != spot.position:
                if state.round == self._street:
                    yield spot._replace(state=state.copy()), live
                state.perform(CALL)
                continue
            reply = self._opponent.reply(spot)
            shares = (reply.probabilities @ live / live.sum()).tolist()
            going_on = [number for number, action in enumerate(reply.actions) if action.kind != "f"]
            if state.round < self._street:
                chosen = rng.choices(going_on, [shares[number] for number in going_on])[0]
                reach = reach * reply.probabilities[chosen]
                state.perform(reply.actions[chosen])
                continue
            for number in going_on:
                if shares[number] >= LEAST_PROBABILITY:
                    after = spot._replace(state=state.after(reply.actions[number]))
                    yield from self._walk(after, reach * reply.probabilities[number], rng)
            return

    def _measure(self, name: str, spot: LbrDecision, reach: NDArray[np.float64], equity: NDArray[np.float64]) -> None:
        """Notes what bets of all sizes gain at a decision of the opponent, and how often the player folds to them."""
        state = spot.state
        pot, ask = sum(state.spent), state.max_spent - state.spent[state.acting_position]
        totals = np.array(self._actions.raise_totals(state))
        if not len(totals):
            return
        sizes = (totals - state.max_spent) / (pot + ask)
        # By the opponent's combo: the weight of the player's combos that it can meet, and the part that it beats.
        met = DISJOINT * reach
        beaten = met * equity
        mass, won = met.sum(axis=1) + 1e-12, beaten.sum(axis=1)
        called = (won * pot - (mass - won) * ask) / mass
        base = np.maximum(called, 0) if ask else called
        weights = combo_mask(spot.visible_board) * mass
        weights /= weights.sum()
        best, bets = np.zeros(NUM_COMBOS), []
        for number in sorted({int(np.argmin(np.abs(np.log(sizes / size)))) for size in SIZES}):
            after = state.after(raise_to(state, int(totals[number])))
            reply = self._opponent.reply(spot._replace(state=after))
            fold = reply.probabilities[[action.kind for action in reply.actions].index("f")]
            folds, folds_beaten = met @ fold, beaten @ fold
            added = int(totals[number]) - state.max_spent
            stay, stay_won = mass - folds, won - folds_beaten
            wins = (folds * pot + stay_won * (pot + added) - (stay - stay_won) * (ask + added)) / mass
            best = np.maximum(best, wins - base)
            gain, folded = weights @ np.maximum(wins - base, 0) / pot, weights @ (folds / mass)
            bets.append((float(sizes[number]), 100 * float(gain), float(folded)))
        self.decisions[name] = {"ask": ask, "best": 100 * float(weights @ best) / pot, "bets": bets}


def equities(board: tuple[int, ...]) -> NDArray[np.float64]:
    """Returns (1326, 1326): the share of the pot that each combo wins against each other; 0 if it hits the board."""
    found = np.zeros((NUM_COMBOS, NUM_COMBOS))
    wins, ranks = np.empty(NUM_COMBOS, dtype=np.int32), np.empty(NUM_COMBOS, dtype=np.int32)
    full = np.zeros(5, dtype=np.uint8)
    full[: len(board)] = board
    for combo in np.flatnonzero(combo_mask(board)).tolist():
        low, high = sorted(COMBO_CARDS[combo].tolist())
        hand_equity_kernel(found[combo], wins, ranks, full, len(board), low, high, evaluator_tables())
    return found


def _mean(values: list[float]) -> str:
    return f"{format_estimate(mean_estimate(values), 2):>16s}"


def report(new: Decisions, old: Decisions) -> None:
    """Prints the gains by what came before the decision and by the size of the bet.

    :param old: decisions of another version, for the differences; may be empty.
    """
    names = [name for name in new if not old or name in old]
    click.echo(
        f"{len(names)} decisions; gain in % of the pot" + (", and less than in the other version" if old else "")
    )
    for kind, is_kind in KINDS.items():
        here = [name for name in names if is_kind(name, new[name]["ask"])]
        if not here:
            continue
        less = _mean([old[name]["best"] - new[name]["best"] for name in here]) if old else ""
        click.echo(f"{kind:14s} best of all sizes  {len(here):5d} {_mean([new[name]['best'] for name in here])} {less}")
        for low, high in BANDS:
            gains, folds, lower = [], [], []
            for name in here:
                others = {size: gain for size, gain, _ in old[name]["bets"]} if old else {}
                for size, gain, folded in new[name]["bets"]:
                    if low <= size < high:
                        gains.append(gain)
                        folds.append(folded)
                        lower += [others[size] - gain] if size in others else []
            if gains:
                text = f"{low:g} to {high:g} pots"
                less = _mean(lower) if lower else ""
                click.echo(
                    f"{'':14s} {text:18s} {len(gains):5d} {_mean(gains)} {less}  folds {statistics.mean(folds):.3f}"
                )


@click.command()
@click.argument("street", type=click.Choice(list(STREETS)))
@click.option("--player", default="default", show_default=True)
@click.option("--boards", type=click.IntRange(1), default=30, show_default=True)
@click.option("--seed", type=int, default=5, show_default=True)
@click.option("--think-ms", type=int, default=300, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="Where to keep all decisions as JSON.")
@click.option("--compare", type=click.Path(path_type=Path), help="The --out of another version.")
@overwrite_option
def main(
    street: str,
    player: str,
    boards: int,
    seed: int,
    think_ms: int,
    out: Path | None,
    compare: Path | None,
    overwrite: bool,
) -> None:
    """Print gains by situation and size, with 95 % intervals."""
    if out is not None:
        verify_output_file(out, overwrite=overwrite, inputs=[compare] if compare else [])
    old: Decisions = json.loads(compare.read_text()) if compare else {}
    bets = Bets(open_player(player, load_gamedef(), seed, think_ms, threads=1), STREETS[street])
    for number in range(boards):
        bets.play(number, seed)
        if out is not None:
            write_text_file(out, json.dumps(bets.decisions))
    report(bets.decisions, old)


if __name__ == "__main__":
    run(main)
