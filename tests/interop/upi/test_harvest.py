"""What a client that checks everything it reads takes from a tree of two streets."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgehog.solver.abstraction.solving import solve
from hedgehog.solver.postflop.spot import parse_spot
from tests.interop.upi.client import Client, check_sums

SPOT = Path(__file__).parents[3] / "docs/examples/spots/turn.yaml"


@pytest.mark.slow
def test_the_numbers_of_200_decisions_agree(tmp_path: Path) -> None:
    solve(parse_spot(SPOT.read_text()), 0.0, 60, threads=1, save=tmp_path / "turn")
    client = Client()
    client.done(f"load_tree {tmp_path / 'turn'}")
    found = [check_sums(client, node, player, 0.02) for node, player in client.decisions(cards=4)]
    assert len(found) > 200
