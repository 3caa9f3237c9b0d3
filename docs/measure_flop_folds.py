"""Measures how often flops refined at the table fold: the fold audit on flop lines, packs against live.

usage: python docs/measure_flop_folds.py [--boards N] [--think-ms MS]

Every flop is refined with the true bet in the tree, also where a flop pack holds it
(:mod:`hedgehog.agent.strategy.live_flop`). The clock does not end the refinement, so that a busy machine gives the same
figures. Both players are audited on the same flops. The lines are those on which a bluff earned most when the packs
were audited on 20 boards.
"""

from __future__ import annotations

import argparse

from hedgehog.agent.options import Options
from hedgehog.agent.strategy.hand_view import view_of_state
from hedgehog.agent.strategy.live_flop import FlopLiveSolver
from hedgehog.agent.strategy.live_strategy import LiveSolver, LiveStrategy, NeverSolves
from hedgehog.agent.strategy.pack_strategy import PackStrategy
from hedgehog.agent.strategy.player_packs import open_player_packs
from hedgehog.agent.strategy.sources import BlueprintSource, ExactFlops
from hedgehog.analysis.fold_audit import BIG_BLIND_SEAT, Probe, audit_folds
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.strategies.pack import default_packs

LINES = ("r250 B r2125 c c", "r250 c c", "c c c")
BETS = ("0.5", "1")


class Audited:
    """A player of which only the strategy is asked."""

    def __init__(self, strategy: LiveStrategy) -> None:
        self._strategy = strategy

    def strategy(self, matchstate: MatchState) -> Options:
        """Returns the strategy of all hands."""
        return self._strategy.options(view_of_state(matchstate.state, matchstate.board))[1]


def main() -> None:
    """Prints a line for each bet: the limit, and the shares of the range that fold."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--boards", type=int, default=5)
    parser.add_argument("--think-ms", type=int, default=3000)
    options = parser.parse_args()
    opened = open_player_packs([default_packs()])
    table = opened.blueprint
    cards = CardAbstraction.load_or_build(table.config["cards"])
    packs = PackStrategy(
        BlueprintSource(opened.gamedef, table, cards, opened.quick),
        ExactFlops(opened.gamedef, table.tree, opened.lines),
    )
    solvers: tuple[LiveSolver, ...] = (NeverSolves(), FlopLiveSolver(packs, cards, everywhere=True, least_boards=1))
    for line in LINES:
        for bet in BETS:
            probes = [Probe(BIG_BLIND_SEAT, (*line.split(), bet))]
            found = []
            for solver in solvers:
                player = Audited(LiveStrategy(packs, solver, options.think_ms))
                found += audit_folds(player, opened.gamedef, boards=options.boards, seed=0, probes=probes)
            of_packs, live = found
            print(
                f"{of_packs.line} {bet}: limit {of_packs.alpha:.1%}, packs fold {of_packs.fold:.1%}, "
                f"live {live.fold:.1%}",
                flush=True,
            )


if __name__ == "__main__":
    main()
