"""AIVAT over the ranges of both players: features against slow references, unbiasedness by enumeration, the fit."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg
from numpy.typing import NDArray

from hedgehog.agent.options import Options
from hedgehog.agent.specs import parse_player_spec
from hedgehog.analysis.aivat._range_kernels import runouts_kernel
from hedgehog.analysis.aivat.fit_ranges import RangeFit, main, prior_coefficients
from hedgehog.analysis.aivat.holdem import HoldemAivat
from hedgehog.analysis.aivat.range_values import HandComponents, hand_components, shipped_range_values
from hedgehog.analysis.aivat.ranges import CALLS, EDGE, NUM_FEATURES, SAMPLE_SHARES, RangeBoard
from hedgehog.analysis.aivat.replay import Strategy, replay
from hedgehog.analysis.aivat.scorers import SpreadAivat, match_records
from hedgehog.analysis.aivat.values import NUM_ROWS, group_of
from hedgehog.analysis.stats.match_report import read_winnings
from hedgehog.arena.play import play_match
from hedgehog.poker.acpc.gamedef import find_gamedef, read_gamedef
from hedgehog.poker.acpc.handlog import LoggedHand
from hedgehog.poker.acpc.matchstate import MatchState, parse_betting
from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, combo_index, combo_mask, parse_cards
from hedgehog.poker.evaluation.equity import equity_vector, range_equity
from hedgehog.poker.state import CALL, FOLD, Action, HandState

Array = NDArray[np.float64]

HUNL = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))
BOARD = tuple(parse_cards("Qs 7h 6h 2c 9h"))
GROUPS = np.array([group_of(row) for row in range(NUM_ROWS)])


def random_ranges(board: tuple[int, ...], seed: int = 1) -> tuple[Array, Array]:
    """Weights of both players, many of them 0."""
    weights = np.random.default_rng(seed).random((2, NUM_COMBOS)) - 0.5
    weights = np.maximum(weights, 0) * combo_mask(board)
    return weights[0], weights[1]


def board_on(cards: tuple[int, ...]) -> RangeBoard:
    board = RangeBoard()
    if cards:
        board.deal(cards, combo_mask(cards))
    return board


def sampled_equities(other: Array, flop: tuple[int, ...]) -> Array:
    """Equities of all combos on a flop over its sample of run-outs, board by board."""
    runouts = np.empty((1176, 2), dtype=np.uint8)
    sample = runouts_kernel(runouts, np.array(flop, dtype=np.uint8), SAMPLE_SHARES)
    edges = np.zeros(NUM_COMBOS)
    for turn, river in runouts[:sample].tolist():
        board = (*flop, turn, river)
        on_board = other * combo_mask(board)
        met = met_by(on_board)
        edges += np.nan_to_num(2 * equity_vector(on_board, board) - 1) * met * combo_mask(board)
    return 0.5 + edges / (99 * SAMPLE_SHARES) / np.maximum(met_by(other), 1e-300) / 2


def met_by(weights: Array) -> Array:
    """For every combo the weight of all combos that share no card with it."""
    by_card = np.zeros(52)
    np.add.at(by_card, COMBO_CARDS, weights[:, None])
    return np.asarray(weights.sum() - by_card[COMBO_CARDS].sum(axis=1) + weights)


def slow_features(own: Array, other: Array, cards: tuple[int, ...], price: float = 0.0) -> tuple[float, Array]:
    """The same features, hand by hand, from the equities of another module."""
    weights, equities = [], []
    for mine, theirs in ((own, other), (other, own)):
        found = sampled_equities(theirs, cards) if len(cards) == 3 else equity_vector(theirs, cards)
        equities.append(np.clip(np.nan_to_num(found), 0, 1))  # rounding errors where no hand is met
        met = [
            theirs[~(np.isin(COMBO_CARDS, COMBO_CARDS[hand]).any(axis=1))].sum() if mine[hand] else 0.0
            for hand in range(NUM_COMBOS)
        ]
        weights.append(mine * np.array(met))
    mass = weights[0].sum()
    share, other_share = weights[0] / mass, weights[1] / mass
    mean, other_mean = share @ equities[0], other_share @ equities[1]
    edge = 2 * mean - 1
    spread = 4 * share @ (equities[0] - mean) ** 2
    other_spread = 4 * other_share @ (equities[1] - other_mean) ** 2
    calls = share @ np.maximum(-1.0 if price else 0.0, (price or 1.0) * (2 * equities[0] - 1))
    other_calls = other_share @ np.maximum(0.0, 2 * equities[1] - 1)
    numbers = [1, edge, edge**2, spread, other_spread, edge * spread, edge * other_spread, calls, other_calls]
    return float(mass), np.array(numbers)


@pytest.mark.parametrize("cards", [3, 4, 5])
@pytest.mark.parametrize("price", [0.0, 1.5, 40.0])
def test_features(cards: int, price: float) -> None:
    board = BOARD[:cards]
    own, other = random_ranges(board)
    mass, found = board_on(board).features(own, other, price)
    slow_mass, slow = slow_features(own, other, board, price)
    assert mass == pytest.approx(slow_mass)
    assert found == pytest.approx(slow, abs=1e-5)


@pytest.mark.parametrize("cards", [3, 4, 5])
@pytest.mark.parametrize("seed", range(4))
def test_a_hand_that_blocks_the_whole_range_of_the_other_player(cards: int, seed: int) -> None:
    """It meets no hand. What rounding leaves of the sums for it must not count."""
    board, sevens = BOARD[:cards], parse_cards("7s 7c")
    own, other = random_ranges(board, seed)
    own *= np.isin(COMBO_CARDS, sevens).any(axis=1)
    other[combo_index(*sevens)] = 1.0
    mass, found = board_on(board).features(own, other)
    slow_mass, slow = slow_features(own, other, board)
    assert mass == pytest.approx(slow_mass)
    assert found == pytest.approx(slow, abs=1e-5)


@pytest.mark.parametrize("cards", [3, 4, 5])
def test_sums_over_pairs(cards: int) -> None:
    own, other = random_ranges(BOARD[:cards])
    board = board_on(BOARD[:cards])
    pairs = board.pairs(own, other)
    assert pairs == pytest.approx(own @ met_by(other))
    edge = 2 * range_equity(own, other, BOARD[:cards]).equity - 1
    assert board.edge(own, other) / pairs == pytest.approx(edge, abs=1e-6)
    assert board.edge(own, other) == pytest.approx(-board.edge(other, own), abs=1e-6 * pairs)


def test_every_board_is_in_the_same_share_of_its_flops_samples() -> None:
    """So the mean of the equities over all flops is the equity over all boards."""
    rng = np.random.default_rng(5)
    for _ in range(8):
        five = set(rng.choice(52, 5, replace=False).tolist())
        for shares in (1, 2, 7):
            runouts, counted = np.empty((1176, 2), dtype=np.uint8), 0
            for flop in combinations(five, 3):
                sample = runouts_kernel(runouts, np.array(flop, dtype=np.uint8), shares)
                pairs = {frozenset(pair) for pair in runouts.tolist()}
                assert pairs == {frozenset(pair) for pair in combinations(set(range(52)) - set(flop), 2)}
                counted += (five - set(flop)) in [set(pair) for pair in runouts[:sample].tolist()]
            assert counted == shares


def test_ranges_without_a_common_pair() -> None:
    own = np.zeros(NUM_COMBOS)
    own[0] = 1
    mass, features = board_on(BOARD).features(own, own)
    assert mass == 0
    assert not features.any()


@pytest.mark.parametrize("known", [3, 4])
def test_next_card_is_the_mean_over_the_cards(known: int) -> None:
    board = BOARD[:known]
    own, other = random_ranges(board, seed=known)
    total = np.zeros(NUM_FEATURES)
    masses = 0.0
    for card in set(range(52)) - set(board):
        mask = combo_mask((card,))
        mass, features = board_on((*board, card)).features(own * mask, other * mask)
        total += mass * features
        masses += mass
    assert board_on(board).next_card_features(own, other) == pytest.approx(total / masses, abs=1e-5)


def mixing(seed: int, street: int) -> Strategy:
    """A strategy that calls before the flop and mixes by hand and board after it.

    Before ``street``: check or all-in. Turn: all-in at once, answered by fold or call. River: check or a bet, answered
    by fold or call.
    """

    def strategy(matchstate: MatchState) -> Options:
        state = matchstate.state
        if state.round == 0:
            return Options([CALL], np.ones((1, NUM_COMBOS)))
        if state.can_fold():
            actions = [CALL, FOLD]
        elif state.round < street:
            actions = [CALL, Action("r", 20000)]
        else:
            actions = [Action("r", 20000)] if street == 2 else [CALL, Action("r", 400)]
        rng = np.random.default_rng([seed, *matchstate.board, state.acting_position, state.max_spent])
        rows = rng.random((len(actions), NUM_COMBOS))
        return Options(actions, rows / rows.sum(axis=0))

    return strategy


LINES = {2: ("r20000c/", "r20000f"), 3: ("cc", "r400c", "r400f", "cr400c", "cr400f")}


def line_weights(line: str, board: tuple[int, ...], strategies: list[Strategy]) -> tuple[Array, Array]:
    """The weights of both players after a line."""
    weights = [combo_mask(board).astype(np.float64) for _ in range(2)]
    state = HandState(HUNL)
    for played, actions in enumerate(parse_betting(line, HUNL).actions):
        for position, action in actions:
            shown = board[: HUNL.board_cards_by(played)]
            found = strategies[position](MatchState(position, 0, ((), ()), shown, state.copy()))
            assert found is not None
            weights[position] *= found.probabilities[found.actions.index(action)]
            state.apply(action)
    return weights[0], weights[1]


@pytest.fixture
def kept_next_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Averages over the next card are computed once for the same ranges."""
    original, kept = RangeBoard.next_card_features, {}

    def once(board: RangeBoard, own: Array, other: Array) -> Array:
        assert board._runouts is not None
        key = (board._runouts.board, own.tobytes(), other.tobytes())
        if key not in kept:
            kept[key] = original(board, own, other)
        return kept[key]

    monkeypatch.setattr(RangeBoard, "next_card_features", once)


@pytest.mark.parametrize("street", [2, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.usefixtures("kept_next_cards")
def test_unbiased_over_all_cards_and_lines(street: int) -> None:
    """Over all turn cards (or rivers) and lines, corrections of later states have mean 0 for every coefficient."""
    strategies = [mixing(0, street), mixing(1, street)]
    known = BOARD[: street + 1]
    whole = board_on(known).pairs(*line_weights("cc/" * street, known, strategies)) * (52 - len(known) - 4)
    mass = truth = result = 0.0
    mean, size = np.zeros((NUM_ROWS, NUM_FEATURES)), np.zeros((NUM_ROWS, NUM_FEATURES))
    for card in sorted(set(range(52)) - set(known)):
        board = (*known, card)
        for end in LINES[street]:
            line = "cc/" * street + end
            first, second = line_weights(line, board, strategies)
            state = parse_betting(line, HUNL)
            chance = board_on(board).pairs(first, second) / whole
            lost = min(state.spent)
            won = lost * (2 * range_equity(first, second, board).equity - 1)
            if not state.is_showdown:
                won = float(-lost if state.folded[0] else lost)
            hand = LoggedHand(0, state, hole_cards_of(first, second), full_board(board, state), ("0", "0"), "a|b")
            found = hand_components(hand, replay(hand, strategies))
            mass += chance
            result += chance * found.finished
            truth += chance * won
            mean += chance * found.corrections
            size += chance * np.abs(found.corrections)
    assert mass == pytest.approx(1)
    assert result == pytest.approx(truth, abs=1e-3)
    later = 5 * street <= GROUPS  # Earlier cards and actions are the same in all these hands.
    assert size[later].max() > 1
    assert np.abs(mean[later]).max() < 1e-4 * size[later].max()


def hole_cards_of(first: Array, second: Array) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Any pair of hands that has come here; the scores do not depend on it."""
    own = tuple(map(int, COMBO_CARDS[int(np.argmax(first > 0))]))
    return own, tuple(map(int, COMBO_CARDS[int(np.argmax((second > 0) & combo_mask(own)))]))


def full_board(board: tuple[int, ...], state: HandState) -> tuple[int, ...]:
    dead = {*board, *range(8)}
    return (board + tuple(card for card in range(52) if card not in dead))[: HUNL.board_cards_by(state.round)]


def test_the_cards_held_do_not_matter() -> None:
    """Only public events count, in every hand of the river that both strategies may have played."""
    strategies = [mixing(0, 3), mixing(1, 3)]
    state = parse_betting("cc/cc/cc/r400c", HUNL)
    values = []
    for cards in ("AcKc 8h5s", "5c5d JsJd"):
        own, other = cards.split()
        hand = LoggedHand(0, state, (tuple(parse_cards(own)), tuple(parse_cards(other))), BOARD, ("0", "0"), "a|b")
        values.append(HoldemAivat(HUNL).score(hand, strategies))
    assert values[0] == values[1]


def test_a_missing_decision_reveals_the_hand() -> None:
    def lacking(matchstate: MatchState) -> Options | None:
        return None if matchstate.state.round == 3 else mixing(0, 3)(matchstate)

    state = parse_betting("cc/cc/cc/cr400c", HUNL)
    values = []
    for own in ("AcKc", "5c5d"):
        cards = (tuple(parse_cards(own)), tuple(parse_cards("JsJd")))
        hand = LoggedHand(0, state, cards, BOARD, ("0", "0"), "a|b")
        values.append(HoldemAivat(HUNL).score(hand, [lacking, mixing(1, 3)]))
    assert values[0] != values[1]
    assert np.isfinite(values).all()


@pytest.mark.slow
def test_less_luck_than_from_either_side(tmp_path: Path) -> None:
    """Two recorded players: averages over both hands spread less than averages over one."""
    played = play_match(["a=default", "b=default"], hands=12, seed=4, out=tmp_path / "m", record=True)

    def values(recorded: list[str], asked: list[str]) -> np.ndarray:
        scorer = SpreadAivat({name: parse_player_spec("default") for name in asked}, HUNL)
        scorer.use_records(match_records(played.logs, recorded, HUNL))
        read_winnings(played.logs, played.names, HUNL, scorer.score)
        scorer.run()
        found = read_winnings(played.logs, played.names, HUNL, scorer.score).aivat
        assert found is not None
        return found

    both = values(["a", "b"], [])
    assert both.std() < 0.8 * values(["a"], []).std()
    assert np.abs(values([], ["a", "b"]) - both).max() < 0.05


def test_the_shipped_values() -> None:
    found = shipped_range_values()
    assert found.shape == (NUM_ROWS, NUM_FEATURES)
    assert np.isfinite(found).all()


def drawn_hands(count: int, truth: Array) -> list[HandComponents]:
    """Hands whose AIVAT value is noise of 1 chip with the true coefficients."""
    rng = np.random.default_rng(2)
    hands = []
    for _ in range(count):
        corrections = np.zeros((NUM_ROWS, NUM_FEATURES))
        corrections[rng.integers(0, 40, 6), rng.integers(0, NUM_FEATURES, 6)] = rng.normal(0, 100, 6)
        hands.append(HandComponents(float(rng.normal() - np.vdot(corrections, truth)), corrections))
    return hands


@pytest.mark.slow
def test_the_fit_is_least_squares() -> None:
    """Against numpy's least squares, with the ridge as further rows."""
    truth = np.random.default_rng(3).normal(size=(NUM_ROWS, NUM_FEATURES))
    hands = drawn_hands(700, truth)
    fit = RangeFit(group_ridge=500.0, row_ridge=7000.0)
    for hand in hands:
        fit.add(hand)
    groups = GROUPS[:, None] == np.arange(GROUPS.max() + 1)
    columns = np.array([hand.corrections for hand in hands])
    by_group = np.einsum("hrf,rg->hgf", columns, groups)
    matrix = np.concatenate([columns.reshape(len(hands), -1), by_group.reshape(len(hands), -1)], axis=1)
    weights = np.repeat(np.sqrt([7000.0, 500.0]), [columns[0].size, by_group[0].size])
    values = [hand.value(prior_coefficients()) for hand in hands]
    used = matrix.any(axis=0)  # the ridge alone makes the other coefficients 0
    rows = np.concatenate([matrix[:, used], np.diag(weights[used])])
    targets = np.concatenate([-np.array(values), np.zeros(used.sum())])
    found = np.zeros(len(weights))
    found[used] = scipy.linalg.lstsq(rows, targets, lapack_driver="gelsy")[0]
    found = found.reshape(-1, NUM_FEATURES)
    wanted = prior_coefficients() + found[:NUM_ROWS] + groups @ found[NUM_ROWS:]
    assert fit.solve() == pytest.approx(wanted, abs=1e-6)
    spread = [np.std([hand.value(values) for hand in hands]) for values in (prior_coefficients(), fit.solve())]
    assert spread[1] < 0.5 * spread[0]


def test_without_hands_nobody_bets_any_more() -> None:
    found = RangeFit().solve()
    assert np.count_nonzero(found) == NUM_ROWS
    assert set(np.flatnonzero(found.any(axis=0)).tolist()) == {EDGE, CALLS}


def test_the_file_is_what_aivat_reads(tmp_path: Path) -> None:
    played = play_match(["a=default", "b=default"], hands=6, seed=8, out=tmp_path / "m", record=True)
    out = tmp_path / "values.json"
    main([str(out), str(played.logs[0])])
    written = json.loads(out.read_text())
    assert "6 hands" in written["about"]
    assert np.array(written["coefficients"]).shape == (NUM_ROWS, NUM_FEATURES)
