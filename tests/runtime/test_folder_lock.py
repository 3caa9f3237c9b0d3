"""hedgehog.runtime.folder_lock: one writer per folder, between processes too."""

from __future__ import annotations

import fcntl
import os
import threading
from pathlib import Path

import pytest

from hedgehog.runtime.errors import InputError, ResourceError
from hedgehog.runtime.folder_lock import FolderLock, is_locked, locked_folder


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    assert not is_locked(tmp_path)
    with locked_folder(tmp_path, InputError("unused")):
        assert is_locked(tmp_path)
        with pytest.raises(InputError, match="busy"), locked_folder(tmp_path, InputError("busy")):
            raise AssertionError
    assert not is_locked(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_descriptor_that_is_held_open_prolongs_the_lock(tmp_path: Path) -> None:
    with FolderLock(tmp_path) as lock:
        assert lock.take()
        child = os.dup(lock.descriptor)
    assert is_locked(tmp_path)
    os.close(child)
    assert not is_locked(tmp_path)


def test_patience_waits_for_the_holder(tmp_path: Path) -> None:
    with FolderLock(tmp_path) as first, FolderLock(tmp_path) as second:
        assert first.take()
        assert not second.take(patience_s=0.01)
        threading.Timer(0.2, fcntl.flock, (first.descriptor, fcntl.LOCK_UN)).start()
        assert second.take(patience_s=30)


def test_a_folder_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=f"cannot open the folder {tmp_path / 'none'}"):
        FolderLock(tmp_path / "none")


def test_a_file_system_without_locks_counts_as_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(descriptor: int, operation: int) -> None:
        raise OSError("no locks here")

    monkeypatch.setattr("hedgehog.runtime.folder_lock.fcntl.flock", no_locks)
    assert not is_locked(tmp_path)
