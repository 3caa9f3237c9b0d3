"""The form of a spot: the text of a spot file as the values of its keys, and back.

A form holds every key of the text, whether the page has a field for it or not, and every value as the text has it. So
text -> form -> text describes one spot. Comments are not held.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from decimal import Context, Decimal, InvalidOperation
from typing import Any, Final

import yaml
from pydantic import BaseModel, ConfigDict

from hedgehog.poker.cards import format_cards
from hedgehog.runtime.config_file import ConfigFile
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.postflop.spot import PostflopSpot, parse_spot

_FIRST_KEYS: Final = ("spot", "board", "pot", "stack", "range", "sizes")
_LAST_KEYS: Final = ("rake", "abstraction", "tremble", "locks")
_PERCENT: Final = 2
_MOST_ZEROS: Final = 30
_NUMBERS: Final = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")


class _AnyKeys(BaseModel):
    model_config = ConfigDict(extra="allow")


class _Dumper(yaml.SafeDumper):
    """Writes text that looks like a number without quotes."""


def _represent_text(dumper: _Dumper, text: str) -> yaml.Node:
    tag = dumper.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    if "\x85" in text:  # PyYAML writes this line break as it is, and reads it as a space
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')
    return dumper.represent_scalar(tag, text) if tag in _NUMBERS else dumper.represent_str(text)


_Dumper.add_representer(str, _represent_text)


def parse_page_spot(text: str) -> PostflopSpot:
    """Returns the spot of a text from the page.

    :raises SpotError: if the text describes no spot, or names a file of bet sizes; the page opens no files.
    """
    try:
        return parse_spot(text)
    except SpotError:
        sizes = None
        with contextlib.suppress(SpotError):
            sizes = _values(text).get("sizes")
        if isinstance(sizes, str):
            raise SpotError(f"the page opens no files: write the bet sizes of {sizes} here") from None
        raise


def read_form(text: str) -> dict[str, Any]:
    """Returns the form of a text.

    ``form`` has the values, all as text; ``board`` the cards; ``percent`` the rake; ``comments`` tells whether the text
    has comments, which the form does not hold.

    :raises SpotError: if the text describes no spot; the message has the line.
    """
    spot = parse_page_spot(text)
    form = _values(text)
    return {
        "form": form,
        "board": format_cards(spot.board, " "),
        "percent": _shifted(form.get("rake", {}).get("rate", ""), _PERCENT),
        "comments": _has_comments(text),
    }


def write_form(form: Mapping[str, Any]) -> str:
    """Returns the text of a form. The rake may be given as ``percent`` instead of ``rate``. Nothing is checked."""
    content = {key: form[key] for key in _FIRST_KEYS if key in form}
    content |= {key: value for key, value in form.items() if key not in _LAST_KEYS}
    content |= {key: form[key] for key in _LAST_KEYS if key in form}
    rake = form.get("rake")
    if isinstance(rake, dict) and "percent" in rake:
        rest = {key: value for key, value in rake.items() if key != "percent"}
        content["rake"] = {"rate": _shifted(str(rake["percent"]), -_PERCENT), **rest}
    return yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1 << 30)


def _values(text: str) -> dict[str, Any]:
    """Returns the values of a configuration as nested dicts, lists and texts, without keys that have no value.

    :raises SpotError: if the text is no YAML with keys.
    """
    found: dict[str, Any] = _without_null(ConfigFile(text, _AnyKeys, SpotError, None, "a spot").model.model_extra)
    return found


def _without_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_null(each) for key, each in value.items() if each is not None}
    return [_without_null(each) for each in value] if isinstance(value, list) else value


def _shifted(text: str, places: int) -> str:
    """Returns a decimal number with its point moved to the right, digit for digit; other text as it is."""
    try:
        number = Decimal(text.strip()).scaleb(places, Context(prec=len(text) + 1))
    except InvalidOperation:
        return text
    if not number.is_finite():
        return text
    shown = f"{number:f}" if abs(number.adjusted()) < _MOST_ZEROS else str(number)
    return shown.rstrip("0").rstrip(".") if "." in shown and "E" not in shown else shown


def _has_comments(text: str) -> bool:
    end = 0
    for token in yaml.scan(text, Loader=yaml.SafeLoader):
        if "#" in text[end : token.start_mark.index]:
            return True
        end = max(end, token.end_mark.index)
    return "#" in text[end:]
