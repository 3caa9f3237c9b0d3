"""Live solves in these tests are planned for the same machine everywhere."""

from __future__ import annotations

import pytest

from hedgehog.agent.strategy import live, live_flop
from hedgehog.agent.strategy.planning_speed import DEFAULT_SPEED


@pytest.fixture(autouse=True)
def _default_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (live, live_flop):
        monkeypatch.setattr(module, "planning_speed", lambda: DEFAULT_SPEED)
