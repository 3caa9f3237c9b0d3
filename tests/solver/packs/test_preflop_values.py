"""Builds of tables of preflop values: they go on after an interrupt and give the same bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hedgehog.runtime.errors import InputError, PackError, StoppedError
from hedgehog.runtime.watch import Watch
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.preflop import values
from hedgehog.solver.blueprint.preflop._value_kernels import preflop_values_kernel
from hedgehog.solver.packs.build import build_pack
from hedgehog.solver.packs.preflop_values import SUMS_FILE, build_preflop_values
from hedgehog.strategies.blueprint_pack import read_blueprint
from hedgehog.strategies.manifest import PackManifest
from hedgehog.strategies.pack import default_packs, open_pack
from hedgehog.strategies.preflop_values import preflop_values_beside
from tests.solver.blueprint_fixtures import TINY_CONFIG, made_up_abstraction


@pytest.fixture
def packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(CardAbstraction, "load_or_build", lambda config, progress: made_up_abstraction())
    (tmp_path / "tiny.yaml").write_text(TINY_CONFIG)
    build_pack(tmp_path / "tiny.yaml", tmp_path / "packs" / "tiny")
    return tmp_path / "packs"


def build(packs: Path, out: str, boards: int = 300, **others: object) -> PackManifest:
    return build_preflop_values(packs / "tiny", packs / out, boards, **others)  # type: ignore[arg-type]


def data(packs: Path, out: str) -> bytes:
    return (packs / out / "values_data.npy").read_bytes()


class Stopper(Watch):
    """Stops after some chunks."""

    def __init__(self, chunks: int) -> None:
        self.left = chunks

    @property
    def stopped(self) -> bool:
        self.left -= 1
        return self.left < 0


def test_a_stopped_build_goes_on_and_gives_the_same_bytes(packs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = build(packs, "whole")
    assert (made.config["boards"], made.config["seed"], made.name) == (300, 1, "tiny-values")
    with pytest.raises(StoppedError):
        build(packs, "parts", watch=Stopper(2))

    def interrupted(*arguments: object) -> None:
        preflop_values_kernel(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:  # the signal comes while the kernel runs, and is raised after it
        patch.setattr(values, "preflop_values_kernel", interrupted)
        with pytest.raises(KeyboardInterrupt):
            build(packs, "parts")
    build(packs, "parts", 200)
    assert data(packs, "parts") != data(packs, "whole")
    build(packs, "parts", 251, overwrite=True)
    assert data(packs, "parts") == data(packs, "whole")


def test_the_table_is_found_beside_its_blueprint(packs: Path) -> None:
    build(packs, "tiny-values", 100)
    table = read_blueprint(open_pack(packs / "tiny"))
    found = preflop_values_beside(packs / "tiny", table)
    assert found is not None
    assert found.boards == 100
    for node in found.nodes.values():
        assert node.ev.shape == node.strategy.shape
        known = ~np.isnan(node.mixed)
        assert (node.best[known] >= node.ev[known].min(axis=1) - 1e-3).all()
    assert preflop_values_beside(packs / "tiny", read_blueprint(open_pack(default_packs() / "blueprint-5bb"))) is None


def test_other_work_is_refused(packs: Path) -> None:
    build(packs, "one")
    work = packs / "one.work"
    for message, boards, others in (
        ("holds sums of another seed", 300, {"seed": 2}),
        ("holds sums of 300 boards: expected at least as many", 100, {}),
    ):
        with pytest.raises(InputError, match=message):
            build(packs, "two", boards, work=work, **others)
    with pytest.raises(InputError, match="overwrite"):
        build(packs, "one")
    with pytest.raises(InputError, match="at least one board"):
        build(packs, "three", 0)
    (work / SUMS_FILE).write_text("damaged")
    with pytest.raises(InputError, match=SUMS_FILE):
        build(packs, "four", work=work)
    (work / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match=r"mine\.txt"):
        build(packs, "five", work=work)


def test_other_card_tables_are_refused(packs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = made_up_abstraction(21)
    monkeypatch.setattr(CardAbstraction, "load_or_build", lambda config, progress: type(other)(
        other.config, other.tables, "another digest"
    ))  # fmt: skip
    with pytest.raises(PackError, match="other card tables"):
        build(packs, "values")
