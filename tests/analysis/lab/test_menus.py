"""The best bet sizes under a budget: against the closed form of the clairvoyance game and linear programs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hedgehog.analysis.lab import menus
from hedgehog.analysis.lab.menus import MenuFindings, MenuSettings, compare_menus
from hedgehog.poker.betsizes import BetSizes, parse_bet_sizes, parse_menu
from hedgehog.poker.cards import format_combo, parse_cards
from hedgehog.runtime.errors import InputError, ResourceError, SpotError
from hedgehog.runtime.watch import Watch
from hedgehog.solver.postflop.spot import PostflopSpot, parse_spot
from hedgehog.solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree
from tests.reference.sequence_form import game_value
from tests.reference.small_games import holdem
from tests.solver.postflop_fixtures import weights_of

BOARD = "Qh Jh 2c 7d 5s"
# OOP has the best hand or nothing and knows which; IP beats nothing alone, and cannot raise.
CLAIRVOYANCE = f"""\
spot: clairvoyance
board: {BOARD}
pot: 100
stack: 300
range: {{oop: "QQ,43s", ip: "AA"}}
sizes:
  river: {{oop: "a", ip: ""}}
"""
OOP = {"QdQc": 1, "4h3h": 1, "5c4c": 1, "JcTc": 0.7, "AhKh": 1}
IP = {"AsAc": 1, "JdJs": 0.5, "KcKd": 1, "QsTs": 1, "9h8h": 1}
BEST_SHARE = 3 / 7
"""Three combos of queens, and four of 43 suited."""
POT = 100


def value_of(size: float) -> float:
    """Returns OOP's EV less half the pot if he bets a share of the pot with the best hand and as many bluffs as make
    IP indifferent: the bluffs are worth nothing, and IP calls often enough to make them so."""
    return POT * BEST_SHARE * (1 + size / (1 + size)) - POT / 2


@pytest.fixture(scope="module")
def clairvoyance() -> MenuFindings:
    sizes = parse_menu("50%,100%,200%,a")
    return compare_menus(MenuSettings(parse_spot(CLAIRVOYANCE), sizes=sizes, most=2, target_pct=0.02, threads=1))


def test_clairvoyance_has_the_values_of_the_closed_form(clairvoyance: MenuFindings) -> None:
    worth = {"50%": 0.5, "100%": 1.0, "200%": 2.0, "a": 3.0}
    assert clairvoyance.exhaustive
    assert len(clairvoyance.values) == 1 + 4 + 6 + 4 + 1
    for one in clairvoyance.values:
        names = [name for name in one.sizes.split(",") if name]
        expected = value_of(max((worth[name] for name in names), default=0.0))
        assert one.low - 1e-3 <= expected <= one.high + 1e-3, one.sizes
        assert one.high - one.low < 0.05
    # The largest bet is worth as much as all sizes; only leaving it out costs anything.
    assert clairvoyance.enough().sizes == "a"
    prices = {price.size: price for price in clairvoyance.left_out}
    assert [size for size, price in prices.items() if price.known] == ["a"]
    assert prices["a"].ev == pytest.approx(value_of(3.0) - value_of(2.0), abs=0.03)
    assert clairvoyance.best[1].sizes == "a"
    assert clairvoyance.best[0].sizes == ""


def small_river(oop: str, ip: str = "50%,a/a") -> PostflopSpot:
    sizes = (StreetSizes(parse_bet_sizes(oop), parse_bet_sizes(ip)),)
    tree = TreeConfig(street=3, pot=100, stack=230, sizes=sizes)
    return PostflopSpot("river", tuple(parse_cards("Qh Jh 2c 7c 5s")), (weights_of(OOP), weights_of(IP)), tree)


@pytest.mark.parametrize("player", [0, 1])
def test_single_sizes_have_the_values_of_linear_programs(player: int) -> None:
    spot = small_river("33%,a/a")
    sizes = parse_menu("33%,66%,150%,a")
    found = compare_menus(MenuSettings(spot, player=player, sizes=sizes, most=1, threads=1))
    values = {}
    for one in found.values:
        if one.count <= 1:
            street = spot.tree.sizes[0]
            menu = (parse_menu(one.sizes), parse_menu("a"))
            street = replace(street, oop=BetSizes(menu)) if player == 0 else replace(street, ip=BetSizes(menu))
            tree = build_postflop_tree(replace(spot.tree, sizes=(street,)))
            value = game_value(holdem(tree, "Qh Jh 2c 7c 5s", OOP, IP)) * (1 - 2 * player)
            assert one.low - 1e-3 <= value <= one.high + 1e-3
            values[one.sizes] = value
    assert max(values, key=lambda size: values[size]) in {
        one.sizes for one in found.values if one.equals(found.best[1])
    }
    assert len({round(value, 1) for value in values.values()}) > 1


def test_more_sizes_never_hurt() -> None:
    found = compare_menus(MenuSettings(small_river("25%,50%,100%,a/a"), most=4, threads=1))
    by_sizes = {frozenset(one.sizes.split(",")) - {""}: one for one in found.values}
    assert len(by_sizes) == 2**4
    for sizes, one in by_sizes.items():
        for more, other in by_sizes.items():
            if sizes < more:
                assert one.low <= other.high + 1e-3
    for price in found.left_out:
        assert price.high > -1e-3


def test_many_menus_are_built_size_by_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(menus, "MOST_MENUS", 5)
    settings = MenuSettings(small_river("25%,50%,100%,a/a"), most=2, threads=1)
    found = compare_menus(settings)
    assert not found.exhaustive
    one, two = (set(found.best[count].sizes.split(",")) for count in (1, 2))
    assert one < two
    assert len([value for value in found.values if value.count == 2]) == 3


def test_thresholds_can_make_two_menus_one(monkeypatch: pytest.MonkeyPatch) -> None:
    spot = small_river("150%,a/a")
    spot = replace(spot, tree=replace(spot.tree, force_allin_threshold=0.9))
    calls = []
    solve = menus.solve
    monkeypatch.setattr(menus, "solve", lambda *given, **named: calls.append(given) or solve(*given, **named))
    found = compare_menus(MenuSettings(spot, most=2, threads=1))
    assert len(found.values) == 4
    assert len(calls) == 2
    assert not any(price.known for price in found.left_out)


def test_a_folder_goes_on_and_is_not_mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    spot = small_river("50%,a/a")
    first = compare_menus(MenuSettings(spot, most=1, threads=1), out)
    monkeypatch.setattr(menus, "solve", None)
    again = compare_menus(MenuSettings(spot, most=2, threads=1), out)
    assert again.full == first.full
    assert json.loads((out / "results.json").read_text())["enough"] == again.enough().sizes
    narrow = replace(spot, ranges=(spot.ranges[0] * 0.5 * (spot.ranges[0] < 1) + (spot.ranges[0] == 1), spot.ranges[1]))
    for other in (MenuSettings(spot, target_pct=1.0), MenuSettings(narrow)):
        with pytest.raises(InputError, match="another spot or other options"):
            compare_menus(other, out)
    (out / "menu-1.json").write_text("{")
    with pytest.raises(InputError, match="no menu"):
        compare_menus(MenuSettings(spot), out)


class Heard(Watch):
    def __init__(self) -> None:
        self.total = 0.0
        self.done: list[float] = []
        self.texts: list[str] = []

    def begin(self, what: str, total: float | None = None, unit: str = "", text: str = "") -> None:
        self.total = total or 0.0

    def update(self, done: float, text: str | None = None, *, total: float | None = None) -> None:
        assert total is None
        self.done.append(done)
        self.texts.append(text or "")


def test_progress_is_told_within_a_menu_and_ends_at_the_number_of_menus() -> None:
    heard = Heard()
    compare_menus(MenuSettings(small_river("25%,50%,100%,a/a"), most=1, threads=1), watch=heard)
    assert heard.total == heard.done[-1] == 1 + 4 + 4 + 1
    assert heard.done == sorted(heard.done)
    assert any(done % 1 for done in heard.done)
    assert any("50%, exploitability" in text for text in heard.texts)


@pytest.mark.parametrize("most", range(5))
def test_as_many_menus_are_solved_as_are_announced(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    heard = Heard()
    compare_menus(MenuSettings(small_river("25%,50%,100%,a/a"), most=most, target_pct=5, threads=1), watch=heard)
    assert heard.total == heard.done[-1]


def test_too_little_memory_is_refused_before_anything_is_solved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hedgehog.solver.postflop.estimate.available_memory", lambda: 1e3)
    monkeypatch.setattr(menus, "solve", None)
    with pytest.raises(ResourceError, match="needs"):
        compare_menus(MenuSettings(small_river("25%,50%,100%,a/a")), tmp_path / "out")
    assert not list(tmp_path.glob("out/*"))


FLOP = """\
spot: tiny flop
board: Qh Jh 2c
pot: 100
stack: 100
range: {oop: "QQ,AKs", ip: "AA,JTs"}
sizes:
  flop: {oop: "50%,a", ip: "a"}
  turn: {oop: "a", ip: "a"}
  river: {oop: "a", ip: "a"}
"""


@pytest.mark.slow
def test_sizes_on_a_flop_and_on_its_turns() -> None:
    """A larger choice is worth at least as much, and bounds enclose every EV, on every street of a flop spot."""
    spot = parse_spot(FLOP)
    for street, sizes in ((1, None), (2, parse_menu("50%,a"))):
        found = compare_menus(MenuSettings(spot, street=street, sizes=sizes, target_pct=0.5, threads=1))
        by_sizes = {one.sizes: one for one in found.values}
        assert set(by_sizes) == {"", "50%", "a", "50%,a"}
        for one in found.values:
            assert one.low - 1e-3 <= one.ev <= one.high + 1e-3
            assert one.high - one.low <= 1 + 1e-3
            assert one.low <= found.full.high + 1e-3
        assert by_sizes[""].low <= by_sizes["a"].high + 1e-3


def test_what_has_no_value_is_refused() -> None:
    spot = small_river("50%,a/a")
    for bad, message in (
        (MenuSettings(replace(spot, rake_rate=0.05)), "without rake"),
        (MenuSettings(replace(spot, abstraction="rank-river")), "without locks, trembles and abstraction"),
        (MenuSettings(spot, street=1), "the spot has no flop"),
        (MenuSettings(spot, sizes=()), "no bet on the river"),
        (MenuSettings(spot, sizes=parse_menu("2x")), "multiple of a bet"),
    ):
        with pytest.raises(SpotError, match=message):
            compare_menus(bad)


def test_hands_of_the_clairvoyance_game() -> None:
    spot = parse_spot(CLAIRVOYANCE)
    hands = [format_combo(combo) for combo in spot.live_range(0).nonzero()[0].tolist()]
    assert len(hands) == 7
    assert sum(hand[0] == "Q" for hand in hands) == round(7 * BEST_SHARE)
