"""Where the questions come from, and that their EVs are those of stores, saved solves, tables and solves."""

from __future__ import annotations

import random
from itertools import islice
from pathlib import Path

import pytest

from hedgehog.agent.strategy.preflop_evs import preflop_evs
from hedgehog.analysis.drills.opening import open_source
from hedgehog.analysis.drills.player_source import PlayerSource, our_packs
from hedgehog.analysis.drills.sources import SourceOptions
from hedgehog.analysis.drills.spots import Place, PlaceSolver
from hedgehog.analysis.drills.store_source import StoreSource, place_of
from hedgehog.analysis.grading.grade import grade_files
from hedgehog.analysis.grading.options import GradeOptions
from hedgehog.analysis.grading.parts import read_store
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.cards import combo_index, parse_cards
from hedgehog.poker.hand_classes import HAND_CLASS
from hedgehog.poker.streets import FLOP, PREFLOP, RIVER
from hedgehog.runtime.errors import InputError
from hedgehog.solver.postflop.node_answers import answer_line
from hedgehog.solver.postflop.solution_files import open_solution, read_saved_solve
from hedgehog.strategies.pack import default_packs
from tests.analysis.drills.drilled import write_solve, write_store
from tests.analysis.grading.hand_logs import write_log

FAULTS = [
    "STATE:0:r300c/cc/cc/cr700f:AhKd|9s9c/Kh7d2c/5s/3d:-300|300:alice|bob",
    "STATE:1:r300c/cr600c/cc/cr1200c:7s5s|AdTd/Ts8c3h/2d/2h:-1200|1200:alice|bob",
]


def test_faults_come_by_what_their_kind_loses(tmp_path: Path) -> None:
    source = open_source(write_store(tmp_path / "store"))
    questions = list(source.questions(random.Random(0)))
    assert [q.key for q in questions] == ["a.log:2:0", "a.log:1:0"]
    first = questions[0]
    assert [choice.text for choice in first.choices] == ["check", "bet 500"]
    assert [choice.ev for choice in first.choices] == [200.0, 500.0]
    assert first.pot == 1000
    assert first.stack == 19_500
    assert first.played == "check"
    assert first.played_loss == 300.0
    assert first.loss(0) == 300.0
    assert first.best == 1
    assert [scene.text for scene in first.story][:2] == [
        "button raises to 500, big blind calls 400", "big blind checks, button checks"
    ]  # fmt: skip
    grid = source.grid(first)
    assert grid is not None
    assert (grid.cells[0], grid.cells[168]) == ((0.1,), None)


def test_faults_are_chosen_by_words(tmp_path: Path) -> None:
    folder = write_store(tmp_path / "store")
    source = StoreSource(folder, SourceOptions(spot="RIVER first"))
    assert [decision.hand for decision in source.faults] == [0]
    with pytest.raises(InputError, match="nothing to drill"):
        StoreSource(folder, SourceOptions(spot="turn"))


def test_damaged_and_empty_stores_are_refused(tmp_path: Path) -> None:
    folder = write_store(tmp_path / "store")
    (folder / "part-000000.json").write_text("{}\n")
    with pytest.raises(InputError, match="is damaged"):
        open_source(folder)
    (folder / "part-000000.json").unlink()
    with pytest.raises(InputError, match="holds no graded hands yet"):
        open_source(folder)
    (folder / "grading.json").write_text("[]")
    with pytest.raises(InputError, match=r"grading.json: is damaged"):
        open_source(folder)
    with pytest.raises(InputError, match="no such folder"):
        open_source(tmp_path / "nothing")
    with pytest.raises(InputError, match="expected a store of hedgehog grade"):
        open_source(tmp_path)


@pytest.mark.slow
def test_another_hand_that_is_the_same_has_the_graded_evs(tmp_path: Path) -> None:
    """The room of grades and the one of drills solve the same decision; other hands there get EVs of the same solve."""
    log = write_log(tmp_path, FAULTS)
    options = GradeOptions("alice", "quick", streets=(RIVER,), store=tmp_path / "store")
    grade_files([log], options)
    graded, _ = read_store(tmp_path / "store")
    fault = graded.worst(1)[0]
    place = place_of(fault)
    solver = PlaceSolver(our_packs(None, place.state.gamedef))
    choices = solver.solve(place).choices(place.state, combo_index(*parse_cards(fault.cards)))
    assert [choice.ev / 100 for choice in choices] == pytest.approx([ev for ev, _ in fault.actions.values()], abs=1e-6)
    own = next(StoreSource(tmp_path / "store", SourceOptions()).questions(random.Random(0)))
    assert [choice.ev for choice in own.choices] == pytest.approx([choice.ev for choice in choices], abs=1e-4)

    for kind in ("hands", "boards"):
        source = StoreSource(tmp_path / "store", SourceOptions(kind=kind))
        asked = list(islice(source.questions(random.Random(3)), 4))
        again = list(islice(source.questions(random.Random(3)), 4))
        assert asked == again
        assert len({q.key for q in asked}) > 2
        for question in asked:
            assert not set(parse_cards(question.cards)) & set(parse_cards(question.board))
            assert ({q.board for q in asked} <= {d.board for d in source.faults}) == (kind == "hands")
            if question.to_call:
                assert question.choices[0].text == "fold"
                assert question.choices[0].ev == pytest.approx(0, abs=0.05)
            assert sum(choice.frequency for choice in question.choices) == pytest.approx(1, abs=1e-4)


def test_questions_of_a_solve_have_its_evs(tmp_path: Path) -> None:
    folder = write_solve(tmp_path / "solve")
    source = open_source(folder)
    solution = open_solution(read_saved_solve(folder))
    questions = list(islice(source.questions(random.Random(5)), 40))
    assert questions == list(islice(source.questions(random.Random(5)), 40))
    assert len({q.place["line"] for q in questions}) > 2
    for question in questions:
        answer = answer_line(solution, question.place["line"])
        combo = combo_index(*parse_cards(question.cards))
        assert [choice.ev for choice in question.choices] == answer.evs[:, combo].tolist()
        assert [choice.frequency for choice in question.choices] == answer.view.strategy[:, combo].tolist()
        assert question.pot == answer.view.pot
        grid = source.grid(question)
        assert grid is not None
        assert grid.cells[HAND_CLASS[combo]] is not None
    assert open_source(folder, SourceOptions(streets=(PREFLOP, RIVER))).title == "small river, solve"
    with pytest.raises(InputError, match=r"begins on the river: expected this street or a later one"):
        open_source(folder, SourceOptions(streets=(PREFLOP,)))


def test_random_hands_have_the_values_of_the_preflop_table() -> None:
    source = PlayerSource(SourceOptions(streets=(PREFLOP,)))
    table = preflop_evs([default_packs()], load_gamedef())
    assert table is not None
    for question in islice(source.questions(random.Random(2)), 12):
        found = table.at(question.place["betting"], combo_index(*parse_cards(question.cards)))
        assert [choice.ev / 100 for choice in question.choices] == pytest.approx([each.ev for each in found.actions])
        assert not question.board


@pytest.mark.slow
def test_a_flop_is_solved_for_several_hands() -> None:
    source = PlayerSource(SourceOptions(streets=(FLOP,), stack="10bb"))
    asked = list(islice(source.questions(random.Random(3)), 4))
    assert len({question.board for question in asked}) == 1
    assert len({question.cards for question in asked}) == 4
    for question in asked:
        assert question.street == "flop"
        assert question.values.startswith("flop, one size, solved to ")
        assert len({choice.ev for choice in question.choices}) > 1
    assert source.grid(asked[-1]) is not None


def test_random_rivers_are_solved() -> None:
    source = PlayerSource(SourceOptions(streets=(RIVER,)))
    question = next(source.questions(random.Random(4)))
    assert len(parse_cards(question.board)) == 5
    assert "solved to" in question.values
    grid = source.grid(question)
    assert grid is not None
    own = grid.cells[HAND_CLASS[combo_index(*parse_cards(question.cards))]]
    assert own is not None
    assert sum(own) == pytest.approx(1, abs=1e-3)
    place = Place(**question.place)
    assert place.state.round == RIVER
