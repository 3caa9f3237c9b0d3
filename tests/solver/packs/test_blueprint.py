"""Building a blueprint pack; what is trained is in tests/solver/blueprint."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgehog.runtime.errors import ResourceError
from hedgehog.solver.blueprint.config import BlueprintPackConfig, MenuConfig
from hedgehog.solver.packs.blueprint import train
from hedgehog.solver.packs.jobs import hold_work
from tests.solver.blueprint_fixtures import made_up_abstraction


def test_one_training_per_work_folder(tmp_path: Path) -> None:
    work = tmp_path / "work"
    config = BlueprintPackConfig(kind="blueprint", name="one", menu=MenuConfig(preset="small"), iterations=20)
    with hold_work(work), pytest.raises(ResourceError, match=f"another process is building in {work}"):
        train(config, made_up_abstraction(), work / "checkpoint.npz", 1, lambda _: None)
    assert not list(work.iterdir())
