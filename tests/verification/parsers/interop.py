"""Parsers of the formats and protocols of other programs."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any

import numpy as np

from hedgehog.cli.upi.shell import read_lines
from hedgehog.interop.pioviewer import parse_pio_script
from hedgehog.interop.strategies import parse_strategy
from hedgehog.interop.texassolver.config import parse_texas_config
from hedgehog.interop.texassolver.spots import spot_of_texas
from hedgehog.interop.upi.saves import FIRST_LINE, TreeFile, find_tree, format_tree_file, parse_tree_file
from hedgehog.interop.upi.vectors import format_vector, parse_weights
from hedgehog.interop.upi.words import parse_chips, parse_path, parse_player, parse_words
from hedgehog.interop.wasmpostflop.exports import CONFIGURATIONS, parse_export, parse_settings
from hedgehog.interop.wasmpostflop.spots import spot_of_settings
from hedgehog.poker.cards import parse_cards
from hedgehog.poker.range_texts.vectors import PIO_ORDER, parse_vector
from hedgehog.poker.ranges import parse_range
from hedgehog.runtime.errors import InputError, ResourceError
from hedgehog.solver.postflop.spot import parse_spot
from hedgehog.solver.postflop.tree import build_postflop_tree
from tests.verification.parsers.entry import DATA, Parser, as_bytes, in_file

TREE_FILE = f"{FIRST_LINE}\nriver.solve\n#Type#NoLimit\n"
_VECTOR = format_vector(np.linspace(0, 1, 1326, dtype=np.float32))


def _check_tree_file(_: str, found: TreeFile) -> None:
    assert parse_tree_file(os.fsencode(format_tree_file(found)), "again") == found


def _check_weights(_: str, weights: Any) -> None:
    assert np.array_equal(parse_vector(format_vector(weights).split(), PIO_ORDER), weights)


def _read_lines(text: str) -> list[str]:
    with tempfile.TemporaryFile() as file:
        file.write(as_bytes(text))
        file.seek(0)
        return list(read_lines(file.fileno()))


def _check_lines(text: str, lines: list[str]) -> None:
    assert b"\n".join(line.encode("utf-8", "surrogateescape") for line in lines) == as_bytes(text).removesuffix(b"\n")


PARSERS = (
    Parser(
        "hedgehog.interop.upi.words.parse_words",
        parse_words,
        ("0   0", '"D:\\x y\\a.cfr" full', 'a "" b'),
        (InputError,),
    ),
    Parser(
        "hedgehog.interop.upi.words.parse_path",
        parse_path,
        ('"/a b/c.cfr" full', "/a b/c.cfr fast"),
        (InputError,),
    ),
    Parser(
        "hedgehog.interop.upi.words.parse_number hedgehog.interop.upi.words.parse_chips",
        parse_chips,
        ("900", "0", "150.0"),
        (InputError,),
    ),
    Parser("hedgehog.interop.upi.words.parse_player", parse_player, ("OOP", "IP", "0", "1"), (InputError,)),
    Parser(
        "hedgehog.interop.upi.vectors.parse_weights hedgehog.poker.range_texts.vectors.parse_vector",
        parse_weights,
        ("AA,KK:0.5 AKs", _VECTOR),
        (InputError,),
        _check_weights,
    ),
    Parser(
        "hedgehog.interop.upi.saves.parse_tree_file",
        lambda text: parse_tree_file(as_bytes(text), "a.cfr"),
        (TREE_FILE,),
        (InputError,),
        _check_tree_file,
    ),
    Parser("hedgehog.interop.upi.saves.find_tree", in_file(find_tree, "a.cfr"), (TREE_FILE,), (InputError,)),
    Parser("hedgehog.cli.upi.shell.read_lines", _read_lines, ("is_ready\r\nshow_node r:0\n", ""), (), _check_lines),
)
_TEXAS = DATA / "texassolver"
_WASM_RANGES = (parse_range("AA,KK"), parse_range("QQ,JJ"))
_RIVER = spot_of_texas(parse_texas_config((_TEXAS / "river.txt").read_text()), "river")
_SPOT = parse_spot(_RIVER.text)
_TREE = build_postflop_tree(_SPOT.tree)
_RANGES = (parse_range("AsAh"), parse_range("KsKh"))
_ACTIONS = ["CHECK", "BET 500.000000", "BET 1000.000000", "BET 4500.000000"]
_DUMP = json.dumps({
    "actions": _ACTIONS, "player": 1, "node_type": "action_node",
    "strategy": {"actions": _ACTIONS, "strategy": {"AsAh": [0.5, 0.5, 0, 0]}},
})  # fmt: skip
_DOCUMENT = json.dumps({
    "format": "hedgehog.solution", "board": "QhJh2c7d5s", "hands": ["AsAh", "KsKh"],
    "nodes_data": [{"line": "", "actions": ["X", "B500", "B1000", "A4500"], "strategy": [[0.5], [0.5], [0]]}],
})  # fmt: skip
PIO_SCRIPT = """\
#TreeBuilding#V2
#Board#Qs Jh 2h 7c 5s
set_range OOP AA,KK
set_range IP QQ
set_eff_stack 230
set_pot 0 0 40
add_line 0 20 60 230
"""
_HEADER = """\
#Range0#AA,KK
#Range1#QQ
#Board#Qs Jh 2h 7c 5s
#Pot#40
#EffectiveStacks#230
#AllinThreshold#67
#RiverConfig.BetSize#50
#RiverConfigIP.RaiseSize#60,a
"""


def _strategies(text: str) -> object:
    found = parse_strategy(as_bytes(text), _TREE, _SPOT.board, _RANGES)
    return found.rows(0, ())


def _configurations(text: str) -> object:
    items = parse_export(text, CONFIGURATIONS)
    board = tuple(parse_cards("Td9d6hQc"))
    return [spot_of_settings(parse_settings(one), "x", board, _WASM_RANGES) for one in items.values()]


PARSERS += (
    Parser(
        "hedgehog.interop.wasmpostflop.exports.parse_export",
        _configurations,
        ((DATA / "wasmpostflop" / "configurations.json").read_text(),),
        (InputError, ResourceError),
    ),
    Parser(
        "hedgehog.interop.texassolver.config.parse_texas_config",
        lambda text: spot_of_texas(parse_texas_config(text), "x"),
        ((_TEXAS / "turn.txt").read_text(),),
        (InputError, ResourceError),
    ),
    Parser(
        "hedgehog.interop.strategies.parse_strategy",
        _strategies,
        (_DUMP, _DOCUMENT),
        (InputError,),
    ),
    Parser(
        "hedgehog.interop.pioviewer.parse_pio_script",
        lambda text: parse_pio_script(text, "x"),
        (PIO_SCRIPT, _HEADER),
        (InputError, ResourceError),
    ),
)
KEPT: tuple[tuple[str, str], ...] = ()
