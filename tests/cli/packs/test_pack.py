"""``hedgehog pack``: list, show, verify; a build that is refused, done, and done again from what is there."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from hedgehog.analysis.packs.bucket_quality import Sample
from hedgehog.cli.main import cli, main
from hedgehog.runtime.engines.jobs import hold_work
from hedgehog.runtime.errors import InputError, ResourceError, StoppedError
from hedgehog.runtime.table import MISSING
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.strategies.blueprint_pack import blueprint_digest, read_blueprint
from hedgehog.strategies.manifest import MANIFEST_NAME, read_manifest
from hedgehog.strategies.pack import default_packs, find_packs, open_pack
from tests.agent.pack_fixtures import tiny_build, write_exact_pack
from tests.solver.blueprint_fixtures import SHIPPED_BUCKETS, made_up_abstraction

CONFIGS = Path(__file__).parents[3] / "strategies" / "configs"


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(cli, ["pack", *map(str, arguments)], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.output


def test_shipped_packs_list_show_and_verify() -> None:
    folders = find_packs(default_packs())
    listing, shown = run("list"), run("show")
    for folder in folders:
        name = read_manifest(folder).name
        assert name.removesuffix("-values") in listing  # long names are wrapped
        assert name in shown
    for folder in folders:
        # To read every row of the quick packs takes half a minute.
        if "quick" not in folder.name:
            assert "1 packs, 0 faults" in run("verify", folder)
    assert "button against a 3-bet: f " in shown
    assert "release gate: passed" in shown


@pytest.mark.slow
def test_shipped_packs_have_no_fault() -> None:
    assert f"{len(find_packs(default_packs()))} packs, 0 faults" in run("verify")


def test_chart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "wrote" in run("chart", "--out", tmp_path / "chart.svg")
    name = open_pack(default_packs() / "blueprint").manifest.name
    assert f"Before the flop, 200 big blinds: {name}" in (tmp_path / "chart.svg").read_text()
    for path, message in ((tmp_path / "x.npz", "x.npz"), (tmp_path, "no strategy pack")):
        with pytest.raises(SystemExit) as ended:
            main(["pack", "chart", str(path), "--out", str(tmp_path / "other.svg")])
        assert ended.value.code == 2
        assert message in capsys.readouterr().err
    assert not (tmp_path / "other.svg").exists()


def test_buckets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The report of made-up tables: nothing has to be built."""
    monkeypatch.setattr(CardAbstraction, "load_or_build", lambda config, progress: made_up_abstraction(5, 6, 7))
    monkeypatch.setattr(
        "hedgehog.analysis.packs.bucket_quality.Sample", lambda: Sample(flops=1, turns=5, rivers=2, hands=5)
    )
    file = tmp_path / "buckets.json"
    output = run("buckets", "--json", file)
    assert "digest made up" in output
    result = json.loads(file.read_text())
    assert (result["digest"], result["built"], result["cards"]["river"]) == ("made up", False, 200)
    assert [street["buckets"] for street in result["streets"]] == [169, 5, 6, 7]
    assert [street["sampled"] for street in result["streets"]] == [0, 5, 25, 2162]
    for street in result["streets"][1:]:
        assert f"{street['distance']:.4f}" in output
    assert (result["format"], result["seed"]) == ("hedgehog.buckets", 1)
    assert max(map(len, output.splitlines())) <= 80
    with pytest.raises(InputError, match=r"buckets\.json: exists already"):
        run("buckets", "--json", file)
    table = run("buckets", "--csv", "-").split("Tables:")[1].splitlines()[1:]
    assert table[0].startswith("street,buckets,smallest,median,largest,sampled,equity_sd,")
    assert [line.split(",")[:2] for line in table[1:]] == [
        ["preflop", "169"],
        ["flop", "5"],
        ["turn", "6"],
        ["river", "7"],
    ]


def test_chart_replaces_nothing_and_goes_to_standard_output(tmp_path: Path) -> None:
    file = tmp_path / "mine.svg"
    file.write_text("mine")
    with pytest.raises(InputError, match=r"mine\.svg: exists already: expected a new file, or --overwrite"):
        run("chart", "--out", file)
    assert file.read_text() == "mine"
    run("chart", "--out", file, "--overwrite")
    assert file.read_text() in CliRunner().invoke(cli, ["pack", "chart", "--out", "-"]).stdout


def test_list_show_and_verify_as_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [open_pack(folder).manifest.name for folder in find_packs(default_packs())]
    blueprint = default_packs() / "blueprint"
    files = {name: tmp_path / f"{name}.json" for name in ("list", "show", "verify")}
    run("list", "--json", files["list"], "--csv", tmp_path / "list.csv")
    run("show", blueprint, "--json", files["show"])
    run("verify", blueprint, "--json", files["verify"])
    found = {name: json.loads(file.read_text()) for name, file in files.items()}
    assert [one["name"] for one in found["list"]["packs"]] == names
    assert (tmp_path / "list.csv").read_text().splitlines()[0] == "folder,name,kind,tier,depth_bb,content,bytes"
    assert found["show"]["packs"][0]["manifest"]["provenance"]["commit"]
    assert (found["verify"]["format"], found["verify"]["faults"]) == ("hedgehog.pack-verify", 0)


def test_verify_counts_a_damaged_pack(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = default_packs() / "blueprint"
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    for file in source.iterdir():
        data = bytearray(file.read_bytes())
        if file.name == "blueprint_rows.npy":
            data[-1] ^= 1
        (damaged / file.name).write_bytes(data)
    with pytest.raises(SystemExit) as ended:
        main(["pack", "verify", str(tmp_path)])
    assert ended.value.code == 1
    output = capsys.readouterr().out
    assert "blueprint_rows.npy: checksum differs" in output
    assert "1 packs, 1 faults" in output


def verify(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended:
        main(["pack", "verify", str(path)])
    assert isinstance(ended.value.code, int)
    return ended.value.code, capsys.readouterr().out


def test_verify_says_which_blueprint_a_flop_pack_belongs_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blueprint = default_packs() / "blueprint"
    own = blueprint_digest(read_blueprint(open_pack(blueprint)))
    assert own in run("show", blueprint)
    for digest, beside, code, message in (
        (own, True, 0, ""),
        (own, False, 0, "there is no blueprint beside it"),
        (None, True, 1, "does not record which blueprint it was made from, so no player plays it"),
        (None, False, 1, "does not record which blueprint it was made from, so no player plays it"),
        ("0" * 64, True, 1, "'exact-flops' belongs to another blueprint (digest 000000000000) than 'default-bluepr"),
    ):
        folder = tmp_path / f"{message}-{beside}"
        flops = write_exact_pack(folder / "my-flops", digest)
        if beside:
            shutil.copytree(blueprint, folder / "blueprint")
        found, output = verify(folder, capsys)
        assert found == code
        assert message in output
        assert ("note" in output, "fault:" in output) == (bool(message) and not code, bool(code))
        assert (digest or "does not record") in run("show", flops)


def test_a_changed_byte_of_a_manifest_is_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """That of the buckets on the turn, from which other card tables would be built."""
    shutil.copytree(default_packs() / "blueprint", tmp_path / "blueprint")
    manifest = tmp_path / "blueprint" / MANIFEST_NAME
    text = manifest.read_text()
    assert "turn: 1000" in text
    manifest.write_text(text.replace("turn: 1000", "turn: 1200"))
    code, output = verify(tmp_path, capsys)
    assert code == 1
    assert "the manifest is damaged or was edited: its digest differs" in output


def test_no_pack_is_one_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["pack", "show", str(tmp_path)])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(f"error: {tmp_path}: no strategy pack here")


@pytest.mark.process
def test_build_and_resume(tmp_path: Path) -> None:
    config, out = tmp_path / "tiny.yaml", tmp_path / "out"
    config.write_text(tiny_build("7d 7c 7h"))
    assert f"wrote {out}" in run("build", config, "--out", out, "--threads", "1")
    (solved,) = out.with_name("out.work").glob("*/*.npz")
    before = solved.stat().st_mtime_ns
    pack = open_pack(out)
    assert pack.manifest.lines[0].pot == 4250
    with pytest.raises(InputError, match="holds a strategy pack already: expected a new or empty folder, or --over"):
        run("build", config, "--out", out, "--threads", "1")
    assert f"wrote {out}" in run("build", config, "--out", out, "--threads", "1", "--overwrite")
    assert solved.stat().st_mtime_ns == before
    assert "7" in run("show", out)

    for folder in (out, out.with_name("out.work")):
        assert "1 of 1 flops done (100.0 %)" in run("status", folder)
    run("status", out, "--json", tmp_path / "status.json")
    (build,) = json.loads((tmp_path / "status.json").read_text())["builds"]
    assert (build["state"], build["alive"], build["done"], build["engine"]) == ("finished", False, 1, "1 local process")
    with pytest.raises(InputError, match="no build of a pack here"):
        run("status", tmp_path)
    config.write_text(config.read_text().replace("max_iterations: 2", "max_iterations: 3"))
    with pytest.raises(InputError, match=r"out\.work: holds 1 flops of another configuration and none of this one"):
        run("build", config, "--out", out, "--overwrite")
    assert solved.stat().st_mtime_ns == before


def test_a_cluster_that_is_not_there_is_one_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("hedgehog.runtime.engines.dask_engine.CONNECT_S", 0.5)
    config = tmp_path / "tiny.yaml"
    config.write_text(tiny_build("7d 7c 7h"))
    words = ("build", config, "--out", tmp_path / "out", "--dask")
    with pytest.raises(ResourceError, match=r"^no dask scheduler answers at tcp://127\.0\.0\.1:9 "):
        run(*words, "tcp://127.0.0.1:9")
    with pytest.raises(InputError, match=r"^--dask local:none: expected local:N"):
        run(*words, "local:none")
    with pytest.raises(click.UsageError, match="without --threads"):
        run(*words, "local:2", "--threads", "2")


@pytest.mark.parametrize(
    ("out", "work", "message"),
    [
        ("documents", "work", "documents: holds 'sub/thesis.txt', which is not part of a strategy pack"),
        ("out", "documents", "documents: holds 'sub/thesis.txt', which is not part of the unfinished work of a pack"),
        ("out", "out/work", "lie in each other"),
        ("tiny.yaml", "work", "is a file"),
        ("tiny.yaml/deep", "work", "tiny.yaml is not a folder"),
        ("out", "tiny.yaml/deep", "tiny.yaml is not a folder"),
        (".", "work", "is the current folder"),
    ],
)
def test_a_build_is_refused_before_it_starts(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    out: str,
    work: str,
    message: str,
) -> None:
    """Somebody's folder is not a place for a pack, whatever is asked; nothing is computed, nothing is changed."""
    (tmp_path / "documents/sub").mkdir(parents=True)
    (tmp_path / "documents/sub/thesis.txt").write_text("precious")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    config = tmp_path / "tiny.yaml"
    config.write_text(tiny_build("7d 7c 7h"))
    before = sorted(tmp_path.rglob("*"))
    for overwrite in ([], ["--overwrite"]):
        folders = [out if out == "." else str(tmp_path / out), "--work", str(tmp_path / work)]
        with pytest.raises(SystemExit) as ended:
            main(["pack", "build", str(config), "--out", *folders, *overwrite])
        assert ended.value.code == 2
        assert message in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "documents/sub/thesis.txt").read_text() == "precious"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("kind: flops", "kind: turns", "tiny.yaml:1: 'kind'"),
        ("r250r850r2125c", "r333c", "the blueprint has no line 'r333c'"),
        ("name: tiny", "name: [", "tiny.yaml:4: not valid YAML"),
    ],
)
def test_a_bad_configuration_is_one_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, message: str
) -> None:
    config = tmp_path / "tiny.yaml"
    config.write_text(tiny_build("7d 7c 7h").replace(old, new))
    with pytest.raises(SystemExit) as ended:
        main(["pack", "build", str(config), "--out", str(tmp_path / "out")])
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_estimate_of_a_blueprint(tmp_path: Path) -> None:
    config = tmp_path / "big.yaml"
    config.write_text("kind: blueprint\nname: big\nmenu: large\nseconds: 60\nthreads: 2\n")
    shown = " ".join(run("build", config, "--estimate").replace("│", " ").split())
    assert "river 33,386 86,650 200" in shown
    assert "together 40,938 107,991" in shown
    assert "infosets 8,186,608, probabilities 21,595,317" in shown
    assert "tables 172.8 MB" in shown
    assert "for each of 2 threads" in shown
    assert list(tmp_path.iterdir()) == [config]
    assert "fits" in shown
    assert shown.endswith("time: 0:01:00 of training at most")


def test_estimate_of_several_depths_fits_the_terminal() -> None:
    lines = run("build", CONFIGS / "blueprint-depths.yaml", "--estimate").splitlines()
    assert max(map(len, lines)) <= 100
    rows = [line.split() for line in lines if line.split()[:1] and line.split()[0].endswith("bb")]
    assert [row[0] for row in rows] == [f"blueprint-{bb}bb" for bb in (5, 7, 10, 13, 15, 20, 30, 50, 75, 100, 150)]
    assert {len(row) for row in rows} == {6}  # nothing is folded
    assert rows[9][1:4] == ["4,973", "10,949,838", "56,000"]
    together = next(line.split() for line in lines if "together" in line)
    assert float(together[1]) == pytest.approx(sum(float(row[5]) for row in rows), abs=0.5)


def stop(*_: object, **__: object) -> None:
    raise StoppedError("stopped")


def test_several_depths_are_built_and_their_state_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(CardAbstraction, "load_or_build", lambda config, progress: made_up_abstraction())
    config, out = tmp_path / "tiny.yaml", tmp_path / "out"
    config.write_text(
        "kind: blueprint\nname: tiny\nmenu: small\nflop_buckets: 20\nturn_buckets: 30\nriver_buckets: 40\n"
        "iterations: 20\nthreads: 1\ndepths:\n  - {bb: 3}\n  - {bb: 4}\n"
    )
    assert run("build", config, "--out", out).splitlines()[-1] == f"all 2 blueprints are in {out}"
    assert "all 2 blueprints are finished already" in run("build", config, "--out", out)
    config.write_text(config.read_text() + "  - {bb: 5}\n")
    with monkeypatch.context() as patch:
        patch.setattr("hedgehog.solver.packs.trainings.train_blueprint", stop)
        with pytest.raises(StoppedError):
            run("build", config, "--out", out)
    with hold_work(out.with_name("out.work")):
        with pytest.raises(ResourceError, match=r"another process is working in .*out\.work"):
            run("build", config, "--out", out)
        shown = [line.split() for line in run("status", out).replace("│", " ").splitlines()]
        assert ["tiny-5bb", "training", MISSING, "20", MISSING] in shown
    assert run("status", out, "--json", tmp_path / "status.json").startswith(f"{out}.work: not running: the same com")
    found = json.loads((tmp_path / "status.json").read_text())
    assert found["folder"] == f"{out}.work"
    assert [(row["blueprint"], row["state"], row["iterations"]) for row in found["depths"]] == [
        ("tiny-3bb", "finished", 20),
        ("tiny-4bb", "finished", 20),
        ("tiny-5bb", "not begun", None),
    ]
    run("build", config, "--out", out)
    (out.with_name("out.work") / "tiny-5bb" / "checkpoint.npz").write_text("damaged")
    with pytest.raises(InputError, match=r"checkpoint\.npz"):
        run("status", out)
    config.write_text(config.read_text().replace("{bb: 4}", "{bb: 4, menu: {flop: 50%}}"))
    with pytest.raises(SystemExit) as ended:
        main(["pack", "build", str(config), "--out", str(out)])
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert f"{out}/tiny-4bb: holds another pack than 'tiny-4bb' of the configuration (menu: not the same)" in error


def test_estimate_of_exact_flops(tmp_path: Path) -> None:
    config = tmp_path / "tiny.yaml"
    config.write_text(tiny_build("7d 7c 7h"))
    shown = " ".join(run("build", config, "--estimate", "--threads", "1").replace("│", " ").split())
    assert "four_bet 1 0 1 " in shown
    assert "1 flops to solve, each to 100 % of the pot memory: " in shown
    assert re.search(r"time: \S+ seconds of CPU, 95 % between \S+ and \S+ on processors", shown)
    assert " 1,024 workers of 1 core: 0:00:" in shown
    assert list(tmp_path.iterdir()) == [config]


def test_estimate_of_quick_flops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "quick.yaml"
    blueprint = default_packs() / "blueprint"
    config.write_text(
        f"kind: quick-flops\nname: quick\nblueprint: {blueprint}\nclasses: [7d 7c 7h]\n"
        "lines:\n  - {betting: r250r850r2125c, refine: {boards: 2}}\n"
    )
    shown = " ".join(run("build", config, "--estimate", "--threads", "1").replace("│", " ").split())
    assert "r250r850r2125c 1 0 1 " in shown
    assert "0 flops to refine" in shown  # the one that was tried is kept
    assert "pack: at most " in shown
    assert list(tmp_path.iterdir()) == [config]


def test_a_spot_of_the_blueprint_can_be_solved_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def tables(config: object, **_: object) -> CardAbstraction:
        return replace(made_up_abstraction(*SHIPPED_BUCKETS), digest=digest)

    opened = open_pack(default_packs() / "blueprint")
    digest = opened.manifest.config["card_digest"]
    monkeypatch.setattr(CardAbstraction, "load_or_build", tables)
    spots = {"flop": ("r250c", "Qh Jh 2c"), "river": ("r250c/cc/kk", "Qh Jh 2c 7d 5s")}
    for name, (line, board) in spots.items():
        (tmp_path / f"{name}.yaml").write_text(run("spot", "--line", line, "--board", board))
    for name, options in (("flop", ["--estimate"]), ("river", ["--iterations", "3", "--threads", "1"])):
        with pytest.raises(SystemExit) as ended:
            main(["solve", str(tmp_path / f"{name}.yaml"), *options])
        assert ended.value.code in (None, 0)
        assert f"{spots[name][0].replace('k', 'c')} {spots[name][1]}" in capsys.readouterr().out


def test_a_spot_is_not_written_over_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.yaml").write_text("mine")
    cases = (
        (["--line", "r250c", "--board", "QhJh2c", "--out", str(tmp_path / "mine.yaml")], "exists already"),
        (["--line", "r300c", "--board", "QhJh2c"], "has no r300"),
        (["--line", "r250c/zz", "--board", "QhJh2c7d"], "expected an action"),
        (["--line", "r250c", "--board", "QhJhXx"], "'Xx'"),
        (["--line", "r250c", "--board", "QhJh2c", "--pack", str(default_packs() / "quick-flops")], "no blueprint pack"),
    )
    for options, message in cases:
        with pytest.raises(SystemExit) as ended:
            main(["pack", "spot", *options])
        captured = capsys.readouterr()
        assert (ended.value.code, captured.out) == (2, "")
        assert message in captured.err
    assert (tmp_path / "mine.yaml").read_text() == "mine"
