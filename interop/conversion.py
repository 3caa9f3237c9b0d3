"""Descriptions of spots in the formats of other programs: which format a file has, and the conversion."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from hedgehog.interop.pioviewer import is_pio_script, parse_pio_script
from hedgehog.interop.texassolver.config import is_texas_config, parse_texas_config
from hedgehog.interop.texassolver.spots import Converted, spot_of_texas, texas_of_spot
from hedgehog.runtime.errors import InputError, SpotError
from hedgehog.runtime.text_files import read_lines
from hedgehog.solver.postflop.spot import read_spot

Target = Literal["spot", "texassolver"]
TARGETS: Final[tuple[Target, ...]] = ("spot", "texassolver")


def convert_spot(path: str | Path, target: Target = "spot", *, dump: str = "output_result.json") -> Converted:
    """Returns a description of a spot in another format.

    :param path: a console configuration of TexasSolver or a tree script of PioViewer, for the target ``spot``; a spot
        file, for the target ``texassolver``.
    :param dump: with the target ``texassolver``, name of the dump that TexasSolver shall write.
    :raises InputError: if the file is none of these, or describes something that the other format cannot say.
    """
    path = Path(path)
    if target == "texassolver":
        try:
            return texas_of_spot(read_spot(path), dump)
        except InputError as error:
            raise _with_source(error, path) from None
    text = "\n".join(read_lines(path, SpotError, "the description of a spot"))
    name = path.stem or "spot"
    if is_texas_config(text):
        try:
            return spot_of_texas(parse_texas_config(text, str(path)), name)
        except InputError as error:
            raise _with_source(error, path) from None
    if is_pio_script(text):
        spot = parse_pio_script(text, name, str(path))
        return Converted(spot.text, (f"the betting tree has exactly the {len(spot.tree.lines):,} lines of the script",))
    raise InputError("expected a configuration of TexasSolver or a tree script of PioViewer", source=str(path))


def _with_source(error: InputError, path: Path) -> InputError:
    return error if error.source is not None else InputError(error.message, source=str(path), line=error.line)
