"""The plain solver of greedy hedging: what is equally good does not depend on how it is counted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.verification.greedy_readings import READINGS, curve


@pytest.mark.slow
def test_exact_reading_does_not_depend_on_how_all_ins_are_counted() -> None:
    exact = READINGS["exact"]
    table, dealt = (list(curve(replace(exact, dealt=way), 3, "KK+,AKs")) for way in (False, True))
    assert table == pytest.approx(dealt, rel=1e-9)
    assert len(set(table)) == 3
