"""Settings for all tests."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Generator

import pytest
from hypothesis import settings

from tests.processes import starts_processes
from tests.quick_cases import mark_slow_cases

# The first call of a kernel compiles it, which takes seconds on a cold cache: time limits per example mean nothing.
# Examples are others in every run, and there are many runs: sixty of them instead of a hundred are enough for each.
settings.register_profile("hedgehog", deadline=None, max_examples=60)
settings.load_profile("hedgehog")

# A shell that runs the tests in the background lets them and their children ignore Ctrl-C, which some tests press.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collects tests without looking for garbage: modules and tests stay until the end, so the search is in vain."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        # A client frees all garbage before a match; here that would search thousands of collected tests each time.
        if (client := sys.modules.get("hedgehog.agent.acpc.client")) is not None:
            vars(client)["settle_garbage"] = lambda: None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks the tests that start processes themselves; those for which Hedgehog does so carry the mark in the file.

    Marks the dear cases of parametrized tests as slow, unless single cases are asked for.
    """
    if not any("::" in word for word in config.args):
        mark_slow_cases(items)
    for item in items:
        if isinstance(item, pytest.Function):
            fixtures = [found[-1].func for found in item._fixtureinfo.name2fixturedefs.values()]
            if any(map(starts_processes, [item.function, *fixtures])):
                item.add_marker("process")
