"""The strategy of a blueprint on a board after a betting line, over its own betting tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.acpc.betting_line import parse_betting_line
from hedgehog.poker.cards import NUM_COMBOS
from hedgehog.poker.state import HandState
from hedgehog.poker.streets import FLOP
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.packs.blueprint_spot import blueprint_spot, bucket_probabilities, card_tables
from hedgehog.solver.postflop.responses.given_strategy import GivenStrategy
from hedgehog.strategies.betting_tree import subtree
from hedgehog.strategies.blueprint_pack import BlueprintTable, read_blueprint
from hedgehog.strategies.pack import open_pack
from hedgehog.strategies.pack_games import DEFAULT_DEPTH, find_blueprints, nearest_depth


def blueprint_strategy(
    path: str | Path, line: str, board: Sequence[int], report: Callable[[str], None] | None = None
) -> GivenStrategy:
    """Returns what both players of a blueprint do after a betting line on a board.

    Hands of one bucket act alike. Flop packs that refine the blueprint play no part.

    :param path: folder of a blueprint pack, or a folder of packs, of which the default game's blueprint is taken.
    :param line: the betting, in the notation of :mod:`hedgehog.poker.acpc.betting_line`.
    :param board: three to five card ids, in the order in which they are dealt.
    :param report: called with messages while card tables are built.
    :raises HedgehogError: if there is no blueprint, or it lacks the line or never takes it.
    """
    game = nearest_depth(find_blueprints(path), DEFAULT_DEPTH)
    opened = open_pack(game.blueprint)
    table = read_blueprint(opened)
    cards = card_tables(table, opened.folder, report)
    return strategy_after(table, parse_betting_line(line, game.gamedef), board, cards)


def strategy_after(
    table: BlueprintTable, betting: HandState, board: Sequence[int], cards: Callable[[], CardAbstraction]
) -> GivenStrategy:
    """Returns what both players of a blueprint do after a betting line on a board.

    :param betting: the state of the hand after the line, in the blueprint's game.
    :param board: three to five card ids, in the order in which they are dealt.
    :param cards: returns the card tables of the blueprint.
    :raises HedgehogError: if the blueprint lacks the line or never takes it.
    """
    spot = blueprint_spot(table, betting, board, cards)
    tree, old = subtree(table.tree, spot.node)

    @cache
    def buckets(dealt: tuple[int, ...]) -> NDArray[np.uint16]:
        shown = (*spot.board, *dealt)
        return cards().buckets(FLOP + len(shown) - 3, shown)

    def rows(node: int, dealt: tuple[int, ...]) -> NDArray[np.float32]:
        return bucket_probabilities(table, int(old[node]), buckets(dealt)).T.astype(np.float32)

    everything = np.ones(NUM_COMBOS, dtype=np.float32)
    return GivenStrategy(tree, spot.board, (everything, everything), rows)
