"""The postflop betting tree: reference counts, each rule by hand, extra lines, invariants."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgehog.poker.betsizes import parse_bet_sizes, parse_menu
from hedgehog.runtime.errors import ResourceError, SpotError
from hedgehog.solver.postflop import tree as postflop_tree
from hedgehog.solver.postflop.spot import read_spot
from hedgehog.solver.postflop.tree import (
    StreetSizes,
    TreeConfig,
    build_postflop_tree,
    format_action,
    format_line,
    line_of,
    node_for_line,
    parse_line,
)
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind

SPOTS = Path(__file__).parents[2] / "data" / "solver" / "spots"


def config(
    *streets: str, street: int = 3, pot: int = 100, stack: int = 1000, donk: str | None = None, **options: float
) -> TreeConfig:
    """Returns a configuration in which both players share the sizes of each street."""
    sizes = []
    for number, text in enumerate(streets):
        menu = parse_menu(donk) if donk is not None and number > 0 else None
        sizes.append(StreetSizes(parse_bet_sizes(text), parse_bet_sizes(text), menu))
    return TreeConfig(street, pot, stack, tuple(sizes), **options)  # type: ignore[arg-type]


def offered(tree: BettingTree, line: str = "") -> list[str]:
    """Returns the actions after a line."""
    return [format_action(tree, child) for child in tree.children(node_for_line(tree, parse_line(line)))]


def test_bets_and_raises_as_fractions_of_the_pot() -> None:
    tree = build_postflop_tree(config("33%,75%,150%,a/50%,100%,a", pot=400, stack=19800))
    assert offered(tree) == ["X", "B132", "B300", "B600", "A19800"]
    assert offered(tree, "X") == offered(tree)
    # A raise is a fraction of the pot after calling: 132 + (400 + 264) / 2.
    assert offered(tree, "B132") == ["F", "C", "R464", "R796", "A19800"]
    assert offered(tree, "X B132 R464") == ["F", "C", "R1128", "R1792", "A19800"]
    assert offered(tree, "A19800") == ["F", "C"]


def test_multiples_of_the_bet_and_chips() -> None:
    tree = build_postflop_tree(config("40c/2.5x,30c", pot=100, stack=1000))
    assert offered(tree) == ["X", "B40"]
    # 40 + 30 chips is below the smallest raise, to 80.
    assert offered(tree, "B40") == ["F", "C", "R80", "R100"]


def test_fixed_limit_by_chips_with_a_count_of_raises() -> None:
    tree = build_postflop_tree(config("20c/20c3r", pot=40, stack=1000))
    assert offered(tree) == ["X", "B20"]
    assert offered(tree, "X B20 R40 R60") == ["F", "C", "R80"]
    assert offered(tree, "X B20 R40 R60 R80") == ["F", "C"]
    # The count starts anew on every street; other sizes of the menu do not care for it.
    turn = build_postflop_tree(config("20c/20c1r", "20c/20c1r,a", street=2, pot=40, stack=1000))
    assert offered(turn, "B20 R40") == ["F", "C"]
    assert offered(turn, "B20 R40 C B20") == ["F", "C", "R40", "A960"]
    assert offered(turn, "B20 R40 C B20 R40") == ["F", "C", "A960"]


def test_geometric_raises_count_the_raises_before() -> None:
    tree = build_postflop_tree(config("100c/3e", "a", "a", street=1, pot=100, stack=4000))
    # After calling 100 the pot is 300 and 3900 are behind: (27^(1/3) - 1) / 2 = 1, a pot on top of the bet.
    assert offered(tree, "B100") == ["F", "C", "R400"]
    # Then 900 and 3600 for two streets: (9^(1/2) - 1) / 2 = 1; then 2700 and 2700 for the last one.
    assert offered(tree, "B100 R400") == ["F", "C", "R1300"]
    assert offered(tree, "B100 R400 R1300") == ["F", "C", "A4000"]
    capped = build_postflop_tree(config("100c/3e50%", "a", "a", street=1, pot=100, stack=4000))
    assert offered(capped, "B100") == ["F", "C", "R250"]


@pytest.mark.parametrize(
    ("sizes", "stack", "line", "actions"),
    [
        # All-in is offered although it is less than a smallest raise, and not twice.
        ("100%,a/a", 150, "B100", ["F", "C", "A150"]),
        ("100%,a/50%,2.5x,30c,a", 150, "B100", ["F", "C", "A150"]),
        ("100%/50%", 101, "B100", ["F", "C", "A101"]),
        ("100%/", 150, "B100", ["F", "C"]),
        # A raise the size of the bet is the smallest, one chip less is not there.
        ("100%/10%", 201, "B100", ["F", "C", "R200"]),
        ("100%/10%", 200, "B100", ["F", "C", "A200"]),
        # The smallest re-raise repeats the raise of 150, not the total of 250.
        ("100%/2.5x/10c", 1000, "B100 R250", ["F", "C", "R400"]),
        ("100%/2.5x/10c,a", 399, "B100 R250", ["F", "C", "A399"]),
        # Nobody can raise an all-in, however short.
        ("100%,a/50%,a", 150, "A150", ["F", "C"]),
        ("100%,a/50%,a", 1, "", ["X", "A1"]),
        # Percentages of a raise are of the pot after calling: 100 + (100 + 200).
        ("100%/100%", 1000, "B100", ["F", "C", "R400"]),
        ("1000%", 300, "", ["X", "A300"]),
        ("33%,33c,0.33%", 300, "", ["X", "B1", "B33"]),
    ],
)
def test_edges_of_all_in_and_of_the_smallest_raise(sizes: str, stack: int, line: str, actions: list[str]) -> None:
    assert offered(build_postflop_tree(config(sizes, pot=100, stack=stack)), line) == actions


def test_rounding_is_half_away_from_zero() -> None:
    tree = build_postflop_tree(config("50%,50.1%", pot=5, stack=100))
    assert offered(tree) == ["X", "B3"]
    tree = build_postflop_tree(config("49.9%/2.5x", pot=1, stack=100))
    assert offered(tree) == ["X", "B1"]  # rounds to 0, the smallest bet is one chip
    assert offered(tree, "B1") == ["F", "C", "R3"]


def test_geometric_sizes_bring_the_stacks_in_on_the_river() -> None:
    tree = build_postflop_tree(config("e,a", "e,a", "e,a", street=1, pot=100, stack=1300))
    # Pots 100, 300, 900, 2700: each bet is the pot.
    assert offered(tree) == ["X", "B100", "A1300"]
    assert offered(tree, "B100 C") == ["X", "B300", "A1200"]
    assert offered(tree, "B100 C X B300 C") == ["X", "A900"]
    limited = build_postflop_tree(config("1e,2e,3e50%", pot=100, stack=1200))
    assert offered(limited) == ["X", "B50", "B200", "A1200"]


def test_all_in_is_added_below_its_threshold() -> None:
    near = build_postflop_tree(config("50%/50%", pot=100, stack=150, add_allin_threshold=1.5))
    assert offered(near) == ["X", "B50", "A150"]
    far = build_postflop_tree(config("50%/50%", pot=100, stack=151, add_allin_threshold=1.5))
    assert offered(far) == ["X", "B50"]
    # Facing 50 the limit is 50 + 1.5 * 200.
    assert offered(far, "B50") == ["F", "C", "R150", "A151"]


def test_all_in_is_forced_when_little_is_left() -> None:
    # After 75 is called the pot is 250, a tenth of it 25.
    assert offered(build_postflop_tree(config("75%", stack=100, force_allin_threshold=0.1))) == ["X", "A100"]
    assert offered(build_postflop_tree(config("75%", stack=101, force_allin_threshold=0.1))) == ["X", "B75"]


def test_close_sizes_merge_into_the_larger() -> None:
    tree = build_postflop_tree(config("50%,60%,100%,a", pot=100, stack=105, merging_threshold=0.1))
    # Below 105 all sizes up to (1.05 - 0.1) / 1.1 = 86 % survive, below 60 all up to 45 %.
    assert offered(tree) == ["X", "B60", "A105"]


def test_donk_sizes_replace_oops_first_bet_after_he_called() -> None:
    tree = build_postflop_tree(config("50%", "100%/a", street=2, donk="25%"))
    assert offered(tree, "X B50 C") == ["X", "B50"]
    assert offered(tree, "X B50 C X") == ["X", "B200"]
    assert offered(tree, "X B50 C B50") == ["F", "C", "A950"]
    assert offered(tree, "B50 C") == ["X", "B200"]  # IP called
    assert offered(tree, "X X") == ["X", "B100"]
    assert offered(build_postflop_tree(config("50%", "100%", street=2, donk="")), "X B50 C") == ["X"]


def test_bets_per_street_can_be_limited() -> None:
    tree = build_postflop_tree(config("50%,a/100%", max_bets=2))
    assert offered(tree, "B50 R250") == ["F", "C"]
    assert offered(build_postflop_tree(config("a", max_bets=0, add_allin_threshold=99))) == ["X"]


def test_a_called_all_in_runs_the_board_out() -> None:
    tree = build_postflop_tree(config("a", "50%", "50%", street=1))
    call = tree.children(node_for_line(tree, ["A1000"]))[1]
    assert (tree.kind[call], tree.action[call], tree.street[call]) == (NodeKind.DEAL, ActionKind.CALL, 1)
    turn = int(tree.first_child[call])
    assert (tree.kind[turn], tree.action[turn], tree.street[turn]) == (NodeKind.DEAL, ActionKind.DEAL, 2)
    river = int(tree.first_child[turn])
    assert (tree.kind[river], tree.street[river], tree.num_children[river]) == (NodeKind.SHOWDOWN, 3, 0)
    assert node_for_line(tree, ["A1000", "C"]) == river
    assert line_of(tree, river) == ["A1000", "C"]
    assert tree.pot(river) == 2100


def test_uncalled_chips_stay_out_of_the_pot_of_a_fold() -> None:
    tree = build_postflop_tree(config("50%"))
    fold = node_for_line(tree, ["B50", "F"])
    assert (tree.kind[fold], tree.player[fold]) == (NodeKind.FOLD, 1)
    assert tree.committed[fold].tolist() == [50, 0]


def test_extra_lines_add_a_size_on_their_path_only() -> None:
    settings_ = config("50%", "50%", street=2)
    plain = build_postflop_tree(settings_)
    tree = build_postflop_tree(settings_, [["X", "B33", "C", "X", "B77", "R300"], ["B50", "A1000"], ["X", "B50"]])
    assert offered(tree) == ["X", "B50"]
    assert offered(tree, "X") == ["X", "B33", "B50"]
    assert offered(tree, "B50") == ["F", "C", "R150", "A1000"]
    assert offered(tree, "X B33 C X") == ["X", "B77", "B83"]
    # 77 + (100 + 66 + 154) / 2
    assert offered(tree, "X B33 C X B77") == ["F", "C", "R237", "R300"]
    assert offered(tree, "X B33 C") == ["X", "B83"]
    # Every line of the plain tree is still there.
    for node in range(plain.num_nodes):
        if plain.kind[node] == NodeKind.DECISION:
            assert set(offered(plain, format_line(line_of(plain, node)))) <= set(
                offered(tree, format_line(line_of(plain, node)))
            )


@pytest.mark.parametrize(
    ("line", "token"),
    [
        (["C"], "C"),
        (["X", "R50"], "R50"),
        (["B50", "R99"], "R99"),
        (["B50", "B150"], "B150"),
        (["B1001"], "B1001"),
        (["B1000"], "B1000"),
        (["A999"], "A999"),
        (["X", "X", "X"], "X"),
        (["B50", "F", "X"], "X"),
        (["A1000", "R2000"], "R2000"),
        (["Z"], "Z"),
        (["B"], "B"),
        (["B0"], "B0"),
        (["B50x"], "B50x"),
    ],
)
def test_illegal_extra_lines_are_refused(line: list[str], token: str) -> None:
    with pytest.raises(SpotError) as raised:
        build_postflop_tree(config("50%"), [line])
    assert repr(token) in raised.value.message


def test_actions_that_have_been_taken_are_the_only_ones() -> None:
    settings_ = config("50%/100%", "50%", street=2)
    tree = build_postflop_tree(settings_, [["B33", "R280"]], taken=["B33"])
    assert offered(tree) == ["B33"]
    # 33 + (100 + 66); below the line the menus apply.
    assert offered(tree, "B33") == ["F", "C", "R199", "R280"]
    assert offered(tree, "B33 C") == ["X", "B83"]
    raised = build_postflop_tree(settings_, taken=["X", "B70", "R300"])
    assert [offered(raised, line) for line in ("", "X", "X B70")] == [["X"], ["B70"], ["R300"]]
    assert offered(raised, "X B70 R300")[:2] == ["F", "C"]
    # It is the part of the whole tree that lies below the line.
    whole = build_postflop_tree(settings_, [["X", "B70", "R300"]])
    below = [line for line in decision_lines(whole) if line[:3] == ["X", "B70", "R300"]]
    assert decision_lines(raised) == [[], ["X"], ["X", "B70"], *below]
    assert all(offered(whole, format_line(line)) == offered(raised, format_line(line)) for line in below)


def decision_lines(tree: BettingTree) -> list[list[str]]:
    """Returns the lines to all decisions, in order."""
    return [line_of(tree, node) for node in range(tree.num_nodes) if tree.kind[node] == NodeKind.DECISION]


@pytest.mark.parametrize("taken", [["C"], ["X", "X", "X"], ["B50", "R99"], ["A999"], ["B50", "F", "X"]])
def test_illegal_actions_cannot_have_been_taken(taken: list[str]) -> None:
    with pytest.raises(SpotError, match=repr(taken[-1])):
        build_postflop_tree(config("50%"), taken=taken)


def test_unknown_lines_name_what_is_offered() -> None:
    tree = build_postflop_tree(config("50%"))
    with pytest.raises(SpotError, match="'B51' after 'X', offered: X B50"):
        node_for_line(tree, ["X", "B51"])
    with pytest.raises(SpotError, match="offered: nothing"):
        node_for_line(tree, ["X", "X", "X"])


@pytest.mark.parametrize(
    "change",
    [
        {"street": 0},
        {"street": 2},
        {"pot": 0},
        {"stack": 0},
        {"stack": 1 << 30},
        {"merging_threshold": -0.1},
        {"force_allin_threshold": float("nan")},
        {"add_allin_threshold": float("inf")},
        {"max_bets": -1},
    ],
)
def test_impossible_configurations_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(SpotError):
        config("50%", **change)  # type: ignore[arg-type]


def test_endless_trees_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postflop_tree, "MAX_NODES", 500)
    with pytest.raises(ResourceError, match="500 nodes"):
        build_postflop_tree(config("10%,20%,30%/10%,20%,30%", stack=100_000))


def test_street_by_street_and_parents_first() -> None:
    tree = build_postflop_tree(read_spot(SPOTS / "C2_flop.yaml").tree)
    assert (np.diff(tree.street) >= 0).all()
    assert (tree.parent[1:] < np.arange(1, tree.num_nodes)).all()


# ------------------------------------------------------------------------------------- against a direct recursion


def _round(value: float) -> int:
    return int(np.floor(value + 0.5))


def enumerate_lines(pot: int, stack: int, fractions: Sequence[Sequence[float]], street: int) -> set[tuple[str, ...]]:
    """All lines to a fold or showdown with pot-fraction bets and raises plus all-in, by plain recursion."""
    lines: set[tuple[str, ...]] = set()

    def play(
        street: int, start: int, totals: tuple[int, int], player: int, checked: bool, line: tuple[str, ...]
    ) -> None:
        prev, own = totals[1 - player], totals[player]
        largest = stack - start
        after_call = pot + 2 * (start + prev)

        def next_street() -> None:
            if street == 3 or start + prev == stack:
                lines.add(ended)
            else:
                play(street + 1, start + prev, (0, 0), 0, False, ended)

        if prev > own:
            lines.add((*line, "F"))
        ended = (*line, "C" if prev > own else "X")
        if prev > own or checked:
            next_street()
        else:
            play(street, start, totals, 1, True, ended)
        if start + prev == stack or largest == 0:
            return
        smallest = min(max(2 * prev - own, 1), largest)
        amounts = {largest} | {
            min(max(prev + _round(after_call * fraction), smallest), largest) for fraction in fractions[min(prev, 1)]
        }
        for amount in amounts:
            letter = "A" if amount == largest else "R" if prev else "B"
            now = (amount, totals[1]) if player == 0 else (totals[0], amount)
            play(street, start, now, 1 - player, False, (*line, f"{letter}{amount}"))

    play(street, 0, (0, 0), 0, False, ())
    return lines


@settings(max_examples=60, deadline=None)
@given(
    # Bounds that keep the largest tree at some thousand lines.
    pot=st.integers(50, 300),
    stack=st.integers(1, 500),
    bets=st.lists(st.integers(30, 300), max_size=2),
    raises=st.lists(st.integers(50, 300), max_size=2),
    street=st.integers(2, 3),
)
def test_all_lines_of_a_plain_recursion(pot: int, stack: int, bets: list[int], raises: list[int], street: int) -> None:
    text = "/".join(",".join([*(f"{size}%" for size in menu), "a"]) for menu in (bets, raises))
    tree = build_postflop_tree(config(*[text] * (4 - street), street=street, pot=pot, stack=stack))
    ends = np.flatnonzero((tree.kind == NodeKind.FOLD) | (tree.kind == NodeKind.SHOWDOWN))
    lines = [tuple(line_of(tree, int(node))) for node in ends]
    assert len(set(lines)) == len(lines)
    fractions = [[size / 100 for size in menu] for menu in (bets, raises)]
    assert set(lines) == enumerate_lines(pot, stack, fractions, street)
    assert all(node_for_line(tree, line) == node for line, node in zip(lines, ends, strict=True))
    for node in range(tree.num_nodes):
        order = [(int(tree.action[child]), int(tree.amount[child])) for child in tree.children(node)]
        assert all(a < b for a, b in itertools.pairwise(order))
        assert all(tree.parent[child] == node for child in tree.children(node))
    assert (tree.committed <= stack).all()
