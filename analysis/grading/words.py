"""A graded decision in words: what was done before it, and what was done. Amounts are in big blinds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hedgehog.analysis.grading.decision import Decision
from hedgehog.analysis.histories.hand_words import amount_text, hand_story
from hedgehog.analysis.histories.real_hands import heads_up_game
from hedgehog.poker.acpc.matchstate import parse_betting
from hedgehog.poker.cards import format_cards, parse_cards
from hedgehog.poker.state import HandState
from hedgehog.runtime.errors import InputError

_DEEP: Final = 10**8
_NO_BLIND: Final = "the store was made before blinds were kept: grade the hands anew"


def state_of(decision: Decision) -> HandState:
    """Returns the state of the hand before a decision, with equal stacks, in chips of the file.

    :raises InputError: if the store does not tell the chips of a big blind.
    :raises MatchStateError: if the betting is damaged.
    """
    unit = decision.big_blind
    if not unit:
        raise InputError(_NO_BLIND)
    blinds = unit, max(1, unit // 2)
    # The spent chips do not depend on the stacks, as long as these hold the bets.
    state = parse_betting(decision.betting, heads_up_game((_DEEP, _DEEP), blinds))
    stack = round(decision.stack_bb * unit) + state.spent[state.acting_position]
    return parse_betting(decision.betting, heads_up_game((stack, stack), blinds))


def story_of(decision: Decision) -> Iterator[tuple[str, tuple[int, ...], str]]:
    """Yields each street up to a decision: its name, the cards dealt on it, and what was done.

    :raises InputError: as :func:`state_of`; also MatchStateError.
    """
    yield from hand_story(state_of(decision), parse_cards(decision.board), decision.big_blind)


def street_text(street: str, board: str, done: str) -> str:
    """Returns what was done on a street: ``turn Kh7d2c5s: big blind checks``."""
    return f"{' '.join(filter(None, (street, board)))}: {done or 'first to act'}"


def betting_text(decision: Decision, *, street_only: bool = False) -> str:
    """Returns what was done before a decision in words; ACPC betting and the board, if blinds are not known.

    :param street_only: on its street alone, with the whole board.
    """
    if not decision.big_blind:
        return " on ".join(filter(None, (decision.betting or "first to act", decision.board)))
    story = list(story_of(decision))
    if street_only:
        street, _, done = story[-1]
        return street_text(street, decision.board, done)
    return "; ".join(street_text(street, format_cards(dealt), done) for street, dealt, done in story)


def taken_text(decision: Decision) -> str:
    """Returns the action that was taken, with its total on the street: ``raise to 9 BB``; without, if blinds are not
    known."""
    if decision.size_pct is None or not decision.big_blind:
        return decision.action
    state, unit = state_of(decision), decision.big_blind
    before = (state.spent[state.acting_position] - state.round_start) / unit
    raised = decision.size_pct / 100 * (decision.pot_bb + decision.to_call_bb)
    total = amount_text(round(unit * (before + decision.to_call_bb + raised)), unit)
    return f"{decision.action} {'' if decision.action == 'bet' else 'to '}{total}"
