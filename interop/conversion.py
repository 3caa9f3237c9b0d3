"""Descriptions of spots in the formats of other programs: which format a file has, and the conversion."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from hedgehog.interop.differences import Converted
from hedgehog.interop.pioviewer import is_pio_script, parse_pio_script
from hedgehog.interop.texassolver.config import is_texas_config, parse_texas_config
from hedgehog.interop.texassolver.spots import spot_of_texas, texas_of_spot
from hedgehog.interop.wasmpostflop.exports import (
    CONFIGURATIONS,
    RANGES,
    is_export,
    parse_export,
    parse_settings,
    pick,
)
from hedgehog.interop.wasmpostflop.spots import configuration_of_spot, ranges_of_spot, spot_of_settings
from hedgehog.poker.cards import parse_cards
from hedgehog.poker.ranges import parse_range
from hedgehog.runtime.errors import InputError, SpotError
from hedgehog.runtime.text_files import read_lines
from hedgehog.solver.postflop.spot import read_spot

Target = Literal["spot", "texassolver", "wasm-postflop", "wasm-postflop-ranges"]
TARGETS: Final[tuple[Target, ...]] = get_args(Target)


@dataclass(frozen=True, slots=True)
class Situation:
    """What exported tree configurations of WASM Postflop do not say."""

    board: str | None = None
    """Three to five cards."""
    oop: str | None = None
    """Range of the player out of position in range notation; the name of a range if there is a file of ranges."""
    ip: str | None = None
    """The same of the player in position."""
    ranges: Path | None = None
    """File with exported ranges."""
    item: str | None = None
    """Name of the configuration, ``GROUP/NAME`` for one in a group; None if the file has only one."""


def convert_spot(
    path: str | Path,
    target: Target = "spot",
    *,
    dump: str = "output_result.json",
    situation: Situation = Situation(),
) -> Converted:
    """Returns a description of a spot in another format.

    :param path: for the target ``spot``: a console configuration of TexasSolver, a tree script of PioViewer, or tree
        configurations that WASM Postflop or Desktop Postflop has exported. For the other targets: a spot file.
    :param dump: with the target ``texassolver``, name of the dump that TexasSolver shall write.
    :param situation: with exported tree configurations, board and ranges; nothing goes with other files.
    :raises InputError: if the file is none of these, or describes something that the other format cannot say.
    """
    path = Path(path)
    if target != "spot":
        try:
            spot = read_spot(path)
            if target == "texassolver":
                return texas_of_spot(spot, dump)
            return configuration_of_spot(spot) if target == "wasm-postflop" else ranges_of_spot(spot)
        except InputError as error:
            raise _with_source(error, path) from None
    text = "\n".join(read_lines(path, SpotError, "the description of a spot"))
    name = path.stem or "spot"
    if is_export(text):
        return _spot_of_export(text, path, situation)
    if given := [f"--{key}" for key, value in asdict(situation).items() if value is not None]:
        raise InputError(
            f"{', '.join(given)} goes with exported tree configurations of WASM Postflop: other files have a board and "
            "ranges of their own",
            source=str(path),
        )
    if is_texas_config(text):
        try:
            return spot_of_texas(parse_texas_config(text, str(path)), name)
        except InputError as error:
            raise _with_source(error, path) from None
    if is_pio_script(text):
        spot = parse_pio_script(text, name, str(path))
        return Converted(spot.text, (f"the betting tree has exactly the {len(spot.tree.lines):,} lines of the script",))
    raise InputError(
        "expected a configuration of TexasSolver, a tree script of PioViewer, or exported tree configurations of WASM "
        "Postflop",
        source=str(path),
    )


def _spot_of_export(text: str, path: Path, situation: Situation) -> Converted:
    given = {"--board": situation.board, "--oop": situation.oop, "--ip": situation.ip}
    try:
        item, value = pick(parse_export(text, CONFIGURATIONS), situation.item, CONFIGURATIONS)
        if missing := [option for option, one in given.items() if one is None]:
            raise InputError(f"tree configurations have no board and no ranges: give {', '.join(missing)}")
        try:
            settings = parse_settings(value)
        except InputError as error:
            raise InputError(f"{item!r}: {error.message}") from None
    except InputError as error:
        raise _with_source(error, path) from None
    try:
        board = tuple(parse_cards(situation.board or ""))
    except InputError as error:
        raise InputError(f"--board: {error.message}") from None
    if not 3 <= len(board) <= 5:
        raise InputError(f"--board: expected 3, 4 or 5 cards such as Td9d6h, got {situation.board!r}")
    oop, ip = (_range_of(option, given[option] or "", situation.ranges) for option in ("--oop", "--ip"))
    try:
        return spot_of_settings(settings, item.rsplit("/", 1)[-1], board, (oop, ip))
    except InputError as error:
        raise InputError(f"{item!r}: {error.message}", source=str(path)) from None


def _range_of(option: str, text: str, file: Path | None) -> NDArray[np.float32]:
    """Returns a range: of range notation, or of its name in a file with exported ranges."""
    if file is None:
        try:
            return parse_range(text)
        except InputError as error:
            raise InputError(f"{option}: {error.message}") from None
    try:
        items = parse_export("\n".join(read_lines(file, InputError, "exported ranges")), RANGES)
        _, value = pick(items, text, RANGES)
        if not isinstance(value, str):
            raise InputError(f"{text!r}: expected a range, got {value!r:.40}")
        return parse_range(value)
    except InputError as error:
        raise _with_source(error, file) from None


def _with_source(error: InputError, path: Path) -> InputError:
    return error if error.source is not None else InputError(error.message, source=str(path), line=error.line)
