"""The explorer: a page in the browser that shows strategies, packs, matches and betting trees of this machine.

::

    from pathlib import Path

    from hedgehog.explorer import Library, create_app

    library = Library()
    library.add(Path("my-solve"))
    app = create_app(library, token="0123456789abcdef", hosts=["127.0.0.1:8765"])

The application is read-only but for spots that are solved from the page. docs/explorer.md is a tour, and
:mod:`hedgehog.explorer.app` describes the JSON API.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.explorer.app import create_app
    from hedgehog.explorer.library import Library
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = ["Library", "create_app"]
