"""Draws charts with matplotlib in one style: as SVG inside an HTML page, light and dark, or as SVG and PNG files.

The same data gives the same bytes. In a page, every colour of :data:`COLOURS` becomes a CSS custom property. If the
page does not set the property, the colour given here is used. Text stays text, in the font of the page. matplotlib lays
it out by the metrics of DejaVu Sans, which is wider than the usual interface fonts.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from typing import Any, Final
from xml.etree import ElementTree

import matplotlib
from markupsafe import Markup
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

INK: Final = "#1b1f24"
MUTED: Final = "#5b6570"
LINE: Final = "#d5dae0"
SURFACE: Final = "#fefefe"
POSITIVE: Final = "#0b65b0"
NEGATIVE: Final = "#b8500a"
SERIES: Final = ("#0072b2", "#c04e00", "#00805f", "#b5528f", "#6a4fa3", "#8c6400", "#666b70", "#2b78ac")
"""Colours of the agents: the hues of Okabe & Ito, Color Universal Design (2008), dark enough for thin lines."""

COLOURS: Final = {
    INK: "ink",
    MUTED: "muted",
    LINE: "line",
    SURFACE: "surface",
    POSITIVE: "positive",
    NEGATIVE: "negative",
    **{colour: f"series-{number}" for number, colour in enumerate(SERIES, 1)},
}
"""CSS custom property (without the two hyphens) of every colour."""

_SETTINGS: Final[dict[Any, Any]] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "hedgehog",
    "text.parse_math": False,
    "font.size": 9.0,
    "text.color": INK,
    "axes.edgecolor": LINE,
    "axes.labelcolor": MUTED,
    "axes.labelsize": 9.0,
    "axes.linewidth": 0.8,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "xtick.color": LINE,
    "xtick.labelcolor": MUTED,
    "ytick.color": LINE,
    "ytick.labelcolor": MUTED,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "lines.solid_capstyle": "round",
    "legend.frameon": False,
}
_SVG: Final = "http://www.w3.org/2000/svg"
_XLINK: Final = "http://www.w3.org/1999/xlink"
_FONT_FAMILY: Final = re.compile(r"font-family: [^;]*")
_COLOUR: Final = re.compile(r"#[0-9a-f]{6}\b")
_REFERENCE: Final = re.compile(r"url\(#([^)]+)\)")


def draw_inline_svg(name: str, title: str, description: str, draw: Callable[[Figure], None]) -> Markup:
    """Returns a figure as an ``<svg>`` element for an HTML page.

    :param name: prefix of all ids in the element, unique in the page.
    :param title: title of the picture in a few words.
    :param description: description of what the picture shows, for readers who cannot see it.
    :param draw: sets the size of an empty figure and draws on it.
    """
    svg = _draw(draw, {}, {"format": "svg", "metadata": {"Date": None}, "transparent": True})
    return _inline(svg[0], name, title, description)


def draw_svg_and_png(draw: Callable[[Figure], None]) -> tuple[bytes, bytes]:
    """Returns a figure on a white background as the bytes of an SVG file and of a PNG file (200 dpi).

    :param draw: sets the size of an empty figure and draws on it.
    """
    outlines = {"svg.fonttype": "path"}  # the same look with any viewer's fonts
    as_svg = {"format": "svg", "metadata": {"Date": None}}
    as_png = {"format": "png", "dpi": 200, "metadata": {"Software": None}}
    svg, png = _draw(draw, outlines, as_svg, as_png)
    return svg, png


def _draw(draw: Callable[[Figure], None], settings: dict[Any, Any], *options: dict[str, Any]) -> list[bytes]:
    """Returns the files of one figure, each saved with options of its own.

    The figure is laid out once, by the metrics of the canvas. Left to itself, ``savefig`` draws every figure of a
    constrained layout twice, and measures the outlines of all its texts for an SVG file.
    """
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # the reader's font has what DejaVu Sans may lack
        matplotlib.rcdefaults()  # whatever the user's matplotlibrc says
        matplotlib.rcParams.update(_SETTINGS | settings)
        figure = Figure(layout="constrained")
        FigureCanvasAgg(figure)
        draw(figure)
        if (layout := figure.get_layout_engine()) is not None:
            layout.execute(figure)
            figure.set_layout_engine(None)
        files = [io.BytesIO() for _ in options]
        for file, saved in zip(files, options, strict=True):
            figure.savefig(file, **saved)
    return [file.getvalue() for file in files]


def _inline(document: bytes, name: str, title: str, description: str) -> Markup:
    """Returns matplotlib's SVG file as an element that does not affect the rest of an HTML page."""
    source = ElementTree.fromstring(document)
    for parent in list(source.iter()):
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)
    used = {
        reference
        for element in source.iter()
        for value in element.attrib.values()
        for reference in (*_REFERENCE.findall(value), *([value[1:]] if value.startswith("#") else []))
    }
    root = _copy(source, name, used)
    root.attrib = {
        "xmlns": _SVG,
        "viewBox": source.attrib["viewBox"],
        "role": "img",
        "aria-labelledby": f"{name}-title {name}-description",
        "style": "stroke-linejoin: round; stroke-linecap: butt",
    }
    for position, (tag, text) in enumerate((("title", title), ("desc", description))):
        element = ElementTree.Element(tag, {"id": f"{name}-{'title' if tag == 'title' else 'description'}"})
        element.text = text
        root.insert(position, element)
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _copy(element: ElementTree.Element, name: str, used: set[str]) -> ElementTree.Element:
    """Copies an element without namespaces, with prefixed ids and named colours; ids that nothing uses go."""
    copy = ElementTree.Element(element.tag.partition("}")[2])
    for key, value in element.attrib.items():
        match key:
            case "id":
                if value in used:
                    copy.set("id", f"{name}-{value}")
            case "style":
                copy.set("style", _style(value))
            case str() if key == f"{{{_XLINK}}}href":
                copy.set("href", f"#{name}-{value[1:]}")
            case _:
                copy.set(key, _REFERENCE.sub(lambda found: f"url(#{name}-{found[1]})", value))
    if element.text and element.text.strip():
        copy.text = element.text.replace("\n", "") if copy.tag != "text" else element.text
    for child in element:
        copied = _copy(child, name, used)
        copied.tail = None
        copy.append(copied)
    return copy


def _style(style: str) -> str:
    style = _FONT_FAMILY.sub("font-family: inherit", style)
    return _COLOUR.sub(lambda found: _colour(found[0]), style)


def _colour(colour: str) -> str:
    return f"var(--{COLOURS[colour]}, {colour})" if colour in COLOURS else colour
