"""Builds the table of preflop values of a blueprint pack, board by board, and goes on where it stopped."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

from hedgehog.runtime.engines.jobs import hold_work
from hedgehog.runtime.errors import InputError, PackError
from hedgehog.runtime.npy_files import header_array, read_npz, write_npz
from hedgehog.runtime.outputs import FolderKind, verify_output_folder
from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.preflop.values import CHUNK, ActionValues, PreflopWalk, Sums
from hedgehog.solver.packs.build_status import work_folder
from hedgehog.solver.packs.trainings import verify_apart, verify_wanted
from hedgehog.strategies.blueprint_pack import DIGEST_KEY, BlueprintTable, blueprint_digest, read_blueprint
from hedgehog.strategies.manifest import PackManifest, read_manifest
from hedgehog.strategies.pack import open_pack, verify_pack_output, write_pack
from hedgehog.strategies.pack_games import pack_of_depth
from hedgehog.strategies.preflop_values import KIND, TIER, encode_values
from hedgehog.strategies.provenance import provenance
from hedgehog.strategies.quantize import dequantize_rows

FORMAT: Final = "hedgehog-preflop-values-1"
SUMS_FILE: Final = "preflop-values.npz"
SAVE_EVERY_S: Final = 30.0
STEP: Final = 2 * CHUNK
"""Numbers of boards are multiples of this, so that both halves have the same number."""


def build_preflop_values(
    path: Path,
    out: Path,
    boards: int,
    *,
    depth: float | None = None,
    seed: int = 1,
    work: Path | None = None,
    overwrite: bool = False,
    watch: Watch = SILENT,
) -> PackManifest:
    """Estimates the EV of every action before the flop against a blueprint, writes the table and returns its manifest.

    The sums over the boards so far are kept in the folder of work: the same call goes on from them, and one with more
    boards makes the table finer.

    :param path: the blueprint pack, or a folder of packs with a blueprint among them.
    :param out: folder of the table, which is a pack.
    :param boards: number of boards, rounded up to hundreds.
    :param depth: which of several blueprints, in big blinds; None for the one nearest to the default game.
    :param seed: seed of the boards.
    :param work: folder of unfinished work; None for ``OUT.work`` beside the table.
    :param overwrite: replace a pack that is already at ``out``.
    :raises InputError: if a folder holds anything else, or the sums in ``work`` are of another blueprint or seed or of
        more boards.
    :raises PackError: if there is no such blueprint, or it is damaged or of other card tables.
    :raises StoppedError: if the watch says to stop.
    """
    if boards < 1:
        raise InputError(f"expected at least one board, got {boards}")
    folder = pack_of_depth(path, "blueprint", depth)
    table = read_blueprint(open_pack(folder))
    place = work_folder(out) if work is None else work
    verify_pack_output(out, overwrite=overwrite)
    verify_apart(out, place)
    verify_output_folder(place, FolderKind("unfinished preflop values", (SUMS_FILE,)), proceed=True, inputs=[folder])
    cards = CardAbstraction.load_or_build(table.config["cards"], progress=watch.note)
    if table.config.get("card_digest") != cards.digest:
        raise PackError("was trained with other card tables than those of this machine", source=str(folder))
    walk = PreflopWalk(table.tree, lambda node: dequantize_rows(table.block(node)), cards, seed)
    chunks = 2 * -(-boards // STEP)
    with hold_work(place):
        _walk(walk, chunks, place / SUMS_FILE, blueprint_digest(table), watch)
    found = sorted(walk.values(), key=lambda values: values.node)
    big_blind = float(table.tree.committed[0].max())
    data = encode_values(
        [
            [values.mean / big_blind for values in found],
            [(values.halves[0] - values.halves[1]) / (2 * big_blind) for values in found],
            [values.error_to_best / big_blind for values in found],
            [values.error_to_mixed / big_blind for values in found],
        ]
    )
    source = read_manifest(folder)
    manifest = PackManifest(
        kind=KIND,
        name=f"{source.name}-values",
        tier=TIER,
        gamedef=source.gamedef,
        provenance=provenance(),
        config={
            DIGEST_KEY: blueprint_digest(table),
            "blueprint": source.name,
            "card_digest": cards.digest,
            "boards": walk.boards,
            "seed": seed,
        },
        quality=_quality(table, found),
        arrays={},
    )
    write_pack(out, manifest, {"values_data": data}, overwrite=overwrite)
    return manifest


def _walk(walk: PreflopWalk, chunks: int, path: Path, digest: str, watch: Watch) -> None:
    """Walks until there are enough chunks of boards, from the saved sums if there are any."""
    identity = {"format": FORMAT, "blueprint": digest, "seed": walk.seed, "cells": walk.state.products.size}
    if path.exists():
        header, arrays = read_npz(path, FORMAT, ("sums", "products"))
        other = next((key for key, value in identity.items() if header.get(key) != value), None)
        if other is not None:
            raise InputError(f"holds sums of another {other}: expected another folder of work", source=str(path))
        done = header.get("chunks")
        found = Sums(done if isinstance(done, int) else -1, **arrays)
        if found.chunks < 0 or [part.shape for part in found[1:]] != [part.shape for part in walk.state[1:]]:
            raise InputError("holds no sums of preflop values", source=str(path))
        if found.chunks > chunks:
            raise InputError(
                f"holds sums of {found.chunks * CHUNK:,} boards: expected at least as many", source=str(path)
            )
        walk.state = found
        watch.note(f"going on from {walk.boards:,} boards")

    def save() -> None:
        chunks, sums, products = walk.state
        write_npz(path, {"header": header_array({**identity, "chunks": chunks}), "sums": sums, "products": products})

    watch.begin("walking", chunks * CHUNK, "boards")
    saved, kept = time.monotonic(), walk.state.chunks
    try:
        while walk.state.chunks < chunks:
            watch.update(walk.boards)
            verify_wanted(watch)
            walk.walk()
            if time.monotonic() - saved > SAVE_EVERY_S:
                save()
                saved, kept = time.monotonic(), walk.state.chunks
    finally:
        if walk.state.chunks != kept:
            save()
    watch.update(walk.boards)


def _quality(table: BlueprintTable, found: list[ActionValues]) -> dict[str, float]:
    """Returns the mean standard error against the best action at the first decision, in big blinds."""
    big_blind = float(table.tree.committed[0].max())
    first = next(values for values in found if values.node == 0)
    return {
        "first_decision_error_bb": round(float(first.error_to_best.mean()) / big_blind, 4),
        "decisions": len(found),
    }
