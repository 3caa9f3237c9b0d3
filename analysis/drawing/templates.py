"""Fills the Jinja2 templates of pages, and of pictures other than charts. All values are escaped, control characters
too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from hedgehog.runtime.errors import escape_controls


def render_template(name: str, filters: Mapping[str, Any] = MappingProxyType({}), **values: Any) -> str:
    """Returns a template of ``analysis/templates`` with values filled in. The same values give the same bytes.

    An SVG file ends with a line end.

    :param name: file name of the template.
    :param filters: functions that the template calls by name, as in ``{{ value | chips }}``.
    :param values: values that the template shows, by name. A missing name is an error.
    """
    text = _environment(tuple(sorted(filters.items()))).get_template(name).render(values)
    return f"{text}\n" if name.endswith(".svg") else text


@lru_cache(maxsize=16)
def _environment(filters: tuple[tuple[str, Callable[..., Any]], ...]) -> Environment:
    """Returns the environment of these filters, which keeps the templates that it has compiled."""
    environment = Environment(
        loader=PackageLoader("hedgehog.analysis"),
        autoescape=True,
        finalize=_without_controls,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters)
    return environment


def _without_controls(value: Any) -> Any:
    return escape_controls(value) if isinstance(value, str) and not isinstance(value, Markup) else value
