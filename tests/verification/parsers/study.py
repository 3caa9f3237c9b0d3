"""Parsers of the hand study: text of poker sites, PHH, stores, trees and menus."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from hedgehog.analysis.drills.keys import parse_choice
from hedgehog.analysis.drills.progress import Progress, load_progress
from hedgehog.analysis.grading.parts import SETTINGS, parse_part, part_text, read_settings, read_store
from hedgehog.analysis.histories.left_out import Block
from hedgehog.analysis.histories.phh_text import parse_phh, split_phh
from hedgehog.analysis.histories.real_hands import RealHand, play
from hedgehog.analysis.histories.site_text import parse_hand, split_hands
from hedgehog.analysis.histories.sources import find_sources, read_source
from hedgehog.analysis.study.menu_files import read_menu
from hedgehog.analysis.study.reading import HandReader
from hedgehog.analysis.study.situations import parse_situation
from hedgehog.analysis.study.store import HandStore
from hedgehog.analysis.study.translation import reference_menu
from hedgehog.analysis.study.trees.betting_tree import StudyTree
from hedgehog.analysis.study.trees.files import read_tree, write_tree
from hedgehog.analysis.study.trees.kinds import parse_shape
from hedgehog.runtime.errors import InputError, LogError, PackError
from hedgehog.strategies.manifest import MANIFEST_NAME
from tests.analysis.drills.drilled import question
from tests.analysis.grading.graded_hands import graded_hand
from tests.verification.parsers.entry import DATA, Parser, back, in_file, in_folder
from tests.verification.parsers.logs import LBR_TEXT, LOG_TEXTS, PHH_TEXT, PHHS_TEXT

POKERSTARS_TEXTS = tuple((DATA / "pokerstars" / f"{name}.txt").read_text() for name in ("heads-up", "other-forms"))
GGPOKER_TEXT, ACR_TEXT = ((DATA / site / "heads-up.txt").read_text() for site in ("ggpoker", "acr"))
MENU_FILE = 'sizes:\n  flop:\n    oop: "50% / 3x,a"\n    ip: "75%"\nmenu:\n  preflop: "2.5x / 3x"\n  flop: "50%"\n'
STORE_TEXT = json.dumps(
    {
        "format": "hedgehog.hand-store",
        "version": 1,
        "formats": ["acpc"],
        "parts": [{"hands": 3, "actions": 9}],
        "sources": {"a.log": [10, 20, 0]},
        "unfinished": {"name": "b.log", "hands": 2},
        "tally": {"duplicates": 1, "left_out": {"a limit game": 3}, "problems": ["x:1: y"]},
    }
)


def read_study(path: Path) -> object:
    """Reads a file as the hand study does; a hand that cannot be read is a problem, never an error."""
    reader = HandReader()
    hands = sum(batch.num_hands for source in find_sources([path]) for batch in reader.read(source))
    assert all("\r" not in line[-1:] for source in find_sources([path]) for line in read_source(source))
    assert hands == reader.tally.hands
    assert len(reader.tally.problems) == reader.tally.bad
    assert all(problem.startswith(str(path)) for problem in reader.tally.problems)
    return hands


def every_hand(parse: Callable[[Block], RealHand]) -> Callable[[str], object]:
    """Returns a parser of all hands of a text, of which the last ones may be left out."""

    def parse_text(text: str) -> object:
        hands = []
        for block in split_hands(text.split("\n")):
            try:
                hands.append(play(parse(block)))
            except LogError:
                if not hands:
                    raise
        return hands

    return parse_text


def parse_every_phh(text: str) -> list[object]:
    return [play(parse_phh(block)) for block in split_phh(text.split("\n"))]


@cache
def study_tree() -> tempfile.TemporaryDirectory[str]:
    """Returns a folder that ends with the process, with a small tree in ``tree``."""
    folder = tempfile.TemporaryDirectory(prefix="hedgehog-tree-")
    write_tree(Path(folder.name) / "tree", StudyTree(parse_shape("1-2-2")))
    return folder


def tree_with(text: str) -> object:
    """Reads a tree whose manifest is ``text``."""

    def read(folder: Path) -> object:
        for file in Path(study_tree().name, "tree").glob("*.npy"):
            shutil.copy(file, folder)
        return read_tree(folder)

    return in_folder(read, MANIFEST_NAME)(text)


PART_TEXT = part_text([graded_hand(3, "first", 0.25, 0.01)])
STORE_SETTINGS = json.dumps({"player": "alice", "depth": "quick", "digest": "abc", "hands": 1})
SETTINGS_OF_PART = json.dumps(json.loads(STORE_SETTINGS) | {"part": {"part": "1/2", "of": 3, "size": 10}})


def store_with(text: str) -> object:
    """Reads a store of graded hands whose settings are ``text``."""

    def read(folder: Path) -> object:
        (folder / "part-00000.json").write_text(PART_TEXT)
        return read_store(folder)

    return in_folder(read, SETTINGS)(text)


def drill_file() -> str:
    """Returns a file of answers to a drill."""
    progress = Progress()
    progress.answer("store", question("a"), 1, 1000.0)
    return progress.text()


PARSERS = (
    Parser(
        "hedgehog.analysis.histories.site_text.parse_hand hedgehog.analysis.histories.site_reader.parse_block",
        every_hand(parse_hand),
        (*POKERSTARS_TEXTS, GGPOKER_TEXT, ACR_TEXT, GGPOKER_TEXT + ACR_TEXT, ACR_TEXT + POKERSTARS_TEXTS[0]),
        (LogError,),
    ),
    Parser("hedgehog.analysis.histories.phh_text.parse_phh", parse_every_phh, (PHH_TEXT, PHHS_TEXT), (LogError,)),
    Parser(
        "hedgehog.analysis.study.reading.read hedgehog.analysis.study._ingest_kernels.read_lines_kernel "
        "hedgehog.analysis.histories.sources.find_sources hedgehog.analysis.histories.sources.read_blocks "
        "hedgehog.analysis.histories.sources.read_head hedgehog.analysis.histories.sources.read_text_lines "
        "hedgehog.analysis.histories.sources.read_source hedgehog.analysis.histories.site_text.parse_hand",
        in_file(read_study),
        (*LOG_TEXTS, LBR_TEXT, PHH_TEXT, PHHS_TEXT, *POKERSTARS_TEXTS, GGPOKER_TEXT, ACR_TEXT),
        (LogError,),
    ),
    Parser(
        "hedgehog.analysis.study.situations.parse_situation",
        parse_situation,
        ("r", "r2.5c/cr", "r3r9c/r6r"),
        (InputError,),
        lambda _, found: found.sizes(reference_menu("own")),
    ),
    Parser(
        "hedgehog.analysis.study.trees.kinds.parse_shape",
        parse_shape,
        ("4-4-8", "4-inf-7", "3-15-inf"),
        (InputError,),
        back(parse_shape, str),
    ),
    Parser(
        "hedgehog.analysis.study.menu_files.read_menu",
        in_file(lambda path: read_menu(str(path))),
        (MENU_FILE,),
        (InputError,),
    ),
    Parser("hedgehog.analysis.grading.parts.parse_part", in_file(parse_part), (PART_TEXT,), (InputError,)),
    Parser("hedgehog.analysis.grading.parts.read_store", store_with, (STORE_SETTINGS, SETTINGS_OF_PART), (InputError,)),
    Parser(
        "hedgehog.analysis.grading.parts.read_settings",
        in_folder(read_settings, SETTINGS),
        (STORE_SETTINGS, SETTINGS_OF_PART),
        (InputError,),
    ),
    Parser("hedgehog.analysis.drills.progress.load_progress", in_file(load_progress), (drill_file(),), (InputError,)),
    Parser(
        "hedgehog.analysis.drills.keys.parse_choice",
        lambda text: parse_choice(text, question("a")),
        ("1", "fold", "call", "r600", "grid", "quit"),
        (InputError,),
    ),
    Parser("hedgehog.analysis.study.store.HandStore", in_folder(HandStore, "store.json"), (STORE_TEXT,), (InputError,)),
    Parser(
        "hedgehog.analysis.study.trees.files.read_tree",
        tree_with,
        (Path(study_tree().name, "tree", MANIFEST_NAME).read_text(),),
        (PackError,),
    ),
)
KEPT: tuple[tuple[str, str], ...] = (
    ("hedgehog.analysis.study.store.HandStore", STORE_TEXT.replace('"hands": 3', '"hands": 1e400')),
)
