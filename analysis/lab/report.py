"""The report of the hand-abstraction laboratory as one HTML page without scripts and references to other files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from hedgehog.analysis.drawing.charts import COLOURS, draw_inline_svg
from hedgehog.analysis.drawing.templates import render_template
from hedgehog.analysis.lab.plots import Draw
from hedgehog.runtime.table import Table


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report."""

    heading: str
    text: str
    tables: tuple[Table, ...] = ()
    pictures: tuple[tuple[str, str, Draw], ...] = ()
    """Title, description and drawing of each picture."""


def render_report(title: str, headline: str, facts: Sequence[tuple[str, str]], sections: Sequence[Section]) -> str:
    """Returns the report as an HTML page. The same content gives the same bytes.

    :param headline: one sentence below the title.
    :param facts: label and text of what was measured.
    """
    drawn: list[tuple[Section, list[Markup]]] = []
    number = 0
    for section in sections:
        pictures = []
        for name, description, draw in section.pictures:
            number += 1
            pictures.append(draw_inline_svg(f"picture-{number}", name, description, draw))
        drawn.append((section, pictures))
    return render_template("lab.html", title=title, headline=headline, facts=facts, sections=drawn, colours=COLOURS)
