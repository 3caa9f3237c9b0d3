"""Reading hands: the compiled reader agrees with the slow one, and bad hands are named and left out."""

from __future__ import annotations

import gzip
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgehog.analysis.histories.real_hands import from_logged, play
from hedgehog.analysis.histories.sources import find_sources
from hedgehog.analysis.study.batches import BatchBuilder
from hedgehog.analysis.study.reading import HandReader, SeenHands
from hedgehog.poker.acpc.gamedef import format_gamedef
from hedgehog.poker.acpc.handlog import parse_log_line
from hedgehog.runtime.errors import LogError
from tests.analysis.study.hand_fixtures import GAME, assert_same_hands, batch_of, random_line, random_log, read
from tests.golden import FOLDER, LOGS, read_golden_log


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), short=st.booleans())
def test_the_compiled_reader_agrees_with_the_replay(
    seed: int, short: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Stacks may differ, so that players are all-in for less, also by their blinds."""
    gamedef = replace(GAME, stacks=(150, 1200)) if short else GAME
    rng = np.random.default_rng(seed)
    lines = [random_line(rng, number, gamedef) for number in range(40)]
    path = tmp_path_factory.mktemp("logs") / "a.log"
    path.write_text("\n".join(lines))
    fast, reader = read(path, reader=HandReader(gamedef))
    builder = BatchBuilder()
    slow = HandReader()
    for line in lines:
        slow.add(builder, from_logged(parse_log_line(line, gamedef)), 1, 0, 1, "acpc")
    assert fast is not None
    assert not reader.tally.problems
    assert_same_hands(fast, builder.take())


@pytest.mark.parametrize("name", [name for name in LOGS if "hunl2p" in name])
def test_golden_logs_are_read_whole(name: str) -> None:
    batch, reader = read(FOLDER / f"{name}.log.gz")
    assert batch is not None
    lines = [line for line in read_golden_log(name) if line.startswith("STATE:")]
    assert batch.num_hands == len(lines) == reader.tally.hands
    assert not reader.tally.problems
    assert not reader.tally.left_out.kinds
    letters = sum(letter in "fcr" for line in lines for letter in line.split(":")[2])
    assert batch.num_actions == letters
    nets = [float(line.split(":")[4].split("|")[0]) for line in lines]
    assert batch.hands["net_bb"].tolist() == nets


def test_other_games_are_left_out_and_counted() -> None:
    _, reader = read(*(FOLDER / f"{name}.log.gz" for name in LOGS if "hunl2p" not in name))
    assert reader.tally.hands == 0
    assert not reader.tally.problems
    expected = sum(line.startswith("STATE:") for name in LOGS if "hunl2p" not in name for line in read_golden_log(name))
    assert reader.tally.left_out.count == expected > 1000


BAD = {
    "betting": "STATE:1:r150f:2c3d|4h5s:-100|100:A|B",
    "open end": "STATE:1:r300:2c3d|4h5s:-100|100:A|B",
    "card twice": "STATE:1:f:2c3d|2c5s:50|-50:A|B",
    "board": "STATE:1:cc/cc/cc/cc:2c3d|4h5s/6c7c8c/9c:100|-100:A|B",
    "value": "STATE:1:f:2c3d|4h5s:100|-100:A|B",
    "sum": "STATE:1:cc/cc/cc/cc:2c3d|4h5s/6c7c8c/9c/Tc:100|100:A|B",
    "names": "STATE:1:f:2c3d|4h5s:50|-50:A",
    "three names": "STATE:1:f:2c3d|4h5s:50|-50:A|B|C",
    "a word": "hello",
    "an empty line": "",
}


def test_bad_hands_are_named_with_file_and_line_and_left_out(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    good = [random_line(rng, number) for number in range(len(BAD) + 1)]
    lines = [line for pair in zip(good, BAD.values(), strict=False) for line in pair] + good[-1:]
    path = tmp_path / "mixed.log"
    path.write_text("# a comment\n" + "\n".join(lines) + "\nSCORE:0|0:A|B\n")
    batch, reader = read(path)
    assert batch is not None
    assert batch.num_hands == len(good)
    assert reader.tally.bad == len(BAD)
    named = [int(problem.removeprefix(f"{path}:").split(":")[0]) for problem in reader.tally.problems]
    assert sorted(named) == [3 + 2 * number for number in range(len(BAD))]


def test_lines_without_hole_cards_with_rake_or_adjusted_values_are_read(tmp_path: Path) -> None:
    batch, _ = batch_of(
        tmp_path,
        "STATE:0:cr200f:|:90|-100:A|B",
        "STATE:1:r20000c///:2c3d|4h5s/6c7c8c/9c/Tc:-512.5|512.5:A|B",
    )
    assert batch.hands["net_sb"].tolist() == [-100, 512.5]
    assert batch.hands["cards"][0].tolist() == [255] * 9


def test_hands_that_occur_twice_count_once_but_matches_are_told_apart(tmp_path: Path) -> None:
    game = tmp_path / "g.game"
    game.write_text(format_gamedef(GAME))
    text = random_log(5, 30)
    (tmp_path / "a.log").write_text(text)
    (tmp_path / "copy.log").write_text(text.replace("\n", "\r\n"))
    for seed in (1, 2):
        (tmp_path / f"match{seed}.log").write_text(f"# name/game/hands/seed m g.game 30 {seed}\n{text}")
    _, reader = read(tmp_path)
    assert reader.tally.hands == 90
    assert reader.tally.duplicates == 30
    assert reader.tally.other_files == 1


def test_folders_archives_and_compressed_files_hold_the_same_hands(tmp_path: Path) -> None:
    text = random_log(6, 20).encode()
    plain = tmp_path / "deep" / "er" / "x.log"
    plain.parent.mkdir(parents=True)
    plain.write_bytes(text)
    (tmp_path / "x.log.gz").write_bytes(gzip.compress(text))
    with zipfile.ZipFile(tmp_path / "x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("in/x.log", text)
        archive.writestr("y.log.gz", gzip.compress(text))
    for path in (plain, tmp_path / "deep", tmp_path / "x.log.gz", tmp_path / "x.zip"):
        _, reader = read(path)
        assert reader.tally.hands == 20, path
    _, reader = read(tmp_path)
    assert (reader.tally.hands, reader.tally.duplicates, reader.tally.files) == (20, 60, 4)


@pytest.mark.parametrize("data", [b"PK\x03\x04 no archive", b"\x1f\x8b no gzip"])
def test_damaged_files_are_one_error(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "damaged"
    path.write_bytes(data)
    with pytest.raises(LogError, match="could not read it"):
        read(path)


def test_a_missing_file_and_a_missing_game_are_named(tmp_path: Path) -> None:
    with pytest.raises(LogError, match=r"nowhere: could not read it \(No such file"):
        find_sources([tmp_path / "nowhere"])
    path = tmp_path / "x.log"
    path.write_text("# name/game/hands/seed m unknown.game 1 0\n" + random_log(1, 3))
    _, reader = read(path)
    assert reader.tally.bad == 1
    assert "unknown.game" in reader.tally.problems[0]
    assert reader.tally.left_out.count == 3


def test_keys_are_remembered_while_the_table_grows() -> None:
    rng = np.random.default_rng(0)
    keys = rng.integers(1, 2**63, 200_000).astype(np.uint64)
    seen = SeenHands()
    assert seen.add(keys[:150_000]).all()
    fresh = seen.add(keys)
    assert not fresh[:150_000].any()
    assert fresh[150_000:].all()
    again = seen.add(np.array([0, 7, 7, 0], np.uint64))
    assert again.tolist() == [True, True, False, False]


def test_amounts_before_every_action(tmp_path: Path) -> None:
    """The hand: SB raises to 300, BB calls, BB checks, SB bets 400, BB raises to 1200 (total 1500), SB folds."""
    batch, reader = batch_of(tmp_path, "STATE:4:r300c/cr700r1500f:2c3d|4h5s/6c7c8c:700|-700:Big|Small")
    actions = {name: column.tolist() for name, column in batch.actions.items()}
    assert actions["kind"] == [3, 2, 1, 3, 3, 0]
    assert actions["seat"] == [1, 0, 0, 1, 0, 1]
    assert actions["round"] == [0, 0, 1, 1, 1, 1]
    assert actions["ordinal"] == [0, 1, 0, 0, 1, 2]
    assert actions["size"] == [300, 200, 0, 400, 1200, 0]
    assert actions["pot"] == [150, 400, 600, 600, 1000, 2200]
    assert actions["faced"] == [100, 300, 0, 0, 400, 1200]
    assert actions["own"] == [50, 100, 0, 0, 0, 400]
    assert actions["behind"] == [19950, 19900, 19700, 19700, 19700, 19300]
    assert batch.hands["rounds"].tolist() == [2]
    assert (batch.hands["raises_preflop"][0], batch.hands["raises_flop"][0]) == (1, 2)
    assert reader.players.texts == ["Big", "Small"]


def test_a_replay_refuses_what_the_rules_refuse() -> None:
    hand = from_logged(parse_log_line("STATE:0:r300c/cc/cc/cc:2c3d|4h5s/6c7c8c/9c/Tc:300|-300:A|B", GAME))
    assert len(play(hand).rows) == 8
    for bad in (
        replace(hand, rounds=hand.rounds[:3]),
        replace(hand, rounds=(hand.rounds[0][:1], *hand.rounds[1:])),
        replace(hand, rounds=(hand.rounds[0][::-1], *hand.rounds[1:])),
        replace(hand, stacks=(20000, 40)),
    ):
        with pytest.raises(LogError):
            play(bad)
