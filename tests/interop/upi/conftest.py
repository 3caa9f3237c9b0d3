"""Saved solves for the tests of UPI."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgehog.solver.abstraction.solving import solve
from hedgehog.solver.postflop.spot import parse_spot
from tests.interop.upi.client import RIVER, Client


@pytest.fixture(scope="module")
def river(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a solved river spot."""
    folder = tmp_path_factory.mktemp("solves") / "river"
    solve(parse_spot(RIVER), 0.0, 200, threads=1, save=folder)
    return folder


@pytest.fixture
def client(river: Path) -> Client:
    """A client that has loaded the river."""
    found = Client()
    found.done(f'load_tree "{river}"')
    return found
