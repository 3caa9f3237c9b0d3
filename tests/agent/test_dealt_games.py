"""Small games of the dealer against published values, the linear programs of other trees, and the dealer itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hedgehog.agent.dealt_games import (
    MOST_GAIN,
    game_of_dealer,
    objection_to_small_game,
    seen_by_player,
    solve_small_game,
)
from hedgehog.gametheory.examples import EXAMPLES
from hedgehog.gametheory.sequence_form import solve_sequence_form
from hedgehog.gametheory.strategies import expected_payoffs
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.poker.acpc.matchstate import parse_matchstate
from hedgehog.runtime.errors import GameError

KUHN = load_gamedef("kuhn.limit.2p")
LEDUC = load_gamedef("leduc.limit.2p")
KUHN_3 = load_gamedef("kuhn.limit.3p")


@pytest.mark.parametrize(("gamedef", "example", "value"), [(KUHN, "kuhn", -1 / 18), (LEDUC, "leduc", -0.0856064)])
def test_values_are_those_of_the_literature_and_of_the_shipped_rules(
    gamedef: GameDef, example: str, value: float
) -> None:
    solved = solve_small_game(gamedef)
    paid = expected_payoffs(solved.tree, solved.profile)
    assert paid[0] == pytest.approx(value, abs=1e-7)
    assert paid[0] == pytest.approx(solve_sequence_form(EXAMPLES[example].build()).value, abs=1e-9)
    assert solved.gains == pytest.approx((0, 0), abs=1e-9)


def test_three_player_kuhn_is_in_the_published_family() -> None:
    """Szafron, Gibson and Sturtevant (2013): player 1 never bets first, player 3 bets the lowest card after two checks
    with c11 <= 1/2, and the players win -(1/2 + b) / 24, -1/48 and (1 + b) / 24 antes, where b <= 1/4 is the larger of
    the probabilities with which player 2 bets the two lowest cards."""
    solved = solve_small_game(KUHN_3)
    assert max(solved.gains) < MOST_GAIN
    rows = solved.rows
    lowest, second = "JQ"  # the ranks of a deck of four, as the dealer deals them
    assert all(rows[card]["r"] < 1e-3 for card in "JQKA")
    assert rows[f"{lowest} c c"]["r"] <= 1 / 2 + 1e-2
    b = max(rows[f"{lowest} c"]["r"], rows[f"{second} c"]["r"])
    assert b <= 1 / 4 + 1e-3
    paid = expected_payoffs(solved.tree, solved.profile)
    np.testing.assert_allclose(paid, [-(1 / 2 + b) / 24, -1 / 48, (1 + b) / 24], atol=3e-4)


def test_what_a_player_has_seen_names_his_information_sets() -> None:
    state = parse_matchstate("MATCHSTATE:0:0:rc/c:Ks|/Qh", LEDUC)
    board = state.board
    assert seen_by_player(state.state, state.hole_cards[0], board) == "K r c Q c"
    tree = game_of_dealer(LEDUC).build()
    assert {infoset.name for infoset in tree.infosets} == set(solve_small_game(LEDUC).rows)


@pytest.mark.parametrize(
    ("gamedef", "objection"),
    [
        (load_gamedef(), "no-limit"),
        (load_gamedef("holdem.limit.2p.reverse_blinds"), "2 hole cards"),
        (replace(LEDUC, num_ranks=13, num_suits=4), "too large"),
        (replace(KUHN_3, num_players=8, num_ranks=13, blinds=(1,) * 8, stacks=(9,) * 8), "too large"),
    ],
)
def test_other_games_are_refused(gamedef: GameDef, objection: str) -> None:
    assert objection in str(objection_to_small_game(gamedef))
    with pytest.raises(GameError, match=objection):
        game_of_dealer(gamedef)


def test_chips_change_nothing_but_the_unit() -> None:
    doubled = replace(LEDUC, blinds=(2, 2), raise_sizes=(4, 8))
    assert solve_small_game(doubled).rows.keys() == solve_small_game(LEDUC).rows.keys()
    paid = [expected_payoffs(s.tree, s.profile)[0] for s in (solve_small_game(doubled), solve_small_game(LEDUC))]
    assert paid[0] == pytest.approx(2 * paid[1], abs=1e-9)
