"""The preflop bias and the published shares of folds."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hedgehog.analysis.three_players.bias import compute_bias, reference_folds
from hedgehog.poker.hand_classes import HAND_CLASS_NAMES

PUBLISHED = Path(__file__).parent.parent.parent / "data" / "limit3p" / "published.json.gz"


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    values: dict[str, Any] = json.loads(gzip.decompress(PUBLISHED.read_bytes()))
    return values


def shares(published: dict[str, Any], bot: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array([published["preflop"][bot][name] for name in HAND_CLASS_NAMES])


def test_shares_of_actions_add_up(published: dict[str, Any]) -> None:
    """They are cut off after three decimals, so up to three thousandths are missing; two classes were never seen."""
    for bot in published["preflop"]:
        sums = shares(published, bot).sum(axis=1)
        unseen = [name for name, total in zip(HAND_CLASS_NAMES, sums, strict=True) if total == 0]
        assert set(unseen) <= {"Q6s", "Q4s"}
        assert ((sums == 0) | ((sums > 0.9965) & (sums < 1.0005))).all()
    assert reference_folds().tolist() == shares(published, "hyperborean")[:, 0].tolist()


def test_the_published_bias_is_the_difference_of_the_folds(published: dict[str, Any]) -> None:
    own = shares(published, "HBB2")
    observed = np.where(own.sum(axis=1) > 0, 100, 0)
    bias = compute_bias(reference_folds(), own[:, 0], observed)
    printed = [published["bias_hbb2"][name] for name in HAND_CLASS_NAMES]
    assert bias == pytest.approx(printed, abs=1e-9)
    # The text of the thesis says 0.481 for Q2s, which is the share of raises of K2s.
    names = dict(zip(HAND_CLASS_NAMES, shares(published, "hyperborean").tolist(), strict=True))
    assert (names["Q2s"][0], names["K2s"][2]) == (0.95, 0.481)


def test_classes_with_few_decisions_have_no_bias() -> None:
    found = compute_bias(np.full(3, 0.5), np.array([0.2, 0.2, 0.9]), np.array([49, 50, 51]))
    assert found == pytest.approx([0.0, 0.3, -0.4])


def test_printed_differences_are_those_of_the_tables(published: dict[str, Any]) -> None:
    differences = 0
    for bot, by_players in published["differences"].items():
        for players, printed in by_players.items():
            reference = np.array(published["by_street"]["hyperborean"][players])
            own = np.array(published["by_street"][bot][players])
            assert reference - own == pytest.approx(np.array(printed), abs=1.0001e-3)
            differences += own.size
    assert differences == 72
