"""The hand store: what goes in comes out, interrupted fillings go on, copies and bad files are found."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet
import pytest

from hedgehog.analysis.histories.sources import Source, find_sources
from hedgehog.analysis.study import store as store_module
from hedgehog.analysis.study.batches import HandBatch, Texts
from hedgehog.analysis.study.reading import HandReader
from hedgehog.analysis.study.store import HandStore, is_store
from hedgehog.runtime.errors import InputError
from tests.analysis.study.hand_fixtures import assert_same_hands, random_log, read, source_of


class KilledError(Exception):
    """Stands for the end of the process."""


def fill(folder: Path, *paths: Path, killed_after: int | None = None) -> HandReader:
    """Fills a store as the command does; ends after some batches if asked to."""
    store, reader = HandStore(folder), HandReader()
    store.resume(reader)
    batches = 0
    for source in find_sources(paths):
        if store.is_done(source):
            continue
        store.begin(source, reader.tally)
        for batch in reader.read(source):
            if batches == killed_after:
                raise KilledError
            store.add(batch, reader)
            batches += 1
        store.finish(source, reader.tally)
    store.flush(reader)
    return reader


def contents(folder: Path) -> tuple[HandBatch, Texts]:
    players = Texts()
    return HandBatch.join(list(HandStore(folder).batches(players, Texts()))), players


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks and parts so small that a short log has several."""
    monkeypatch.setattr("hedgehog.runtime.text_files.BLOCK_BYTES", 2000)
    monkeypatch.setattr(store_module, "PART_HANDS", 60)


def test_hands_come_back_from_parquet_files(tmp_path: Path, small_blocks: None) -> None:
    log = tmp_path / "x.log"
    log.write_text(random_log(2, 300))
    fill(tmp_path / "store", log)
    stored, players = contents(tmp_path / "store")
    batch, reader = read(log)
    assert batch is not None
    assert_same_hands(stored, batch)
    assert [players.texts[code] for code in stored.hands["player_sb"]] == [
        reader.players.texts[code] for code in batch.hands["player_sb"]
    ]
    assert len(list((tmp_path / "store").glob("hands-*.parquet"))) > 3
    assert is_store(tmp_path / "store")


def test_other_programs_read_names_and_join_actions_to_hands(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    log.write_text("STATE:7:r300f:2c3d|4h5s:-100|100:Ann|Ben\n")
    fill(tmp_path / "store", log)
    hands = pyarrow.parquet.read_table(tmp_path / "store" / "hands-00001.parquet")
    actions = pyarrow.parquet.read_table(tmp_path / "store" / "actions-00001.parquet")
    assert hands["player_bb"].to_pylist() == ["Ann"]
    assert hands["file"].to_pylist() == [str(log)]
    assert actions["hand"].to_pylist() == [0, 0]
    assert actions["size"].to_pylist() == [300, 0]


@pytest.mark.parametrize("killed_after", [0, 1, 4, 9])
def test_an_interrupted_filling_goes_on(tmp_path: Path, small_blocks: None, killed_after: int) -> None:
    for number in range(3):
        text = random_log(number, 120) + "STATE:9:bad\n"
        (tmp_path / f"{number}.log").write_text(text + (random_log(0, 5) if number == 2 else ""))
    logs = [tmp_path / f"{number}.log" for number in range(3)]
    with pytest.raises(KilledError):
        fill(tmp_path / "store", *logs, killed_after=killed_after)
    reader = fill(tmp_path / "store", *logs)
    _, whole = read(*logs)
    assert (reader.tally.hands, reader.tally.duplicates, reader.tally.bad) == (360, 5, 3)
    assert (whole.tally.hands, whole.tally.duplicates, whole.tally.bad) == (360, 5, 3)
    stored, _ = contents(tmp_path / "store")
    assert stored.num_hands == len(set(stored.hands["key"].tolist())) == 360


def test_a_log_that_has_grown_adds_its_new_hands(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    text = random_log(4, 50)
    log.write_text("".join(text.splitlines(keepends=True)[:20]))
    fill(tmp_path / "store", log)
    source: Source = source_of(log)
    assert HandStore(tmp_path / "store").is_done(source)
    log.write_text(text)
    assert not HandStore(tmp_path / "store").is_done(source_of(log))
    fill(tmp_path / "store", log)
    assert HandStore(tmp_path / "store").num_hands == 50


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"format": "hedgehog.hand-store", "version": 9}', "\xff"])
def test_a_damaged_list_of_parts_is_one_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "store.json").write_text(text, encoding="latin-1")
    with pytest.raises(InputError, match=r"store\.json"):
        HandStore(tmp_path)


@pytest.mark.parametrize("name", ["hands-00001.parquet", "actions-00001.parquet"])
def test_a_damaged_part_is_one_error(tmp_path: Path, name: str) -> None:
    log = tmp_path / "x.log"
    log.write_text(random_log(4, 50))
    fill(tmp_path / "store", log)
    part = tmp_path / "store" / name
    part.write_bytes(part.read_bytes()[:-50])
    with pytest.raises(InputError, match="expected a part of a hand store"):
        contents(tmp_path / "store")
    part.unlink()
    with pytest.raises(InputError, match="expected a part of a hand store"):
        contents(tmp_path / "store")
