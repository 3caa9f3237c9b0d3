"""A flop of an exact pack answers like the solve that it was made of, in any suits."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from hedgehog.analysis.solves.meetings.sources import versus
from hedgehog.poker.cards import combo_mask, parse_cards
from hedgehog.poker.isomorphism import COMBO_PERMUTATIONS, flop_class, flop_representative, permute_cards
from hedgehog.poker.ranges import parse_range
from hedgehog.poker.streets import FLOP, RIVER, TURN
from hedgehog.runtime.engines.local import Engine
from hedgehog.runtime.engines.running import run_jobs
from hedgehog.runtime.errors import InputError, SpotError
from hedgehog.solver.abstraction.solving import solve
from hedgehog.solver.blueprint.table import PreflopLine
from hedgehog.solver.packs.blueprint import normalised_ranges
from hedgehog.solver.packs.exact_assembly import assemble
from hedgehog.solver.packs.exact_config import read_flop_pack_config
from hedgehog.solver.packs.exact_flops import ExactBuild, with_multiplicities
from hedgehog.solver.packs.jobs import flop_classes
from hedgehog.solver.packs.pack_solution import PackFlops, open_pack_flops
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.queries import find_node, view_node
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import parse_spot
from hedgehog.strategies.betting_tree import NodeKind
from hedgehog.strategies.flop_pack import read_flop_lines, row_faults
from hedgehog.strategies.flop_turns import turn_cards
from hedgehog.strategies.pack import open_pack
from tests.strategies.provenance import PROVENANCE

CONFIG = """\
kind: flops
name: deep
blueprint: none
target_pct: 0.1
max_iterations: 20
depth: turn
evs: flop
lines:
  - name: three_bet
    betting: r250r850c
    flop: {oop: "75% / a", ip: "75% / a"}
    turn: {oop: "50% / a", ip: "a"}
    river: {oop: "a", ip: "a"}
flops: [Qh Jh 2c, 7d 7c 7h]
"""


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> ExactBuild:
    folder = tmp_path_factory.mktemp("deep")
    (folder / "deep.yaml").write_text(CONFIG)
    config = read_flop_pack_config(folder / "deep.yaml")
    ranges = np.stack([parse_range("QQ+,AKs,T9s"), parse_range("JJ,TT,AQs,KQs:0.5")])
    start = PreflopLine(0, "r250r850c", 1700, 3000, 0.1, ranges)
    classes = tuple(with_multiplicities(flop_classes(config.flops)))
    build = ExactBuild(config, {"three_bet": start}, "GAMEDEF\n", "ab" * 32, folder / "work", classes)
    with Engine(ThreadPoolExecutor(1), 1) as engine:
        run_jobs(build, engine)
    assemble(build, PROVENANCE, folder / "pack")
    return build


@pytest.fixture(scope="module")
def flops(build: ExactBuild) -> PackFlops:
    return open_pack_flops(build.work.parent / "pack")


def test_the_pack_is_sound_and_says_how_many_bytes_its_turns_take(build: ExactBuild) -> None:
    folder = build.work.parent / "pack"
    (line,) = read_flop_lines(open_pack(folder))
    assert line.turns is not None
    assert row_faults(line) == 0
    # 49 cards in classes under the suits that the flop leaves interchangeable.
    counts = {"Qh Jh 2c": 49 - 13, "7d 7c 7h": 12 + 13}
    numbers = {flop_class(parse_cards(flop))[0]: count for flop, count in counts.items()}
    assert line.turns.counts.tolist() == [numbers[index] for index in sorted(numbers)]
    assert build.turn_bytes() == line.turns.rows.size
    written = sum(file.stat().st_size for file in folder.glob("*.npy"))
    assert build.pack_bytes() == pytest.approx(written, abs=200 * len(list(folder.glob("*.npy"))))
    quality = open_pack(folder).manifest.quality["three_bet"]["exploitability_pct_pot"]
    assert list(quality) == ["Qs Js 2h", "7s 7h 7d"]
    assert list(quality.values()) == pytest.approx(line.quality[:, 0].tolist(), abs=5e-4)
    assert line.weights.tolist() == [12, 4]


@pytest.mark.parametrize("flop", ["Jd 2s Qd", "7c 7h 7s"])
def test_strategies_and_evs_are_those_of_the_solve_in_other_suits(
    build: ExactBuild, flops: PackFlops, flop: str
) -> None:
    found, rest = flops.find(f"three_bet {flop} X")
    assert rest == "X"
    solution = found.solution
    board = parse_cards(flop)
    # Unfinished solves of a flop in other suits differ by more than rounding, so the class's representative is solved.
    index, permutation = flop_class(board)
    ranges = list(normalised_ranges(build.starts["three_bet"].ranges))
    solver = PostflopSolver(prepare_tree(build.tree("three_bet"), flop_representative(index), ranges), threads=1)
    solver.run(found.iterations)
    renamed = COMBO_PERMUTATIONS[permutation]
    tree = solution.tree
    decisions = {
        street: np.flatnonzero((tree.kind == NodeKind.DECISION) & (tree.street == street)) for street in (FLOP, TURN)
    }
    own = {
        street: np.flatnonzero((solver.tree.kind == NodeKind.DECISION) & (solver.tree.street == street))
        for street in (FLOP, TURN)
    }
    held = solution.spot.combos
    for node, real in zip(decisions[FLOP].tolist(), own[FLOP].tolist(), strict=True):
        player = int(tree.player[node])
        mine = held[player]
        np.testing.assert_allclose(
            solution.node_strategy(node)[:, mine], solver.node_strategy(real)[:, renamed][:, mine], atol=2 / 255
        )
        np.testing.assert_allclose(
            solution.node_values(node)[player, mine], solver.node_values(real)[player, renamed[mine]], atol=2, rtol=1e-3
        )
    dealt = [card for card in range(52) if card not in board][::6]
    assert {card & 3 for card in dealt} == {0, 1, 2, 3}
    for node, real in zip(decisions[TURN][:6].tolist(), own[TURN][:6].tolist(), strict=True):
        mine = held[int(tree.player[node])]
        for card in dealt:
            live = mine[combo_mask((*board, card))[mine]]
            np.testing.assert_allclose(
                solution.node_strategy(node, (card,))[:, live],
                solver.node_strategy(real, permute_cards((card,), permutation))[:, renamed][:, live],
                atol=2 / 255,
            )


def test_turns_have_no_evs(flops: PackFlops) -> None:
    found, rest = flops.find("Qd Jd 2s X X 7d")
    node, dealt = find_node(found.solution, rest)
    view = view_node(found.solution, node, dealt)
    assert np.isnan(view.ev).any()
    assert view.frequency.sum() == pytest.approx(1)
    assert view.board == (*parse_cards("Qd Jd 2s"), *parse_cards("7d"))


def test_every_turn_card_has_a_stand_in() -> None:
    for flop in ("As Kd 7c", "Qh Jh 2c", "Kc 8c 3c", "7d 7c 7h", "Ks Kd 4s"):
        index, permutation = flop_class(parse_cards(flop))
        kept = turn_cards(index)
        assert not set(kept) & set(permute_cards(parse_cards(flop), permutation))
        assert 49 / 6 <= len(kept) <= 49


@pytest.mark.parametrize("preflop", ["three_bet", "r250r850c", "R250R850C", "R250 R850 C", "r250 r850 c", ""])
def test_notations_of_the_preflop_line(flops: PackFlops, preflop: str) -> None:
    for flop in ("Qd Jd 2s", "QdJd2s"):
        found, rest = flops.find(f"{preflop} {flop} X B165")
        assert (found.name, found.board, rest) == ("three_bet Qd Jd 2s", tuple(parse_cards("QdJd2s")), "X B165")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("R250 C Qd Jd 2s", "expected a flop after the preflop line"),
        ("r333c Qd Jd 2s", "expected a flop after the preflop line, such as .* got 'r333c Qd Jd 2s'"),
        ("Qd Jd", "expected a flop after the preflop line"),
        ("", "expected a flop after the preflop line"),
        ("As Kd 7c", "the line 'three_bet' has no solution of the flop As Kd 7c"),
        ("Qd Qd 2s", "a card is repeated in 'Qd Qd 2s'"),
    ],
)
def test_lines_that_name_no_flop_of_the_pack(flops: PackFlops, line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        flops.find(line)


# The representative of its class: unfinished solves of a flop in other suits differ by more than rounding.
SPOT = """\
spot: a flop of the pack
board: Qs Js 2h
pot: 1700
stack: 3000
range: {oop: "QQ+,AKs,T9s", ip: "JJ,TT,AQs,KQs:0.5"}
sizes:
  flop: {oop: "75% / a", ip: "75% / a"}
  turn: {oop: "50% / a", ip: "a"}
  river: {oop: "a", ip: "a"}
"""


@pytest.mark.slow
def test_a_flop_meets_a_solve_that_plays_the_river_for_it(build: ExactBuild) -> None:
    spot, pack = parse_spot(SPOT), f"pack:{build.work.parent / 'pack'}?line=r250r850c"
    same, other = solve(spot, 0.1, 20), solve(spot, 0.1, 2)
    with pytest.raises(SpotError, match="three_bet Qs Js 2h, 20 iterations has no strategy on the river"):
        versus(spot, pack, same, hands=0)
    # The pack is the same solve but for bytes for probabilities.
    itself = versus(spot, pack, same, hands=0, fill=True)
    assert itself.evs == pytest.approx(np.broadcast_to(itself.evs[1, 1], (2, 2, 2)), abs=3)
    assert np.abs(itself.gains).max() < 4
    worse, exact = (versus(spot, each, other, hands=0, fill=each == pack) for each in (pack, same))
    early = worse.tree.street < RIVER
    assert worse.gains[:, early] == pytest.approx(exact.gains[:, early], abs=3)
    assert np.abs(exact.gains[:, early]).max() > 40
    assert not worse.gains[:, ~early].round(3).any()
    with pytest.raises(InputError, match="got 'cc Qs Js 2h'"):
        versus(spot, pack.replace("r250r850c", "cc"), same, hands=0, fill=True)
