"""Hands for the tests of the hand study: random ones, and texts to columns."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hedgehog.analysis.histories.sources import Source, find_sources
from hedgehog.analysis.study.batches import ACTION_COLUMNS, HAND_COLUMNS, HandBatch
from hedgehog.analysis.study.reading import HandReader
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.poker.acpc.handlog import format_log_line
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.state import CALL, FOLD, Action, HandState

GAME: GameDef = load_gamedef()
NAMES = ("Alice", "Bob")
SAME_EVERYWHERE = tuple(name for name in HAND_COLUMNS if name not in ("file", "line", "player_bb", "player_sb"))


def random_line(rng: np.random.Generator, number: int, gamedef: GameDef = GAME, names: tuple[str, str] = NAMES) -> str:
    """Returns the ``STATE:`` line of a hand with random cards and random legal actions of all sizes."""
    state = HandState(gamedef)
    while not state.finished:
        limits = state.raise_range()
        choice = rng.random()
        if limits is not None and choice < 0.45:
            low, high = limits
            size = (
                high
                if rng.random() < 0.1
                else low
                if rng.random() < 0.2
                else low + int((high - low) * rng.random() ** 4)
            )
            state.apply(Action("r", size))
        elif state.can_fold() and choice > 0.9:
            state.apply(FOLD)
        else:
            state.apply(CALL)
    deck = rng.permutation(52).tolist()
    board = deck[4 : 4 + gamedef.board_cards_by(state.round)]
    holes = [deck[:2], deck[2:4]]
    return format_log_line(number, state, holes, board, payoffs(state, holes, board), names)


def random_log(seed: int, hands: int, header: str = "") -> str:
    """Returns the text of a log with random hands."""
    rng = np.random.default_rng(seed)
    lines = [random_line(rng, number, names=NAMES if number % 2 else NAMES[::-1]) for number in range(hands)]
    return header + "".join(f"{line}\n" for line in lines)


def read(*paths: Path, reader: HandReader | None = None) -> tuple[HandBatch | None, HandReader]:
    """Returns all hands at some paths, and the reader; None if there is no hand."""
    reader = reader or HandReader()
    batches = [batch for source in find_sources(paths) for batch in reader.read(source)]
    return (HandBatch.join(batches) if batches else None), reader


def batch_of(tmp_path: Path, *lines: str) -> tuple[HandBatch, HandReader]:
    """Returns the hands of some lines of an ACPC log."""
    path = tmp_path / "hands.log"
    path.write_text("".join(f"{line}\n" for line in lines))
    batch, reader = read(path)
    assert batch is not None
    assert not reader.tally.problems
    return batch, reader


def assert_same_hands(first: HandBatch, second: HandBatch) -> None:
    """Checks that two batches have equal columns, apart from where the hands stood and the numbers of the players."""
    for name in SAME_EVERYWHERE:
        if name not in ("key", "format", "hand"):
            np.testing.assert_array_equal(first.hands[name], second.hands[name], err_msg=name)
    np.testing.assert_array_equal(first.hands["cards"], second.hands["cards"])
    for name in ACTION_COLUMNS:
        np.testing.assert_array_equal(first.actions[name], second.actions[name], err_msg=name)


def source_of(path: Path) -> Source:
    """Returns the only source at a path."""
    (source,) = find_sources([path])
    return source
