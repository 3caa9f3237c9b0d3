"""hedgehog.runtime.config_file: a misspelt key is named on its line, with the key it may have meant."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import BaseModel, ConfigDict, Field

from hedgehog.runtime.config_file import ConfigFile
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.validation import keys_of, suggest


class _Size(BaseModel):
    model_config = ConfigDict(extra="forbid")

    oop: str
    donk: str | None = None


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    pot: int
    stack: Annotated[int, Field(gt=0)] = 1
    turn: _Size | None = None
    lines: tuple[_Size, ...] = ()


def message_of(text: str) -> str:
    with pytest.raises(InputError) as raised:
        ConfigFile(text, _File, InputError, "a.yaml", "a spot")
    return str(raised.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("stack: 5\npott: 400", "a.yaml:2: unknown key 'pott', did you mean 'pot'?"),
        ("pot: 4\nSTACK: 3", "a.yaml:2: unknown key 'STACK', did you mean 'stack'?"),
        ("pot: 4\nturn: {oop: a, donc: b}", "a.yaml:2: unknown key 'turn.donc', did you mean 'donk'?"),
        ("pot: 4\nlines:\n  - {oop: a, oopp: b}", "a.yaml:3: unknown key 'lines.0.oopp', did you mean 'oop'?"),
        ("pot: 4\nzzzz: 3", "a.yaml:2: unknown key 'zzzz', expected pot, stack, turn, lines"),
        ("pot: x\nzzzz: 3", "a.yaml:2: unknown key 'zzzz', expected pot, stack, turn, lines"),
        ("stack: 5", "a.yaml:1: the key 'pot' is missing"),
    ],
)
def test_messages(text: str, message: str) -> None:
    assert message_of(text) == message


def test_where_there_is_no_model_nothing_is_suggested() -> None:
    assert keys_of(_File, ("nowhere",)) == []
    assert keys_of(_File, ("stack", "x")) == []
    assert suggest("x", []) == ""
