"""Makes Markdown of our docstrings for the reference, an extension of griffe (``mkdocs.yml``)."""

from __future__ import annotations

from typing import Any

from griffe import Extension

from benchmarks.site import sources


class Docstrings(Extension):  # type: ignore[misc]  # griffe need not be installed
    """Changes the roles in docstrings to code with links."""

    def __init__(self) -> None:
        packages = sources.packages_with_names()
        self.pages = {place: place for package in packages for place in sources.exported(package).values()}

    def on_instance(self, *, obj: Any, **_: Any) -> None:
        """Changes the docstring of a module, class, function or attribute."""
        if obj.docstring:
            obj.docstring.value = sources.as_markdown(obj.docstring.value, self.pages)
