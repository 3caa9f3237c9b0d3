"""What players do after betting lines: counts of a few hands, and every action counted once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hedgehog.analysis.study.line_profile import LineProfile
from tests.analysis.study.hand_fixtures import batch_of, random_log, read

HANDS = (
    "STATE:0:r200c/cr300f:AhAd|KhKd/2c3d4h:-200|200:Alice|Bob",
    "STATE:1:r200c/cr400c/cc/cr800f:AhAd|KhKd/2c3d4h/5h/6h:-400|400:Bob|Alice",
    "STATE:2:f:AhAd|KhKd:50|-50:Alice|Bob",
)


def test_a_few_hands(tmp_path: Path) -> None:
    batch, reader = batch_of(tmp_path, *HANDS)
    only_bob = np.array([name == "Bob" for name in reader.players.texts])
    profile = LineProfile()
    profile.add(batch, only_bob)
    found = {(one.seat, one.line): one for one in profile.lines()}
    first = found["small blind", ""]
    assert (first.hands, [share.times for share in first.shares], first.sizes) == (2, [1, 0, 1], {"2x": 1})
    assert found["small blind", "rc/c"].shares[2].times == 1
    assert found["big blind", "r"].hands == 1
    assert found["big blind", "rc/crc/cc/cr"].shares[0].times == 1
    assert not any(seat == "big blind" and line in ("", "rc/c") for seat, line in found)
    assert profile.lines(least=2)[0] == first


@pytest.mark.parametrize("who", [[True, True], [True, False]])
def test_every_action_is_counted_once(tmp_path: Path, who: list[bool]) -> None:
    (tmp_path / "a.log").write_text(random_log(2, 200))
    batch, _ = read(tmp_path / "a.log")
    assert batch is not None
    counted = np.array(who)
    profile = LineProfile()
    profile.add(batch, counted)
    lines = profile.lines()
    assert sum(one.hands for one in lines) == int(counted[batch.actor()].sum())
    assert all(sum(share.times for share in one.shares) == one.hands for one in lines)
    raises = counted[batch.actor()] & (batch.actions["kind"] == 3)
    assert sum(sum(one.sizes.values()) for one in lines) == int(raises.sum())
