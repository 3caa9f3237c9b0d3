"""Files NAME.cfr, and the program files of ``hedgehog upi --launcher``."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from hedgehog.interop.upi.launcher import PROGRAMS, program_text, write_launchers
from hedgehog.interop.upi.saves import (
    FIRST_LINE,
    TreeFile,
    find_tree,
    format_tree_file,
    parse_tree_file,
    write_tree_file,
)
from hedgehog.runtime.errors import InputError, PackError
from tests.interop.upi.client import END


def test_a_tree_file_names_its_folder_from_its_own_folder_on(tmp_path: Path, river: Path) -> None:
    file = tmp_path / "sub" / "a.cfr"
    file.parent.mkdir()
    write_tree_file(file, TreeFile(Path(os.path.relpath(river, file.parent)), ("#A#b",)))
    found = find_tree(file)
    assert found.folder.resolve() == river.resolve()
    assert found.info == ("#A#b",)
    assert parse_tree_file(file.read_bytes(), "a.cfr") == TreeFile(Path(os.path.relpath(river, file.parent)), ("#A#b",))
    assert find_tree(river) == TreeFile(river)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no file of Hedgehog's"),
        (b"\x00\x01PIO", "a save of PioSOLVER, Hedgehog cannot read it"),
        (FIRST_LINE.encode(), "expected the folder"),
        (f"{FIRST_LINE}\n\n".encode(), "expected the folder"),
        (f"{FIRST_LINE}\na\nmore\n".encode(), "x.cfr:3: expected #Key#Value"),
    ],
)
def test_another_file_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        parse_tree_file(data, "x.cfr")
    assert message in str(raised.value)


def test_a_folder_without_a_solve_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no saved solve here"):
        find_tree(tmp_path)
    with pytest.raises(InputError, match="cannot read it"):
        find_tree(tmp_path / "none")
    with pytest.raises(InputError, match="cannot read it"):
        find_tree("a\0b")


def test_launchers_replace_their_own_files_alone(tmp_path: Path, river: Path) -> None:
    folder = tmp_path / "pio"
    for _ in range(2):
        assert [path.name for path in write_launchers(folder, [river])] == [*PROGRAMS, "river.cfr"]
    assert find_tree(folder / "river.cfr").folder == river.resolve()
    program = folder / "PioSOLVER3-edge.exe"
    program.write_text("the real one")
    with pytest.raises(InputError, match="exists already"):
        write_launchers(folder, [])
    assert program.read_text() == "the real one"
    with pytest.raises(InputError, match="two solves"):
        write_launchers(tmp_path / "new", [river, river])
    with pytest.raises(PackError, match="no saved solve"):
        write_launchers(tmp_path / "new", [tmp_path])
    assert not (tmp_path / "new").exists()
    assert format_tree_file(TreeFile(Path("a"))) == f"{FIRST_LINE}\na\n"


@pytest.mark.slow
def test_a_program_file_stands_in_any_folder(tmp_path: Path, river: Path) -> None:
    folder = tmp_path / "my $folder `x`"
    write_launchers(folder, [river])
    commands = f"set_end_string {END}\nload_tree river.cfr\nshow_children r:0:b50\nexit\n"
    for name, lines in (("PioSOLVER3-edge.exe", 24), ("jesolver.exe", 21)):
        done = subprocess.run(
            [folder / name], input=commands, capture_output=True, text=True, cwd=folder, check=True, timeout=300
        )
        said = done.stdout.split("\n")
        assert said[:7] == [*said[:3], "set_end_string ok!", END, "load_tree ok!", END]
        assert said[2].startswith("registered to ")
        assert (len(said), said[-2:]) == (7 + lines + 2, [END, ""])
        assert done.stderr == ""
    refused = subprocess.run([folder / "jesolver.exe", "x"], capture_output=True, text=True, check=False, timeout=300)
    assert (refused.returncode, refused.stdout, refused.stderr) == (2, "", "error: expected no arguments\n")


def test_a_program_file_keeps_odd_paths() -> None:
    text = program_text(" --children 7", python="/a b/it's/python")
    assert "'/a b/it'\"'\"'s/python' -P -c" in text
    assert text.startswith("#!/bin/sh\n")
