"""hedgehog.arena.tournament, hedgehog.arena.deal_check and hedgehog.arena.records: plans, seeds, reused cards,
failures, resumption.

The agents here are small scripts. tests/cli runs ``hedgehog tournament`` with our players and with a killed runner.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hedgehog.arena.deal_check import verify_distinct_seeds, verify_no_reused_deals, window_length
from hedgehog.arena.launch import DEALER_COMMAND
from hedgehog.arena.match import Entrant
from hedgehog.arena.records import read_match_record, read_tournament_record
from hedgehog.arena.tournament import (
    TournamentPlan,
    TournamentProgress,
    finished_logs,
    match_seeds,
    read_progress,
    run_tournament,
    verify_plan,
)
from hedgehog.dealer.cards import CardDealer
from hedgehog.poker.acpc.gamedef import find_gamedef, read_gamedef
from hedgehog.poker.acpc.matchstate import format_hand_cards
from hedgehog.runtime.errors import InputError, LogError, MatchError
from hedgehog.runtime.folder_lock import is_locked
from tests.processes import until

KUHN = find_gamedef("kuhn.limit.2p")
HOLDEM = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))

CALLER = """
import os, socket, sys
connection = socket.create_connection((sys.argv[-2], int(sys.argv[-1])), timeout=30)
connection.sendall(b"VERSION:2.0.0\\n")
for line in connection.makefile("rb"):
    _, position, hand, betting, _ = line.decode().split(":")
    if len(betting) == int(position) and betting in ("", "c"):  # Kuhn poker without a bet
        {before_answer}
        connection.sendall(line.strip() + b":c\\n")
"""


def agent(name: str, before_answer: str = "pass") -> Entrant:
    script = CALLER.format(before_answer=before_answer)
    return Entrant(name, lambda seed, report: [sys.executable, "-S", "-c", script], f"script {before_answer}")


def make_plan(out: Path, *agents: Entrant) -> TournamentPlan:
    return TournamentPlan("test", agents, KUHN, hands=3, seed=7, duplicate=True, out=out, dealer_command=DEALER_COMMAND)


def run(
    plan: TournamentPlan,
    on_progress: Callable[[TournamentProgress], None] | None = None,
    *,
    jobs: int = 2,
    retry_failed: bool = False,
) -> TournamentProgress:
    running = run_tournament(plan, on_progress, jobs=jobs, retry_failed=retry_failed)
    return asyncio.run(asyncio.wait_for(running, 60))


def contents(folder: Path, pattern: str) -> dict[str, tuple[bytes, int]]:
    """Returns contents and times of the files below a folder."""
    files = [path for path in folder.rglob(pattern) if path.is_file()]
    return {str(file.relative_to(folder)): (file.read_bytes(), file.stat().st_mtime_ns) for file in files}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> TournamentPlan:
    """A tournament of three agents that has been played."""
    plan = make_plan(tmp_path_factory.mktemp("tournament") / "out", agent("a"), agent("b"), agent("c"))
    run(plan)
    return plan


# --- seeds and cards ---


def test_seeds_are_distinct_even_where_the_hashes_are_not() -> None:
    count = 200_000
    seeds = match_seeds(1, count)
    hashes = [hashlib.sha256(f"tournament/1/{number}/0".encode()).digest()[:4] for number in range(1, count + 1)]
    assert len(set(hashes)) < count  # 4.7 collisions are expected
    assert len(set(seeds)) == count
    assert all(0 <= seed < 2**32 for seed in seeds)


def test_seeds_are_stable_and_depend_on_the_seed_of_the_tournament() -> None:
    assert match_seeds(1, 5) == match_seeds(1, 9)[:5]
    assert not set(match_seeds(1, 5)) & set(match_seeds(2, 5))
    assert match_seeds(1, 1) == [912510583]  # printf tournament/1/1/0 | sha256sum, first four bytes


def test_window_length() -> None:
    # 2,652 * 1,225 / 2 = 1,624,350 deals (20.63 bits); 2 * log2(1,000) + 40 = 59.93 bits: 3 hands
    assert window_length(HOLDEM, 1_000) == 3
    # 6 deals (2.585 bits): 24 hands
    assert window_length(read_gamedef(KUHN), 1_000) == 24


def write_log(path: Path, seed: int, hands: int, first: int = 0) -> Path:
    """Writes the cards of hands ``first`` and following of a seed as a hold'em log."""
    dealer = CardDealer(HOLDEM, seed)
    deals = [dealer.deal() for _ in range(first + hands)][first:]
    lines = [
        f"STATE:{number}:f:{format_hand_cards(deal.hole_cards, deal.board, HOLDEM, 0)}:1|-1:a|b\n"
        for number, deal in enumerate(deals)
    ]
    path.write_text("".join(lines))
    return path


def test_reused_deals_are_found(tmp_path: Path) -> None:
    """Two matches with the cards of one seed, as in the competition of 2016."""
    logs = {
        "one": [write_log(tmp_path / "1.log", 5, 30)],
        "two": [write_log(tmp_path / "2.log", 6, 30)],
        "three": [write_log(tmp_path / "3.log", 5, 30)],
    }
    with pytest.raises(MatchError, match="matches one and three were dealt the same cards: hands 0 to 2 of the one"):
        verify_no_reused_deals(logs, HOLDEM)


def test_reused_deals_are_found_at_another_place(tmp_path: Path) -> None:
    logs = {
        "one": [write_log(tmp_path / "1.log", 5, 30)],
        "two": [write_log(tmp_path / "2.log", 5, 30, first=20)],
    }
    with pytest.raises(MatchError, match="matches one and two were dealt the same cards: hands 21 to 23 of the one are "
                                         "hands 1 to 3 of the other"):  # fmt: skip
        verify_no_reused_deals(logs, HOLDEM)


def test_the_seatings_of_one_match_have_the_same_cards(tmp_path: Path) -> None:
    same = [write_log(tmp_path / f"{number}.log", 5, 30) for number in range(2)]
    verify_no_reused_deals({"one": same, "two": [write_log(tmp_path / "2.log", 6, 30)]}, HOLDEM)


def test_hands_repeat_by_chance_in_a_small_game() -> None:
    """Of two Kuhn matches of 20 hands nothing can be said, of 40 hands it can."""
    verify_distinct_seeds({"one": 5, "two": 5}, read_gamedef(KUHN), 15)
    with pytest.raises(MatchError, match="matches one and two were dealt the same cards"):
        verify_distinct_seeds({"one": 5, "two": 5}, read_gamedef(KUHN), 40)
    verify_distinct_seeds({str(seed): seed for seed in range(50)}, read_gamedef(KUHN), 200)


def test_a_damaged_log_is_an_error_with_its_line(tmp_path: Path) -> None:
    log = write_log(tmp_path / "1.log", 5, 3)
    log.write_text(log.read_text().replace("STATE:1:f:", "STATE:1:f:xx"))
    with pytest.raises(LogError, match=r"1\.log:2: expected STATE:hand:betting:cards:values:names"):
        verify_no_reused_deals({"one": [log]}, HOLDEM)


# --- plans ---


def test_every_agent_meets_every_other_one() -> None:
    plan = make_plan(Path("x"), *map(agent, "abcde"))
    matches = plan.record().matches
    assert len(matches) == 10
    assert len({match.seed for match in matches}) == len({match.folder for match in matches}) == 10
    assert {frozenset(match.players) for match in matches} == {
        frozenset(x + y) for x in "abcde" for y in "abcde" if x != y
    }
    assert matches[0].folder == "001_a_vs_b"
    assert [match.players for match in matches[:2]] == [("a", "b"), ("a", "c")]
    assert plan.match_plan(matches[1]).seed == matches[1].seed


def test_one_agent_against_all_others() -> None:
    plan = replace(make_plan(Path("x"), *map(agent, "abcd")), against="c")
    assert [match.players for match in plan.record().matches] == [("a", "c"), ("b", "c"), ("c", "d")]
    assert len({match.seed for match in plan.record().matches}) == 3
    with pytest.raises(InputError, match="name of an agent to play against, got 'e'"):
        verify_plan(replace(plan, against="e"))


def test_three_player_games_have_all_groups_of_three() -> None:
    plan = replace(make_plan(Path("x"), *map(agent, "abcde")), game=find_gamedef("kuhn.limit.3p"))
    matches = plan.record().matches
    assert len({match.players for match in matches}) == 10
    assert len(plan.match_plan(matches[0]).seatings()) == 6


def test_a_plan_that_cannot_be_played_is_refused() -> None:
    with pytest.raises(InputError, match=r"kuhn.limit.2p.game is for 2 players, got 1 agents"):
        verify_plan(make_plan(Path("x"), agent("a")))
    with pytest.raises(InputError, match="the player name 'A' is repeated"):  # one file name on some systems
        verify_plan(make_plan(Path("x"), agent("a"), agent("A")))
    for name in ("a:b", "a|b", "a/b", "", ".", "x" * 65, "a b"):
        with pytest.raises(InputError, match="expected a player name"):
            verify_plan(make_plan(Path("x"), agent("a"), agent(name)))


# --- play ---


@pytest.mark.process
def test_what_a_tournament_leaves(finished: TournamentPlan) -> None:
    record = read_tournament_record(finished.out)
    assert record == finished.record()
    assert (finished.out / "game.game").read_text() == KUHN.read_text()
    assert sorted(path.name for path in (finished.out / "matches").iterdir()) == [
        "001_a_vs_b",
        "002_a_vs_c",
        "003_b_vs_c",
    ]
    for match in record.matches:
        folder = finished.out / "matches" / match.folder
        done = read_match_record(folder)
        assert done is not None
        assert (done.logs, done.failure, done.culprits) == (("seating_1.log", "seating_2.log"), "", ())
        for log, players in zip(done.logs, (match.players, match.players[::-1]), strict=True):
            lines = (folder / log).read_text().splitlines()
            assert lines[0].endswith(f" 3 {match.seed}")
            assert lines[-1].endswith(":" + "|".join(players))
    until(lambda: not is_locked(finished.out))


def test_a_finished_tournament_is_not_played_again(finished: TournamentPlan) -> None:
    before = contents(finished.out, "*")
    progress = run(finished)
    assert contents(finished.out, "*") == before
    assert (progress.done, progress.failed, progress.hands, progress.total_hands) == (3, 0, 18, 18)
    assert progress.chips_per_hand() == {"a": 0, "b": 0, "c": 0}
    assert list(finished_logs(finished.out, progress)) == ["001_a_vs_b", "002_a_vs_c", "003_b_vs_c"]


@pytest.mark.slow
@pytest.mark.process
def test_the_result_does_not_depend_on_the_jobs(tmp_path: Path, finished: TournamentPlan) -> None:
    run(replace(finished, out=tmp_path), jobs=5)
    ours, theirs = (contents(folder, "*.log") for folder in (tmp_path, finished.out))
    assert {name: data for name, (data, _) in ours.items()} == {name: data for name, (data, _) in theirs.items()}


@pytest.mark.process
def test_another_plan_is_refused(finished: TournamentPlan, tmp_path: Path) -> None:
    before = contents(finished.out, "*")
    changed = tmp_path / KUHN.name
    changed.write_text(KUHN.read_text() + "\n")
    for plan, message in (
        (replace(finished, hands=4), "hands is 3 there and 4 here"),
        (replace(finished, seed=8), "seed is 7 there and 8 here"),
        (replace(finished, settings={"think_ms": 5}), "settings.think_ms is null there and 5 here"),
        (replace(finished, entrants=finished.entrants[:2]), "the length of agents is 3 there and 2 here"),
        (
            replace(finished, entrants=(*finished.entrants[:2], agent("d"))),
            r'agents\[3\].name is "c" there and "d" here',
        ),
        (replace(finished, entrants=(*finished.entrants[:2], agent("c", "1"))), r"agents\[3\].spec is"),
        (replace(finished, game=changed), "this tournament was begun with another text of kuhn.limit.2p.game"),
    ):
        with pytest.raises(InputError, match=message):
            run(plan)
    assert contents(finished.out, "*") == before


def test_a_folder_with_matches_of_unknown_origin_is_refused(tmp_path: Path) -> None:
    (tmp_path / "matches").mkdir()
    with pytest.raises(InputError, match=r"there are matches but no tournament.json"):
        run(make_plan(tmp_path, agent("a"), agent("b")))


@pytest.mark.process
def test_a_crash_fails_the_matches_of_the_agent_only(tmp_path: Path) -> None:
    """``bad`` crashes as long as a file is there; then its matches are played again on demand."""
    fuse = tmp_path / "fuse"
    fuse.touch()
    bad = agent("bad", f"os.path.exists({str(fuse)!r}) and int(hand) == 1 and sys.exit('planted')")
    plan = make_plan(tmp_path / "out", agent("a"), bad, agent("c"))
    seen: list[tuple[int, int]] = []
    progress = run(plan, lambda now: seen.append((now.done, now.hands)))
    assert [match.failed for match in progress.matches] == [True, False, True]
    assert (progress.done, progress.failed, progress.hands, progress.total_hands) == (3, 2, 6, 6)
    assert seen[-1] == (3, 6)
    for match in (progress.matches[0], progress.matches[2]):
        assert match.record is not None
        assert match.record.culprits == ("bad",)
        assert "player bad ended with exit code 1: planted" in match.record.failure
        folder = plan.out / "matches" / match.match.folder
        assert read_match_record(folder) == match.record
        assert any("STATE:0:" in log.read_text() for log in folder.glob("seating_*.log"))
    assert list(finished_logs(plan.out, progress)) == ["002_a_vs_c"]

    fuse.unlink()
    before = contents(plan.out, "*")
    assert run(plan).failed == 2
    assert contents(plan.out, "*") == before
    kept = contents(plan.out / "matches" / "002_a_vs_c", "*")
    progress = run(plan, retry_failed=True)
    assert (progress.done, progress.failed, progress.hands) == (3, 0, 18)
    assert contents(plan.out / "matches" / "002_a_vs_c", "*") == kept


@pytest.mark.process
@pytest.mark.slow
def test_an_agent_that_cannot_be_started_fails_its_match(tmp_path: Path) -> None:
    ghost = Entrant("ghost", lambda seed, report: ["/no/such/bot"], "cmd:/no/such/bot")
    progress = run(make_plan(tmp_path, agent("a"), agent("b"), ghost))
    assert [match.failed for match in progress.matches] == [False, True, True]
    record = progress.matches[1].record
    assert record is not None
    assert record.culprits == ("ghost",)
    assert record.failure == "cannot start player ghost, command '/no/such/bot': No such file or directory"


@pytest.mark.process
def test_a_match_the_dealer_has_failed_is_not_over(tmp_path: Path) -> None:
    plan = replace(make_plan(tmp_path, agent("a"), agent("b")), dealer_options=("--no-such-option",))
    progress = run(plan)
    assert progress.failed == 1
    record = progress.matches[0].record
    assert record is not None
    assert "--no-such-option" in record.failure
    assert record.culprits == ()
    assert read_match_record(tmp_path / "matches" / "001_a_vs_b") is None
    assert run(replace(plan, dealer_options=())).failed == 0


def test_status_counts_the_hands_of_unfinished_matches(tmp_path: Path, finished: TournamentPlan) -> None:
    shutil.copytree(finished.out, tmp_path, dirs_exist_ok=True)
    folder = tmp_path / "matches" / "002_a_vs_c"
    (folder / "match.json").unlink()
    log = folder / "seating_2.log"
    log.write_text(log.read_text()[: log.read_text().index("STATE:2")])
    record, progress = read_progress(tmp_path)
    assert record == finished.record()
    assert [match.play.hands for match in progress.matches] == [6, 5, 6]
    assert (progress.done, progress.running, progress.hands, progress.total_hands) == (2, 1, 17, 18)


def test_missing_logs_of_a_finished_match_are_an_error(tmp_path: Path, finished: TournamentPlan) -> None:
    shutil.copytree(finished.out, tmp_path, dirs_exist_ok=True)
    log = tmp_path / "matches" / "001_a_vs_b" / "seating_2.log"
    log.write_text(log.read_text()[:-5])
    with pytest.raises(InputError, match=r"seating_2.log: the log of a finished match is missing or damaged"):
        run(replace(finished, out=tmp_path))


@pytest.mark.process
def test_matches_with_the_same_cards_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first and the third match of the plan get the same seed, and so the same cards."""
    plan = replace(make_plan(tmp_path, agent("a"), agent("b"), agent("c")), hands=60, duplicate=False)
    monkeypatch.setattr("hedgehog.arena.tournament.match_seeds", lambda seed, count: [3, 4, 3])
    with pytest.raises(MatchError, match="001_a_vs_b and 003_b_vs_c were dealt the same cards"):
        run(plan)
    assert list(tmp_path.iterdir()) == []  # found before anything was played
    monkeypatch.setattr("hedgehog.arena.tournament.verify_distinct_seeds", lambda seeds, gamedef, hands: None)
    with pytest.raises(MatchError, match="001_a_vs_b and 003_b_vs_c were dealt the same cards"):
        run(plan)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("tournament.json", "{", "not valid JSON"),
        ("tournament.json", "[]", "expected a JSON object"),
        ("tournament.json", json.dumps({"format": 99}), "expected a record of format 1"),
        ("tournament.json", json.dumps({"format": 1}), "not a tournament record: KeyError"),
        ("match.json", json.dumps({"format": 1, "logs": 5}), "not a match record: TypeError"),
    ],
)
def test_damaged_records_are_errors(tmp_path: Path, file: str, text: str, message: str) -> None:
    (tmp_path / file).write_text(text)
    with pytest.raises(InputError, match=f"{file}: {message}"):
        read_tournament_record(tmp_path) if file == "tournament.json" else read_match_record(tmp_path)
