"""Measures how often flops refined at the table fold: the fold audit on flop lines, packs against live.

    python -m benchmarks.play.measure_flop_folds [--boards N] [--think-ms MS]

Every flop is refined with the true bet in the tree, also where a flop pack holds it
(:mod:`hedgehog.agent.strategy.live_flop`). The clock does not end the refinement, so that a busy machine gives the same
figures. Both players are audited on the same flops. The lines are those on which a bluff earned most when the packs
were audited on 20 boards.
"""

from __future__ import annotations

import click

from benchmarks.common import packs_alone, run
from hedgehog.agent.options import Options
from hedgehog.agent.strategy.hand_view import view_of_state
from hedgehog.agent.strategy.live_flop import FlopLiveSolver
from hedgehog.agent.strategy.live_strategy import LiveStrategy
from hedgehog.analysis.fold_audit import BIG_BLIND_SEAT, Probe, audit_folds
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction

LINES = ("r250 B r2125 c c", "r250 c c", "c c c")
BETS = ("0.5", "1")


class Audited:
    """A player of which only the strategy is asked."""

    def __init__(self, strategy: LiveStrategy) -> None:
        self._strategy = strategy

    def strategy(self, matchstate: MatchState) -> Options:
        """Returns the strategy of all hands."""
        return self._strategy.options(view_of_state(matchstate.state, matchstate.board))[1]


@click.command()
@click.option("--boards", type=click.IntRange(1), default=5, show_default=True)
@click.option("--think-ms", type=int, default=3000, show_default=True)
def main(boards: int, think_ms: int) -> None:
    """Print a line for each bet: the limit, and the shares of the range that fold."""
    packs, gamedef = packs_alone(), load_gamedef()
    cards = CardAbstraction.load_or_build(packs.blueprint.table.config["cards"])
    flop = FlopLiveSolver(packs, cards, everywhere=True, least_boards=1)
    for line in LINES:
        for bet in BETS:
            probes = [Probe(BIG_BLIND_SEAT, (*line.split(), bet))]
            found = []
            for solvers in ((), (flop,)):
                player = Audited(LiveStrategy(packs, solvers, think_ms))
                found += audit_folds(player, gamedef, boards=boards, seed=0, probes=probes)
            of_packs, live = found
            folds = f"packs fold {of_packs.fold:.1%}, live {live.fold:.1%}"
            click.echo(f"{of_packs.line} {bet}: limit {of_packs.alpha:.1%}, {folds}")


if __name__ == "__main__":
    run(main)
