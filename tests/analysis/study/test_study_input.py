"""The input of a study: what is read again gives the same hands, from files and through a store."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgehog.analysis.study.runs import study_coverage, study_hands
from hedgehog.analysis.study.study import ActorFilter, study_content
from hedgehog.analysis.study.study_input import StudyInput
from hedgehog.runtime.errors import InputError
from tests.analysis.study.hand_fixtures import random_log


@pytest.mark.parametrize("stored", [False, True])
def test_an_input_may_be_read_again(tmp_path: Path, stored: bool) -> None:
    log = tmp_path / "a.log"
    log.write_text(random_log(1, 30) + random_log(1, 30))
    source = StudyInput([log], tmp_path / "store" if stored else None)
    first, summary = study_content(study_hands(source)), source.summary()
    assert summary.startswith("30 hands of 2 players, ")
    assert summary.endswith("; 30 read twice")
    assert study_content(study_hands(source)) == first
    assert source.summary() == summary
    assert study_coverage(source).hands == 30


def test_a_name_that_nobody_has(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(random_log(1, 3))
    with pytest.raises(InputError, match="no player 'nobody' in these hands: expected "):
        study_hands(StudyInput([tmp_path]), ActorFilter(frozenset(["nobody"])))
