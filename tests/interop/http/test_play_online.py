"""Our player at servers that work, fail, and forget to answer: nothing is scored that was not played."""

from __future__ import annotations

import json
import socket
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hedgehog.agent.specs import parse_player_spec
from hedgehog.interop.http.client.play import MOST_BROKEN_IN_A_ROW, PlaySettings, play_online
from hedgehog.interop.http.client.record import Played
from hedgehog.interop.http.client.report import document_of, result_tables
from hedgehog.interop.http.client.tables import Patience
from hedgehog.poker.acpc.gamedef import DEFAULT_GAME
from hedgehog.runtime.errors import InputError, MatchError, StoppedError
from hedgehog.runtime.watch import Watch
from tests.interop.http.faulty import Faulty, listening
from tests.interop.http.games import GAMEDEF, LocalGame, hands_of

QUICK = Patience(attempts=5, first_s=0.001, longest_s=0.002)


def settings(address: str, protocol: str, spec: str = "call", hands: int = 10, **others: Any) -> PlaySettings:
    key = "" if protocol == "slumbot" else "a-key"
    return PlaySettings(
        address=address,
        protocol=protocol,
        spec=parse_player_spec(spec),
        game=DEFAULT_GAME,
        gamedef=GAMEDEF,
        hands=hands,
        patience=QUICK,
        workers=1,
        **{"key": key, **others},
    )


def play(asked: PlaySettings, folder: Path, **others: Any) -> Played:
    return play_online(asked, folder, aivat=False, **others)


def mirrored(lines: list[str], names: dict[str, str]) -> Counter[str]:
    """Returns hands without their numbers, with the names of the server's log."""
    found: Counter[str] = Counter()
    for line in lines:
        _, _, betting, cards, values, players = line.split(":")
        found[":".join([betting, cards, values, "|".join(names.get(one, one) for one in players.split("|"))])] += 1
    return found


@pytest.mark.process
@pytest.mark.parametrize("protocol", ["slumbot", "benchmark"])
def test_always_fold_loses_exactly_75_bb_per_100(tmp_path: Path, protocol: str) -> None:
    """Against an opponent who always raises it loses the small and the big blind in turn."""
    game = LocalGame(tmp_path / "served", "raise")
    with listening(game.app) as address:
        asked = settings(address, protocol, "fold", hands=40, concurrency=4)
        played = play(asked, tmp_path / "played")
    assert (len(played.winnings), played.broken) == (40, [])
    sessions = game.service.book.sessions
    hands = sum(len(session.winnings) for session in sessions)
    assert (hands, sum(session.left for session in sessions)) == (40, 0)
    assert Counter(played.winnings) == Counter(won for session in sessions for won in session.winnings)
    if protocol == "benchmark" or all(len(session.winnings) % 2 == 0 for session in sessions):
        assert document_of(asked, played)["winnings"]["bb_per_100"] == -75
    assert set(played.winnings) == {-50, -100}


@pytest.mark.process
@pytest.mark.parametrize("protocol", ["slumbot", "benchmark"])
def test_both_sides_write_the_same_hands(tmp_path: Path, protocol: str) -> None:
    game = LocalGame(tmp_path / "served", "call")
    with listening(game.app) as address:
        asked = settings(address, protocol, "random", hands=30, seed=4)
        played = play(asked, tmp_path / "played")
        again = play(settings(address, protocol, "random", hands=34, seed=4), tmp_path / "played")
        assert play(settings(address, protocol, "random", hands=34, seed=4), tmp_path / "played").begun == 34
    assert (len(played.winnings), len(again.winnings), again.broken) == (30, 34, [])
    (session,) = game.service.book.sessions  # the second run has used the token, or the key, of the first
    ours, theirs = hands_of(tmp_path / "played"), game.log()
    assert [line.split(":")[1] for line in ours] == [str(number) for number in range(34)]
    names = {protocol: "call", "random": session.name}
    if protocol == "slumbot":
        assert mirrored(ours, names) == mirrored(theirs, {})
    else:  # hole cards of hands without a showdown stay hidden
        assert [line.split(":")[2] for line in ours] == [line.split(":")[2] for line in theirs]
    assert again.winnings == session.winnings
    (table,) = result_tables(asked, again)
    assert table.records()[0]["hands"] == 34


@pytest.mark.process
def test_a_busy_and_forgetful_benchmark(tmp_path: Path) -> None:
    game = LocalGame(tmp_path / "served", "call")
    faulty = Faulty(game.app)
    faulty.plan = {
        "/hands": ["409", "503", "ok", "504"],
        "/act": ["503", "502", "ok", "lost", "ok", "ok", "ok", "lost"],
        "/in-progress": ["ok", "503"],
    }
    with listening(faulty) as address:
        played = play(settings(address, "benchmark", hands=6), tmp_path / "played")
    # Both calls down every hand: four actions of ours each. The first lost answer was in the middle of a hand, which
    # went on from what the server said about it. The second one was the end of a hand, whose result nobody told us.
    assert len(played.winnings) + len(played.broken) == 6
    assert all("not in progress any more" in why for why in played.broken)
    assert len(played.broken) <= 1
    assert len(game.log()) == 6
    assert faulty.plan == {"/hands": [], "/act": [], "/in-progress": faulty.plan["/in-progress"]}
    assert sum(path.endswith("/in-progress") for path in faulty.requests) >= 2


@pytest.mark.process
def test_slumbots_game_with_lost_answers(tmp_path: Path) -> None:
    game = LocalGame(tmp_path / "served", "call")
    faulty = Faulty(game.app)
    faulty.plan = {"/new_hand": ["lost", "503"], "/act": ["ok", "lost", "ok", "ok", "500"]}
    with listening(faulty) as address:
        played = play(settings(address, "slumbot", hands=6), tmp_path / "played")
    assert (len(played.winnings), len(played.broken)) == (4, 2)
    assert ["breaks off" in played.broken[0], "the server answers 500" in played.broken[1]] == [True, True]
    assert sum(session.left for session in game.service.book.sessions) == 2
    assert len(game.log()) == 4
    assert document_of(settings(address, "slumbot"), played)["broken"] == 2


@pytest.mark.process
@pytest.mark.slow
def test_what_ends_a_run(tmp_path: Path) -> None:
    game = LocalGame(tmp_path / "served", "call", keys=("a-key",))
    faulty = Faulty(game.app)
    with listening(faulty) as address:
        with pytest.raises(InputError, match=r"401.*--key"):
            play(settings(address, "benchmark", key="wrong"), tmp_path / "a")
        faulty.plan = {"/hands": ["503"] * QUICK.attempts}
        with pytest.raises(MatchError, match="after 5 attempts: the server answers 503"):
            play(settings(address, "benchmark"), tmp_path / "b")
        faulty.plan = {"/act": ["400"] * MOST_BROKEN_IN_A_ROW}
        with pytest.raises(MatchError, match=f"{MOST_BROKEN_IN_A_ROW} hands in a row"):
            play(settings(address, "benchmark", hands=100), tmp_path / "c")
        with pytest.raises(MatchError, match="404"):
            play(settings(address + "/nowhere", "slumbot"), tmp_path / "d")
        with pytest.raises(InputError, match="holds a game with protocol 'benchmark'"):
            play(settings(address, "slumbot"), tmp_path / "c")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(MatchError, match="cannot reach the server"):
            play(settings(address, "slumbot"), tmp_path / "e")


class StopsAfter(Watch):
    """Asks to stop once some hands are played."""

    def __init__(self, hands: int) -> None:
        self._hands = hands
        self._done = 0.0

    def update(self, done: float, text: str | None = None, *, total: float | None = None) -> None:
        self._done = done

    @property
    def stopped(self) -> bool:
        return self._done >= self._hands


@pytest.mark.process
def test_a_stopped_run_finishes_its_hands_and_goes_on(tmp_path: Path) -> None:
    game = LocalGame(tmp_path / "served", "call")
    with listening(game.app) as address:
        asked = settings(address, "benchmark", hands=100_000, concurrency=3)
        with pytest.raises(StoppedError):
            play(asked, tmp_path / "played", watch=StopsAfter(1))
        done = len(hands_of(tmp_path / "played"))
        assert 1 <= done < 100_000
        assert len(game.service.book.hands) == 0  # none was left
        assert len(game.log()) == done
        played = play(settings(address, "benchmark", hands=done + 5, concurrency=3), tmp_path / "played")
    assert (len(played.winnings), played.broken) == (done + 5, [])


@pytest.mark.process
@pytest.mark.parametrize("protocol", ["slumbot", "benchmark"])
@pytest.mark.quick_cases("slumbot")
def test_hands_of_a_killed_run(tmp_path: Path, protocol: str) -> None:
    """The benchmark still has the hand, and it is played on. Slumbot's game cannot be asked for it: it is broken."""
    folder = tmp_path / "played"
    game = LocalGame(tmp_path / "served", "call")
    faulty = Faulty(game.app)
    with listening(faulty) as address:
        play(settings(address, protocol, hands=3), folder)
        faulty.plan = {"/act": ["ok", "403"]}
        with pytest.raises(InputError, match="403"):  # as if it had been killed in the middle of a hand
            play(settings(address, protocol, hands=4), folder)
        assert json.loads((folder / "played.jsonl").read_text().splitlines()[-1])["event"] == "begun"
        assert len(game.service.book.hands) == 1
        played = play(settings(address, protocol, hands=5), folder)
    if protocol == "benchmark":
        assert (len(played.winnings), played.broken) == (5, [])
        assert len(game.log()) == 5
    else:
        assert len(played.winnings) == 4
        assert played.broken == ["an earlier run was interrupted in it"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"protocol": "chess"}, "expected the game slumbot or benchmark"),
        ({"key": ""}, "needs a key"),
        ({"key": "a\nb"}, "printable"),
        ({"protocol": "slumbot", "key": "k"}, "has no key"),
        ({"concurrency": 21}, "at most 20 hands"),
        ({"spec": parse_player_spec("cmd:true")}, "a program of its own"),
        ({"address": "127.0.0.1:8050"}, "expected an address"),
    ],
)
def test_what_cannot_be_played_is_refused_at_once(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    from dataclasses import replace

    with pytest.raises(InputError, match=message):
        play(replace(settings("http://127.0.0.1:9", "benchmark"), **change), tmp_path / "played")
    assert not (tmp_path / "played").exists()
