"""The replayer tells what the decisions of a hand cost, with the numbers of ``hedgehog grade``."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgehog.analysis.grading.grade import grade_files
from hedgehog.analysis.grading.options import GradeOptions
from tests.analysis.grading.hand_logs import write_log
from tests.explorer.explored import BASE, explored, get

HAND = "STATE:0:r300c/cc/cc/cr700f:AhKd|9s9c/Kh7d2c/5s/3d:-300|300:alice|bob"


@pytest.mark.slow
def test_the_replayer_grades_as_the_command_does(tmp_path: Path) -> None:
    log = write_log(tmp_path, [HAND])
    graded = grade_files([log], GradeOptions("alice", "quick"))
    with explored(log) as (client, names):
        found = get(client, f"items/{names[0]}/grades", hand=0)
        assert [player["name"] for player in found["players"]] == ["alice", "bob"]
        own = found["players"][0]["decisions"]
        assert [each["action"] for each in own] == [each.action for each in graded.hands[0].decisions]
        for shown, each in zip(own, graded.hands[0].decisions, strict=True):
            assert shown["loss_bb"] == pytest.approx(each.loss_bb if each.graded else None)
        assert own[-1]["verdict"] == "blunder"
        assert "best was raise to 1,450 (river, solved to" in own[-1]["text"]
        assert client.get(f"{BASE}/api/1/items/{names[0]}/grades", params={"hand": "3"}).status_code == 400


def test_other_stacks_are_refused(tmp_path: Path) -> None:
    log = write_log(tmp_path, ["STATE:0:r300f:AhKd|9s9c:-100|100:alice|bob"], stack=1700)
    with explored(log) as (client, names):
        refused = client.get(f"{BASE}/api/1/items/{names[0]}/grades", params={"hand": "0"})
        assert refused.status_code == 400
        assert "17 big blinds, the nearest packs have 15" in refused.json()["error"]
