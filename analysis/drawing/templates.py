"""Fills the Jinja2 templates of pages, and of pictures other than charts. All values are escaped."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


def render_template(name: str, filters: Mapping[str, Any] = MappingProxyType({}), **values: Any) -> str:
    """Returns a template of ``analysis/templates`` with values filled in. The same values give the same bytes.

    :param name: file name of the template.
    :param filters: functions that the template calls by name, as in ``{{ value | chips }}``.
    :param values: values that the template shows, by name. A missing name is an error.
    """
    environment = Environment(
        loader=PackageLoader("analysis"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters)
    return environment.get_template(name).render(values)
