"""Bet menus of the whole game as the sizes of spots: the same trees after the flop, and names in files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hedgehog.runtime.errors import SpotError
from hedgehog.solver.blueprint import MENUS, BlueprintMenu, build_blueprint_tree
from hedgehog.solver.packs.exact_config import read_flop_pack_config
from hedgehog.solver.postflop.spot import parse_spot, read_spot
from hedgehog.solver.postflop.tree import build_postflop_tree
from hedgehog.strategies.bet_menus import street_sizes
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind, subtree

SPOT = """\
spot: mine
board: Qs Jh 2c
pot: 500
stack: {stack}
range: {{oop: random, ip: random}}
sizes: {sizes}  # by name
"""
PLAIN = BlueprintMenu(
    opens=(2.5,),
    isolations=(3.75,),
    reraises=((3.4,),),
    bets=((0.5, 1.0), (0.75,), ("50%", 2.0)),
    raises=(((1.0,),), ((0.5,), (1.0,)), (("3x",),)),
    caps=(4, 3, 4, 1),
)


def bets_by_line(tree: BettingTree, started: int) -> set[tuple[str, ...]]:
    """Returns all lines of a tree: the kinds of actions, and for bets the total on the hand since the root."""
    lines: dict[int, tuple[str, ...]] = {0: ()}
    for node in range(1, tree.num_nodes):
        parent, kind = int(tree.parent[node]), ActionKind(int(tree.action[node]))
        if kind == ActionKind.DEAL:
            lines[node] = lines[parent]
        elif kind in (ActionKind.BET, ActionKind.RAISE, ActionKind.ALL_IN):
            mover = int(tree.player[parent])
            lines[node] = (*lines[parent], f"to {tree.committed[node, mover] - started}")
        else:
            lines[node] = (*lines[parent], kind.name)
    return set(lines.values())


@pytest.mark.parametrize("menu", [PLAIN, MENUS["small"]], ids=["mixed", "small"])
def test_a_spot_has_the_bets_of_the_whole_game(menu: BlueprintMenu) -> None:
    """After an open and a call the blueprint's tree and that of a spot with the menu's sizes have the same lines.

    ``max_raises`` and ``all_in_share`` count the whole hand, and do not go into the sizes.
    """
    whole = build_blueprint_tree(replace(menu, max_raises=1000, all_in_share=1.0), stack=2_000)
    node = 0
    for wanted in (ActionKind.RAISE, ActionKind.CALL):
        node = next(child for child in whole.children(node) if whole.action[child] == wanted)
    while whole.kind[node] == NodeKind.DEAL:
        node = next(iter(whole.children(node)))
    part, _ = subtree(whole, node)
    sizes = ", ".join(f'{street}: {{oop: "{text}", ip: "{text}"}}' for street, text in street_sizes(menu).items())
    spot = parse_spot(SPOT.format(stack=1_750, sizes=f"{{{sizes}}}"))
    assert bets_by_line(build_postflop_tree(spot.tree), 0) == bets_by_line(part, 250)


def test_a_name_stands_for_its_sizes(tmp_path: Path) -> None:
    file = tmp_path / "spot.yaml"
    file.write_text(SPOT.format(stack=4_750, sizes="small"))
    spot = read_spot(file)
    assert street_sizes(MENUS["small"])["flop"] == "50%,100%,a / 100%,a / 100%,a /"
    assert 'flop: {oop: "50%,100%,a / 100%,a / 100%,a /"' in spot.text
    assert spot.tree == parse_spot(spot.text).tree
    file.write_text(SPOT.format(stack=4_750, sizes="smal"))
    with pytest.raises(SpotError) as raised:
        read_spot(file)
    assert str(raised.value).startswith(f"{file}:6: unknown menu 'smal': expected small, medium, large, standard")
    assert str(raised.value).endswith(", or FILE.yaml, or sizes by street")


def test_a_flop_pack_takes_a_menu_by_name(tmp_path: Path) -> None:
    file = tmp_path / "pack.yaml"
    file.write_text(
        "kind: flops\nname: mine\nblueprint: .\ntarget_pct: 1\nmax_iterations: 10\nflops: all\nsizes: medium\n"
        "lines: [{name: open, betting: r250c}]\n"
    )
    (line,) = read_flop_pack_config(file).lines
    assert (line.flop.oop, line.river.ip) == tuple(street_sizes(MENUS["medium"])[name] for name in ("flop", "river"))
