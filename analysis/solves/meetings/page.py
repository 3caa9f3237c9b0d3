"""Renders two strategies that met as one HTML page without references to other files."""

from __future__ import annotations

from markupsafe import Markup
from matplotlib.figure import Figure

from hedgehog.analysis.drawing.charts import COLOURS, draw_inline_svg, draw_svg_and_png
from hedgehog.analysis.drawing.templates import render_template
from hedgehog.analysis.solves.meetings.result import Versus

_SIZE = (9.0, 4.6)


def render_versus(result: Versus, most_lines: int | None = None) -> str:
    """Returns the result as an HTML page. The same result gives the same bytes.

    :param most_lines: largest number of lines to show; None for all.
    """
    first, second = result.names
    seats, streets, lines = result.table(), result.streets(), result.lines(most_lines)
    picture = None
    if result.courses is not None:
        title, description = f"Winnings of {first}", f"Chips that {first} has won from {second} over the hands played"
        picture = draw_inline_svg("course", title, description, lambda figure: _draw(result, figure))
    where = draw_inline_svg(
        "streets", "Where it is won", "Chips per hand by seat and street", lambda figure: _draw_streets(result, figure)
    )
    return render_template(
        "versus.html",
        title=f"{result.spot.name}: {first} against {second}",
        colours=COLOURS,
        headlines=result.headlines(),
        sections=[
            ("Seats", Markup(seats.html()), seats.note, picture),
            ("Where it is won", Markup(streets.html()), streets.note, where),
            ("Decisions", Markup(lines.html()), lines.note, None),
        ],
    )


def versus_svg(result: Versus) -> str:
    """Returns the winnings over time as an SVG file, without hands that were played what each street wins."""
    return draw_svg_and_png(lambda figure: _draw(result, figure))[0].decode()


def _draw(result: Versus, figure: Figure) -> None:
    figure.set_size_inches(*_SIZE)
    result.plot(figure.add_subplot())


def _draw_streets(result: Versus, figure: Figure) -> None:
    figure.set_size_inches(_SIZE[0], 1.2 + 0.45 * (len(result.streets().rows) - 1))
    result.plot_streets(figure.add_subplot())
