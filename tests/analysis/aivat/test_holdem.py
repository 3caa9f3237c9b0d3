"""AIVAT of hold'em hands: features against slow references, unbiasedness by enumeration, logs of bots."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hedgehog.agent.options import Options
from hedgehog.agent.specs import parse_player_spec
from hedgehog.analysis.aivat.holdem import HoldemAivat, Strategy
from hedgehog.analysis.aivat.match import known_players
from hedgehog.analysis.aivat.scorers import SpreadAivat
from hedgehog.analysis.aivat.values import (
    NUM_FEATURES,
    NUM_ROWS,
    Kind,
    Matchup,
    ValueTable,
    group_of,
    row_of,
    shipped_values,
    spot_of,
)
from hedgehog.poker.acpc.gamedef import find_gamedef, read_gamedef
from hedgehog.poker.acpc.handlog import LoggedHand, parse_log_line
from hedgehog.poker.acpc.matchstate import MatchState, parse_betting
from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, combo_index, combo_mask, parse_cards, parse_combo
from hedgehog.poker.evaluation.equity import equity_vector
from hedgehog.poker.evaluation.evaluator import rank_hand
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.runtime.errors import InputError

HUNL = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))
BOARD = tuple(parse_cards("Qs 7h 6h 2c 9h"))
THEIRS = tuple(parse_cards("8h5s"))
OPPONENT = combo_index(*THEIRS)


def against_theirs(board: tuple[int, ...]) -> np.ndarray:
    """The equity of every combo against the opponent's hand, by another kernel."""
    opponent = np.zeros(NUM_COMBOS)
    opponent[OPPONENT] = 1
    return equity_vector(opponent, board)


def live(board: tuple[int, ...]) -> np.ndarray:
    return combo_mask((*board, *THEIRS))


def matchup_on(board: tuple[int, ...]) -> Matchup:
    matchup = Matchup((THEIRS[0], THEIRS[1]))
    for cards in (3, 4, 5)[: len(board) - 2]:
        matchup.deal(board[:cards])
    return matchup


def random_table(first_street: int = 0) -> ValueTable:
    """Random values, 0 on the streets before ``first_street``."""
    coefficients = np.random.default_rng(1).normal(0, 3, (NUM_ROWS, NUM_FEATURES))
    coefficients[[row for row in range(NUM_ROWS) if group_of(row) < 5 * first_street]] = 0
    return ValueTable(coefficients)


@pytest.mark.parametrize("cards", [3, 4, 5])
def test_equities_are_exact(cards: int) -> None:
    board = BOARD[:cards]
    mask = live(board)
    assert matchup_on(board).equities[mask] == pytest.approx(against_theirs(board)[mask], abs=1e-12)


@pytest.mark.parametrize("cards", [3, 4, 5])
def test_strength_counts_weaker_hands(cards: int) -> None:
    board = BOARD[:cards]
    ranks = {combo: rank_hand([*board, *map(int, COMBO_CARDS[combo])]) for combo in np.flatnonzero(combo_mask(board))}
    values = np.array(list(ranks.values()))
    basis = matchup_on(board).basis
    for text in ("AhKd", "7c7d", "Th8s", "3d3c"):
        rank = ranks[parse_combo(text)]
        share = ((values < rank).sum() + (values <= rank).sum()) / (2 * len(values))
        assert basis[0, 1, parse_combo(text)] == pytest.approx(share)
        assert basis[1, 2, parse_combo(text)] == pytest.approx(share)


def test_both_sides_see_the_same_features() -> None:
    own, equity, strength = parse_combo("Ts8s"), against_theirs(BOARD[:4])[parse_combo("Ts8s")], []
    matchup = matchup_on(BOARD[:4])
    strength = [matchup.basis[0, 1, combo] for combo in (own, OPPONENT)]
    for side, (e, a, b) in enumerate([(equity, *strength), (1 - equity, *reversed(strength))]):
        terms = [1, a, b, a * a, b * b, a * b]
        assert matchup.basis[side, :, own] == pytest.approx([*terms, *(e * term for term in terms)])


@pytest.mark.parametrize("street", [2, 3])
@pytest.mark.parametrize("position", [0, 1])
@pytest.mark.parametrize("bound", [200, 0.1])
def test_next_card_is_the_mean_over_the_cards(street: int, position: int, bound: float) -> None:
    state = parse_betting("cc/" * street, HUNL)
    table, spot = random_table(), spot_of(state, street)
    assert spot.bound == 200
    spot = spot._replace(bound=bound)
    known = BOARD[: street + 1]
    expected = table.next_card(spot, matchup_on(known), position)
    own = parse_combo("Ts8s")
    seen = (*known, *THEIRS, *map(int, COMBO_CARDS[own]))
    values = []
    for card in set(range(52)) - set(seen):
        matchup = matchup_on(known)
        matchup.deal((*known, card))
        values.append(table.values(spot, matchup, position)[own])
    assert len(values) == 52 - 4 - len(known)
    assert expected[own] == pytest.approx(np.mean(values), abs=1e-9)
    assert np.abs(values).max() <= bound * spot.scale


def mixing(seed: int, street: int) -> Strategy:
    """A strategy that calls before ``street``; there it mixes by hand and board.

    Turn: all-in at once, answered by fold or call. River: check or a bet, answered by fold or call.
    """

    def strategy(matchstate: MatchState) -> Options:
        state = matchstate.state
        if state.round < street:
            return Options([CALL], np.ones((1, NUM_COMBOS)))
        if state.can_fold():
            actions = [CALL, FOLD]
        elif street == 2:
            actions = [Action("r", 20000)]
        else:
            actions = [CALL, Action("r", 400)]
        rng = np.random.default_rng([seed, *matchstate.board, state.acting_position])
        rows = rng.random((len(actions), NUM_COMBOS))
        return Options(actions, rows / rows.sum(axis=0))

    return strategy


TURN_LINES = ("r20000c/", "r20000f")
RIVER_LINES = ("cc", "r400c", "r400f", "cr400c", "cr400f")


@pytest.mark.parametrize("known", [0, 1])
@pytest.mark.parametrize("street", [2, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.slow_cases("2-1")
def test_unbiased_over_all_cards_and_lines(known: int, street: int) -> None:
    """The mean over all turn cards (or rivers) and the lines after them is the true value, whatever the values say."""
    strategies: list[Strategy | None] = [mixing(0, street), mixing(1, street)]
    given = [strategy if position == known else None for position, strategy in enumerate(strategies)]
    scorer = HoldemAivat(HUNL, random_table(street))
    mass = total = truth = noise = 0.0
    for card in set(range(52)) - {*BOARD[: street + 1], *THEIRS}:
        board = (*BOARD[: street + 1], card)
        for line in TURN_LINES if street == 2 else RIVER_LINES:
            state, weights = HandState(HUNL), live(board).astype(np.float64)
            end = parse_betting("cc/" * street + line, HUNL)
            for played, actions in enumerate(end.actions):
                for position, action in actions:
                    strategy = strategies[position]
                    assert strategy is not None
                    shown = board[: HUNL.board_cards_by(played)]
                    found = strategy(MatchState(position, 0, ((), ()), shown, state.copy()))
                    row = found.probabilities[found.actions.index(action)]
                    weights *= row if position == known else row[OPPONENT]
                    state.apply(action)
            lost = min(end.spent)
            folded = np.full(NUM_COMBOS, -lost if end.folded[known] else lost)
            won = (2 * against_theirs(board) - 1) * lost if end.is_showdown else folded
            own = tuple(int(one) for one in COMBO_CARDS[int(np.argmax(weights > 0))])
            rest = tuple(c for c in range(52) if c not in (*board, *own, *THEIRS))[: 5 - len(board)]
            cards = (own, THEIRS) if known == 0 else (THEIRS, own)
            hand = LoggedHand(0, end, cards, (board + rest)[: HUNL.board_cards_by(end.round)], ("0", "0"), "a|b")
            value = scorer.score(hand, given) * (1 if known == 0 else -1)
            mean = float(weights @ np.where(weights > 0, won, 0))
            mass += weights.sum()
            total += weights.sum() * value
            truth += mean
            noise += abs(weights.sum() * value - mean)
    assert noise / mass > 10
    assert total / mass == pytest.approx(truth / mass, abs=1e-7)


def test_unbiased_without_a_decision() -> None:
    """The mean over the hands of the known player, on one board, is as large as with all its decisions."""
    own = [parse_combo(text) for text in ("AcKc", "Ts8s", "JdJc", "5d4d", "Ah3h")]

    def narrow(matchstate: MatchState) -> Options:
        if matchstate.state.round == 2:  # only the hands in ``own`` come to the river
            rows = np.zeros((2, NUM_COMBOS))
            rows[1] = 1
            rows[:, own] = [[0.5], [0.5]]
            return Options([CALL, Action("r", 20000)], rows)
        return mixing(0, 3)(matchstate) or Options([], np.zeros(0))

    def lacking(matchstate: MatchState) -> Options | None:
        return None if matchstate.state.round == 3 and matchstate.state.can_fold() else narrow(matchstate)

    opponent = mixing(1, 3)
    scorer = HoldemAivat(HUNL, random_table(3))
    totals = np.zeros(3)
    spread = 0.0
    for line in RIVER_LINES:
        end = parse_betting("cc/cc/cc/" + line, HUNL)
        for combo in own:
            cards = (int(COMBO_CARDS[combo][0]), int(COMBO_CARDS[combo][1]))
            state, chance = HandState(HUNL), 1.0
            for played, actions in enumerate(end.actions):
                for position, action in actions:
                    shown = BOARD[: HUNL.board_cards_by(played)]
                    found = (narrow if position == 0 else opponent)(
                        MatchState(position, 0, ((), ()), shown, state.copy())
                    )
                    assert found is not None
                    chance *= found.probabilities[found.actions.index(action), combo if position == 0 else OPPONENT]
                    state.apply(action)
            hand = LoggedHand(0, end, (cards, THEIRS), BOARD, ("0", "0"), "a|b")
            values = [scorer.score(hand, [known, None]) for known in (narrow, lacking)]
            totals += chance * np.array([1, *values])
            spread += chance * abs(values[0] - values[1])
    assert totals[1] / totals[0] == pytest.approx(totals[2] / totals[0], abs=1e-6)
    assert spread / totals[0] > 10


def test_a_flop_equity_is_on_average_that_before_the_flop() -> None:
    """On which the correction for flops rests; here over all combos of a class and a sample of flops."""
    matchup = Matchup((THEIRS[0], THEIRS[1]))
    own = parse_combo("AcKc")
    before = matchup.equities[own]
    rng = np.random.default_rng(3)
    free = [card for card in range(52) if card not in (*THEIRS, *map(int, COMBO_CARDS[own]))]
    found = []
    for _ in range(150):
        flop = rng.choice(free, 3, replace=False)
        found.append(matchup_on(tuple(map(int, flop))).equities[own])
    error = np.std(found) / np.sqrt(len(found))
    assert error < 0.03
    assert abs(np.mean(found) - before) < 3 * error


def test_rows_are_all_different() -> None:
    rows = set()
    for street, kind in itertools.product(range(4), (Kind.DEALT, Kind.CLOSED, Kind.FIRST, Kind.SECOND)):
        rows |= {row_of(street, kind, most, most, 20000) for most in (100, 300, 500, 1500, 6000, 15000)}
    assert len(rows) == 4 * 4 * 6
    for street, least in itertools.product(range(4), (100, 700, 5000)):
        rows |= {
            row_of(street, Kind.FACING, min(20000, round(least * (1 + 2 * f))), least, 20000)
            for f in (0.3, 0.5, 1, 3, 9)
        }
    assert max(rows) < NUM_ROWS
    assert len({group_of(row) for row in range(NUM_ROWS)}) == 20


# Played by bots: position 0 is the big blind. The button raises the pot until it is all-in, the big blind calls.
RAISED = "STATE:0:r300c/cr900c/cr2700c/cr8100c:AhAd|KhKd/2c7dTs/3c/4s:8100|-8100:call|raise"


def score(hand: LoggedHand, **players: str) -> tuple[float, ...]:
    scorer = SpreadAivat({name: parse_player_spec(spec) for name, spec in players.items()}, HUNL)
    scorer.score(hand)
    scorer.run()
    return scorer.next_values()


def test_bots_of_a_log() -> None:
    hand = parse_log_line(RAISED, HUNL)
    one_side = score(hand, call="call")
    assert one_side[0] == -one_side[1]
    # The caller's cards do not matter: aces are no more than a hand of average luck.
    assert abs(one_side[0]) < 6000
    other_cards = parse_log_line(RAISED.replace("AhAd", "3h2d").replace("8100|-8100", "-8100|8100"), HUNL)
    assert score(other_cards, call="call")[0] == pytest.approx(one_side[0])
    both = score(hand, call="call", **{"raise": "raise"})
    assert both != one_side


@pytest.mark.parametrize(
    ("players", "message"),
    [
        ({"call": "fold"}, "never plays c with AhAd after 'r300'"),
        ({"somebody": "call"}, "at least one player"),
        ({"call": "random"}, "cannot tell its strategy"),
    ],
)
def test_refuses_other_players(players: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        score(parse_log_line(RAISED, HUNL), **players)


def test_who_can_be_known() -> None:
    names = ["a", "b"]
    specs = [parse_player_spec("default"), parse_player_spec("call")]
    assert list(known_players(names, specs, HUNL, 0)) == ["a", "b"]
    assert list(known_players(names, specs, HUNL, 100)) == ["b"]
    with pytest.raises(InputError, match="needs a player"):
        known_players(names, [parse_player_spec("random"), specs[0]], HUNL, 100)
    with pytest.raises(InputError, match="heads-up hold'em"):
        known_players(names, specs, read_gamedef(find_gamedef("kuhn.limit.2p")), 0)


def test_suits_must_not_matter_before_the_flop() -> None:
    def spades(matchstate: MatchState) -> Options:
        rows = np.full((2, NUM_COMBOS), 0.5)
        rows[:, (COMBO_CARDS & 3 == 3).all(axis=1)] = [[1.0], [0.0]]
        return Options([CALL, Action("r", 300)], rows)

    hand = parse_log_line("STATE:0:cc/cr300f:AhAd|KhKd/2c7dTs:-100|100:a|b", HUNL)
    with pytest.raises(InputError, match="tell suits apart"):
        HoldemAivat(HUNL, shipped_values()).score(hand, [None, spades])
