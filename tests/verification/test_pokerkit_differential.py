"""No-limit hold'em of 2 to 6 players here and in pokerkit: same actor, legality, raise limits and payoffs.

Two rules differ where stacks are uneven. The official ACPC dealer has the same rules as Hedgehog there, and so has
OpenSpiel (tests/verification/test_pyspiel_differential.py). After an all-in raise below the least full raise, pokerkit
does not let players who have acted raise again; such hands are left out. Where no opponent has chips beyond the bet,
pokerkit offers no raise; this difference is checked.
"""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from pokerkit import Automation, NoLimitTexasHoldem, State

from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.cards import format_cards
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from tests.golden import HUNL, game

AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)


def exact_share(pot: int, winners: int) -> tuple[Fraction, int]:
    """Splits a pot without odd chips, as the ACPC dealer does."""
    return Fraction(pot, winners), 0


def holdem(blinds: tuple[int, ...], stacks: tuple[int, ...]) -> GameDef:
    """No-limit hold'em of three or more players, the first two of whom post blinds."""
    players = len(stacks)
    return GameDef(
        num_players=players,
        num_rounds=4,
        no_limit=True,
        stacks=stacks,
        blinds=(*blinds, *(0,) * (players - 2)),
        raise_sizes=(),
        first_positions=(2, 0, 0, 0),
        max_raises=(255,) * 4,
        num_suits=4,
        num_ranks=13,
        num_hole_cards=2,
        num_board_cards=(0, 3, 1, 1),
    )


def pokerkit_state(gamedef: GameDef) -> State:
    small, big = sorted(gamedef.blinds)[-2:]
    kit = NoLimitTexasHoldem(AUTOMATIONS, True, 0, (small, big), big, divmod=exact_share)
    state: State = kit(gamedef.stacks, gamedef.num_players)
    return state


def deal_pending(kit: State, hole_cards: list[list[int]], board: list[int]) -> None:
    """Deals whatever pokerkit waits for."""
    while kit.hole_dealee_index is not None:
        position = kit.hole_dealee_index
        kit.deal_hole(format_cards(hole_cards[position][len(kit.hole_cards[position]) :][:1]))
    while kit.can_burn_card("??"):
        kit.burn_card("??")
        dealt = len(list(kit.get_board_cards(0)))
        kit.deal_board(format_cards(board[dealt : 3 if dealt == 0 else dealt + 1]))


def play_hand(gamedef: GameDef, rng: random.Random) -> None:
    cards = rng.sample(range(52), 2 * gamedef.num_players + 5)
    hole_cards = [cards[2 * position :][:2] for position in range(gamedef.num_players)]
    board = cards[2 * gamedef.num_players :]
    ours, kit = HandState(gamedef), pokerkit_state(gamedef)
    street_start = [0] * gamedef.num_players
    street = 0
    while True:
        deal_pending(kit, hole_cards, board)
        assert kit.status != ours.finished
        if ours.finished:
            break
        if ours.round != street:
            street, street_start = ours.round, ours.spent.copy()
        position = ours.acting_position
        spent_before = street_start[position]
        assert kit.actor_index == position
        assert kit.can_check_or_call()
        assert kit.can_fold() == ours.can(FOLD)
        limits = ours.raise_range()
        sizes = []
        answerable = any(
            stack > ours.max_spent and not folded
            for other, (stack, folded) in enumerate(zip(gamedef.stacks, ours.folded, strict=True))
            if other != position
        )
        if limits is None or not answerable:
            assert not kit.can_complete_bet_or_raise_to()
        else:
            smallest, largest = limits
            assert kit.min_completion_betting_or_raising_to_amount == smallest - spent_before
            assert kit.max_completion_betting_or_raising_to_amount == largest - spent_before
            for size in (smallest - 1, smallest, largest, largest + 1):
                assert kit.can_complete_bet_or_raise_to(size - spent_before) == ours.can(Action("r", size))
            if smallest == ours.min_raise_to or len(set(gamedef.stacks)) == 1:
                sizes = [smallest, min(largest, smallest + rng.randrange(300)), rng.randint(smallest, largest)]
        options = [CALL, CALL, *[Action("r", size) for size in sizes]]
        if ours.can(FOLD) and rng.random() < 0.3:
            options = [FOLD]
        action = rng.choice(options)
        ours.apply(action)
        if action == FOLD:
            kit.fold()
        elif action == CALL:
            kit.check_or_call()
        else:
            kit.complete_bet_or_raise_to(action.size - spent_before)
    assert list(kit.payoffs) == pytest.approx(payoffs(ours, hole_cards, board))


def test_heads_up() -> None:
    rng = random.Random(1)
    for _ in range(150):
        play_hand(game(HUNL), rng)


@pytest.mark.parametrize("players", [3, 4, 6])
def test_more_players_with_equal_stacks(players: int) -> None:
    rng = random.Random(players)
    for _ in range(50):
        play_hand(holdem((50, 100), (2000,) * players), rng)


@pytest.mark.parametrize("players", [3, 4, 6])
def test_side_pots_of_uneven_stacks(players: int) -> None:
    rng = random.Random(players)
    for _ in range(50):
        play_hand(holdem((5, 10), tuple(rng.randint(20, 400) for _ in range(players))), rng)
