"""``hedgehog pack``: list, show, verify; a build that is refused, done, and done again from what is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.main import cli, main
from strategies.pack import default_packs, find_packs, open_pack

CONFIG = """\
kind: flops
name: tiny
blueprint: {blueprint}
target_pct: 100
max_iterations: 2
lines:
  - name: four_bet
    betting: r250r850r2125c
    flop: {{oop: "a", ip: "a"}}
    turn: {{oop: "a", ip: "a"}}
    river: {{oop: "a", ip: "a"}}
flops: [7d 7c 7h]
"""


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(cli, ["pack", *map(str, arguments)], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.output


def test_shipped_packs_list_show_and_verify() -> None:
    folders = find_packs(default_packs())
    listing, shown = run("list"), run("show")
    for folder in folders:
        name = open_pack(folder).manifest.name
        assert name in listing
        assert name in shown
    assert f"{len(folders)} packs, 0 faults" in run("verify")


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


def test_no_pack_is_one_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["pack", "show", str(tmp_path)])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(f"error: {tmp_path}: no strategy pack here")


def test_build_and_resume(tmp_path: Path) -> None:
    config, out = tmp_path / "tiny.yaml", tmp_path / "out"
    config.write_text(CONFIG.format(blueprint=default_packs() / "blueprint"))
    assert f"wrote {out}" in run("build", config, "--out", out, "--threads", "1")
    (solved,) = out.with_name("out.work").glob("*/*.npz")
    before = solved.stat().st_mtime_ns
    pack = open_pack(out)
    assert pack.manifest.lines[0].pot == 4250
    assert f"wrote {out}" in run("build", config, "--out", out, "--threads", "1")
    assert solved.stat().st_mtime_ns == before
    assert "7" in run("show", out)


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
    config.write_text(CONFIG.format(blueprint=default_packs() / "blueprint").replace(old, new))
    with pytest.raises(SystemExit) as ended:
        main(["pack", "build", str(config), "--out", str(tmp_path / "out")])
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()
