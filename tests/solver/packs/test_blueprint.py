"""Building a blueprint pack; what is trained is in tests/solver/blueprint."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgehog.runtime.engines.jobs import hold_work
from hedgehog.runtime.errors import ResourceError
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.packs.build import build_pack
from tests.solver.blueprint_fixtures import made_up_abstraction


def test_one_training_per_work_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CardAbstraction, "load_or_build", lambda config, progress: made_up_abstraction())
    config, work = tmp_path / "one.yaml", tmp_path / "work"
    config.write_text("kind: blueprint\nname: one\nmenu: small\niterations: 20\n")
    with hold_work(work), pytest.raises(ResourceError, match=f"another process is working in {work}"):
        build_pack(config, tmp_path / "out", work=work, threads=1)
    assert not list(work.iterdir())
    assert not (tmp_path / "out").exists()
