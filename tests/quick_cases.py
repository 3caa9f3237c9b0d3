"""Marks cases of a dear parametrized test as slow, so that ``make test`` runs some of them and ``make test-slow`` all.

``@pytest.mark.quick_cases("river", "turn-f32")`` leaves the cases of these ids quick. ``quick_cases(every=3)`` leaves
the first case and every third after it quick, ``@pytest.mark.slow_cases("flop")`` all but the case of this id.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import pytest

MARKS = ("quick_cases", "slow_cases")


def mark_slow_cases(items: Sequence[pytest.Item]) -> None:
    """Marks the cases as slow that the mark ``quick_cases`` or ``slow_cases`` of their test makes slow.

    :param items: what has been collected, in order, with all cases of each test.
    :raises pytest.UsageError: if a mark names a case that its test does not have.
    """
    tests: dict[str, list[pytest.Function]] = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and any(map(item.get_closest_marker, MARKS)):
            tests[item.nodeid.partition("[")[0]].append(item)
    for test, cases in tests.items():
        ids = [case.callspec.id for case in cases]
        slow: set[str] = set()
        for name in MARKS:
            for mark in cases[0].iter_markers(name):
                named = set(ids[:: mark.kwargs["every"]] if mark.kwargs else mark.args)
                if unknown := named - set(ids):
                    raise pytest.UsageError(f"{test} has no cases {sorted(unknown)}, only {ids}")
                slow |= named if name == "slow_cases" else set(ids) - named
        for case in cases:
            if case.callspec.id in slow:
                case.add_marker("slow")
