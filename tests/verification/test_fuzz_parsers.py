"""Hostile input for every parser: a result or the documented error, in bounded time and memory."""

from __future__ import annotations

import ast
import contextlib
import re
import resource
import signal
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import HealthCheck, given, settings

from hedgehog.runtime.packages import PACKAGES
from tests.verification.mutations import hostile_texts
from tests.verification.parsers import KEPT, NOT_FUZZED, PARSERS, ROOT, Parser

_PARSER_NAME = re.compile(r"(parse|read|scan|load|find)_")
_PARSER = re.compile(rf"\bdef {_PARSER_NAME.pattern}")
MEMORY_BYTES = 512 << 20
SECONDS = 60


def _too_slow(_signal: int, _frame: FrameType | None) -> None:
    raise TimeoutError(f"the parser has not come back after {SECONDS} s")


@contextlib.contextmanager
def bounds() -> Iterator[None]:
    """Limits the further memory of this process, and the time; both end in an exception no parser documents."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    previous = signal.signal(signal.SIGALRM, _too_slow)
    signal.alarm(SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY_BYTES, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


def attack(parser: Parser, text: str) -> bool:
    """Parses one input; anything but a checked result or a documented error raises.

    :returns: whether the parser has accepted it.
    """
    with bounds(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        message, result = "", None
        try:
            result = parser.parse(text)
        except parser.errors as error:
            message = str(error) or repr(error)
            assert len(message.splitlines()) == 1, "expected one line"
        if parser.check is not None and not message:
            parser.check(text, result)
    return not message


def fuzz(parser: Parser, examples: int, *, same_in_every_run: bool) -> None:
    """Parses many hostile inputs."""
    strategy = hostile_texts(parser.corpus)
    profile = settings(
        max_examples=examples,
        deadline=None,
        derandomize=same_in_every_run,
        database=None,
        suppress_health_check=list(HealthCheck),
    )

    @profile
    @given(strategy)
    def run(text: str) -> None:
        attack(parser, text)

    run()


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)
def test_valid_examples(parser: Parser) -> None:
    assert sum(attack(parser, text) for text in parser.corpus) > 0


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)
def test_a_few_hostile_inputs(parser: Parser) -> None:
    fuzz(parser, 12, same_in_every_run=True)


@pytest.mark.slow
@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)
def test_thousands_of_hostile_inputs(parser: Parser) -> None:
    fuzz(parser, 2_000, same_in_every_run=False)


@pytest.mark.parametrize(("name", "text"), KEPT)
def test_inputs_that_once_failed(name: str, text: str) -> None:
    parsers = [parser for parser in PARSERS if name in parser.name.split()]
    assert parsers
    for parser in parsers:
        attack(parser, text)


def public_parsers() -> Iterator[str]:
    """Yields the full names of all public functions and methods that are named like parsers."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            module = "hedgehog." + ".".join(path.relative_to(ROOT).with_suffix("").parts)
            text = path.read_text(encoding="utf-8")
            if not _PARSER.search(text):
                continue  # most files: to parse them all takes seconds
            top = ast.parse(text).body
            methods = [node for outer in top if isinstance(outer, ast.ClassDef) for node in outer.body]
            for node in (*top, *methods):
                if isinstance(node, ast.FunctionDef) and _PARSER_NAME.match(node.name):
                    yield f"{module}.{node.name}"


def test_every_parser_is_fuzzed() -> None:
    found = set(public_parsers())
    covered = {name for parser in PARSERS for name in parser.name.split()}
    assert len(found) > 30
    assert sorted(found - covered - set(NOT_FUZZED)) == []
    assert sorted(set(NOT_FUZZED) - found) == []
