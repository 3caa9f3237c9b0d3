"""The overwrite rule: where outputs may be written, and that files of the user are never touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hedgehog.runtime.errors import InputError, ResourceError
from hedgehog.runtime.files import write_text_file
from hedgehog.runtime.outputs import (
    STDOUT,
    FolderKind,
    remove_contents,
    verify_distinct,
    verify_output_file,
    verify_output_folder,
)

MATCH = FolderKind("a match", ("match.plan", "seating_*.log", "deep/*/x.npz"))


def plant(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("precious")


def contents(root: Path) -> dict[str, str]:
    return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}


def test_new_and_empty_files_and_devices_may_be_written(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    for path in (tmp_path / "new", tmp_path / "a/b/new", tmp_path / "empty", Path(os.devnull), STDOUT):
        verify_output_file(path)
    assert contents(tmp_path) == {"empty": ""}  # looking makes nothing


def test_a_file_is_replaced_only_on_request_and_an_input_never(tmp_path: Path) -> None:
    plant(tmp_path, "thesis.txt", "in/log.txt")
    thesis = tmp_path / "thesis.txt"
    with pytest.raises(InputError, match="exists already: expected a new file, or --overwrite"):
        verify_output_file(thesis)
    verify_output_file(thesis, overwrite=True)
    (tmp_path / "short").write_bytes(b"1")  # what is not empty is never replaced, however little it is
    with pytest.raises(InputError, match="exists already"):
        verify_output_file(tmp_path / "short")
    (tmp_path / "link").symlink_to(thesis)
    os.link(thesis, tmp_path / "hard")
    for name in ("thesis.txt", "link", "hard"):
        with pytest.raises(InputError, match=r"belongs to the input .*thesis\.txt"):
            verify_output_file(tmp_path / name, overwrite=True, inputs=[thesis])
    with pytest.raises(InputError, match=r"belongs to the input .*in: expected"):
        verify_output_file(tmp_path / "in/log.txt", overwrite=True, inputs=[tmp_path / "in"])


@pytest.mark.parametrize("name", ["thesis.txt/x", "thesis.txt/x/y", "/dev/null/x", "folder", "a\0b", "n" * 300])
def test_what_cannot_be_a_file_is_one_error(tmp_path: Path, name: str) -> None:
    plant(tmp_path, "thesis.txt", "folder/x")
    before = contents(tmp_path)
    with pytest.raises((InputError, ResourceError)):
        verify_output_file(tmp_path / name)
    with pytest.raises((InputError, ResourceError)):
        write_text_file(tmp_path / name, "new")  # the disk can change after the check
    assert contents(tmp_path) == before


def test_a_full_disk_is_one_error_and_a_device_stays_a_device() -> None:
    with pytest.raises(ResourceError, match="cannot write /dev/full: No space left"):
        write_text_file(Path("/dev/full"), "x" * 100_000)
    write_text_file(Path(os.devnull), "x")
    assert Path(os.devnull).is_char_device()


def test_a_link_goes_on_pointing_to_the_file_that_is_written(tmp_path: Path) -> None:
    plant(tmp_path, "there/target")
    (tmp_path / "link").symlink_to("there/target")
    write_text_file(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there/target").read_text() == "new"


def test_an_output_named_twice_is_refused(tmp_path: Path) -> None:
    verify_distinct([tmp_path / "a", tmp_path / "b", Path(os.devnull), Path(os.devnull)])
    for twice in ([tmp_path / "a", tmp_path / "x/../a"], [STDOUT, STDOUT]):
        with pytest.raises(InputError, match="named twice"):
            verify_distinct(twice)


def test_a_folder_is_new_or_empty_or_of_the_same_kind(tmp_path: Path) -> None:
    verify_output_folder(tmp_path / "a/b", MATCH, proceed=False)
    verify_output_folder(tmp_path, MATCH, proceed=False)
    plant(tmp_path, ".seating_1.log.17.tmp")  # left by a killed run
    (tmp_path / "deep/abc").mkdir(parents=True)
    verify_output_folder(tmp_path, MATCH, proceed=False)
    plant(tmp_path, "seating_1.log")  # a single file is enough
    with pytest.raises(InputError, match="holds a match already: expected a new or empty folder, or --overwrite"):
        verify_output_folder(tmp_path, MATCH, proceed=False)
    plant(tmp_path, "deep/abc/x.npz")
    verify_output_folder(tmp_path, MATCH, proceed=True)


@pytest.mark.parametrize("foreign", ["thesis.txt", "seating_x/thesis.txt", "deep/x.npz", "deep/a/b/x.npz", ".hidden"])
def test_a_folder_with_a_users_file_is_refused_whatever_is_asked(tmp_path: Path, foreign: str) -> None:
    plant(tmp_path, "match.plan", foreign)
    with pytest.raises(InputError, match=f"holds '{foreign}', which is not part of a match"):
        verify_output_folder(tmp_path, MATCH, proceed=True)
    remove_contents(tmp_path, MATCH)
    assert contents(tmp_path) == {foreign: "precious"}


def test_an_empty_folder_and_a_link_of_a_user_are_his(tmp_path: Path) -> None:
    (tmp_path / "one/photos").mkdir(parents=True)
    (tmp_path / "two").mkdir()
    (tmp_path / "two/link").symlink_to(tmp_path / "one")
    (tmp_path / "file").write_text("x")
    (tmp_path / "nowhere").symlink_to("gone")
    for name, message in (
        ("one", "holds 'photos'"),
        ("two", "holds 'link'"),
        ("file", "is a file"),
        ("nowhere", "is a link to nowhere"),
    ):
        with pytest.raises(InputError, match=message):
            verify_output_folder(tmp_path / name, MATCH, proceed=True)
    with pytest.raises(ResourceError, match="is not a folder"):
        verify_output_folder(tmp_path / "file/x/y", MATCH, proceed=True)


def test_a_folder_that_holds_an_input_is_refused(tmp_path: Path) -> None:
    plant(tmp_path, "seating_1.log")
    with pytest.raises(InputError, match="holds an input of this command"):
        verify_output_folder(tmp_path, MATCH, proceed=True, inputs=[tmp_path / "seating_1.log"])


def test_replacing_removes_our_files_and_the_folders_they_leave_empty(tmp_path: Path) -> None:
    plant(tmp_path, "match.plan", "seating_1.log", "deep/abc/x.npz")
    remove_contents(tmp_path, MATCH)
    assert list(tmp_path.iterdir()) == []
