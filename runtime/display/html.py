"""HTML for the output of a notebook's cell."""

from __future__ import annotations

from typing import Final

MOST_ROWS: Final = 40
"""Largest number of rows that a notebook shows of a table."""
# Every rule is bound to the class of the outer element: a cell's output must not change the rest of a notebook. The
# colours are those of paper in dark notebooks, too, because notebooks do not tell which scheme they follow.
_STYLE: Final = (
    "<style>"
    ".hedgehog-shown{background:#fefefe;color:#1b1f24;padding:.6em .8em;display:inline-block;max-width:100%;"
    "box-sizing:border-box;overflow-x:auto;font-variant-numeric:tabular-nums}"
    ".hedgehog-shown p{margin:0 0 .5em}"
    ".hedgehog-shown table{border-collapse:collapse;margin:.4em 0;color:inherit}"
    ".hedgehog-shown th,.hedgehog-shown td{padding:.15em .6em;text-align:left;border-bottom:1px solid #d5dae0;"
    "background:none;white-space:pre-line}"
    ".hedgehog-shown .number{text-align:right}"
    "</style>"
)


def notebook_html(*parts: str) -> str:
    """Returns one element with the parts below each other.

    :param parts: HTML; what is data in them is escaped already. Empty parts are left out.
    """
    return f'<div class="hedgehog-shown">{_STYLE}{"".join(parts)}</div>'
