"""Opens what a drill asks about."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from hedgehog.analysis.drills.player_source import PlayerSource
from hedgehog.analysis.drills.solve_source import SolveSource
from hedgehog.analysis.drills.sources import Source, SourceOptions, is_store
from hedgehog.analysis.drills.store_source import StoreSource
from hedgehog.runtime.errors import InputError
from hedgehog.strategies.manifest import MANIFEST_NAME, read_manifest

OUR_PLAYER: Final = "default"


def open_source(path: str | Path, options: SourceOptions | None = None) -> Source:
    """Returns the source of questions at a path.

    :param path: a store of ``hedgehog grade``, a folder of ``hedgehog solve --save``, a folder of packs, or ``default``
        for our player with the shipped packs.
    :param options: what is asked about; None: everything.
    :raises InputError: if there is nothing to be asked about, or an option does not go with it.
    """
    options = options or SourceOptions()
    if str(path) == OUR_PLAYER:
        _refuse_graded_options(options)
        return PlayerSource(options)
    folder = Path(path)
    if not folder.exists():
        raise InputError("no such folder", source=str(path))
    if is_store(folder):
        if options.stack is not None:
            raise InputError("graded hands have their own stacks: no stacks can be chosen", source=str(path))
        return StoreSource(folder, options)
    _refuse_graded_options(options)
    if (folder / MANIFEST_NAME).is_file() and read_manifest(folder).kind in ("solve", "strategy"):
        if options.packs is not None or options.stack is not None:
            raise InputError("a saved solve has its own stacks, and needs no packs", source=str(path))
        return SolveSource(folder, options)
    if folder.is_dir() and any(folder.glob(f"*/{MANIFEST_NAME}")):
        if options.packs is not None:
            raise InputError("is a folder of packs: expected no other packs", source=str(path))
        return PlayerSource(SourceOptions(streets=options.streets, packs=folder, stack=options.stack))
    raise InputError("expected a store of hedgehog grade, a saved solve, or a folder of packs", source=str(path))


def _refuse_graded_options(options: SourceOptions) -> None:
    """Refuses options that go with graded hands.

    :raises InputError: if one is given.
    """
    if options.kind != "same" or options.spot:
        raise InputError("kind and spot go with a store of hedgehog grade")
