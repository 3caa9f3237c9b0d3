"""Our player with the shipped packs: legal and reproducible in every state, the right layer on every street."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.agent.pack_player import SHARE_FOR_SOLVING, PackPlayer, planned_ms
from hedgehog.agent.player import ReportsStrategy
from hedgehog.agent.random_numbers import uniform
from hedgehog.agent.strategy.hand_view import HandView
from hedgehog.agent.strategy.live_strategy import LiveStrategy
from hedgehog.agent.strategy.pack_strategy import EXACT, QUICK
from hedgehog.agent.strategy.think_time import SolveTime
from hedgehog.agent.time_manager import HandTime
from hedgehog.poker.acpc.gamedef import find_gamedef, read_gamedef
from hedgehog.poker.acpc.matchstate import MatchState, format_matchstate, parse_matchstate
from hedgehog.poker.cards import COMBO_CARDS, combo_index, combo_mask, parse_cards
from hedgehog.poker.isomorphism import COMBO_PERMUTATIONS, permute_cards
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.poker.streets import TURN
from hedgehog.runtime.errors import InputError, PackError
from hedgehog.strategies.flop_pack import QUICK_TIER
from hedgehog.strategies.manifest import read_manifest
from hedgehog.strategies.pack import default_packs, find_packs, write_pack
from tests.agent.pack_fixtures import shipped_digest, write_exact_pack

GAME = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))


def make_player(think_ms: int) -> PackPlayer:
    player = PackPlayer(seed=3, think_ms=think_ms)
    player.warm_up()
    player.new_match(GAME, 3)
    return player


@pytest.fixture(scope="module")
def from_packs() -> PackPlayer:
    return make_player(0)


@pytest.fixture(scope="module")
def thinking() -> PackPlayer:
    return make_player(60)


@pytest.fixture(scope="module")
def with_exact(tmp_path_factory: pytest.TempPathFactory) -> PackPlayer:
    """Returns a player with an exact flop pack of random rows beside the shipped packs."""
    folder = write_exact_pack(tmp_path_factory.mktemp("packs") / "exact", shipped_digest())
    player = PackPlayer([default_packs(), folder], seed=3, think_ms=0)
    player.warm_up()
    player.new_match(GAME, 3)
    return player


def play_hands(player: PackPlayer, hands: int, raise_chance: float) -> list[tuple[str, Action]]:
    """Plays against random raises of random legal sizes, and checks every answer."""
    rng = random.Random(5)
    answers = []
    for hand_id in range(hands):
        us = hand_id % 2
        deck = rng.sample(range(52), 7)
        holes = [(), ()]
        holes[us] = (deck[0], deck[1])
        state = HandState(GAME)
        while not state.finished:
            if state.acting_position == us:
                board = tuple(deck[2:])[: (0, 3, 4, 5)[state.round]]
                seen = MatchState(us, hand_id, (holes[0], holes[1]), board, state.copy())
                action = player.act(seen, math.inf)
                state.verify(action)
                answers.append((format_matchstate(seen), action))
            else:
                limits = state.raise_range()
                if limits is not None and rng.random() < raise_chance:
                    action = Action("r", min(limits[1], int(limits[0] * rng.uniform(1, 3))))
                else:
                    action = CALL
            state.apply(action)
    return answers


def test_packs_alone_answer_everything_legally_and_reproducibly(from_packs: PackPlayer) -> None:
    from_packs.new_match(GAME, 3)
    first = play_hands(from_packs, 60, 0.4)
    layers = from_packs.report()["layers"]
    assert isinstance(layers, dict)
    assert sum(layers.values()) == len(first)
    assert not any("live" in layer or "fallback" in layer for layer in layers)
    from_packs.new_match(GAME, 3)
    assert play_hands(from_packs, 60, 0.4) == first
    from_packs.new_match(GAME, 4)
    assert play_hands(from_packs, 60, 0.4) != first


def test_what_there_is_time_for_is_solved_live(thinking: PackPlayer) -> None:
    """In 60 ms rivers, no turn, even on a busy machine; turns are solved in tests/agent/strategy/test_live.py."""
    thinking.new_match(GAME, 3)
    answers = play_hands(thinking, 30, 0.3)
    layers = thinking.report()["layers"]
    assert isinstance(layers, dict)
    assert sum(layers.values()) == len(answers)
    assert layers["turn blueprint"] > 0
    assert layers["river live"] > 0
    assert "fallback" not in {layer.split()[1] for layer in layers}


def test_preflop_is_sane(from_packs: PackPlayer) -> None:
    """Checks decisions that nobody would dispute. The frequencies are in docs/blueprint.md."""
    found = from_packs.strategy(parse_matchstate("MATCHSTATE:1:0::|AhAd", GAME))
    fold = found.actions.index(FOLD)
    assert found.probabilities[fold, combo_index(*parse_cards("AhAd"))] == 0
    assert found.probabilities[fold, combo_index(*parse_cards("7h2d"))] > 0.5


def test_flop_pack_answers_in_real_suits(with_exact: PackPlayer) -> None:
    board = parse_cards("QsJs2h")
    answers = []
    for permutation in (0, 7, 23):
        flop = tuple(permute_cards(board, permutation))
        layer, found = with_exact._table.packs.options("r250c/", flop)
        assert layer == EXACT
        answers.append(found.probabilities)
    for permutation, answer in zip((7, 23), answers[1:], strict=True):
        np.testing.assert_array_equal(answer[:, COMBO_PERMUTATIONS[permutation]], answers[0])


@pytest.mark.parametrize(
    ("betting", "layer"),
    [
        ("r250c/cr625", EXACT),  # 75 % of the pot, the largest bet of the exact tree
        ("r250c/cr660", EXACT),  # 82 %
        ("r250c/cr665", QUICK),  # 83 %
        ("r250c/cr625r1875", EXACT),  # a raise by the pot after a call
        ("r250c/cr625r2100", QUICK),
        ("r250c/cr1400", QUICK),
        ("r250c/cr1400r4000", QUICK),
    ],
)
def test_a_bet_larger_than_all_of_an_exact_tree_is_answered_from_the_quick_pack(
    with_exact: PackPlayer, betting: str, layer: str
) -> None:
    assert with_exact._table.packs.options(betting, tuple(parse_cards("QsJs2h")))[0] == layer


def test_another_game_is_refused(from_packs: PackPlayer) -> None:
    with pytest.raises(InputError, match="no-limit hold'em, and the game has limit betting"):
        from_packs.new_match(read_gamedef(find_gamedef("holdem.limit.2p.reverse_blinds")), 1)


def test_a_folder_without_packs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PackError, match="no strategy pack here"):
        PackPlayer([tmp_path]).warm_up()


def test_a_quick_pack_of_another_blueprint_is_refused(tmp_path: Path) -> None:
    shipped = read_manifest(default_packs() / "quick-flops")
    update = {"tier": QUICK_TIER, "config": {"blueprint_digest": "0", "figures": []}, "lines": []}
    write_pack(tmp_path / "quick", shipped.model_copy(update=update), {})
    with pytest.raises(PackError, match=r"quick: the flop pack 'quick-flops' belongs to another"):
        PackPlayer([default_packs() / "blueprint", tmp_path / "quick"], think_ms=0).warm_up()


@pytest.mark.parametrize(
    ("digest", "message"),
    [
        ("0" * 64, r"'exact-flops' belongs to another .* than 'default-blueprint'"),
        (None, r"'exact-flops' does not record which blueprint it was made from: build it again from 'default-bluep"),
    ],
)
def test_an_exact_pack_of_another_blueprint_is_refused(tmp_path: Path, digest: str | None, message: str) -> None:
    flops = write_exact_pack(tmp_path / "flops", digest)
    with pytest.raises(PackError, match=message) as caught:
        PackPlayer([default_packs() / "blueprint", flops], think_ms=0).warm_up()
    assert "\n" not in str(caught.value)


def test_no_exact_pack_is_shipped() -> None:
    """Local best response wins more from the player with an exact pack of three sizes than without it."""
    tiers = {read_manifest(folder).tier for folder in find_packs(default_packs())}
    assert tiers == {"blueprint", QUICK_TIER, "preflop"}


@pytest.mark.parametrize("kind", ["from_packs", "thinking"])
def test_strategy_is_what_act_samples_from(kind: str, request: pytest.FixtureRequest) -> None:
    """Bets are off the tree half of the time; the strategy must not depend on the cards we hold."""
    player: PackPlayer = request.getfixturevalue(kind)
    assert isinstance(player, ReportsStrategy)
    player.new_match(GAME, 3)
    rng = random.Random(1)
    for line, action in play_hands(player, 40 if kind == "from_packs" else 5, 0.4):
        seen = parse_matchstate(line, GAME)
        live = combo_mask(seen.board)
        found = player.strategy(seen._replace(hole_cards=((), ())))
        np.testing.assert_allclose(found.probabilities.sum(axis=0), live, atol=1e-9)
        assert all(seen.state.can(candidate) for candidate in found.actions)
        for combo in (combo_index(*seen.hole_cards[seen.position]), *rng.sample(np.flatnonzero(live).tolist(), 5)):
            own = tuple(COMBO_CARDS[combo].tolist())
            held = seen._replace(hole_cards=(own, own))
            # What it answers to this random number must be what the reported probabilities say.
            number = uniform(3, seen.hand_id, sum(map(len, seen.state.actions)))
            cumulative = np.cumsum(found.probabilities[:, combo])
            if np.abs(cumulative - number).min() > 1e-9:
                expected = found.actions[int(np.searchsorted(cumulative, number, side="right"))]
                assert player.act(held, math.inf) == expected
        assert action in found.actions


def test_actions_have_the_frequencies_of_the_strategy(from_packs: PackPlayer) -> None:
    from_packs.new_match(GAME, 8)
    state = parse_matchstate("MATCHSTATE:0:0:r250c/:7c7d|/QhJh9c", GAME)
    found = from_packs.strategy(state)
    column = found.probabilities[:, combo_index(*state.hole_cards[0])]
    hands = 4000
    counts = Counter(from_packs.act(state._replace(hand_id=hand), math.inf) for hand in range(hands))
    for action, probability in zip(found.actions, column, strict=True):
        sd = math.sqrt(hands * probability * (1 - probability))
        assert abs(counts[action] - hands * probability) <= 4 * sd + 1e-9


def test_random_numbers_are_uniform_and_unrelated() -> None:
    numbers = np.array([uniform(1, hand, decision) for hand in range(300) for decision in range(10)])
    counts = np.histogram(numbers, bins=10, range=(0, 1))[0]
    assert ((counts - 300) ** 2 / 300).sum() < 27.9  # chi squared, 9 degrees of freedom, p = 0.001
    assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 0.06
    assert uniform(1, 2, 3) != uniform(1, 3, 2) != uniform(2, 1, 3)


class TimeRecorder:
    """Notes the time of every solve and solves nothing; each solve takes all of its time on the clock of the test."""

    def __init__(self, now: list[float]) -> None:
        self.solves: list[SolveTime] = []
        self._now = now

    def root(self, view: HandView) -> HandView:
        return view.after_own_action()

    def covers(self, view: HandView) -> bool:
        return view.situation.street >= TURN

    def has_time(self, view: HandView, plan_ms: float) -> bool:
        return True

    def solve(self, view: HandView, ranges: NDArray[np.float64], allowed: SolveTime, promise: Any = None) -> None:
        self.solves.append(allowed)
        self._now[0] += allowed.plan_ms / 1000


def ticking(think_ms: int, hand_time: HandTime | None, monkeypatch: pytest.MonkeyPatch) -> tuple[PackPlayer, Any]:
    """Returns a player whose solves are recorded, and the recorder; the clock stands still otherwise."""
    now = [50.0]
    player, recorder = make_player(0), TimeRecorder(now)
    monkeypatch.setattr("hedgehog.agent.pack_player.time", SimpleNamespace(monotonic=lambda: now[0]))
    thinking = PackPlayer(think_ms=think_ms, hand_time=hand_time)
    packs = player._table.packs
    table = player._table._replace(live=LiveStrategy(packs, [recorder], think_ms))
    monkeypatch.setattr(thinking, "_table_of", lambda _: table)
    thinking.new_match(GAME, 1)
    return thinking, recorder


RIVER_DECISION = parse_matchstate("MATCHSTATE:0:0:r250c/cc/cc/:7c7d|/QhJh2c/5s/9d", GAME)


def test_a_decision_has_one_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    """A river out of the blue, whose turn must be solved, too."""
    player, recorder = ticking(1000, None, monkeypatch)
    player.act(RIVER_DECISION, math.inf)
    assert len(recorder.solves) == 2
    assert sum(allowed.plan_ms for allowed in recorder.solves) == pytest.approx(1000)
    assert {allowed.deadline for allowed in recorder.solves} == {50.0 + 0.9}


@pytest.mark.parametrize(
    ("think_ms", "last_ms"), [(10, 8), (50, 40), (100, 80), (150, 130), (200, 180), (300, 270), (1500, 1350)]
)
def test_solving_stops_some_time_before_the_limit(
    monkeypatch: pytest.MonkeyPatch, think_ms: int, last_ms: float
) -> None:
    """A tenth of a long decision and 20 ms of a short one are for what follows, and for a busy machine."""
    player, recorder = ticking(think_ms, None, monkeypatch)
    player.act(RIVER_DECISION, math.inf)
    assert {round(1000 * (allowed.deadline - 50.0), 6) for allowed in recorder.solves} == {last_ms}
    planned = sum(allowed.plan_ms for allowed in recorder.solves)
    assert SHARE_FOR_SOLVING * planned == pytest.approx(last_ms)
    assert planned_ms(think_ms) == pytest.approx(planned)


def test_a_hard_limit_is_planned_for(monkeypatch: pytest.MonkeyPatch) -> None:
    player, recorder = ticking(1000, None, monkeypatch)
    player.act(RIVER_DECISION, 50.0 + 0.256)
    assert sum(allowed.plan_ms for allowed in recorder.solves) == pytest.approx(200)
    assert max(allowed.deadline for allowed in recorder.solves) < 50.0 + 0.2


def test_the_budget_of_hands_shortens_decisions_but_not_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    player, recorder = ticking(1000, HandTime(average_ms=200), monkeypatch)
    used = []
    for hand_id, turn_and_river in enumerate(permutations([2, 3, 5, 6, 9, 10, 13], 2)):
        recorder.solves.clear()
        board = (*RIVER_DECISION.board[:3], *turn_and_river)
        player.act(RIVER_DECISION._replace(hand_id=hand_id, board=board), math.inf)
        used.append(sum(allowed.plan_ms for allowed in recorder.solves))
        assert sum(used) <= 200 * (hand_id + 1)
    assert 0 < min(used) < max(used) < 1000
    report = dict(player.report()["think_time"])
    assert report.pop("used_ms") == pytest.approx(sum(used), abs=1)
    assert report == {"decision_ms": 1000, "average_ms": 200, "hands": 42, "shortened": 42}
    recorder.solves.clear()
    player.strategy(RIVER_DECISION)
    assert [allowed.plan_ms for allowed in recorder.solves] == [1000, 1000]
