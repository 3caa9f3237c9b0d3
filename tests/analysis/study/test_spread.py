"""Reading by several processes: the store, the counts and the errors are those of one process."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest

from hedgehog.analysis.histories.sources import find_sources
from hedgehog.analysis.study import store as store_module
from hedgehog.analysis.study.hand_tables import distance_content
from hedgehog.analysis.study.menus import MenuRule
from hedgehog.analysis.study.runs import study_hands, study_profiles
from hedgehog.analysis.study.spread import hands_by_engine
from hedgehog.analysis.study.study import study_content
from hedgehog.analysis.study.study_input import StudyInput
from hedgehog.analysis.study.translation import study_bet_menu
from hedgehog.runtime.engines.local import SerialEngine
from hedgehog.runtime.engines.status import find_status, status_file
from hedgehog.runtime.errors import InputError, LogError
from tests.analysis.study.hand_fixtures import random_line, random_log

TEXTS = Path(__file__).parents[2] / "data" / "pokerstars"


@pytest.fixture
def collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files of several formats with copies, bad hands, other players and other files, read with relative paths."""
    folder = tmp_path / "hands"
    folder.mkdir()
    for number in range(4):
        (folder / f"{number}.log").write_text(random_log(number, 40) + f"STATE:9:bad{number}\n")
    (folder / "4.log").write_text(random_log(2, 10) + random_log(7, 10) * 2)  # copies of another file, and its own
    lines = [random_line(np.random.default_rng(11), 5, names=("Eve", "Alice")), "nonsense"]
    with zipfile.ZipFile(folder / "5.zip", "w") as archive:
        archive.writestr("inner.log", "\n".join(lines))
        archive.writestr("readme.txt", "no hands")
    shutil.copy(TEXTS / "heads-up.txt", folder / "6.txt")
    shutil.copy(TEXTS / "other-forms.txt", folder / "7.txt")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(store_module, "PART_HANDS", 60)
    return Path("hands")


def studied(files: list[Path], store: Path, **way: Any) -> tuple[Any, ...]:
    """Returns everything that a study knows, and the files of its store without the times of changes."""
    source = StudyInput(files, store, **way)
    counted, _ = study_profiles(source)
    content = {file.name: file.read_bytes() for file in sorted(store.iterdir()) if file.suffix == ".parquet"}
    content |= {"store.json": (store / "store.json").read_bytes()}
    return source.summary(), source.tally, list(counted.profiles(source.players.texts)), content


def hands_in(store: Path) -> list[dict[str, Any]]:
    """Returns the hands of a store, whatever its parts."""
    return [
        row for part in sorted(store.glob("hands-*.parquet")) for row in pyarrow.parquet.read_table(part).to_pylist()
    ]


@pytest.mark.process
@pytest.mark.parametrize("way", [{"jobs": 2}, pytest.param({"dask": "local:2"}, marks=pytest.mark.slow)])
def test_other_processes_make_the_same_store(collection: Path, tmp_path: Path, way: dict[str, Any]) -> None:
    if "dask" in way:
        pytest.importorskip("distributed")
    alone = studied([collection], tmp_path / "alone")
    assert "read twice" in alone[0]
    assert "bad" in alone[0]
    assert len(alone[3]) > 4
    assert studied([collection], tmp_path / "store", **way) == alone


class StoppingEngine(SerialEngine):
    """Ends like an interrupted command after some files."""

    def __init__(self, files: int) -> None:
        super().__init__()
        self._left = files

    def look(self) -> list[str]:
        self._left -= 1
        if self._left < 0:
            raise KeyboardInterrupt
        return []


def test_an_interrupted_reading_goes_on(collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = studied([collection], tmp_path / "whole")
    module = "hedgehog.analysis.study.study_input.open_engine"
    monkeypatch.setattr("hedgehog.runtime.engines.running._MAX_BATCH", 1)
    monkeypatch.setattr(module, lambda jobs, dask: StoppingEngine(4))
    with pytest.raises(KeyboardInterrupt):
        studied([collection], tmp_path / "store", jobs=2)
    begun = json.loads((tmp_path / "store" / "store.json").read_text())
    assert 0 < len(begun["sources"]) < 9
    status = find_status(tmp_path / "store")
    assert (status.state, status.unit, status.total) == ("interrupted", "file", 9)
    monkeypatch.setattr(module, lambda jobs, dask: SerialEngine())
    again = studied([collection], tmp_path / "store", jobs=2)
    assert again[:2] == whole[:2]
    assert not status_file(tmp_path / "store").exists()
    assert hands_in(tmp_path / "store") == hands_in(tmp_path / "whole")


def reversed_pieces(*given: Any, **values: Any) -> Iterator[Any]:
    """Does what the engine may do: yields the results in another order."""
    from hedgehog.runtime.engines.pieces import do_pieces

    yield from reversed(list(do_pieces(*given, **values)))


def test_the_order_in_which_files_are_read_does_not_count(
    collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = studied([collection], tmp_path / "whole")
    monkeypatch.setattr("hedgehog.analysis.study.spread.do_pieces", reversed_pieces)
    monkeypatch.setattr("hedgehog.analysis.study.study_input.open_engine", lambda jobs, dask: SerialEngine())
    assert studied([collection], tmp_path / "store", jobs=2) == whole


def test_a_damaged_file_ends_the_study_when_its_turn_comes(
    collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hedgehog.analysis.study.study_input.open_engine", lambda jobs, dask: SerialEngine())
    (collection / "3.log").write_text(random_log(3, 100) + "x" * 2_000_000)
    found = []
    for number, way in enumerate(({"jobs": 1}, {"jobs": 2})):
        store = tmp_path / str(number)
        with pytest.raises(LogError) as caught:
            studied([collection], store, **way)
        assert find_status(store).state == ("stopped", "interrupted")[number]
        status_file(store).unlink()
        found.append((str(caught.value), {file.name: file.read_bytes() for file in store.iterdir()}))
    assert found[0] == found[1]
    assert found[0][0].startswith("hands/3.log: ")


def test_stores_of_several_machines_are_studied_like_their_files(collection: Path, tmp_path: Path) -> None:
    """To the last digit, although a store has other batches, and although some hands are in both."""
    second = tmp_path / "second"
    second.mkdir()
    for path in sorted(collection.iterdir())[3:]:
        path.rename(second / path.name)
    stores = [tmp_path / "store-1", tmp_path / "store-2"]
    for folder, store in zip((collection, second), stores, strict=True):
        studied([folder], store)
    found = []
    for files in ([collection, second], stores):
        source = StudyInput(files)
        study = study_hands(source)
        distances = [study.distance(study_bet_menu("own", study.menu(MenuRule())))]
        profiles = list(study_profiles(StudyInput(files))[0].profiles(source.players.texts))
        found.append((study_content(study), distance_content(distances), profiles))
    assert found[0] == found[1]


def test_other_files_on_a_worker_are_refused(collection: Path) -> None:
    sources = find_sources([collection])
    (collection / "1.log").write_text("STATE:0:changed\n")
    with pytest.raises(InputError, match=r"hands/1.log: is not the same on a worker"):
        list(hands_by_engine(sources, None, SerialEngine()))
    (collection / "0.log").unlink()
    with pytest.raises(InputError, match=r"hands/0.log: a worker: could not read it"):
        list(hands_by_engine(sources, None, SerialEngine()))
