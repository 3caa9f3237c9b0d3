"""Sizes: means by hand, bins and ties, menus and their distance from bets."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.analysis.study.batches import HandBatch
from hedgehog.analysis.study.menu_files import read_menu
from hedgehog.analysis.study.menus import MenuRule, StudyMenu, format_menu_file, make_menu, medoids, most_frequent
from hedgehog.analysis.study.sizes import ALL_IN, BetSpot, Histogram, SizeStatistics, SpotHistograms, raises_of
from hedgehog.analysis.study.translation import (
    MenuDistance,
    RaiseSample,
    menu_amounts,
    menu_from_texts,
    reference_menu,
)
from hedgehog.poker.betsizes import parse_bet_sizes
from hedgehog.runtime.config_file import read_config
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint.config import BlueprintPackConfig, read_blueprint_pack_config
from hedgehog.solver.postflop.spot import parse_spot
from hedgehog.solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree
from hedgehog.strategies.betting_tree import ActionKind
from tests.analysis.study.hand_fixtures import batch_of, random_log, read


def everything(batch: HandBatch) -> np.ndarray:
    return np.ones(batch.num_actions, np.bool_)


def test_means_of_the_four_ratios(tmp_path: Path) -> None:
    """Two first raises (3 and 2 BB), one reraise to 9 BB = 3 times, one call of 6 BB, one flop bet of half the pot."""
    batch, _ = batch_of(
        tmp_path,
        "STATE:0:r300r900c/r1800f:2c3d|4h5s/6c7c8c:900|-900:A|B",
        "STATE:1:r200f:2c3d|4h5s:-100|100:A|B",
    )
    statistics = SizeStatistics()
    statistics.add(batch, everything(batch))
    bet = statistics.group(0, 0, "BET")
    assert bet is not None
    assert (bet.total, bet.big_blinds, bet.all_in) == (2, 2.5, 0)
    assert bet.pot == pytest.approx((300 + 200) / 150 / 2)
    assert bet.stack == pytest.approx((300 + 200) / 20000 / 2)
    reraise, call, flop = (statistics.group(*key) for key in ((0, 1, "RAISE"), (0, 0, "CALL"), (1, 0, "BET")))
    assert reraise is not None
    assert call is not None
    assert flop is not None
    assert (reraise.big_blinds, reraise.pot, reraise.previous) == (9, 2.25, 3)
    assert (call.big_blinds, call.pot, call.stack) == (6, 0.5, pytest.approx(600 / 19700))
    assert (flop.pot, flop.stack) == (0.5, pytest.approx(900 / 19100))
    assert statistics.group(3, 1, "BET") is None


def test_sizes_on_the_border_of_a_bin_go_up_and_all_ins_have_a_bin(tmp_path: Path) -> None:
    """212 is 2.12 BB (bin 2), 213 is 2.13 BB (bin 2.25); 105 of a pot of 200 is 0.525 (bin 55 %), 104 is bin 50 %."""
    batch, _ = batch_of(
        tmp_path,
        "STATE:0:r212f:2c3d|4h5s:-100|100:A|B",
        "STATE:1:r213f:2c3d|4h5s:-100|100:A|B",
        "STATE:2:r20000f:2c3d|4h5s:-100|100:A|B",
        "STATE:3:cc/r205f:2c3d|4h5s/6c7c8c:100|-100:A|B",
        "STATE:4:cc/r204f:2c3d|4h5s/6c7c8c:100|-100:A|B",
    )
    histograms = SpotHistograms()
    histograms.add(raises_of(batch, everything(batch)))
    assert histograms.counts([BetSpot(0, 0, 0)]) == {ALL_IN: 1, 8: 1, 9: 1}
    assert histograms.counts([BetSpot(1, 0, 0)]) == {10: 1, 11: 1}


def test_most_frequent_sizes_and_ties() -> None:
    assert most_frequent({4: 10, 8: 30, 6: 10, 12: 10, 2: 9}, 3, 5) == [8, 4, 6]
    assert most_frequent({4: 10, 8: 30}, 3, 20) == [8]
    assert most_frequent({4: 10, 8: 9}, 3, 20) == [4]
    assert most_frequent({}, 3, 1) == []


@given(counts=st.dictionaries(st.integers(1, 60), st.integers(1, 20), min_size=1, max_size=9), sizes=st.integers(1, 4))
def test_medoids_are_the_best_of_all_choices(counts: dict[int, int], sizes: int) -> None:
    def cost(chosen: tuple[int, ...] | list[int]) -> int:
        return sum(count * min(abs(point - one) for one in chosen) for point, count in counts.items())

    best = min(cost(chosen) for chosen in itertools.combinations(counts, min(sizes, len(counts))))
    found = medoids(counts, sizes)
    assert len(found) == min(sizes, len(counts))
    assert set(found) <= set(counts)
    assert cost(found) == best


def histograms_of(groups: dict[BetSpot, dict[int, int]]) -> SpotHistograms:
    histograms = SpotHistograms()
    for spot, counts in groups.items():
        bins = np.repeat(list(counts), list(counts.values()))
        histograms.coarse.add(np.full(len(bins), spot.number), bins)
    return histograms


def test_a_menu_follows_its_rule() -> None:
    histograms = histograms_of(
        {
            BetSpot(0, 0, 0): {12: 50, 10: 30, 8: 30, 4: 40, ALL_IN: 2},  # 1x is no raise
            BetSpot(0, 1, 0): {12: 20},
            BetSpot(0, 1, 1): {14: 30, ALL_IN: 10},
            BetSpot(0, 0, 1): {16: 29},  # too few
            BetSpot(1, 0, 0): {10: 100, 0: 50, 20: 4, 15: 40},
            BetSpot(1, 0, 1): {20: 300, 2: 4},
            BetSpot(1, 1, 0): {12: 10},
            BetSpot(3, 0, 1): {ALL_IN: 40},
        }
    )
    menu = make_menu(histograms, MenuRule())
    assert menu.text("preflop") == "2x,2.5x,3x / 3x,3.5x,a"
    assert menu.text("limped") is None
    assert menu.text("flop oop") == "50%,75%"
    assert menu.text("flop ip") == "100%"
    assert menu.text("flop both") == "50%,75%,100%"
    assert menu.text("river ip") == "a"
    assert menu.text("turn both") is None


def test_a_menu_file_is_taken_by_spot_files_and_blueprints(tmp_path: Path) -> None:
    keys = {
        "preflop": (("2x", "2.5x"), ("3x", "a")),
        "limped": (("4x",),),
        **{
            f"{street} {role}": (("50%", "75%"), ("2.5x", "a"))
            for street in ("flop", "turn", "river")
            for role in ("oop", "ip", "both")
        },
    }
    text = format_menu_file(StudyMenu(keys), ["made for a test"])
    sizes, menu = text.split("# Menu of a blueprint configuration")
    spot = parse_spot(
        'spot: x\nboard: Qh Jh 2c\npot: 100\nstack: 900\nrange: {oop: "AA", ip: "KK"}\n' + sizes.split("\n", 2)[2]
    )
    assert spot.tree.sizes[0].oop == parse_bet_sizes("50%,75% / 2.5x,a")
    config = tmp_path / "blueprint.yaml"
    config.write_text("kind: blueprint\nname: x\nseconds: 1\n" + menu.split("\n", 1)[1])
    assert read_blueprint_pack_config(config).menu.flop == "50%,75% / 2.5x,a"
    assert read_config(config, BlueprintPackConfig, InputError, "x").model.menu.limped == "4x"
    file = tmp_path / "menu.yaml"
    file.write_text(text)
    read_again = read_menu(str(file))
    assert read_again.sizes(1, 1, 0) == parse_bet_sizes("50%,75%").menus[0]
    assert read_menu(str(config)).caps is not None
    empty = format_menu_file(StudyMenu({}))
    assert "sizes: {}" in empty
    assert "menu: {}" in empty
    (tmp_path / "half.yaml").write_text(format_menu_file(StudyMenu({"turn ip": (("50%",),)})))
    assert read_menu(str(tmp_path / "half.yaml")).sizes(2, 0, 0) == parse_bet_sizes("50%").menus[0]


@pytest.mark.parametrize(
    "text", ["menu: {preflop: 7y}\n", "sizes: {flop: {oop: 2x, ip: 50%}}\n", "menu: {}\n", "bets: 3\n", "- 1\n"]
)
def test_bad_menu_files_are_one_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "menu.yaml").write_text(text)
    with pytest.raises(InputError, match=r"menu\.yaml"):
        read_menu(str(tmp_path / "menu.yaml"))
    with pytest.raises(InputError, match="no menu 'nothing'"):
        read_menu("nothing")


@pytest.mark.parametrize("text", ["50%,100%,a / 2.5x,75%,a", "33%,e / 3x", "100c,2e150% / 900c,a", "200% / 2x,e"])
def test_menu_amounts_are_those_of_the_solver(text: str) -> None:
    """Every bet and raise of a solver's tree is an amount that the menu offers there."""
    sizes = parse_bet_sizes(text)
    street = StreetSizes(sizes, sizes)
    tree = build_postflop_tree(TreeConfig(street=2, pot=400, stack=3000, sizes=(street, street), max_bets=3))
    menu = menu_from_texts("x", dict.fromkeys(("turn", "river"), text))
    checked = 0
    for node in range(len(tree.kind)):
        if tree.action[node] not in (ActionKind.BET, ActionKind.RAISE):
            continue
        above = int(tree.parent[node])
        line = _raise_at(tree, above, int(tree.amount[node]))
        offered = menu_amounts(menu, menu.sizes(int(tree.street[node]), int(tree.player[above]), line[0]), line[1])
        assert float(tree.amount[node]) in offered[0].tolist(), (node, offered)
        checked += 1
    assert checked > 5


def _raise_at(tree, node, amount):  # type: ignore[no-untyped-def]
    """Returns the ordinal and the columns of a bet or raise at a node of a solver's tree."""
    bets, start = 0, node
    while tree.street[tree.parent[start]] == tree.street[node] and tree.parent[start] >= 0 and start > 0:
        bets += tree.action[start] in (ActionKind.BET, ActionKind.RAISE, ActionKind.ALL_IN)
        start = int(tree.parent[start])
    base = int(min(tree.committed[start]))
    player = int(tree.player[node])
    own, faced = (int(tree.committed[node][seat]) - base for seat in (player, 1 - player))
    total = tree.root_pot + int(sum(tree.committed[node]))
    values = {
        "spot": 0,
        "round": tree.street[node],
        "ordinal": bets,
        "role": player,
        "size": amount,
        "pot": total,
        "faced": faced,
        "own": own,
        "behind": tree.stack - own - base,
        "all_in": False,
        "stack": tree.stack,
    }
    from hedgehog.analysis.study.sizes import Raises

    return bets, Raises(**{name: np.array([value]) for name, value in values.items()})


def test_distance_from_a_menu(tmp_path: Path) -> None:
    batch, _ = batch_of(
        tmp_path,
        "STATE:0:r300c/r600f:2c3d|4h5s/6c7c8c:300|-300:A|B",  # 3 BB, then half the pot
        "STATE:1:r350c/r1050f:2c3d|4h5s/6c7c8c:350|-350:A|B",  # 3.5 BB, then the pot
    )
    distance = MenuDistance(menu_from_texts("x", {"preflop": "3x", "flop": "50%"}))
    distance.add(raises_of(batch, everything(batch)))
    result = distance.result()
    assert (result.bets, result.translated) == (4, 2)
    assert result.mean == pytest.approx((50 / 150 + 0.5) / 4)
    assert distance.result(0).share == 0.5
    own = MenuDistance(reference_menu("own"))
    own.add(raises_of(batch, everything(batch)))
    assert own.result().translated == 1


def test_own_turns_costly_sizes_into_all_in(tmp_path: Path) -> None:
    batch, _ = batch_of(tmp_path, "STATE:0:r6000r20000f:2c3d|4h5s:6000|-6000:A|B")
    raises = raises_of(batch, everything(batch))
    menu = reference_menu("own")
    offered = menu_amounts(menu, menu.sizes(0, 1, 1), raises)
    assert offered[1].tolist() == [20000] * 4


def test_a_sample_keeps_every_second_bet_when_it_is_full(tmp_path: Path) -> None:
    (tmp_path / "x.log").write_text(random_log(8, 300))
    batch, _ = read(tmp_path / "x.log")
    assert batch is not None
    raises = raises_of(batch, everything(batch))
    sample = RaiseSample(most=100)
    for _ in range(3):
        sample.add(raises)
    kept = sum(len(part.size) for part in sample.parts())
    assert kept <= 100
    assert sample.step >= 3 * len(raises.size) // 200
    whole = RaiseSample()
    whole.add(raises)
    (part,) = whole.parts()
    for ours, theirs in zip(part, raises, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_histograms_add_up() -> None:
    histogram = Histogram()
    for _ in range(2):
        histogram.add(np.array([1, 1, 2, 1]), np.array([5, -1, 5, 5]))
    assert histogram.counts(1) == {-1: 2, 5: 4}
    assert histogram.counts(1, 2) == {-1: 2, 5: 6}
    assert histogram.counts(3) == {}
