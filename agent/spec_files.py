"""The files that a player is made from, so that two machines can tell whether they have the same player."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from hedgehog.agent.specs import PlayerSpec
from hedgehog.strategies.manifest import MANIFEST_NAME
from hedgehog.strategies.pack import default_packs


def spec_digest(spec: PlayerSpec) -> str:
    """Returns a digest of a player's specification, of the manifests of its packs, and of its Python file.

    The manifests hold the checksums of all other files of the packs. Relative paths count from the working folder. A
    file that is missing counts as empty: whoever opens the player says so.
    """
    digest = hashlib.sha256(spec.text.encode(errors="surrogateescape"))
    for name, path in _files(spec):
        digest.update(f"\0{name}\0".encode(errors="surrogateescape"))
        try:
            digest.update(path.read_bytes())
        except OSError:
            continue
    return digest.hexdigest()


def _files(spec: PlayerSpec) -> Iterator[tuple[str, Path]]:
    """Yields the files with names that do not depend on the machine."""
    if spec.kind == "py":
        file = Path(spec.argument.rpartition(":")[0])
        if file.suffix == ".py":
            yield file.name, file
        return
    folders = [Path(spec.argument)] if spec.kind in ("pack", "limit") and spec.argument else [default_packs()]
    folders += [Path(spec.heads_up)] if spec.heads_up else []
    for number, folder in enumerate(folders):
        for path in sorted(folder.rglob(MANIFEST_NAME)):
            yield f"{number}/{path.relative_to(folder)}", path
