"""Strategy packs on disk: a folder with ``manifest.yaml`` and one ``.npy`` file per array.

Arrays are memory-mapped read-only. Opening a pack compares the size, header and checksum of every file with the
manifest before any array is used. Nothing is unpickled. Writing is atomic: a folder appears under its final name only
when the pack is complete.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.display.shown import Shown
from hedgehog.runtime.errors import InputError, PackError, ResourceError
from hedgehog.runtime.files import real_path, replacing, write_text_file
from hedgehog.runtime.input_files import open_input
from hedgehog.runtime.npy_files import map_npy, read_npy_header
from hedgehog.runtime.outputs import FolderKind, make_folder, remove_contents, verify_can_make, verify_output_folder
from hedgehog.runtime.table import Table
from hedgehog.strategies.betting_tree import NODE_TYPES, BettingTree
from hedgehog.strategies.manifest import (
    MANIFEST_NAME,
    ArrayEntry,
    PackManifest,
    format_manifest,
    parse_manifest,
    read_manifest,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_TREE_NODES = 1 << 24
# Names of the files that update_pack writes, finished or not.
_OWN_FILE = re.compile(r"[a-z0-9_]+-[ab]\.npy|\.([a-z0-9_]+-[ab]\.npy|manifest\.yaml)\.\d+\.tmp")


_UNFINISHED = FolderKind("an unfinished strategy pack", (MANIFEST_NAME, "*.npy"))


@dataclass(frozen=True, slots=True, repr=False)
class StrategyPack(Shown):
    """An open pack whose files have been verified."""

    folder: Path
    manifest: PackManifest
    arrays: Mapping[str, NDArray[Any]]
    """Read-only arrays by name; their data stay on disk until they are used."""

    def summary(self) -> str:
        """Returns the name, the kind, the number of arrays, and the date."""
        return self.manifest.summary()

    def table(self) -> Table:
        """Returns one row with a column per figure of the manifest."""
        return self.manifest.table()

    def details(self) -> str:
        """Returns the figures of the manifest as HTML, one per row."""
        return self.manifest.details()

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws the size of every array in MB, and returns the axes.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :raises InputError: if matplotlib is not installed.
        """
        return self.manifest.plot(axes)

    def array(self, name: str, *, dtype: str, ndim: int) -> NDArray[Any]:
        """Returns the array ``name`` after checking its dtype and its number of dimensions.

        :raises PackError: if the pack lacks the array, or it has another dtype or number of dimensions.
        """
        found = self.arrays.get(name)
        if found is None:
            raise self.error(f"array {name!r} is missing")
        if found.dtype.str != dtype or found.ndim != ndim:
            what = f"{found.dtype.str} with {found.ndim} dimensions"
            raise self.error(f"array {name!r} is {what}, expected {dtype} with {ndim}")
        return found

    def street_buckets(self) -> tuple[int, int, int, int]:
        """Returns the numbers of card buckets per street, preflop to river, that ``config.buckets`` states.

        :raises PackError: if it does not state four numbers.
        """
        match counts := self.manifest.config.get("buckets"):
            case [int(), int(), int(), int()] if all(0 < count <= 65535 for count in counts):
                return counts[0], counts[1], counts[2], counts[3]
        raise self.error(f"config.buckets is {counts!r}, expected four counts, preflop to river")

    def error(self, message: str) -> PackError:
        """Returns an error about the pack's content, ready to be raised."""
        return PackError(message, source=str(self.folder))


def _sha256(path: Path) -> str:
    with open_input(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _open_array(folder: Path, name: str, entry: ArrayEntry, *, checksums: bool = True) -> NDArray[Any]:
    path = folder / entry.file
    try:
        with open_input(path) as file:
            size = os.fstat(file.fileno()).st_size
            header = read_npy_header(file)
    except FileNotFoundError:
        raise PackError(f"array {name!r} is missing", source=str(path)) from None
    except (OSError, ValueError) as error:
        raise PackError(f"not a readable npy file: {error}", source=str(path)) from None
    if header.fortran_order or header.dtype.str != entry.dtype or list(header.shape) != entry.shape:
        raise PackError(
            f"holds {header.dtype.str} {list(header.shape)}, expected {entry.dtype} {entry.shape}", source=str(path)
        )
    if size != header.file_bytes:
        raise PackError(
            f"is {size} bytes long, expected {header.file_bytes}: the file is truncated or damaged", source=str(path)
        )
    if checksums:
        _verify_checksum(path, entry)
    try:
        return map_npy(path)
    except InputError as error:  # the file has changed since it was checked
        raise PackError(error.message, source=str(path)) from None


def _verify_checksum(path: Path, entry: ArrayEntry) -> None:
    try:
        found = _sha256(path)
    except OSError as error:
        raise PackError(f"cannot be read: {error.strerror}", source=str(path)) from None
    if found != entry.sha256:
        raise PackError("checksum differs from the manifest: the file is damaged", source=str(path))


def open_pack(
    folder: str | os.PathLike[str], names: Collection[str] | None = None, *, checksums: bool = True
) -> StrategyPack:
    """Returns the open pack at a folder after verifying its manifest and the size, header and checksum of every array.

    :param folder: the folder with the pack's manifest, such as ``default_packs() / "blueprint"``.
    :param names: the arrays to open and verify; None for all.
    :param checksums: False leaves out the checksums, which read every byte.
    :raises PackError: if a file is missing, damaged or of another version; the message names the file and what was
        expected.
    """
    root = Path(folder)
    manifest = read_manifest(root)
    arrays = {
        name: _open_array(root, name, entry, checksums=checksums)
        for name, entry in manifest.arrays.items()
        if names is None or name in names
    }
    return StrategyPack(root, manifest, arrays)


def find_packs(path: str | os.PathLike[str]) -> list[Path]:
    """Returns the pack folders at ``path``: the path itself if it is a pack, else its direct subfolders that are packs.

    Subfolders are sorted by name, numbers in names by size. Hidden ones, which :func:`write_pack` leaves if it is
    killed, are left out.

    :raises PackError: if there is no pack.
    """
    root = Path(path)
    found: list[Path] = []
    with contextlib.suppress(OSError):  # the name is too long for a folder, for example
        if (root / MANIFEST_NAME).is_file():
            return [root]
        if root.is_dir():
            found = [p.parent for p in root.glob(f"*/{MANIFEST_NAME}") if not p.parent.name.startswith(".")]
            # "blueprint-5bb" goes before "blueprint-10bb".
            found.sort(key=lambda folder: re.sub("[0-9]+", lambda digits: digits[0].zfill(20), folder.name))
    if not found:
        raise PackError(f"no strategy pack here: expected a folder with {MANIFEST_NAME}", source=str(path))
    return found


def default_packs() -> Path:
    """Returns the folder that holds the strategy packs that come with Hedgehog."""
    return Path(__file__).resolve().parent / "packs"


@dataclass(frozen=True, slots=True)
class Parts:
    """An array that :func:`write_pack` writes part by part, so that it need not fit into memory."""

    dtype: str
    size: int
    """Number of elements of the whole array, which has one dimension."""
    parts: Iterable[NDArray[Any]]


def _write_array(folder: Path, file_name: str, array: NDArray[Any] | Parts) -> ArrayEntry:
    with replacing(folder / file_name) as file:
        if isinstance(array, Parts):
            dtype, shape = np.dtype(array.dtype), (array.size,)
            header = {"descr": dtype.str, "fortran_order": False, "shape": shape}
            np.lib.format.write_array_header_1_0(file, header)
            for part in array.parts:
                np.ascontiguousarray(part, dtype=dtype).tofile(file)
        else:
            dtype, shape = array.dtype, array.shape
            np.lib.format.write_array(file, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
    return ArrayEntry(file=file_name, dtype=dtype.str, shape=list(shape), sha256=_sha256(folder / file_name))


def _write_manifest(folder: Path, manifest: PackManifest, entries: dict[str, ArrayEntry]) -> None:
    full = manifest.model_copy(update={"arrays": entries})
    path = folder / MANIFEST_NAME
    text = format_manifest(full)
    parse_manifest(text.encode(), str(path))  # never write what we would refuse to read
    write_text_file(path, text)


def update_pack(
    folder: str | os.PathLike[str], manifest: PackManifest, arrays: Mapping[str, NDArray[Any] | Parts]
) -> None:
    """Replaces the content of a pack in its folder, so that a valid pack is there even if the process is killed.

    New arrays get other file names than the old ones. Then the new manifest, which names the new files, replaces the
    old one, and the old files are deleted. Only one process may update a pack at a time.

    :param manifest: the new manifest; its field ``arrays`` is ignored and filled in from ``arrays``.
    :param arrays: the new arrays by name.
    :raises ResourceError: if a file cannot be written; the pack is then as it was.
    """
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
        taken = _array_files(target) or set()
    except OSError as error:
        raise ResourceError(f"cannot make the folder {target}: {error.strerror}") from error
    generation = next(suffix for suffix in "ab" if not any(name.endswith(f"-{suffix}.npy") for name in taken))
    _remove_leftovers(target, taken)
    entries = {name: _write_array(target, f"{name}-{generation}.npy", array) for name, array in arrays.items()}
    _write_manifest(target, manifest, entries)
    _remove_leftovers(target, {entry.file for entry in entries.values()})


def _array_files(folder: Path) -> set[str] | None:
    """Returns the names of the files that a pack's manifest names; None without one."""
    try:
        manifest = read_manifest(folder)
    except PackError:
        return None
    return {entry.file for entry in manifest.arrays.values()}


def _remove_leftovers(folder: Path, kept: Collection[str]) -> None:
    """Deletes what :func:`update_pack` may have left in a folder, apart from the files ``kept``."""
    for path in folder.iterdir():
        if path.name not in kept and _OWN_FILE.fullmatch(path.name):
            path.unlink(missing_ok=True)


def pack_folder(folder: Path) -> FolderKind:
    """Returns the kind of a pack's folder: the files that its manifest names, or no files if there is no manifest."""
    arrays = _array_files(folder)
    return FolderKind("a strategy pack", () if arrays is None else (MANIFEST_NAME, *map(glob.escape, sorted(arrays))))


def folder_of_packs(folder: Path, names: Iterable[str]) -> FolderKind:
    """Returns the kind of a folder in which every pack has a folder of its own.

    :param folder: the folder, whose packs may all stay there.
    :param names: folders of packs that are to be written there; what :func:`write_pack` leaves of them if it is killed
        belongs to the kind, too.
    """
    files = [f"{glob.escape(name)}/{MANIFEST_NAME}" for name in names]
    for name in names:
        files += [f"{pattern}/{file}" for pattern in _unfinished(name) for file in _UNFINISHED.files]
    with contextlib.suppress(OSError):
        for sub in folder.iterdir():
            files += [f"{glob.escape(sub.name)}/{pattern}" for pattern in pack_folder(sub).files]
    return FolderKind("a folder of strategy packs", tuple(files))


def remove_unfinished(folder: Path) -> None:
    """Removes what :func:`write_pack` has left beside the folder of a pack when it was killed.

    :raises ResourceError: if a file cannot be removed.
    """
    for pattern in _unfinished(folder.name):
        for path in folder.parent.glob(pattern):
            remove_contents(path, _UNFINISHED)
            with contextlib.suppress(OSError):  # it holds something else, too
                path.rmdir()


def _unfinished(name: str) -> tuple[str, str]:
    """Returns patterns of the names of the folders from and to which :func:`write_pack` moves packs."""
    return f".{glob.escape(name)}-????????", f".{glob.escape(name)}-old-*"


def verify_pack_output(folder: Path, *, overwrite: bool = False) -> None:
    """Checks that :func:`write_pack` may write a pack to a folder; call it before the work starts.

    :param overwrite: a pack that is already there may be replaced.
    :raises InputError: if the folder holds anything else, or a pack without ``overwrite``, or contains the current
        working directory.
    :raises ResourceError: if the folder cannot be written.
    """
    verify_output_folder(folder, pack_folder(folder), proceed=overwrite)
    target = real_path(folder)
    # The folder is replaced as a whole: a shell in it would be left in nothing.
    if real_path(".").is_relative_to(target):
        raise InputError("is the current folder: expected another one", source=str(folder))
    verify_can_make(target.parent, folder)


def write_pack(
    folder: str | os.PathLike[str],
    manifest: PackManifest,
    arrays: Mapping[str, NDArray[Any] | Parts],
    *,
    overwrite: bool = False,
) -> None:
    """Writes a pack atomically: the folder appears, or replaces an older pack, only when it is complete.

    :param manifest: the manifest; its field ``arrays`` is ignored and filled in from ``arrays``.
    :param arrays: the arrays by name.
    :param overwrite: replace a pack that is already in the folder.
    :raises InputError: if the folder holds a pack (without ``overwrite``) or anything else.
    :raises ResourceError: if the pack cannot be written; the folder is then as it was.
    """
    verify_pack_output(Path(folder), overwrite=overwrite)
    target = real_path(folder)
    make_folder(target.parent)
    temporary: Path | None = None
    try:
        temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        entries = {name: _write_array(temporary, f"{name}.npy", array) for name, array in arrays.items()}
        _write_manifest(temporary, manifest, entries)
        temporary.chmod(0o755)  # mkdtemp makes it private
        old: Path | None = None
        if target.exists():
            old = target.with_name(f".{target.name}-old-{os.getpid()}")
            target.rename(old)
        temporary.rename(target)
        if old is not None:
            remove_contents(old, pack_folder(old))
            with contextlib.suppress(OSError):  # a file that another process has put there meanwhile stays
                old.rmdir()
    except OSError as error:
        raise ResourceError(f"cannot write {folder}: {error.strerror}") from error
    finally:
        if temporary is not None and temporary.exists():
            with contextlib.suppress(OSError):
                shutil.rmtree(temporary)


def tree_arrays(prefix: str, tree: BettingTree) -> dict[str, NDArray[Any]]:
    """Returns a betting tree of N nodes as two arrays by name, for :func:`write_pack`.

    ``<prefix>_tree`` is int32 of shape (10, N). Its rows are kind, street, player, parent, first child, number of
    children, action, amount, chips committed by player 0, and chips committed by player 1. ``<prefix>_root`` is int32
    of shape (2,): root pot and stack.
    """
    rows = [np.asarray(getattr(tree, name), dtype=np.int32) for name in NODE_TYPES]
    rows += [tree.committed[:, 0].astype(np.int32), tree.committed[:, 1].astype(np.int32)]
    return {
        f"{prefix}_tree": np.stack(rows).astype("<i4"),
        f"{prefix}_root": np.array([tree.root_pot, tree.stack], dtype="<i4"),
    }


def read_tree(pack: StrategyPack, prefix: str) -> BettingTree:
    """Returns a betting tree from the arrays of a pack that :func:`tree_arrays` made.

    It checks that every link leads to a node and that parents have lower numbers than their children.

    :param prefix: the names of the arrays are ``<prefix>_tree`` and ``<prefix>_root``.
    :raises PackError: if an array is missing or the links do not form a tree.
    """
    rows = np.array(pack.array(f"{prefix}_tree", dtype="<i4", ndim=2))
    root = np.array(pack.array(f"{prefix}_root", dtype="<i4", ndim=1))
    count = rows.shape[1]
    if rows.shape[0] != 10 or not 1 <= count <= _MAX_TREE_NODES or root.shape != (2,):
        raise pack.error(f"tree {prefix!r} has shape {rows.shape}, expected (10, nodes)")
    kind, street, player, parent, first_child, num_children = rows[:6]
    index = np.arange(count)
    inner = num_children > 0
    good = (
        np.all((kind >= 0) & (kind <= 3) & (street >= 0) & (street <= 3) & (player >= -1) & (player <= 1))
        and np.all((num_children >= 0) & (num_children <= count))
        and np.all(((kind == 0) | (kind == 3)) == inner)
        and np.all((kind != 0) | (player >= 0))
        and np.all((first_child > index)[inner])
        and np.all((first_child.astype(np.int64) + num_children)[inner] <= count)
        and parent[0] == -1
        and np.all((parent >= 0)[1:] & (parent < index)[1:])
    )
    if good:
        owner = np.repeat(index[inner], num_children[inner])
        starts = np.repeat(first_child[inner], num_children[inner])
        within = np.arange(len(owner)) - np.repeat(
            np.cumsum(num_children[inner]) - num_children[inner], num_children[inner]
        )
        children = starts + within
        good = len(children) == count - 1 and np.array_equal(np.sort(children), index[1:])
        good = bool(good) and np.array_equal(parent[children], owner)
    if not good:
        raise pack.error(f"tree {prefix!r} is not a betting tree")
    return BettingTree(
        **{name: row.astype(dtype) for (name, dtype), row in zip(NODE_TYPES.items(), rows[:8], strict=True)},
        committed=np.ascontiguousarray(rows[8:10].T),
        root_pot=int(root[0]),
        stack=int(root[1]),
    )
