"""The benchmark on the shipped quick pack."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from benchmarks.flops import main
from hedgehog.poker.cards import parse_cards
from hedgehog.poker.isomorphism import flop_class, flop_representative
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.flops.response import FlopGame
from hedgehog.strategies.betting_tree import subtree
from hedgehog.strategies.blueprint_pack import blueprint_beside
from hedgehog.strategies.pack import default_packs, open_pack
from hedgehog.strategies.quick_flops import read_quick_flops
from tests.solver.blueprint_fixtures import SHIPPED_BUCKETS, made_up_abstraction

LINE = "r250r850r2125c"


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(main, [*map(str, arguments)], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.output


def test_the_shipped_pack_plays_its_blueprint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is won on every flop, against a match of the two strategies that is set up here."""
    cards = made_up_abstraction(*SHIPPED_BUCKETS)
    monkeypatch.setattr(CardAbstraction, "load_or_build", lambda config: cards)
    data = tmp_path / "gain.json"
    output = run("--line", LINE, "--flops", "2", "--runouts", "6", "--seed", "3", "--json", data)
    assert "6 run-outs" in output
    assert LINE in output
    found = json.loads(data.read_text())["flops"]
    assert [flop["line"] for flop in found] == [LINE, LINE]
    assert [flop["before"] for flop in found] == [None, None]
    pack = open_pack(default_packs() / "quick-flops")
    quick = read_quick_flops(pack, blueprint_beside(pack))
    line = next(line for line in quick.lines if line.betting == LINE)
    tree, nodes = subtree(quick.blueprint.tree, int(line.nodes[0]))
    for flop in found:
        number, _ = flop_class(parse_cards(flop["flop"]))
        game = FlopGame(tree, flop_representative(number), line.ranges, cards)

        def bucket_rows(node: int, game: FlopGame = game) -> NDArray[np.float32]:
            rows = quick.blueprint.block(int(nodes[node])) / 255
            if tree.street[node] == 1:
                rows = rows[cards.buckets(1, game.flop)[game.combos]]
            return rows.astype(np.float32)

        def pack_rows(node: int, number: int = number) -> NDArray[np.float32]:
            if tree.street[node] > 1:
                return bucket_rows(node)
            return (quick.block(int(nodes[node]), number) / 255).astype(np.float32)

        expected = game.match(pack_rows, bucket_rows, runouts=6, seed=3)
        assert flop["won"] == pytest.approx(expected.pct_pot, rel=1e-4)


def test_unknown_lines_are_refused() -> None:
    with pytest.raises(InputError, match=r"the pack has no line 'r999c', it has cc, "):
        run("--line", "r999c")
