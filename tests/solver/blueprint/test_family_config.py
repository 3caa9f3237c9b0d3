"""Blueprints for several depths in one file: what each depth is, and one message for every fault."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint.config import (
    BlueprintPackConfig,
    menu_of,
    read_blueprint_pack_config,
    tree_of,
)
from hedgehog.solver.blueprint.family_config import read_blueprint_family_config
from hedgehog.solver.packs.build import read_pack_config
from hedgehog.strategies.bet_menus import SMALL, STANDARD, parse_menu
from hedgehog.strategies.manifest import read_manifest
from hedgehog.strategies.pack import default_packs
from hedgehog.strategies.pack_games import depth_of_pack

CONFIGS = Path(__file__).parents[3] / "strategies" / "configs"
CONFIG = """\
kind: blueprint
name: mine
menu:
  preset: small
  flop: 50% / 100%
blinds: [50, 100]
seed: 3
iterations: 40
depths:
  - bb: 10
    iterations: 60
    menu:
      preflop: 2x / 2.5x
      limped: 3x
  - {bb: 12.5, seconds: 5}
  - {bb: 20, menu: {preset: standard}, stop: {mbb: 20, gate: no}}
  - {bb: 200}
"""


def members(tmp_path: Path, text: str) -> tuple[BlueprintPackConfig, ...]:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    return read_blueprint_family_config(path).members()


def test_each_depth_is_the_file_with_what_it_says_itself(tmp_path: Path) -> None:
    ten, odd, twenty, deep = members(tmp_path, CONFIG)
    assert [one.name for one in (ten, odd, twenty, deep)] == ["mine-10bb", "mine-12.5bb", "mine-20bb", "mine-200bb"]
    assert [one.stack for one in (ten, odd, twenty, deep)] == [1_000, 1_250, 2_000, 20_000]
    assert {one.seed for one in (ten, odd, twenty, deep)} == {3}
    # A depth with a limit of its own has no other.
    assert [(one.iterations, one.seconds, one.stop is None) for one in (ten, odd, twenty, deep)] == [
        (60, None, True),
        (None, 5, True),
        (None, None, False),
        (40, None, True),
    ]
    assert menu_of(ten).opens == (2.0,)
    assert menu_of(ten).isolations == (3.0,)
    assert menu_of(ten).bets == menu_of(deep).bets == ((0.5,), *SMALL.bets[1:])
    assert menu_of(deep).opens == menu_of(odd).opens == SMALL.opens
    assert menu_of(twenty) == STANDARD


def test_a_depth_is_what_a_file_of_its_own_would_be(tmp_path: Path) -> None:
    alone = tmp_path / "alone.yaml"
    alone.write_text(
        "kind: blueprint\nname: mine-10bb\nmenu: {preset: small, flop: 50% / 100%, preflop: 2x / 2.5x, limped: 3x}\n"
        "stack: 1000\nseed: 3\niterations: 60\n"
    )
    found, wanted = members(tmp_path, CONFIG)[0], read_blueprint_pack_config(alone)
    assert found == wanted
    assert (tree_of(found).amount == tree_of(wanted).amount).all()


def test_the_kind_of_file_is_seen_from_its_key(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(CONFIG)
    assert read_pack_config(path) == read_blueprint_family_config(path)
    path.write_text(CONFIG.split("depths:", maxsplit=1)[0] + "depths:\n")
    with pytest.raises(InputError, match=r"mine\.yaml:9: 'depths': input should be a valid tuple, got None"):
        read_pack_config(path)


def test_the_shipped_depths() -> None:
    """All but what short stacks need is as in the shipped blueprint for 200 big blinds."""
    family = read_blueprint_family_config(CONFIGS / "blueprint-depths.yaml")
    shipped = read_blueprint_pack_config(CONFIGS / "default-blueprint.yaml")
    found = {one.stack // 100: one for one in family.members()}
    assert sorted(found) == [5, 7, 10, 13, 15, 20, 30, 50, 75, 100, 150]
    for bb, one in found.items():
        assert one.cards == shipped.cards
        assert (one.name, one.seed, one.threads, one.blinds) == (f"blueprint-{bb}bb", 1, 1, shipped.blinds)
        assert menu_of(one).bets == STANDARD.bets
        assert (menu_of(one) == STANDARD) == (bb >= 75)


def test_the_shipped_packs_are_what_the_configuration_builds() -> None:
    for one in read_blueprint_family_config(CONFIGS / "blueprint-depths.yaml").members():
        pack = read_manifest(default_packs() / one.name)
        training = pack.config["training"]
        assert [training[key] for key in ("iterations", "seed", "threads")] == [one.iterations, one.seed, one.threads]
        assert parse_menu(pack.config["menu"]) == menu_of(one)
        assert depth_of_pack(pack) == one.stack / 100


def test_a_menu_of_another_file(tmp_path: Path) -> None:
    (tmp_path / "menu.yaml").write_text("menu: {preset: small, preflop: 3x}\n")
    text = CONFIG.replace("menu:\n  preset: small\n  flop: 50% / 100%\n", "menu: menu.yaml\n")
    ten, _, _, deep = members(tmp_path, text)
    assert (menu_of(ten).opens, menu_of(deep).opens) == ((2.0,), (3.0,))


@given(chips=st.lists(st.integers(101, 1_000_000), min_size=1, max_size=20, unique=True), big=st.sampled_from([2, 100]))
def test_every_stack_of_whole_chips_can_be_said_in_big_blinds(
    tmp_path_factory: pytest.TempPathFactory, chips: list[int], big: int
) -> None:
    """Binary fractions would take some stacks for broken chips: 4.1 * 100 is 409.99999999999994."""
    chips = [stack for stack in chips if stack <= 10_000 * big]
    depths = "".join(f"- {{bb: {stack // big}.{stack % big * 100 // big:02}}}\n" for stack in chips)
    text = f"kind: blueprint\nname: a\nmenu: small\nblinds: [1, {big}]\niterations: 1\ndepths:\n{depths}"
    if chips:
        found = members(tmp_path_factory.mktemp("chips"), text)
        assert [one.stack for one in found] == chips
        assert len({one.name for one in found}) == len(chips)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("bb: 12.5,", "bb: 12.5, depth: 3,", 15, "unknown key 'depths.1.depth'"),
        ("bb: 12.5,", "bb: 12.5, threads: 3,", 15, "unknown key 'depths.1.threads'"),
        ("{bb: 12.5, seconds: 5}", "{seconds: 5}", 15, "the key 'depths.1.bb' is missing"),
        ("{bb: 12.5, seconds: 5}", "12.5", 15, "'depths.1'"),
        ("bb: 12.5,", "bb: twelve,", 15, "'depths.1.bb': input should be a valid decimal, got 'twelve'"),
        ("bb: 12.5,", "bb: 1,", 15, "'depths.1.bb': input should be greater than 1, got '1'"),
        ("bb: 12.5,", "bb: -5,", 15, "'depths.1.bb': input should be greater than 1, got '-5'"),
        ("bb: 12.5,", "bb: nan,", 15, "'depths.1.bb': input should be a finite number, got 'nan'"),
        ("bb: 12.5,", "bb: 10001,", 15, "'depths.1.bb': input should be less than or equal to 10000"),
        ("bb: 12.5,", "bb: 1e9,", 15, "'depths.1.bb'"),
        ("bb: 12.5,", f"bb: 12.{'0' * 40}1,", 15, "'depths.1.bb': decimal input should have no more than 12 digits"),
        ("bb: 12.5,", "bb: 12.555,", 15, "12.555 big blinds of 100 are no whole chips"),
        ("bb: 12.5,", "bb: 10.0,", 15, "there are two depths of 10 big blinds"),
        ("bb: 12.5,", "bb: 1e1,", 15, "there are two depths of 10 big blinds"),
        ("seconds: 5", "seconds: 0", 15, "'depths.1.seconds': input should be greater than 0"),
        ("seconds: 5", "iterations: 1.5", 15, "'depths.1.iterations'"),
        ("{bb: 200}", "{bb: 200, bb: 300}", 17, "the key 'depths.3.bb' is repeated"),
        ("mbb: 20, gate: no", "mbb: 20", 16, "the frequency gate holds at 200 big blinds only: write 'gate: no'"),
        ("mbb: 20, gate: no", "mbb: 0", 16, "'depths.2.stop.mbb'"),
        ("seed: 3", "stack: 1000", 7, "the key 'stack' does not go with 'depths', which say the stacks"),
        ("seed: 3", "snapshots: no", 7, "the stop rule compares snapshots"),
        ("seed: 3", "turn_buckets: 4001", 7, "turn buckets"),
        ("iterations: 40\n", "", 16, "expected a limit: 'seconds', 'iterations' or 'stop'"),
        ("blinds: [50, 100]", "blinds: [100, 50]", 6, "expected 0 < small blind <= big blind, got 100 and 50"),
        ("blinds: [50, 100]", "blinds: [0, 0]", 6, "expected 0 < small blind <= big blind, got 0 and 0"),
        ("blinds: [50, 100]", "blinds: [1, 500000000]", 10, "expected a stack below 1,000,000,000 chips"),
        ("  - {bb: 12.5, seconds: 5}\n", "  -\n", 15, "'depths.1'"),
        ("preset: small", "preset: huge", 4, "unknown menu 'huge', expected small, medium, large, standard"),
        ("  preset: small\n", "", 11, "the key 'menu.turn' is missing (or name a preset)"),
        ("flop: 50% / 100%", "flop: 50%,wide", 5, "'menu.flop': expected a bet size"),
        ("preflop: 2x / 2.5x", "preflop: 2x / wide", 13, "'depths.0.menu.preflop': expected a bet size"),
        ("limped: 3x", "limped: 3x / 4x", 14, "expected one menu"),
        ("limped: 3x", "colour: red", 14, "unknown key 'depths.0.menu.colour'"),
        ("{preset: standard}", "big", 16, "unknown menu 'big', expected small, medium, large, standard"),
        ("name: mine", "name: .mine", 2, "'name': a folder of this name would be hidden"),
        ("name: mine", f"name: {'x' * 76}", 2, "-10bb' has more than 80 characters"),
        ("name: mine", "name: a/b", 2, "'name'"),
        ("kind: blueprint", "kind: limit-blueprint\ngame: holdem.limit.2p", 4, "unknown key 'menu'"),
    ],
)
def test_faults_have_file_and_line(tmp_path: Path, old: str, new: str, line: int, message: str) -> None:
    assert CONFIG.count(old) == 1
    path = tmp_path / "mine.yaml"
    path.write_text(CONFIG.replace(old, new))
    with pytest.raises(InputError) as error:
        read_pack_config(path)
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert message in str(error.value)


def test_more_depths_than_a_hundred_are_refused(tmp_path: Path) -> None:
    head = CONFIG.split("  - bb", maxsplit=1)[0]
    assert len(members(tmp_path, head + "".join(f"  - {{bb: {bb}}}\n" for bb in range(2, 102)))) == 100
    with pytest.raises(InputError, match=r"mine\.yaml:9: 'depths': tuple should have at most 100 items"):
        members(tmp_path, head + "".join(f"  - {{bb: {bb}}}\n" for bb in range(2, 103)))
    with pytest.raises(InputError, match=r"mine\.yaml:9: 'depths': tuple should have at least 1 item"):
        members(tmp_path, head.replace("depths:", "depths: []"))
