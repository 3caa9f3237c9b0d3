"""Hands of logs graded with the shipped packs: the line adds up, and what cannot be graded is said and counted."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from hedgehog.agent.pack_player import PackPlayer
from hedgehog.analysis.drills.played_hand import PlayedHandGrader
from hedgehog.analysis.grading.grade import grade_files, read_hands
from hedgehog.analysis.grading.graded import GradedHands
from hedgehog.analysis.grading.options import NO_RAKE, GradeOptions
from hedgehog.analysis.grading.parts import open_our_player, parse_part, part_text
from hedgehog.analysis.grading.reasons import (
    HIDDEN,
    NEVER_HERE,
    NO_FLOP_VALUES,
    NOT_ASKED,
    OTHER_SPOT,
    OTHER_STACKS,
    TIME,
)
from hedgehog.poker.streets import FLOP, PREFLOP, RIVER, TURN
from hedgehog.runtime.engines.status import find_status
from hedgehog.runtime.errors import InputError, StoppedError
from hedgehog.runtime.watch import Watch
from hedgehog.solver.cfr.programs import Rake
from tests.analysis.grading.hand_logs import RIVERS, write_log

FOLDED = [RIVERS[3].replace("STATE:3", f"STATE:{number}") for number in range(5)]
"""Hands that end before the flop, of which nothing is solved."""


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> GradedHands:
    path = write_log(tmp_path_factory.mktemp("log"), RIVERS)
    return grade_files([path], GradeOptions("alice", "quick", streets=(RIVER,)))


def test_every_hand_adds_up(graded: GradedHands) -> None:
    assert len(graded.hands) == 5
    for hand in graded.hands:
        assert hand.terms.remainder == pytest.approx(0, abs=1e-6)
        assert hand.terms.losses == pytest.approx(sum(d.loss_bb or 0 for d in hand.decisions if d.graded), abs=1e-6)
    assert [hand.terms.result for hand in graded.hands] == [-7, -6, -10, -1, 200]
    terms = graded.terms()
    assert terms.remainder == pytest.approx(0, abs=1e-6)


def test_losses_are_never_negative_and_come_with_errors(graded: GradedHands) -> None:
    known = [d for d in graded.decisions() if d.graded]
    assert {d.street for d in known} == {"river"}
    assert len(known) >= 3
    for decision in known:
        assert decision.loss_bb is not None
        assert decision.error_bb is not None
        assert decision.loss_bb >= 0 < decision.error_bb
        assert decision.baseline_bb is not None
        assert decision.baseline_bb >= 0
        assert decision.range_freq is not None
        assert 0 <= decision.range_freq <= 1
        best, _ = max(decision.actions.values())
        assert decision.ev_best_bb == pytest.approx(best)
        assert sum(freq for _, freq in decision.actions.values()) == pytest.approx(1)


def test_what_our_player_never_does_is_no_blunder_to_answer(graded: GradedHands) -> None:
    fold = graded.hands[2].decisions[-1]
    assert (fold.action, fold.graded, fold.reason) == ("fold", False, NEVER_HERE)
    assert fold.share is not None
    assert fold.share < 0.001
    assert fold.loss_bb is not None  # what it would be is still said
    assert {reason for reason, _, _ in graded.not_graded()} >= {NEVER_HERE, NOT_ASKED, NO_FLOP_VALUES}


def test_a_turn_is_followed_by_its_river(tmp_path: Path) -> None:
    """Both are solved: cards, opponent, seam and losses make up all that happens after the flop."""
    path = write_log(tmp_path, RIVERS[:1])
    found = grade_files([path], GradeOptions("alice", "quick", streets=(TURN, RIVER))).hands[0]
    terms = found.terms
    assert terms.remainder == pytest.approx(0, abs=1e-6)
    assert terms.luck_cards
    assert terms.seam
    assert all(d.graded for d in found.decisions if d.street in ("turn", "river"))
    after_the_flop = terms.luck_cards + terms.luck_opponent + terms.seam - terms.losses
    assert terms.result == pytest.approx(terms.ungraded + after_the_flop, abs=1e-6)
    assert -7 < terms.ungraded < 30


def test_rake_is_in_the_solves_and_the_hand_still_adds_up(tmp_path: Path) -> None:
    """5 %, at most half a big blind; a hand that ends before the flop pays none."""
    options = GradeOptions("alice", "quick", streets=(RIVER,), rake=Rake(0.05, 0.5))
    path = write_log(tmp_path, [RIVERS[0], RIVERS[3]])
    raked, folded = grade_files([path], options).hands
    free, _ = grade_files([path], replace(options, rake=NO_RAKE)).hands
    assert raked.terms.remainder == pytest.approx(0, abs=1e-6)
    assert raked.terms.result == free.terms.result
    evs = [[d.ev_best_bb for d in hand.decisions if d.street == "river"] for hand in (raked, free)]
    assert None not in evs[0]
    assert evs[0] != evs[1]
    assert folded.terms.ungraded == folded.terms.result == -1


@pytest.mark.slow
def test_a_hand_is_graded_against_our_player_as_he_thinks_at_the_table(tmp_path: Path, graded: GradedHands) -> None:
    """His solves of the turn are made again, so his range on the river is another one; the result is repeatable."""
    path = write_log(tmp_path, RIVERS[1:2])
    options = GradeOptions("alice", "quick", streets=(RIVER,), think_ms=1500)
    [hand] = grade_files([path], options).hands
    before = next(d for d in graded.hands[1].decisions if d.street == "river")
    decision = next(d for d in hand.decisions if d.street == "river")
    assert decision.graded
    assert decision.source_of_values == f"{before.source_of_values}, ranges of our player with 1,500 ms"
    assert decision.ev_taken_bb != before.ev_taken_bb
    assert hand.terms.remainder == pytest.approx(0, abs=1e-6)
    player = PackPlayer(think_ms=1500)
    player.warm_up()
    read, _ = read_hands([path], options, player)
    again = PlayedHandGrader(player=player).grade(read[0].hand, read[0].position)
    losses = [[d.loss_bb for d in found.decisions if d.street == "river"] for found in (hand, again)]
    assert losses[0] == losses[1]


def test_hands_of_unknown_cards_have_no_totals(tmp_path: Path) -> None:
    path = write_log(tmp_path, [RIVERS[0].replace("AhKd|9s9c", "|9s9c"), RIVERS[3]])
    found = grade_files([path], GradeOptions("alice", "quick", streets=(RIVER,)))
    assert not found.has_totals
    assert {d.reason for d in found.hands[0].decisions} == {HIDDEN}
    assert found.document()["totals"] == {}
    assert found.leaks() == []


def test_other_games_are_left_out_and_said(tmp_path: Path) -> None:
    path = write_log(tmp_path, ["STATE:3:r300f:7h2d|9s9c:-100|100:alice|bob"], stack=40000)
    found = grade_files([path], GradeOptions("alice", "quick"))
    assert found.hands == ()
    [line] = found.left_out
    assert "1 hand left out, stacks for which there are no packs" in line


def test_a_player_who_is_not_there_is_refused(tmp_path: Path) -> None:
    path = write_log(tmp_path, RIVERS[3:4])
    with pytest.raises(InputError, match="no player 'carol': expected alice, bob"):
        grade_files([path], GradeOptions("carol", "quick"))


def test_a_store_goes_on_and_refuses_other_settings(tmp_path: Path, graded: GradedHands) -> None:
    path = write_log(tmp_path, RIVERS[:1])
    options = GradeOptions("alice", "quick", streets=(RIVER,), store=tmp_path / "store")
    first = grade_files([path], options)
    assert part_text(first.hands) == part_text(graded.hands[:1])
    [part] = (tmp_path / "store").glob("part-*.json")
    assert part_text(parse_part(part)) == part.read_text()
    part.write_text(part.read_text().replace('"opponent":"bob"', '"opponent":"BOB"'))
    assert {hand.opponent for hand in grade_files([path], options).hands} == {"BOB"}  # it was not graded again
    with pytest.raises(InputError, match="parts of other hands, settings or packs"):
        grade_files([path], replace(options, depth="normal"))
    part.write_text("{}")
    with pytest.raises(InputError, match="is damaged"):
        grade_files([path], options)


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("cluster", [False, True])
def test_the_same_bytes_on_any_engine(
    tmp_path: Path, graded: GradedHands, monkeypatch: pytest.MonkeyPatch, cluster: bool
) -> None:
    monkeypatch.setattr("hedgehog.analysis.grading.parts.HANDS_PER_PART", 1)
    path = write_log(tmp_path, [RIVERS[0], *FOLDED[:2]])
    ways: list[dict[str, Any]] = [{"jobs": 1}, {"jobs": 2}]
    if cluster and find_spec("distributed") is not None:
        ways.append({"dask": "local:2"})
    stores = []
    for number, way in enumerate(ways):
        store = tmp_path / str(number)
        found = grade_files([path], GradeOptions("alice", "quick", streets=(RIVER,), store=store, **way))
        assert part_text(found.hands[:1]) == part_text(graded.hands[:1])
        stores.append({file.name: file.read_bytes() for file in store.iterdir()})
    assert len(stores[0]) == 4
    assert stores == [stores[0]] * len(ways)


class StopAfter(Watch):
    """Stops grading after a number of hands."""

    def __init__(self, hands: int) -> None:
        self._hands = hands
        self.begin("")

    def begin(self, what: str, total: float | None = None, unit: str = "", text: str = "") -> None:
        self._done = 0.0

    def update(self, done: float, text: str | None = None, *, total: float | None = None) -> None:
        self._done = done

    @property
    def stopped(self) -> bool:
        return self._done >= self._hands


def test_other_shells_see_how_far_grading_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgehog.analysis.grading.parts.HANDS_PER_PART", 2)
    options = GradeOptions("alice", "quick", streets=(RIVER,), store=tmp_path / "store")
    path = write_log(tmp_path, FOLDED)
    for done in (1, 2):
        with pytest.raises(StoppedError):
            grade_files([path], options, watch=StopAfter(2 * done))
        now = find_status(tmp_path / "store")
        assert (now.state, now.done, now.total, now.unit) == ("interrupted", done, 3, "part")


def test_order_of_files_changes_nothing(tmp_path: Path, graded: GradedHands) -> None:
    one = write_log(tmp_path, RIVERS[:1], name="a.log")
    two = write_log(tmp_path, RIVERS[3:4], name="b.log")
    options = GradeOptions("alice", "quick", streets=(RIVER,))
    found = grade_files([two, one], options)
    assert [hand.terms for hand in found.hands] == [graded.hands[number].terms for number in (0, 3)]


def test_a_spot_is_graded_as_in_the_whole(tmp_path: Path, graded: GradedHands) -> None:
    """Streets without a decision of the spot are not solved; the others have the same losses."""
    path = write_log(tmp_path, RIVERS[:1])
    options = GradeOptions("alice", "quick", streets=(PREFLOP, RIVER), spot="river")
    [hand] = grade_files([path], options).hands
    assert [d.loss_bb for d in hand.decisions if d.graded] == [d.loss_bb for d in graded.hands[0].decisions if d.graded]
    assert {d.reason for d in hand.decisions if d.street != "river"} == {OTHER_SPOT}
    assert hand.terms.remainder == pytest.approx(0, abs=1e-6)
    with pytest.raises(InputError, match="no decision is at such a spot: 'river SB'"):
        grade_files([path], replace(options, spot="river SB"))


def test_a_hand_that_takes_too_long_is_not_graded(tmp_path: Path) -> None:
    options = GradeOptions("alice", "quick", streets=(RIVER,), hand_s=1e-9)
    [hand] = grade_files([write_log(tmp_path, RIVERS[:1])], options).hands
    [river] = [d for d in hand.decisions if d.street == "river"]
    assert (river.graded, river.reason, river.loss_bb) == (False, TIME, None)
    assert (hand.terms.ungraded, hand.terms.remainder) == (-7, 0)


def test_other_stacks_borrow_the_ranges_of_the_nearest_packs(tmp_path: Path) -> None:
    path = write_log(tmp_path, RIVERS[:1], stack=8500)
    options = GradeOptions("alice", "quick", streets=(PREFLOP, RIVER))
    assert grade_files([path], options).hands == ()
    found = grade_files([path], replace(options, borrow_ranges=True))
    [hand] = found.hands
    assert (hand.borrowed, found.has_totals) == (75, False)
    preflop, river = (next(d for d in hand.decisions if d.street == name) for name in ("preflop", "river"))
    assert (preflop.graded, preflop.reason) == (False, OTHER_STACKS)
    assert river.graded
    assert river.source_of_values == "river, ranges of 75 big blinds"
    assert hand.terms.remainder == pytest.approx(0, abs=1e-6)


def test_the_largest_flops_are_chosen(tmp_path: Path) -> None:
    """By the pot when the flop ends: 12 big blinds in hands 1 and 4, 6 in hands 0 and 2; unknown cards do not count."""
    path = write_log(tmp_path, [*RIVERS, RIVERS[0].replace("STATE:0", "STATE:5").replace("AhKd|9s9c", "|9s9c")])
    player = open_our_player(None)
    for number, expected in ((1, [1]), (2, [1, 4]), (9, [0, 1, 2, 4])):
        hands, _ = read_hands([path], GradeOptions("alice", worst_flops=number), player)
        pots = {given.hand.hand_id: given.flop for given in hands}
        assert sorted(name for name, chosen in pots.items() if chosen) == expected
    hands, _ = read_hands([path], GradeOptions("alice", worst_flops=9, spot="flop BB"), player)
    assert [given.hand.hand_id for given in hands if given.flop] == [0, 1, 2]


@pytest.mark.parametrize("change", [{"spot": "fold"}, {"hand_s": 3.0}, {"borrow_ranges": True}, {"worst_flops": 2}])
def test_a_store_of_another_choice_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    path, options = write_log(tmp_path, FOLDED), GradeOptions("alice", "quick", streets=(PREFLOP,))
    kept = replace(options, store=tmp_path / "store")
    grade_files([path], kept)
    with pytest.raises(InputError, match="parts of other hands, settings or packs"):
        grade_files([path], replace(kept, **change))


@pytest.mark.slow
def test_the_flop_with_the_largest_pot_alone_is_solved(tmp_path: Path) -> None:
    lines = [
        "STATE:0:cc/cc/cc/cr600c:AhKd|9s9c/Kh7d2c/5s/3d:600|-600:alice|bob",
        "STATE:1:cr300c/r1000c/r2000c/:AhKd|9s9c/Kh7d2c/5s/3d:2000|-2000:alice|bob",
    ]
    options = GradeOptions("alice", "quick", streets=(FLOP,), worst_flops=1)
    small, large = grade_files([write_log(tmp_path, lines, stack=2000)], options).hands
    assert [d.reason for d in small.decisions if d.street == "flop"] == [NO_FLOP_VALUES]
    [flop] = [d for d in large.decisions if d.street == "flop"]
    assert flop.graded
    assert flop.source_of_values == "flop, one size"


@pytest.mark.slow
def test_a_whole_hand_is_graded_at_full_depth(tmp_path: Path) -> None:
    """From the flop on nothing is left ungraded; 20 big blinds, so that the flop is small."""
    line = "STATE:0:r200r600c/cr1000c/cc/cc:9s9c|AhKd/Kh7d2c/5s/3d:-1000|1000:alice|bob"
    [hand] = grade_files([write_log(tmp_path, [line], stack=2000)], GradeOptions("alice", "full")).hands
    assert [d.street for d in hand.decisions if d.graded] == ["preflop", "flop", "flop", "turn", "river"]
    assert hand.terms.remainder == pytest.approx(0, abs=1e-6)
    assert hand.terms.seam
    assert hand.decisions[2].target_pct is not None
    assert hand.decisions[2].target_pct <= 1
