"""Makes an exact flop pack of the finished solves of a build (:mod:`hedgehog.solver.packs.exact_flops`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.isomorphism import class_name
from hedgehog.poker.streets import FLOP_COMBOS, TURN
from hedgehog.runtime.errors import PackError
from hedgehog.runtime.npy_files import read_npz_arrays
from hedgehog.solver.packs.blueprint import normalised_ranges
from hedgehog.solver.packs.exact_config import described_config
from hedgehog.solver.packs.exact_flops import ExactBuild, read_job
from hedgehog.solver.packs.jobs import load_line
from hedgehog.strategies.blueprint_pack import DIGEST_KEY
from hedgehog.strategies.flop_pack import flop_street_tree
from hedgehog.strategies.flop_turns import block_offsets, turn_cards
from hedgehog.strategies.manifest import FlopLineEntry, PackManifest, Provenance
from hedgehog.strategies.pack import Parts, tree_arrays, write_pack


def assemble(
    build: ExactBuild, provenance: Provenance, out: Path, *, partial: bool = False, overwrite: bool = False
) -> PackManifest:
    """Writes a pack of all finished solves and returns its manifest.

    :param provenance: the program and machine that made it.
    :param out: folder of the pack.
    :param partial: leave out solves that are not finished.
    :param overwrite: replace a pack that is already at ``out``.
    :raises PackError: if a solve is missing and ``partial`` is False, or no solve is finished.
    """
    arrays: dict[str, NDArray[Any] | Parts] = {}
    quality: dict[str, Any] = {}
    entries = []
    for line in build.config.lines:
        start = build.starts[line.name]
        finished = load_line(build, line.name, read_job, partial=partial)
        if not finished:
            continue
        classes, solved = zip(*finished, strict=True)
        small, _ = flop_street_tree(build.tree(line.name))
        figures = np.stack([found["quality"][:2] for found in solved])  # the pack must not depend on the time it took
        weights = np.array([dict(build.classes)[index] for index in classes], dtype="<f4")
        arrays |= tree_arrays(line.name, small)
        arrays[f"{line.name}_classes"] = np.array(classes, dtype="<i2")
        arrays[f"{line.name}_rows"] = np.stack([found["rows"] for found in solved])
        arrays[f"{line.name}_ranges"] = normalised_ranges(start.ranges).astype("<f4")
        arrays[f"{line.name}_evs"] = np.stack([found["evs"] for found in solved])
        arrays[f"{line.name}_quality"] = figures
        arrays[f"{line.name}_weights"] = weights
        quality[line.name] = {
            "flops": len(classes),
            "exploitability_pct_pot_mean": round(float(np.average(figures[:, 0], weights=weights)), 3),
            "exploitability_pct_pot_max": round(float(figures[:, 0].max()), 3),
            "iterations_mean": round(float(figures[:, 1].mean()), 1),
            "exploitability_pct_pot": {
                class_name(3, index): round(float(reached), 3)
                for index, reached in zip(classes, figures[:, 0], strict=True)
            },
        }
        if build.config.abstraction:
            losses = [read_npz_arrays(path, ("loss",))["loss"][0] for path in _paths(build, line.name, classes)]
            quality[line.name]["abstraction_loss_pct_pot_mean"] = round(float(np.average(losses, weights=weights)), 3)
        if build.config.evs == "flop":
            arrays[f"{line.name}_node_evs"] = Parts(
                "<f2", len(classes) * 2 * small.num_nodes * FLOP_COMBOS, _parts(build, line.name, classes, "node_evs")
            )
        if build.config.depth == "turn":
            arrays |= _turn_arrays(build, line.name, classes)
        entries.append(FlopLineEntry(name=line.name, betting=line.betting, pot=start.pot, stack=start.stack))
    if not entries:
        raise PackError("no flop is finished", source=str(build.work))
    manifest = PackManifest(
        kind="flops",
        name=build.config.name,
        tier="exact",
        gamedef=build.gamedef,
        provenance=provenance,
        config={**described_config(build.config), "flops": build.flops(), DIGEST_KEY: build.blueprint_digest},
        quality=quality,
        lines=entries,
        arrays={},
    )
    write_pack(out, manifest, arrays, overwrite=overwrite)
    return manifest


def _parts(build: ExactBuild, line: str, classes: Sequence[int], name: str) -> Iterator[NDArray[Any]]:
    """Yields an array of every finished solve of a line, flat, without keeping them in memory.

    :param classes: the flop classes, ascending.
    :param name: name of the array in the files of the solves.
    """
    for path in _paths(build, line, classes):
        yield read_npz_arrays(path, (name,))[name].ravel()


def _paths(build: ExactBuild, line: str, classes: Sequence[int]) -> list[Path]:
    """Returns the files of the solves of a line's flop classes, in their order."""
    paths = {job.flop_class: job.path for job in build.jobs() if job.line == line}
    return [paths[index] for index in classes]


def _turn_arrays(build: ExactBuild, line: str, classes: Sequence[int]) -> dict[str, NDArray[Any] | Parts]:
    """Returns the arrays of the turn (:mod:`hedgehog.strategies.flop_turns`) of a line."""
    tree, _ = flop_street_tree(build.tree(line), TURN)
    cards = [turn_cards(index) for index in classes]
    size = block_offsets(tree, TURN)[1] * sum(map(len, cards))
    return {
        **tree_arrays(f"{line}_turn", tree),
        f"{line}_turn_counts": np.array([len(each) for each in cards], dtype="<i4"),
        f"{line}_turn_cards": np.array([card for each in cards for card in each], dtype="|u1"),
        f"{line}_turn_rows": Parts("|u1", size, _parts(build, line, classes, "turn_rows")),
    }
