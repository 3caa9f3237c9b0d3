"""The spot file: what it means, and one clear message with its line for everything that is wrong."""

from __future__ import annotations

import contextlib
import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgehog.poker.betsizes import parse_bet_sizes, parse_menu
from hedgehog.poker.cards import NUM_COMBOS, parse_cards
from hedgehog.poker.ranges import parse_range
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.abstraction.solving import solve
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.spot import PostflopSpot, parse_spot, read_spot
from hedgehog.solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree, format_action, line_of
from hedgehog.strategies.betting_tree import NodeKind

SPOT = """\
spot: C3
board: Td 9d 6h Qc
pot: 200            # chips
stack: 900
range:
  oop: "66+,A8s+,KQo:0.5"
  ip: "QQ-22,AdKd"
sizes:
  turn: {oop: "60%,e,a/2.5x", ip: "50%/a"}
  river: {oop: "60%,e,a/2.5x", ip: "a", donk: "50%"}
add_allin_threshold: 1.5
force_allin_threshold: 1.5e-1
merging_threshold: 1e-4
max_bets: 3
rake: {rate: 0.05, cap: 30}
"""


def test_every_key_of_a_spot_file() -> None:
    spot = parse_spot(SPOT)
    assert spot.name == "C3"
    assert spot.board == tuple(parse_cards("Td9d6hQc"))
    assert (spot.street, spot.pot, spot.stack) == (2, 200, 900)
    assert (spot.ranges[0] == parse_range("66+,A8s+,KQo:0.5")).all()
    assert (spot.ranges[1] == parse_range("QQ-22,AdKd")).all()
    oop = parse_bet_sizes("60%,e,a/2.5x")
    assert spot.tree == TreeConfig(
        street=2,
        pot=200,
        stack=900,
        sizes=(
            StreetSizes(oop, parse_bet_sizes("50%/a")),
            StreetSizes(oop, parse_bet_sizes("a"), parse_menu("50%")),
        ),
        add_allin_threshold=1.5,
        force_allin_threshold=0.15,
        merging_threshold=1e-4,
        max_bets=3,
    )
    assert (spot.rake_rate, spot.rake_cap) == (0.05, 30)


def test_optional_keys_may_be_absent() -> None:
    lines = SPOT.splitlines()[:10]
    spot = parse_spot("\n".join(lines))
    assert spot.tree.add_allin_threshold == spot.tree.merging_threshold == spot.rake_rate == spot.rake_cap == 0
    assert spot.tree.max_bets is None


def test_sizes_of_streets_before_the_board_are_read_but_not_used() -> None:
    text = SPOT.replace("sizes:", 'sizes:\n  flop: {oop: "a", ip: "33%"}')
    assert parse_spot(text).tree == parse_spot(SPOT).tree
    with pytest.raises(SpotError, match=r"sizes\.flop\.ip"):
        parse_spot(text.replace("33%", "33"))


def test_live_ranges_exclude_the_board() -> None:
    spot = parse_spot(SPOT)
    live = spot.live_range(0)
    assert live[parse_range("QcQd") > 0] == 0
    assert (live[parse_range("AsAh") > 0] == 1).all()


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("pot: 200 ", "pot: 1:30 ", 3, "'pot': .*'1:30'"),
        ("pot: 200 ", "pot: no ", 3, "'pot'"),
        ("pot: 200 ", "pot: 0 ", 3, "'pot'"),
        ("pot: 200 ", "pot: 3000000000 ", 3, "2\\^31"),
        ("pot: 200 ", "pot: [200] ", 3, "'pot'"),
        ("pot: 200 ", "pot: {a: 1} ", 3, "'pot'"),
        ("stack: 900", "stack: 900\nstck: 3", 5, "unknown key 'stck', did you mean 'stack'\\?"),
        ("pot: 200 ", "pott: 200 ", 3, "unknown key 'pott', did you mean 'pot'\\?"),
        ("  ip:", "  IP:", 7, "unknown key 'range.IP', did you mean 'ip'\\?"),
        ("rate: 0.05", "rte: 0.05", 15, "unknown key 'rake.rte', did you mean 'rate'\\?"),
        ("rake:", "locks: [{line: '', hand: AA, strategy: {X: 1}}]\nrake:", 15, "'locks.0.hand', did you mean 'hands'"),
        ("stack: 900", "stack: 900\ncolour: 3", 5, "unknown key 'colour', expected spot, board, pot, stack"),
        ("stack: 900", "stack: 900\npot: 300", 5, "'pot' is repeated"),
        ("stack: 900\n", "", 1, "'stack' is missing"),
        ("Td 9d 6h Qc", "Td 9d 6h Td", 2, "repeated"),
        ("Td 9d 6h Qc", "Td 9d", 2, "3, 4 or 5 cards"),
        ("Td 9d 6h Qc", "Td 9d 1h", 2, "'1h'"),
        ("66+,A8s+,KQo:0.5", "", 6, "'range.oop'"),
        ("66+,A8s+,KQo:0.5", "66+,A8z", 6, "A8z"),
        ("66+,A8s+,KQo:0.5", "QcQd", 6, "oop range is empty"),
        ('66+,A8s+,KQo:0.5"\n  ip: "QQ-22,', 'AdKd,AdQd"\n  ip: "', 5, "cannot be dealt together"),
        ("60%,e,a/2.5x", "60,e/a", 9, "'sizes.turn.oop': .*'60'"),
        ("60%,e,a/2.5x", "2.5x/a", 9, "'sizes.turn.oop'"),
        ('donk: "50%"', 'donk: "2x"', 10, "'sizes.river.donk'"),
        ('donk: "50%"', 'donk: "50"', 10, "'sizes.river.donk'"),
        ("  river:", "  rivr:", 10, "unknown key 'sizes.rivr'"),
        ("  turn:", "  flop:", 8, "'sizes.turn' is missing"),
        ("1e-4", ".nan", 13, "'merging_threshold'"),
        ("1e-4", "-1", 13, "'merging_threshold'"),
        ("max_bets: 3", "max_bets: 2.5", 14, "'max_bets'"),
        ("{rate: 0.05, cap: 30}", "3", 15, "'rake'"),
        ("{rate: 0.05, cap: 30}", "{rate: 5, cap: 30}", 15, "'rake.rate'"),
        ("{rate: 0.05, cap: 30}", "{rate: 0.05, cap", 16, "not valid YAML"),
        ("{rate: 0.05, cap: 30}", "&a {rate: *a}", 15, "nested too deeply"),
        ("{rate: 0.05, cap: 30}", "{rate: *b}", 15, "not valid YAML"),
        ("{rate: 0.05, cap: 30}", "!!python/object:os.system [x]", 15, "'rake'"),
        (
            "{rate: 0.05, cap: 30}",
            "{rate: 1}",
            15,
            "'rake.rate': expected a number from 0 to 0.5, 0.05 for 5 %, got 1",
        ),
        ("{rate: 0.05, cap: 30}", "{rate: 5%}", 15, "'rake.rate': expected a number such as 0.05 for 5 %, got '5%'"),
        ("{rate: 0.05, cap: 30}", "{cap: 3}", 15, "a rake needs its rate"),
        ("{rate: 0.05, cap: 30}", "{rate: 0.05, cap: 0}", 15, "a cap of 0 chips takes no rake"),
        ("pot: 200 ", "pot: 5.5 ", 3, "'pot': chips are whole: choose a smaller unit, .*'5.5'"),
        ("stack: 900", "stack: 97.5", 4, "'stack': chips are whole: choose a smaller unit"),
        ("60%,e,a/2.5x", "2.5c", 9, "'sizes.turn.oop': .*chips are whole, choose a smaller unit"),
        ("threshold: 1.5\n", "threshold: 150\n", 11, "'add_allin_threshold': .*from 0 to 10, in pots: 1.5 for 150 %"),
        ("1.5e-1", "15", 12, "'force_allin_threshold': .*from 0 to 10, in pots"),
        ("1e-4", "5", 13, "'merging_threshold': expected a number from 0 to 1, 0.1 for 10 %, got 5"),
        ("Td 9d 6h Qc", "10d 9d 6h Qc", 2, "write T for a ten"),
        ("66+,A8s+,KQo:0.5", "A10s", 6, "write T for a ten"),
        ("66+,A8s+,KQo:0.5", "66+,,KQo", 6, "'range.oop'"),
        ("rake:", "? [1]\n: 2\nrake:", 15, "plain key"),
    ],
)
def test_faults_name_file_line_and_key(old: str, new: str, line: int, message: str) -> None:
    assert old in SPOT
    with pytest.raises(SpotError, match=message) as raised:
        parse_spot(SPOT.replace(old, new, 1), "my.yaml")
    assert (raised.value.source, raised.value.line) == ("my.yaml", line)
    assert str(raised.value).startswith(f"my.yaml:{line}: ")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "text", ["", "[1]", "just text", "\x00", "a: b: c", "&a [*a]", "[" * 1500, "a: " + "{a: " * 500]
)
def test_what_is_no_spot_is_refused(text: str) -> None:
    with pytest.raises(SpotError) as raised:
        parse_spot(text, "my.yaml")
    assert "\n" not in str(raised.value)


def test_aliases_cannot_multiply_without_end() -> None:
    text = "a: &a [" + ",".join("1" * 10) + "]\n"
    for previous, name in itertools.pairwise("abcdefg"):
        text += f"{name}: &{name} [{','.join([f'*{previous}'] * 10)}]\n"
    with pytest.raises(SpotError, match="more than 100000 values"):
        parse_spot(text)


@given(st.text(max_size=60) | st.from_regex(r"([a-z]{1,5}: ?[&*!{}\[\]\"'|>%@`0-9a-z]{0,5}\n){1,6}"))
@settings(max_examples=60, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    with pytest.raises(SpotError):
        parse_spot(text)


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_a_damaged_spot_is_read_or_refused(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(SPOT)))
    text = SPOT[:at] + data.draw(st.text(max_size=3)) + SPOT[at + data.draw(st.integers(0, 3)) :]
    with contextlib.suppress(SpotError):
        parse_spot(text)


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(SpotError, match="cannot read"):
        read_spot(tmp_path / "absent.yaml")
    (tmp_path / "latin1.yaml").write_bytes(b"spot: \xe9")
    with pytest.raises(SpotError, match="UTF-8"):
        read_spot(tmp_path / "latin1.yaml")
    (tmp_path / "long.yaml").write_bytes(b"#" * (2 << 20))
    with pytest.raises(SpotError, match="at most"):
        read_spot(tmp_path / "long.yaml")


def test_a_spot_checks_itself() -> None:
    tree = TreeConfig(3, 100, 100, (StreetSizes(parse_bet_sizes("a"), parse_bet_sizes("a")),))
    board = tuple(parse_cards("Td9d6hQc2s"))
    full = np.ones(NUM_COMBOS, dtype=np.float32)
    PostflopSpot("good", board, (full, full), tree)
    for wrong_board, ranges, rake in [
        (board[:4], (full, full), 0.0),
        (board[:2], (full, full), 0.0),
        ((1, 1, 2, 3, 4), (full, full), 0.0),
        ((1, 52, 2, 3, 4), (full, full), 0.0),
        (board, (full, full * 0), 0.0),
        (board, (full, full * 2), 0.0),
        (board, (full, full * np.float32(np.nan)), 0.0),
        (board, (full[:5], full), 0.0),
        (board, (full, full), 1.5),
    ]:
        with pytest.raises(SpotError):
            PostflopSpot("bad", wrong_board, ranges, tree, rake)


def test_a_comma_may_end_ranges_and_sizes() -> None:
    commas = SPOT.replace('KQo:0.5"', 'KQo:0.5,"').replace("60%,e,a/2.5x", "60%,e,a,/2.5x, ").replace('"50%"', '"50%,"')
    assert commas.count(",") == SPOT.count(",") + 6
    spot, plain = parse_spot(commas), parse_spot(SPOT)
    assert (spot.tree, spot.ranges[0].tolist()) == (plain.tree, plain.ranges[0].tolist())


def test_lines_of_locks_may_have_small_letters() -> None:
    lock = "locks: [{{line: '{}', strategy: {{{}: 0.25, {}: 0.75}}}}]\n"
    small, capital = (
        prepare(parse_spot(SPOT + lock.format(*words))).locks[0]
        for words in (("x b100 c 7D", "x", "b200"), ("X B100 C 7d", "X", "B200"))
    )
    assert (small.node, small.dealt) == (capital.node, capital.dealt)
    assert small.strategy.tolist() == capital.strategy.tolist()
    with pytest.raises(SpotError, match="the action 'X' is given twice"):
        parse_spot(SPOT + lock.format("", "X", "x"))


@pytest.mark.parametrize(
    ("rake", "expected"),
    [
        ("{rate: 0.05}", (0.05, np.inf)),
        ("{rate: 0, cap: 0}", (0, 0)),
        ("{}", (0, 0)),
        ("{rate: 0.05, cap: 2.5}", (0.05, 2.5)),
    ],
)
def test_rake(rake: str, expected: tuple[float, float]) -> None:
    spot = parse_spot(SPOT.replace("{rate: 0.05, cap: 30}", rake))
    assert (spot.rake_rate, spot.rake_cap) == expected


def test_rake_without_a_cap_has_the_value_worked_out_by_hand() -> None:
    """OOP has aces or queens against kings: a bluff-catching game, whose raked value has a closed form."""
    text = """
spot: toy
board: 2c 2d 2h 3s 3d
pot: 100
stack: 100
range: {oop: "AA,QQ", ip: "KK"}
sizes: {river: {oop: "a", ip: "a"}}
rake: {rate: 0.05}
"""
    found = solve(prepare(parse_spot(text)), 0.002, 20_000, threads=1).exploitability()
    assert [value + 50 for value in found.ev_minus_half_pot] == pytest.approx([69.42, 21.82], abs=0.01)


@pytest.mark.parametrize("change", [("30}", "0}"), ("threshold: 1.5\n", "threshold: 150\n")])
def test_a_saved_solve_is_read_whatever_its_units(change: tuple[str, str]) -> None:
    text = SPOT.replace(*change)
    with pytest.raises(SpotError):
        parse_spot(text)
    assert parse_spot(text, solved=True).text == text


LINES = """\
spot: lines
board: Td 9d 6h Qc
pot: 200
stack: 900
range: {oop: "66+,A8s+", ip: "QQ-22"}
lines:
  - X B150 R375 A900
  - b120 r300 a900
  - X B150 C X B300
"""


def test_a_spot_may_name_its_lines() -> None:
    """The tree has every bet of the lines, on every card, and no other; fold, check and call are as by the rules."""
    tree = build_postflop_tree(parse_spot(LINES).tree)
    lines = [tuple(line.split()) for line in ("X B150 R375 A900", "B120 R300 A900", "X B150 C X B300")]
    bets = {line[: end + 1] for line in lines for end, token in enumerate(line) if token[0] in "BRA"}
    found = [line_of(tree, node) for node in range(1, tree.num_nodes)]
    assert {tuple(line) for line in found if line and line[-1][0] in "BRA"} == bets
    for node in np.flatnonzero(tree.kind == NodeKind.DECISION).tolist():
        passive = [format_action(tree, child) for child in tree.children(node)]
        facing = tree.committed[node].max() > tree.committed[node].min()
        assert passive[: 1 + facing] == (["F", "C"] if facing else ["X"])


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("R375", "R200", 6, "'lines': illegal action 'R200' after 'X B150'"),
        ("R375", "7d", 7, "'lines.0': expected an action"),
        ("stack: 900", "stack: 900\nmax_bets: 3", 5, "the key 'max_bets' does not go with 'lines'"),
        (
            "stack: 900",
            'stack: 900\nsizes: {river: {oop: "a", ip: "a"}}',
            5,
            "the key 'sizes' does not go with 'lines'",
        ),
        (
            "lines:\n  - X B150 R375 A900\n  - b120 r300 a900\n  - X B150 C X B300\n",
            "",
            1,
            "the key 'sizes' is missing",
        ),
    ],
)
def test_a_fault_of_lines_names_its_place(old: str, new: str, line: int, message: str) -> None:
    assert old in LINES
    with pytest.raises(SpotError, match=message) as raised:
        parse_spot(LINES.replace(old, new, 1))
    assert raised.value.line == line
