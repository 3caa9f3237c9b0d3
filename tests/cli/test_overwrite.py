"""Whatever a command writes, it never removes or replaces a file of the user's, and it finds out before it works.

Every option of every command that names an output stands in a table below; a test fails when one is missing.
"""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
import pytest

from hedgehog.cli.main import cli, main
from hedgehog.strategies.pack import default_packs
from tests.cli.command import Run

DATA = Path(__file__).parents[1] / "data"
PRECIOUS: Final = "three years of work\n"

SPOT = """\
spot: tiny
board: Td 9d 6h Qc 2c
pot: 100
stack: 300
range: {oop: "AA,T9s", ip: "QQ,AQs"}
sizes:
  river: {oop: "75%/a", ip: "75%/a"}
"""
TOURNAMENT = "game: kuhn.limit.2p\nhands: 2\nin_process: true\nagents: [call, raise]\n"
MODEL = "locks:\n  - {line: X, strategy: {X: 1}}\n"
BLUEPRINT = str(default_packs() / "blueprint-5bb")
PACK = "kind: blueprint\nname: tiny\nmenu: small\niterations: 1\n"

# Command and option -> arguments that make a valid command together with the option; names of files in the folder of
# `inputs` in braces.
FILES: Final[dict[tuple[str, str], str]] = {
    ("ask", "--json"): "--think-ms 0 --hand AhKh",
    ("audit", "--csv"): "fold --boards 1",
    ("audit", "--json"): "fold --boards 1",
    ("audit", "--results"): "fold --boards 1",
    ("bench dealer", "--csv"): "",
    ("bench dealer", "--json"): "",
    ("bench evaluator", "--csv"): "",
    ("bench evaluator", "--json"): "",
    ("bench player", "--csv"): "",
    ("bench player", "--json"): "",
    ("bench solver", "--csv"): "",
    ("bench solver", "--json"): "",
    ("bench targets", "--csv"): "",
    ("bench targets", "--json"): "",
    ("dealer", "--answers"): "mine kuhn.limit.2p 1 0 Alice Bob -l --start_timeout 1",
    ("drill", "--json"): "{solve} --count 1 --seed 1",
    ("drill", "--progress"): "{solve} --count 1 --seed 1",
    ("explore", "--progress"): "--no-browser",
    ("equity", "--csv"): "AA KK",
    ("equity", "--json"): "AA KK",
    ("eval", "--csv"): "AhKh --metrics",
    ("eval", "--json"): "AhKh",
    ("game dominance", "--json"): "jqk",
    ("game evaluate", "--json"): f"jqk {DATA / 'games' / 'jqk.json'}",
    ("game freezeout", "--json"): "call fold --games 2",
    ("game icm", "--chart"): "3000 2000 1000 --payouts 3,1 --blinds 100 200 --deals 1000",
    ("game icm", "--json"): "3000 2000 --payouts 3,1",
    ("game jamfold", "--chart"): "--model chip",
    ("game jamfold", "--json"): "--model chip",
    ("game list", "--json"): "",
    ("game show", "--csv"): "jqk",
    ("game show", "--efg"): "jqk",
    ("game show", "--json"): "jqk",
    ("game show", "--svg"): "jqk",
    ("game solve", "--json"): "jqk",
    ("game solve", "--svg"): "jqk",
    ("convert", "--out"): str(DATA / "texassolver" / "river.txt"),
    ("grade", "--csv"): "{log} --player Alice --first 1",
    ("grade", "--html"): "{log} --player Alice --first 1",
    ("grade", "--json"): "{log} --player Alice --first 1",
    ("grade", "--parquet"): "{log} --player Alice --first 1",
    ("judge", "--csv"): "{log}",
    ("judge", "--decisions-csv"): "{limit_log}",
    ("judge", "--html"): "{log}",
    ("endgame", "--json"): "call --stack 10bb --turns 1 --turn-sizes a/ --river-sizes a/ --value-iterations 0",
    ("endgame", "--results"): "call --stack 10bb --turns 1 --turn-sizes a/ --river-sizes a/ --value-iterations 0",
    ("judge", "--json"): "{log}",
    ("judge", "--plot"): "{log}",
    ("lbr", "--json"): "fold --hands 2",
    ("lbr", "--results"): "fold --hands 2",
    ("lab losses", "--json"): "{spot} --iterations 1 --abstractions rank-river",
    ("lab menus", "--json"): "{spot} --most 0 --iterations 1",
    ("lab three-players", "--json"): "--only x4 --hands 12",
    ("log aivat", "--json"): "{log} --player Alice=call",
    ("log aivat", "--results"): "{log} --player P1_ex=call",
    ("log all-in-ev", "--out"): "{log}",
    ("log convert", "--out"): "{log} --to phh",
    ("log stats", "--classes-csv"): "{log}",
    ("log stats", "--csv"): "{log}",
    ("log stats", "--json"): "{log}",
    ("match", "--json"): "call fold --hands 2 --game kuhn.limit.2p --in-process",
    ("pack buckets", "--csv"): "",
    ("pack buckets", "--json"): "",
    ("pack chart", "--out"): "",
    ("pack evs", "--csv"): "",
    ("pack evs", "--json"): "",
    ("pack exploit", "--json"): "{work}",
    ("pack list", "--csv"): "{solve}",
    ("pack list", "--json"): "{solve}",
    ("pack report", "--csv"): "",
    ("pack report", "--html"): "",
    ("pack report", "--json"): "",
    ("pack report", "--parquet"): "",
    ("pack show", "--json"): "{solve}",
    ("pack status", "--json"): "{work}",
    ("status", "--json"): "{work}",
    ("pack spot", "--out"): "--line r250c --board QhJh2c",
    ("pack subset", "--out"): "23",
    ("pack verify", "--json"): "{solve}",
    ("play", "--log"): "127.0.0.1 9 --player call",
    ("play", "--record"): "127.0.0.1 9 --player call",
    ("play", "--report"): "127.0.0.1 9 --player call",
    ("play-here", "--log"): "--against call",
    ("query", "--csv"): "{solve}",
    ("query", "--html"): "{solve}",
    ("query", "--json"): "{solve}",
    ("query", "--svg"): "{solve} --hand AhAs",
    ("simulate", "--json"): "{spot} --hands 10",
    ("versus", "--csv"): "{spot} dcfr?iterations=2 cfr?iterations=2 --hands 0",
    ("versus", "--html"): "{spot} dcfr?iterations=2 cfr?iterations=2 --hands 0",
    ("versus", "--json"): "{spot} dcfr?iterations=2 cfr?iterations=2 --hands 0",
    ("versus", "--svg"): "{spot} dcfr?iterations=2 cfr?iterations=2 --hands 0",
    ("solve", "--csv"): "{spot} --iterations 1",
    ("solve", "--json"): "{spot} --iterations 1",
    ("solve", "--svg"): "{spot} --iterations 1 --respond oop --model {model}",
    ("study hands", "--json"): "{log}",
    ("study hands", "--html"): "{log}",
    ("study hands", "--menu"): "{log}",
    ("study hands", "--problems"): "{log}",
    ("study menu", "--json"): "{log} --sizes 1 --min-count 1",
    ("study menu", "--menu"): "{log} --sizes 1 --min-count 1",
    ("study menu", "--problems"): "{log} --sizes 1 --min-count 1",
    ("study model", "--json"): "{spot} {log} --of ip",
    ("study model", "--model"): "{spot} {log} --of ip",
    ("study profile", "--csv"): "{log}",
    ("study profile", "--html"): "{log}",
    ("study profile", "--json"): "{log}",
    ("study profile", "--lines-csv"): "{log}",
    ("study tree", "--jsonl"): "1-2-2",
    ("play", "--json"): "http://127.0.0.1:9 --as slumbot --player call",
    ("study trees", "--csv"): "4-4-4",
    ("study trees", "--json"): "4-4-4",
    ("study trees", "--png"): "4-4-4",
    ("study trees", "--svg"): "4-4-4",
    ("tournament report", "--json"): "{played}",
    ("tournament status", "--json"): "{played}",
}
FOLDERS: Final[dict[tuple[str, str], str]] = {
    ("game freezeout", "--out"): "call fold --games 2",
    ("lab abstractions", "--out"): "{spot} --iterations 1",
    ("lab counts", "--out"): "{spot} --tree",
    ("lab losses", "--out"): "{spot} --iterations 1 --abstractions rank-river",
    ("lab menus", "--out"): "{spot} --most 0 --iterations 1",
    ("lab three-players", "--out"): "--only x4 --hands 12",
    ("match", "--out"): "call fold --hands 2 --game kuhn.limit.2p --in-process",
    ("pack build", "--out"): "{pack}",
    ("pack values", "--out"): BLUEPRINT,
    ("pack values", "--work"): BLUEPRINT + " --out {new}",
    ("play", "--out"): "http://127.0.0.1:9 --as slumbot --player call",
    ("grade", "--store"): "{log} --player Alice --first 1",
    ("serve", "--out"): "--player call --port 0",
    ("pack build", "--work"): "{pack} --out {new}",
    ("solve", "--out"): "{spot} --iterations 1",
    ("solve", "--save"): "{spot} --iterations 1",
    ("solve", "--save-strategy"): "{spot} --iterations 1",
    ("study hands", "--store"): "{log}",
    ("study menu", "--store"): "{log} --sizes 1 --min-count 1",
    ("study model", "--store"): "{spot} {log} --of ip",
    ("study profile", "--store"): "{log}",
    ("study tree", "--out"): "1-2-2",
    ("study tree", "--store"): "--hands {log}",
    ("study trees", "--store"): "--hands {log}",
    ("tournament run", "--out"): "{tournament}",
}
# Folders in which a command makes new files and folders; what is there already stays, as tests/explorer/test_solving.py
# and tests/interop/upi/test_saves.py show.
PARENTS: Final = {("explore", "--solves"), ("upi", "--launcher")}
# Options that name something to read.
INPUTS: Final = {
    ("convert", "--ranges"),
    ("judge", "--settings"),
    ("drill", "--packs"),
    ("game jamfold", "--rate"),
    ("grade", "--packs"),
    ("pack spot", "--pack"),
    ("solve", "--evaluate"),
    ("play", "--after-log"),
    ("solve", "--model"),
    ("study tree", "--hands"),
    ("study trees", "--hands"),
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved solve and a tournament that was played."""
    folder = tmp_path_factory.mktemp("results")
    (folder / "spot.yaml").write_text(SPOT)
    (folder / "tournament.yaml").write_text(TOURNAMENT)
    for words in (
        f"solve {folder}/spot.yaml --iterations 1 --threads 1 --save {folder}/solve",
        f"tournament run {folder}/tournament.yaml --out {folder}/played",
    ):
        with pytest.raises(SystemExit) as ended:
            main(words.split())
        assert ended.value.code == 0
    return folder


@pytest.fixture
def inputs(tmp_path: Path, results: Path) -> Iterator[dict[str, str]]:
    """Inputs of commands, all in one folder; they are unchanged at the end."""
    folder = tmp_path / "inputs"
    (folder / "work").mkdir(parents=True)
    for name in ("solve", "played"):
        shutil.copytree(results / name, folder / name)
    texts = {"spot": SPOT, "tournament": TOURNAMENT, "pack": PACK, "model": MODEL}
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text)
    log = gzip.decompress((DATA / "acpc" / "log_hunl2p_s0.log.gz").read_bytes())
    (folder / "match.log").write_bytes(log)
    (folder / "limit.log").write_text(
        "# name/game/hands/seed x holdem.limit.2p.reverse_blinds 1 1\n"
        "STATE:0:rrc/crrc/rc/rrc:AcKc|7h6h/Ks5h3d/Tc/4h:-110|110:alice|bob\n"
    )
    shutil.copy(default_packs() / "blueprint" / "manifest.yaml", folder / "work" / "blueprint-001.npz")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    yield {
        **{name: str(folder / f"{name}.yaml") for name in texts},
        "log": str(folder / "match.log"),
        "limit_log": str(folder / "limit.log"),
        **{name: str(folder / name) for name in ("work", "solve", "played")},
        "new": str(tmp_path / "new"),
    }
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def arguments(command: str, text: str, inputs: dict[str, str]) -> list[str]:
    return [*command.split(), *(word.format(**inputs) for word in text.split())]


def expect_refusal(run: Run, words: list[str], *messages: str) -> None:
    code, out, error = run(*words)
    assert code == 2, (out, error)
    assert any(message in error for message in messages), error
    assert "Traceback" not in error
    if not error.startswith("Usage:"):
        assert len(error.strip().splitlines()) == 1, error


def snapshot(folder: Path) -> dict[Path, bytes | None]:
    return {path: path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


@pytest.mark.process
@pytest.mark.parametrize(("command", "option"), sorted(FILES))
def test_a_users_file_is_never_overwritten(
    run: Run, tmp_path: Path, inputs: dict[str, str], command: str, option: str
) -> None:
    """A file is there; a folder is there; a part of the path is a file; an input is named as the output."""
    thesis = tmp_path / "thesis.txt"
    thesis.write_text(PRECIOUS)
    (tmp_path / "folder").mkdir()
    words = arguments(command, FILES[command, option], inputs)
    before = snapshot(tmp_path)
    expect_refusal(
        run,
        [*words, option, str(thesis)],
        "thesis.txt: exists already: expected a new file, or --overwrite",
        "thesis.txt:1: no results of ",
    )
    if (command, option) != ("log convert", "--out"):  # which writes into a folder, too
        expect_refusal(run, [*words, option, str(tmp_path / "folder")], "is a folder", "is a directory")
    expect_refusal(run, [*words, option, str(thesis / "deep" / "x")], "thesis.txt is not a folder")
    for name in ("spot", "log"):
        if f"{{{name}}}" in FILES[command, option]:
            expect_refusal(run, [*words, option, inputs[name]], "belongs to the input")
            expect_refusal(run, [*words, option, inputs[name], "--overwrite"], "belongs to the input")
    for name, file in (("solve", "manifest.yaml"), ("played", "tournament.json")):
        if f"{{{name}}}" in FILES[command, option]:
            output = str(Path(inputs[name]) / file)
            expect_refusal(run, [*words, option, output], "belongs to the input")
            expect_refusal(run, [*words, option, output, "--overwrite"], "belongs to the input")
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize(("command", "option"), sorted(FOLDERS))
def test_a_users_folder_is_never_written_to(
    run: Run, tmp_path: Path, inputs: dict[str, str], command: str, option: str
) -> None:
    """A folder with a file of the user's, here or deeper; a file; a path through a file; the folder of the input."""
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "thesis.txt").write_text(PRECIOUS)
    (tmp_path / "projects" / "deep").mkdir(parents=True)
    (tmp_path / "projects" / "deep" / "thesis.txt").write_text(PRECIOUS)
    (tmp_path / "thesis.txt").write_text(PRECIOUS)
    words = arguments(command, FOLDERS[command, option], inputs)
    before = snapshot(tmp_path)
    foreign = "thesis.txt', which is not part of"
    for more in ([], ["--overwrite"]):
        expect_refusal(run, [*words, option, str(tmp_path / "documents"), *more], f"documents: holds '{foreign}")
        expect_refusal(run, [*words, option, str(tmp_path / "projects"), *more], f"projects: holds 'deep/{foreign}")
        expect_refusal(run, [*words, option, str(tmp_path / "thesis.txt"), *more], "is a file")
        expect_refusal(run, [*words, option, str(tmp_path / "thesis.txt/deep"), *more], "thesis.txt is not a folder")
    if inputs.keys() & {"spot", "tournament", "pack"}:
        expect_refusal(run, [*words, option, str(Path(inputs["spot"]).parent)], "inputs: holds ")
    assert snapshot(tmp_path) == before


def test_the_dealer_replaces_logs_of_matches_alone(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no option for their names, as the official dealer, which replaces whatever is there."""
    monkeypatch.chdir(tmp_path)
    words = ["dealer", "thesis", "kuhn.limit.2p", "1", "0", "Alice", "Bob", "-T", "--start_timeout", "1"]
    for name in ("thesis.log", "thesis.tlog"):
        (tmp_path / name).write_text(PRECIOUS)
        expect_refusal(run, words, f"{name}: exists already and is not a")
        assert (tmp_path / name).read_text() == PRECIOUS
        (tmp_path / name).unlink()
    for _ in range(2):  # nobody connects
        assert run(*words)[0] == 1
        assert (tmp_path / "thesis.log").read_text().startswith("# name/game/hands/seed thesis kuhn.limit.2p 1 0\n")


def test_every_output_is_in_a_table() -> None:
    """An option that takes a path is an output of one of the tables above, or an input."""
    found = set(path_options(cli, ()))
    assert found == FILES.keys() | FOLDERS.keys() | INPUTS | PARENTS


def path_options(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from path_options(found, (*path, name))
        return
    for parameter in command.params:
        if isinstance(parameter, click.Option) and isinstance(parameter.type, click.Path):
            yield " ".join(path), parameter.opts[0]
