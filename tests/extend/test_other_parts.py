"""Bet translations, bet menus, log readers and match judges of another package."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from hedgehog.agent.specs import parse_player_spec
from hedgehog.analysis.histories.hand_files import FileHand, formats, open_hand_file
from hedgehog.analysis.histories.site_text import LOG_READERS
from hedgehog.analysis.judging.judges import JUDGES, MatchJudge
from hedgehog.analysis.judging.logs import judge_logs
from hedgehog.analysis.judging.sessions import JudgeOptions
from hedgehog.analysis.study.menu_files import read_menu
from hedgehog.arena import play_match
from hedgehog.runtime.errors import InputError, LogError
from hedgehog.solver.blueprint import MENUS, menu_of, read_blueprint_pack_config
from hedgehog.solver.postflop.spot import read_spot
from hedgehog.strategies.translation import TRANSLATIONS, OtherMapping, SizeMapping, find_mapping, translate_size
from tests.cli.command import Run
from tests.extend.packages import EXAMPLES, Install, run_example

HAND = """\
Club hand #{number}: no-limit hold'em, blinds 1/2
Seat 1: Ann has 200
Seat 2: Bob has 200
Ann: posts the small blind 1
Bob: posts the big blind 2
Ann: raises 3 to 5
Bob: folds
Uncalled bet (3) returned to Ann
Ann collected 4 from pot
*** SUMMARY ***
Total pot 4 | Rake 0

"""


@pytest.fixture(autouse=True)
def installed(install: Install) -> None:
    points = {
        "hedgehog.translations": {"linear": "parts_translation:linear", "odd": "parts_translation:__doc__"},
        "hedgehog.bet_menus": {"lean": "parts_menu:LEAN", "thick": "parts_menu:MENUS"},
        "hedgehog.log_readers": {"clubroom": "parts_reader:ClubRoomReader", "void": "no_such_reader:X"},
        "hedgehog.judges": {"cut": "parts_judge:CUT", "gone": "no_such_judge:X"},
    }
    names = {"translation": "bet_translation", "menu": "bet_menu", "reader": "log_reader", "judge": "match_judge"}
    modules = {f"parts_{name}": (EXAMPLES / f"{file}.py").read_text() for name, file in names.items()}
    install("all-parts", points, modules)


def test_a_translation_shares_bets_and_labels_players() -> None:
    linear = find_mapping("linear")
    assert translate_size([0.5, 2.0], 1.0, linear) == [(0, pytest.approx(2 / 3)), (1, pytest.approx(1 / 3))]
    assert translate_size([0.5, 2.0], 2.0, linear) == [(1, 1.0)]
    spec = parse_player_spec("default?translation=linear")
    assert (spec.mapping, spec.label) == (linear, "default_linear")
    assert parse_player_spec("default?translation=nearest").mapping is SizeMapping.NEAREST
    with pytest.raises(
        InputError, match="unknown translation 'none': expected harmonic, geometric, nearest, linear, odd"
    ):
        parse_player_spec("default?translation=none")
    with pytest.raises(
        InputError, match=r"translation 'odd' of all-parts .*: expected a function of a lower, an upper"
    ):
        parse_player_spec("default?translation=odd")


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (lambda lower, upper, size: 1.5, "expected a share from 0 to 1 for 0.5, 2 and 1, got 1.5"),
        (lambda lower, upper, size: float("nan"), "expected a share from 0 to 1"),
        (lambda lower, upper, size: 1 // 0, "failed: ZeroDivisionError"),
    ],
)
def test_a_translation_that_fails_is_one_error(part: object, message: str) -> None:
    TRANSLATIONS.register("mine", part)  # type: ignore[arg-type]
    try:
        with pytest.raises(InputError, match=f"translation 'mine' of this process:? {message}"):
            translate_size([0.5, 2.0], 1.0, find_mapping("mine"))
    finally:
        TRANSLATIONS.unregister("mine")


def test_our_translations_read_the_same_through_the_registry() -> None:
    for mapping in SizeMapping:
        other = OtherMapping(
            "harmonic", lambda low, up, size, kind=mapping: translate_size([low, up], size, kind)[0][1]
        )
        for size in (0.6, 0.9, 1.4):  # below these sizes nearest has one neighbour, whose share is 1
            found = translate_size([0.5, 2.0], size, mapping)
            if len(found) == 2:
                assert translate_size([0.5, 2.0], size, other) == found


def test_a_menu_is_a_preset_of_blueprints_and_studies(tmp_path: Path) -> None:
    config = tmp_path / "pack.yaml"
    config.write_text("name: x\nkind: blueprint\nmenu: lean\nseconds: 60\n")
    assert menu_of(read_blueprint_pack_config(config)) == MENUS["lean"]
    assert read_menu("lean").name == "lean"
    spot = tmp_path / "spot.yaml"
    spot.write_text("spot: x\nboard: Qs Jh 2c\npot: 500\nstack: 4750\nrange: {oop: random, ip: random}\nsizes: lean\n")
    assert '"75%,a / 100%,a /"' in read_spot(spot).text
    config.write_text("name: x\nkind: blueprint\nmenu: meagre\nseconds: 60\n")
    with pytest.raises(
        InputError, match=r"pack.yaml:3: .*unknown menu 'meagre', expected small, medium, large, standard, le"
    ):
        read_blueprint_pack_config(config)
    config.write_text("name: x\nkind: blueprint\nmenu: thick\nseconds: 60\n")
    with pytest.raises(InputError, match=r"pack.yaml:3: .*menu 'thick' of all-parts .*: expected a BlueprintMenu"):
        read_blueprint_pack_config(config)


@pytest.fixture
def hands(tmp_path: Path) -> Path:
    file = tmp_path / "club.txt"
    file.write_text(HAND.format(number=7) + HAND.format(number=8))
    return file


def test_a_reader_reads_its_hands_and_no_others(run: Run, hands: Path, tmp_path: Path) -> None:
    assert formats()[-2:] == ("clubroom", "void")
    found = open_hand_file(hands)
    entries = [entry for entry in found.entries() if isinstance(entry, FileHand)]
    assert found.format == "clubroom"
    assert [(entry.hand.hand_id, entry.hand.values) for entry in entries] == [(7, ("-2", "2")), (8, ("-2", "2"))]
    zipped = tmp_path / "club.txt.gz"
    zipped.write_bytes(gzip.compress(hands.read_bytes()))
    assert open_hand_file(zipped).format == "clubroom"
    code, out, err = run("log", "stats", hands)
    assert (code, "Ann" in out) == (0, True), err
    code, out, err = run("log", "stats", hands, "--from", "clubroom")
    assert code == 0, err
    code, out, _ = run("log", "stats", "--help")
    assert "clubroom" in out
    code, _, err = run("log", "stats", hands, "--from", "void")
    assert (code, "cannot import log reader 'void' of all-parts" in err) == (2, True)
    code, _, err = run("log", "stats", hands, "--from", "void2")
    assert (code, "clubroom" in err) == (2, True)


def test_readers_that_lack_something_are_refused() -> None:
    from hedgehog.analysis.histories.site_reader import SiteReader

    class Half(SiteReader):
        first_line = "x"

    with pytest.raises(
        LogError, match="log reader 'half' of this process: the reader Half does not define start, no_li"
    ):
        LOG_READERS.register("half", Half)
    with pytest.raises(LogError, match="expected a class derived from SiteReader, got <class 'int'>"):
        LOG_READERS.register("half", int)  # type: ignore[arg-type]


def test_a_store_of_other_readers_is_refused(run: Run, hands: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    store = tmp_path / "store"
    code, _, err = run("study", "hands", hands, "--store", store)
    assert code == 0, err
    document = json.loads((store / "store.json").read_text())
    assert document["formats"] == list(formats())
    document["formats"].insert(3, "elsewhere")
    (store / "store.json").write_text(json.dumps(document))
    code, _, err = run("study", "hands", hands, "--store", store)
    assert (code, "not here: elsewhere" in err.replace("\n", " ")) == (2, True), err


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return play_match(["random", "call"], hands=200, duplicate=False, out=tmp_path / "match", seed=5).logs[0]


def test_a_judge_is_a_measure_of_the_session(run: Run, log: Path, tmp_path: Path) -> None:
    (report,) = judge_logs([log], JudgeOptions(judges=["cut"])).reports
    assert [one.name for one in report.measures] == ["result", "luck", "betting", "all_in_adjusted", "cut"]
    won = np.diff(report.curves["result"], prepend=0.0)
    assert report.measure("cut").total == pytest.approx(np.clip(won, -20, 20).sum())
    assert (np.abs(won) > 20).any()
    assert report.table().rows[-1][:2] == ("cut", "result, hands cut at 20")
    page, numbers = tmp_path / "page.html", tmp_path / "numbers.json"
    code, out, err = run("judge", log, "--judge", "cut", "--html", page, "--json", numbers)
    assert (code, "result, hands cut at 20" in out) == (0, True), err
    assert "result, hands cut at 20" in page.read_text()
    (plain,) = judge_logs([log]).reports
    assert [one.name for one in plain.measures] == ["result", "luck", "betting", "all_in_adjusted"]
    code, out, _ = run("judge", "--help")
    assert "cut: result, hands cut at 20 (all-parts)" in out
    assert "gone: cannot be used: " in out
    for name, message in (("gone", "cannot import judge 'gone' of all-parts"), ("divat", "does not judge no-limit ha")):
        code, _, err = run("judge", log, "--judge", name)
        assert (code, message in err) == (2, True), err


def test_judges_that_fail_are_one_error(log: Path) -> None:
    cases = {
        lambda hands, judged: np.zeros(len(hands) + 1): "expected a finite number for each of 200 hands",
        lambda hands, judged: np.full(len(hands), np.nan): "expected a finite number",
        lambda hands, judged: 1 / 0: "failed: ZeroDivisionError: division by zero",
    }
    for values, message in cases.items():
        JUDGES.register("mine", MatchJudge("mine", "mine", values))
        with pytest.raises(InputError, match=f"judge 'mine' of this process:? {message}"):
            judge_logs([log], JudgeOptions(judges=["mine"]))
    JUDGES.unregister("mine")
    with pytest.raises(InputError, match="unknown judge 'mine': expected result, luck"):
        judge_logs([log], JudgeOptions(judges=["mine"]))


@pytest.mark.process
@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("bet_translation", "1.8 "),
        ("bet_menu", "small: "),
        ("log_reader", "clubroom: 1 hand, "),
        pytest.param("match_judge", "cut ", marks=pytest.mark.slow),
    ],
)
def test_the_examples_run_in_any_folder(name: str, last: str, tmp_path: Path) -> None:
    assert run_example(name, tmp_path / "anywhere")[-1].startswith(last)
