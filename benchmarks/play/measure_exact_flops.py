"""Measures what an exact flop pack adds to the shipped packs, on its own flops, from packs alone or with live solving.

    python -m benchmarks.play.measure_exact_flops PACK [--line r250c] [--boards N] [--hands N] [--think-ms MS]

Two players are compared: the player with the shipped packs, and the same player with PACK beside them. Flops are drawn
from the pack by weight, turn and river at random.

* Head to head: on every board all hands of both players play against each other, in both seats, from the
  start of the flop. Every action of either strategy is followed to the end, so only the board is drawn.
* Local best response, in lines of one raise: the same cards against both players, luck left out. It sits in the big
  blind and calls the raise of the player, whose range is that of the raise.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.common import run
from hedgehog.agent.player import ReportsStrategy
from hedgehog.analysis.lbr.match import make_opponent, open_player
from hedgehog.analysis.lbr.response import LbrDecision, LocalBestResponse, Opponent, Reply
from hedgehog.analysis.lbr.settings import parse_lbr_setting
from hedgehog.analysis.stats.estimate import Estimate, mean_estimate
from hedgehog.analysis.stats.number_text import format_estimate
from hedgehog.cli.progress import show_progress
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.poker.acpc.matchstate import parse_betting
from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS, combo_mask
from hedgehog.poker.evaluation.equity import class_equities
from hedgehog.poker.evaluation.evaluator import rank_combos
from hedgehog.poker.isomorphism import flop_representative
from hedgehog.poker.state import Action, HandState
from hedgehog.strategies.flop_pack import FlopLine, read_flop_lines
from hedgehog.strategies.pack import default_packs, open_pack

GAME: Final = "holdem.nolimit.2p.reverse_blinds"
LEAST_MASS: Final = 1e-4
"""A betting line that fewer of the million pairs of hands reach is not followed any further."""
Floats = NDArray[np.float64]


class BoardMatch:
    """All hands of two strategies against each other on one board."""

    def __init__(self, seats: Sequence[Opponent], board: tuple[int, ...], hand_id: int) -> None:
        """Prepares a board; ``seats`` are the strategies in positions 0 and 1."""
        self._seats = seats
        self._board = board
        self._hand_id = hand_id
        self._live = np.flatnonzero(combo_mask(board))
        holds = np.zeros((len(self._live), NUM_CARDS), dtype=np.float32)
        np.put_along_axis(holds, COMBO_CARDS[self._live].astype(np.int64), 1, axis=1)
        self._pairs = (holds @ holds.T == 0).astype(np.float32)
        ranks = np.asarray(rank_combos(board), dtype=np.int64)[self._live]
        self._shown = self._pairs * np.sign(ranks[:, None] - ranks[None, :]).astype(np.float32)

    def won(self, state: HandState, reach: tuple[Floats, Floats]) -> float:
        """Returns the chips that position 0 wins from ``state`` on, summed over all pairs of hands."""
        if state.finished:
            spent = float(min(state.spent))
            if state.num_folded:
                return (-spent if state.folded[0] else spent) * self.mass(reach)
            return spent * self._summed(self._shown, reach)
        if reach[0].sum() * reach[1].sum() < LEAST_MASS:
            return 0.0
        seat = state.acting_position
        actions, probabilities = self._seats[seat].reply(_spot(self._hand_id, seat, self._board, state))
        total = 0.0
        for action, share in zip(actions, probabilities, strict=True):
            after = state.after(action)
            mine = reach[seat] * share
            total += self.won(after, (mine, reach[1]) if seat == 0 else (reach[0], mine))
        return total

    def mass(self, reach: tuple[Floats, Floats]) -> float:
        """Returns the number of pairs of hands, weighted by reach."""
        return self._summed(self._pairs, reach)

    def _summed(self, values: NDArray[np.float32], reach: tuple[Floats, Floats]) -> float:
        mine, theirs = (weights[self._live].astype(np.float32) for weights in reach)
        return float(mine @ (values @ theirs))


def raise_and_call(betting: str, gamedef: GameDef) -> HandState:
    """Returns the state before the flop after the raise of a line of one raise and a call.

    :raises ValueError: if the betting is not a raise and a call.
    """
    if betting.count("r") != 1 or parse_betting(betting + "/", gamedef).round != 1:
        raise ValueError(f"{betting!r} is not a raise and a call before the flop")
    return parse_betting(betting[:-1], gamedef)


def reach_of(
    seats: Sequence[Opponent], betting: str, board: tuple[int, ...], number: int, gamedef: GameDef
) -> tuple[Floats, Floats]:
    """Returns how often every hand of both seats comes to the flop after a betting, each (1326,)."""
    reach = [combo_mask(board).astype(np.float64), combo_mask(board).astype(np.float64)]
    for state, action in parse_betting(betting + "/", gamedef).replay():
        seat = state.acting_position
        found = seats[seat].reply(_spot(number, seat, board, state))
        reach[seat] *= found.probabilities[found.actions.index(action)]
    return reach[0], reach[1]


def draw_board(line: FlopLine, rng: random.Random) -> tuple[int, ...]:
    """Returns five cards: a flop of the pack by weight, turn and river at random."""
    number = rng.choices(line.classes.tolist(), line.weights.tolist())[0]
    flop = tuple(int(card) for card in flop_representative(number))
    return (*flop, *rng.sample([card for card in range(NUM_CARDS) if card not in flop], 2))


def play_boards(
    specs: Sequence[str], line: FlopLine, boards: int, seed: int, gamedef: GameDef, think_ms: int
) -> Estimate:
    """Returns what the second player wins from the first on random boards, in percent of the pot at the flop."""
    seats = [make_opponent(open_player(spec, gamedef, seed, think_ms, 1)) for spec in specs]
    start = parse_betting(line.betting + "/", gamedef)
    rng = random.Random(seed)
    values = []
    with show_progress("head to head", boards, "boards", "") as shown:
        for number in range(boards):
            board = draw_board(line, rng)
            won = []
            for order in (seats, seats[::-1]):
                reach = reach_of(order, line.betting, board, number, gamedef)
                match = BoardMatch(order, board, number)
                won.append(match.won(start, reach) / match.mass(reach))
            # Position 0 is the first player's in the first match and the second's in the other.
            values.append(100 * (won[1] - won[0]) / 2 / sum(start.spent))
            shown.advance(1, "")
    return mean_estimate(values)


class Opened:
    """A player under test that has raised before the flop in every hand, with the range that raises."""

    def __init__(self, player: ReportsStrategy, size: int) -> None:
        """Asks ``player`` from the flop on; its raise before the flop is to ``size`` chips."""
        self._opponent = make_opponent(player)
        self._raise = Action("r", size)
        self.own: tuple[int, int] = (0, 1)
        """Hole cards of local best response."""

    def reply(self, spot: LbrDecision) -> Reply:
        """Returns the player's strategy, and before the flop the raise alone."""
        reply = self._opponent.reply(spot)
        if spot.state.round:
            return reply
        row = reply.probabilities[reply.actions.index(self._raise)]
        # As if it raised all its hands, in the proportions of those that it does raise: so the raise is no luck.
        live = combo_mask(self.own)
        return Reply([self._raise], (row * (live.sum() / (row @ live)))[None])

    def fold_masses(self, spot: LbrDecision, raise_totals: Sequence[int], reach: Floats, equity: Floats) -> Floats:
        """Returns how much of the player's range folds to each of several bets."""
        return self._opponent.fold_masses(spot, raise_totals, reach, equity)


def respond(
    spec: str, setting: str, line: FlopLine, gamedef: GameDef, hands: int, seed: int, think_ms: int
) -> list[float]:
    """Returns what local best response wins from the big blind in each hand, in mbb. Cards depend on the seed alone."""
    opened = Opened(open_player(spec, gamedef, seed, think_ms, 1), raise_and_call(line.betting, gamedef).max_spent)
    lbr = LocalBestResponse(gamedef, parse_lbr_setting(setting), opened, class_equities())
    won = []
    with show_progress(f"{setting}, {spec[:7]}", hands, "hands", "") as shown:
        for hand in range(hands):
            rng = random.Random(f"{seed}/{hand}")
            board = draw_board(line, rng)
            cards = rng.sample([card for card in range(NUM_CARDS) if card not in board], 4)
            opened.own = (cards[0], cards[1])
            result = lbr.play_hand(hand, 0, (opened.own, (cards[2], cards[3])), board, rng)
            won.append(result.adjusted * 1000 / gamedef.big_blind)
            shown.advance(1, "")
    return won


@click.command()
@click.argument("path", metavar="PACK", type=click.Path(path_type=Path))
@click.option("--line", "betting", default="r250c", show_default=True, help="Preflop betting.")
@click.option("--boards", type=int, default=200, show_default=True, help="Boards of the match, 2 or more; 0: no match.")
@click.option("--hands", type=int, default=1000, show_default=True, help="Hands of local best response.")
@click.option("--setting", "settings", multiple=True, help="Setting of local best response; repeatable.")
@click.option("--think-ms", type=int, default=0, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
def main(
    path: Path, betting: str, boards: int, hands: int, settings: tuple[str, ...], think_ms: int, seed: int
) -> None:
    """Print one line for every comparison of the player with PACK and without it."""
    (line,) = (found for found in read_flop_lines(open_pack(path)) if found.betting == betting)
    gamedef = load_gamedef(GAME)
    with tempfile.TemporaryDirectory() as folder:
        for source in (*default_packs().iterdir(), path):
            (Path(folder) / source.name).symlink_to(source.resolve())
        specs = ("default", f"pack:{folder}")
        if boards:
            gain = play_boards(specs, line, boards, seed, gamedef, think_ms)
            click.echo(f"head to head, {gain.n} boards: {format_estimate(gain, 2)} % of the pot")
        for setting in settings:
            won = [np.array(respond(spec, setting, line, gamedef, hands, seed, think_ms)) for spec in specs]
            texts = [f"{e.mean:,.0f} ± {e.half_width:,.0f}" for e in map(mean_estimate, (*won, won[1] - won[0]))]
            click.echo(f"{setting}, {hands} hands: without {texts[0]}, with {texts[1]}, difference {texts[2]} mbb")


def _spot(hand_id: int, position: int, board: tuple[int, ...], state: HandState) -> LbrDecision:
    free = [card for card in range(NUM_CARDS) if card not in board]
    return LbrDecision(hand_id, position, (free[0], free[1]), board, state)


if __name__ == "__main__":
    run(main)
