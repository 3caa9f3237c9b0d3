"""A player of another package, in matches in one process and over TCP: the example of docs/examples/extend."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgehog.agent.registered import PLAYERS
from hedgehog.agent.specs import all_names, make_player, parse_entrant, parse_player_spec, verify_loadable
from hedgehog.arena import play_match
from hedgehog.runtime.errors import InputError
from tests.cli.command import Run
from tests.extend.packages import EXAMPLES, Install, run_example

GROUP = "hedgehog.players"
SOURCE = (EXAMPLES / "player.py").read_text()


@pytest.fixture
def pairs(install: Install) -> None:
    install("pair-players", {GROUP: {"pairs": "pair_players:Pairs"}}, {"pair_players": SOURCE})


@pytest.mark.usefixtures("pairs")
def test_its_name_is_a_specification() -> None:
    spec = parse_player_spec("pairs")
    verify_loadable(spec)
    assert (spec.kind, spec.label, spec.forgets, spec.external) == ("pairs", "pairs", False, False)
    assert make_player(spec).name == "pairs"
    assert parse_entrant("me=pairs").name == "me"
    assert all_names()[-1] == "pairs"
    with pytest.raises(InputError, match=r"unknown player 'pair': did you mean pairs\?"):
        parse_player_spec("pair")
    with pytest.raises(InputError, match="unknown player 'pairs:x'"):
        parse_player_spec("pairs:x")


@pytest.mark.usefixtures("pairs")
def test_it_plays_as_the_class_does(run: Run, site: Path, tmp_path: Path) -> None:
    for name, spec in (("one", "pairs"), ("two", f"pairs=py:{site / 'pair_players.py'}:Pairs")):
        words = ("match", spec, "call", "--hands", "40", "--seed", "3", "--in-process", "--out", tmp_path / name)
        code, _, err = run(*words)
        assert code == 0, err
    logs = [sorted((tmp_path / name).glob("*.log")) for name in ("one", "two")]
    assert len(logs[0]) == 2
    assert [log.read_text() for log in logs[0]] == [log.read_text() for log in logs[1]]


@pytest.mark.process
@pytest.mark.usefixtures("pairs")
def test_processes_of_a_match_find_it(run: Run, tmp_path: Path) -> None:
    code, _, err = run("match", "pairs", "call", "--hands", "20", "--seed", "3", "--out", tmp_path / "tcp")
    assert code == 0, err
    assert (tmp_path / "tcp" / "seating_2.log").read_text().splitlines()[-1].startswith("SCORE:")


def test_a_registered_class_plays_in_this_process(pairs: None, tmp_path: Path) -> None:
    PLAYERS.register("mine", PLAYERS["pairs"])
    try:
        played = play_match(["mine", "call"], hands=20, out=tmp_path / "match", seed=1)
        assert [path.name for path in played.logs] == ["seating_1.log", "seating_2.log"]
    finally:
        PLAYERS.unregister("mine")


def test_packages_that_cannot_be_used_are_one_error(run: Run, install: Install, tmp_path: Path) -> None:
    points = {
        "odd": "odd_players:Odd",
        "call": "odd_players:Odd",
        "func": "fine_players:play",
        "open": "fine_players:A",
    }
    modules = {
        "odd_players": "import no_such_library",
        "fine_players": "from hedgehog.agent import Player\nclass A(Player):\n    pass\ndef play(): pass",
    }
    install("odd-package", {GROUP: points}, modules)
    out = tmp_path / "match"
    for spec, message in (
        ("odd", "cannot import player 'odd' of odd-package (entry point 'odd = odd_players:Odd'): ModuleNotFoundError"),
        ("call", "player 'call' is given by two packages: hedgehog-poker and odd-package"),
        ("func", "expected a class derived from hedgehog.agent.player.Player, got function"),
        ("open", "the player A does not define act()"),
    ):
        code, _, err = run("match", spec, "fold", "--hands", "5", "--in-process", "--out", out)
        assert (code, message in err.replace("\n", " "), "Traceback" in err) == (2, True, False), err
        assert not out.exists()


@pytest.mark.process
def test_the_example_runs_in_any_folder(tmp_path: Path) -> None:
    lines = run_example("player", tmp_path / "anywhere")
    assert "pairs" in lines[0]
