"""What must hold of the built site: no dead link, nothing loaded from elsewhere, every page found by the search."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote

LOADED: Final = re.compile(
    r"<(?:script|img|iframe)[^>]*\ssrc=\"?([^\s\">]+)|<link[^>]*rel=\"?(?:stylesheet|icon)[^>]*>"
)
TARGET: Final = re.compile(r"<(?:a|img|script|link)\b[^>]*?\s(?:href|src)=\"?([^\s\">]+)")
ADDRESS: Final = re.compile(r"(?:[a-z]+:)?//|(?:mailto|data|javascript):")
ANCHOR: Final = re.compile(r"\sid=\"?([^\s\">]+)")


def faults(site: Path) -> Iterator[str]:
    """Yields one line per fault of a built site.

    :param site: the folder with ``index.html``.
    """
    pages = {page: page.read_text(encoding="utf-8") for page in sorted(site.rglob("*.html")) if page.name != "404.html"}
    anchors = {page: set(ANCHOR.findall(text)) for page, text in pages.items()}
    for page, text in pages.items():
        name = page.relative_to(site)
        for found in LOADED.finditer(text):
            if re.search(r"(?:src|href)=\"?(?:[a-z]+:)?//", found[0]):
                yield f"{name} loads from elsewhere: {found[0]}"
        for target in dict.fromkeys(TARGET.findall(text)):
            if ADDRESS.match(target):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / unquote(path)).resolve() if path else page
            if not file.is_file():
                yield f"{name} links to {target}, which is not there"
            elif anchor and file in anchors and unquote(anchor) not in anchors[file] | {"__top"}:
                yield f"{name} links to {target}, where there is no such heading"
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    known = {entry["location"].partition("#")[0] for entry in index["docs"]}
    for page in pages:
        name = page.relative_to(site)
        if name.parts[0] != "source" and name.as_posix() not in known:
            yield f"the search does not know {name}"
