"""Hands by the rules and with the cards of the dealer, one action at a time: what both environments play on."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Final

from hedgehog.agent.play_record import PlayRecord
from hedgehog.agent.player import Player
from hedgehog.arena.in_process import Seat, TableHand
from hedgehog.dealer.cards import CardDealer
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.matchstate import MatchState, format_hand_cards
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.state import Action
from hedgehog.runtime.errors import InputError

SEEDS: Final = 1 << 32


def verify_seed(seed: int) -> None:
    """Checks a seed of the cards.

    :raises InputError: if it is out of range.
    """
    if not 0 <= seed < SEEDS:
        raise InputError(f"expected a seed from 0 to {SEEDS - 1}, got {seed}")


class _Outside(Player):
    """A seat whose actions come from outside."""

    name = "outside"

    def __init__(self) -> None:
        self.chosen: Action | None = None

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        assert self.chosen is not None
        return self.chosen


class Hands:
    """The hands of a match, one after the other."""

    def __init__(self, gamedef: GameDef) -> None:
        self.gamedef = gamedef
        self._outside = _Outside()
        self._outside_seat = Seat(self._outside, PlayRecord())
        self._dealer: CardDealer | None = None
        self._next = 0
        self.hand_id = 0
        """Number of the hand since the last seed."""
        self.hand: TableHand | None = None

    def start(self, seed: int | None, seats: Mapping[int, Seat] | None = None) -> None:
        """Deals a hand.

        :param seed: starts the cards anew: the hands are those that ``hedgehog match --seed`` deals. None: the next
            hand, or any cards before the first.
        :param seats: players by position; the actions of all other positions come from outside.
        :raises InputError: if the seed is out of range.
        """
        if seed is not None:
            verify_seed(seed)
        if seed is not None or self._dealer is None:
            self._dealer = CardDealer(self.gamedef, secrets.randbelow(SEEDS) if seed is None else seed)
            self._next = 0
        self.hand_id, self._next = self._next, self._next + 1
        players = seats or {}
        at_table = [players.get(position, self._outside_seat) for position in range(self.gamedef.num_players)]
        self.hand = TableHand(self.gamedef, self.hand_id, self._dealer.deal(), at_table)

    def upcoming(self, seed: int | None) -> int:
        """Returns the number of the hand that :meth:`start` will deal."""
        return self._next if seed is None else 0

    @property
    def playing(self) -> TableHand:
        """The hand that is played, or has ended.

        :raises InputError: if none has been dealt.
        """
        if self.hand is None:
            raise InputError("no hand has been dealt yet: call reset() first")
        return self.hand

    def view(self, position: int) -> MatchState:
        """Returns what a position sees of the hand."""
        hand = self.playing
        own = [cards if place == position else () for place, cards in enumerate(hand.deal.hole_cards)]
        return MatchState(position, self.hand_id, tuple(own), hand.board(), hand.state.copy())

    def act(self, action: Action) -> None:
        """Performs an action from outside.

        :raises MatchStateError: if it is not legal.
        """
        self.playing.state.verify(action)
        self._outside.chosen = action
        self.step()

    def step(self) -> None:
        """Asks the player who is to act and performs its action."""
        hand = self.playing
        hand.step()
        if hand.state.finished:
            hand.show_end()

    def payoffs(self) -> list[float]:
        """Returns the chips that each position has won or lost in a hand that is over."""
        hand = self.playing
        return payoffs(hand.state, hand.deal.hole_cards, hand.deal.board)

    def text(self) -> str:
        """Returns the hand with all cards, as the ``STATE:`` line of a log without results and names."""
        hand = self.playing
        cards = format_hand_cards(hand.deal.hole_cards, hand.board(), self.gamedef, hand.state.round)
        return f"STATE:{self.hand_id}:{hand.state.betting_string()}:{cards}"
