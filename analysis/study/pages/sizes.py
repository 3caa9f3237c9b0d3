"""Pictures of bet sizes: how often each size occurs at a spot or at a node, as bars in text, as SVG and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hedgehog.analysis.drawing.charts import INK, MUTED, SERIES, draw_inline_svg
from hedgehog.analysis.drawing.templates import render_template
from hedgehog.analysis.study.menus import MENU_KEYS, StudyMenu
from hedgehog.analysis.study.sizes import ALL_IN, MULTIPLE_BINS, POT_BINS, size_token
from hedgehog.analysis.study.study import FIRST_FLOP_BETS, HandStudy

MOST_BARS: Final = 24
"""Most bars of a picture: the rarest of the largest sizes are put together."""
_LEVELS: Final = ("bet", "raise", "later raises")
_WIDTH: Final = 40


class SizeBar(NamedTuple):
    """How often a size occurs."""

    token: str
    """The size in the grammar of bet sizes; ``>300%`` for all larger ones together, ``a`` for all-in."""
    bets: int
    share: float
    """Share of all bets in the picture."""


class SizePanel(NamedTuple):
    """The sizes of one spot, ready to be drawn."""

    name: str
    bars: tuple[SizeBar, ...]
    menu: tuple[str, ...]
    """Sizes of a menu there, to be marked."""

    @property
    def bets(self) -> int:
        """Number of bets."""
        return sum(bar.bets for bar in self.bars)


def size_bars(counts: Mapping[int, int], by_pot: bool) -> tuple[SizeBar, ...]:
    """Returns the sizes in ascending order, all-in last. No size within the range is left out.

    :param counts: number of bets by bin, :data:`hedgehog.analysis.study.sizes.ALL_IN` for all-ins.
    :param by_pot: whether bins are twentieths of the pot; otherwise quarters of the bet faced.
    """
    total = sum(counts.values())
    sizes = sorted(number for number in counts if number != ALL_IN)
    if not total:
        return ()
    shown, rest = sizes, 0
    if len(sizes) > MOST_BARS:
        shown = sizes[: MOST_BARS - 1]
        rest = sum(counts[number] for number in sizes[MOST_BARS - 1 :])
    bars = [SizeBar(size_token(number, by_pot), counts[number], counts[number] / total) for number in shown]
    if rest:
        bars.append(SizeBar(f">{bars[-1].token}", rest, rest / total))
    if ALL_IN in counts:
        bars.append(SizeBar("a", counts[ALL_IN], counts[ALL_IN] / total))
    return tuple(bars)


def bar_lines(panel: SizePanel) -> Iterator[str]:
    """Yields the lines of a text with a bar for each size; a star marks sizes of the menu."""
    yield f"{panel.name}: {panel.bets:,} bets and raises"
    largest = max((bar.share for bar in panel.bars), default=1.0)
    for bar in panel.bars:
        length = round(_WIDTH * bar.share / largest)
        mark = "*" if bar.token in panel.menu else " "
        yield f"  {bar.token:>7}{mark} {'█' * length or '▏':<{_WIDTH}} {100 * bar.share:5.1f} %  {bar.bets:,}"


def study_panels(study: HandStudy, menu: StudyMenu | None = None) -> list[SizePanel]:
    """Returns the sizes of the first bet on the flop by either player, and then those of every spot of a menu.

    :param menu: whose sizes are marked.
    """
    panels = [SizePanel("first bet on the flop", size_bars(study.histograms.counts(FIRST_FLOP_BETS), True), ())]
    for key, spots_of_levels in MENU_KEYS.items():
        if key.endswith("both"):
            continue
        for level, spots in enumerate(spots_of_levels):
            bars = size_bars(study.histograms.counts(spots), spots[0].by_pot)
            levels = menu.keys.get(key, ()) if menu is not None else ()
            marked = levels[min(level, len(levels) - 1)] if levels else ()
            name = key if key == "limped" else f"{key} {_LEVELS[level] if key != 'preflop' else f'raise {level + 1}'}"
            if bars:
                panels.append(SizePanel(name, bars, marked))
    return panels


def draw_panel(panel: SizePanel, number: int = 0) -> Markup:
    """Returns a picture of the sizes of one spot as an SVG element; sizes of the menu have another colour.

    :param number: of the picture on its page.
    """

    def draw(figure: Figure) -> None:
        figure.set_size_inches(7.0, 2.3)
        axes: Axes = figure.subplots()
        colours = [SERIES[1] if bar.token in panel.menu else SERIES[0] for bar in panel.bars]
        places = range(len(panel.bars))
        axes.bar(places, [100 * bar.share for bar in panel.bars], color=colours, width=0.8)
        axes.set_xticks(list(places), [bar.token for bar in panel.bars], rotation=60, fontsize=8, color=INK)
        axes.set_ylabel("% of the bets", color=MUTED)
        axes.grid(axis="y")

    description = ", ".join(f"{bar.token} {100 * bar.share:.1f} %" for bar in panel.bars)
    return draw_inline_svg(f"sizes{number}", panel.name, description, draw)


def sizes_page(title: str, headline: str, panels: Sequence[SizePanel]) -> str:
    """Returns an HTML page with a picture of every spot, which refers to no other file.

    :param title: title of the page.
    :param headline: what was counted.
    """
    shown = [(panel, draw_panel(panel, number)) for number, panel in enumerate(panels)]
    units = f"first bets of a later round in {POT_BINS}ths of the pot, others in {MULTIPLE_BINS}ths of the bet faced"
    return render_template("sizes.html", title=title, headline=headline, units=units, panels=shown)
