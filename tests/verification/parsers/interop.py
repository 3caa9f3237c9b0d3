"""Parsers of the formats and protocols of other programs."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np

from hedgehog.cli.upi.shell import read_lines
from hedgehog.interop.upi.saves import FIRST_LINE, TreeFile, find_tree, format_tree_file, parse_tree_file
from hedgehog.interop.upi.vectors import format_vector, parse_weights
from hedgehog.interop.upi.words import parse_chips, parse_path, parse_player, parse_words
from hedgehog.poker.range_texts.vectors import PIO_ORDER, parse_vector
from hedgehog.runtime.errors import InputError
from tests.verification.parsers.entry import Parser, as_bytes, in_file

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
KEPT: tuple[tuple[str, str], ...] = ()
