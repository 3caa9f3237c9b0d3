"""Grades one hand: every decision of the player, and the line that adds up to the result."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from hedgehog.agent.pack_player import KEPT_GAMES, PackPlayer
from hedgehog.agent.strategy.hand_view import Event, HandView
from hedgehog.agent.strategy.live_strategy import LiveStrategy
from hedgehog.agent.strategy.pack_strategy import PackStrategy
from hedgehog.agent.strategy.shadow import situation_of
from hedgehog.analysis.grading.decision import Decision
from hedgehog.analysis.grading.options import (
    ACCUSED,
    DEPTH_TOLERANCE,
    FINE_PCT,
    LEAST_SHARE,
    NO_RAKE,
    NOT_GRADED,
    TRIVIAL,
    Pass,
    verdict_of,
)
from hedgehog.analysis.grading.preflop import PreflopGrader
from hedgehog.analysis.grading.reasons import (
    CONTRADICTED,
    HIDDEN,
    NEVER_BEFORE,
    NEVER_HERE,
    NO_FLOP_VALUES,
    NO_TABLE,
    NOT_ASKED,
    OTHER_BLINDS,
    OTHER_STACKS,
    TIME,
    UNHOLDABLE,
)
from hedgehog.analysis.grading.spots import at_spot, is_at
from hedgehog.analysis.grading.street import OutOfTimeError, SolvedStreet, Street, solve_street, street_of
from hedgehog.analysis.grading.terms import Terms
from hedgehog.analysis.histories.hand_files import FileHand
from hedgehog.analysis.histories.hand_words import action_words
from hedgehog.analysis.histories.left_out import LeftOutError
from hedgehog.analysis.histories.real_hands import game_objection, told_results
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import LoggedHand
from hedgehog.poker.cards import combo_index, format_cards
from hedgehog.poker.evaluation.allin import expected_payoffs, is_all_in
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.hand_classes import HAND_CLASS, NUM_HAND_CLASSES
from hedgehog.poker.hand_names import name_hands
from hedgehog.poker.state import HandState
from hedgehog.poker.streets import BOARD_CARDS, FLOP, PREFLOP, STREETS
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.cfr.programs import Rake
from hedgehog.solver.postflop.tree import format_action
from hedgehog.strategies.betting_tree import NodeKind

UNOPENED: Final = "unopened"
POT_TYPES: Final = ("limped", "single-raised", "3-bet", "4-bet+")
_FACING: Final = ((40, "bet < 40 %"), (85, "bet < 85 %"), (170, "bet < 170 %"))


@dataclass(slots=True)
class GradedHand:
    """A hand of the player: the decisions, and what the result is made of."""

    source: str
    line: int
    hand: int
    opponent: str
    position: int
    known: bool
    """Whether the player's cards are known."""
    terms: Terms
    decisions: list[Decision]
    date: str = ""
    """The day on which it was played, as ``2024-05-06``; empty if the file does not tell it."""
    borrowed: float = 0.0
    """Big blinds of the packs that lent the ranges, if no packs have the stacks of the hand; else 0."""


class HandToGrade(NamedTuple):
    """A hand of a file, and the position of the player who is graded."""

    source: str
    line: int
    hand: LoggedHand
    big_blind: int
    position: int
    date: str = ""
    """The day on which it was played, as ``2024-05-06``; empty if the file does not tell it."""
    borrowed: float = 0.0
    """Big blinds of the packs that lend their ranges, if no packs have the stacks; else 0."""
    flop: bool = True
    """Whether its flop is solved, if flops are."""


def hand_to_grade(source: str, entry: FileHand, player: str) -> HandToGrade | None:
    """Returns a hand as it is graded; None if the player is not in it.

    :raises LeftOutError: if the hand is of a game that is not graded.
    """
    hand = entry.hand
    gamedef = hand.state.gamedef
    if gamedef.is_holdem and not gamedef.no_limit:
        raise LeftOutError("a limit game (use hedgehog judge)")
    objection = game_objection(gamedef)
    if objection is not None:
        raise LeftOutError(objection)
    names, _ = told_results(hand)
    if player not in names:
        return None
    if any(entry.dead):
        raise LeftOutError("antes or dead posts")
    if gamedef.blinds != entry.gamedef.blinds:
        raise LeftOutError("an incomplete blind")
    return HandToGrade(source, entry.line, hand, entry.big_blind, names.index(player), entry.date)


class HandGrader:
    """Grades hands against our player.

    :param player: our player, warmed up.
    :param passes: by street, the solves of a street, coarse first; streets that are missing are not graded.
    :param preflop: grade before the flop, too, if there is a table of preflop values.
    :param rake: what the house takes from pots with a flop, with the cap in big blinds.
    :param spot: words of the kind of decisions that are graded; empty: all (:mod:`hedgehog.analysis.grading.spots`).
    :param hand_s: most seconds that the solves of a hand may take, those of later streets first; None: any time.
    """

    def __init__(
        self,
        player: PackPlayer,
        passes: Mapping[int, tuple[Pass, ...]],
        *,
        preflop: bool = False,
        rake: Rake = NO_RAKE,
        spot: str = "",
        hand_s: float | None = None,
    ) -> None:
        self._rake = rake
        self._spot = spot
        self._hand_s = hand_s
        self._player = player
        self._passes = passes
        self._preflop = preflop
        self._table_of = lru_cache(KEPT_GAMES)(self._find_table)

    def verify_depth(self, given: HandToGrade) -> None:
        """Checks that there are packs for the stacks of a hand.

        :raises LeftOutError: if the nearest packs are for other stacks.
        """
        depth = self.lending_depth(given)
        if depth:
            gamedef = given.hand.state.gamedef
            asked = min(gamedef.stacks) / gamedef.big_blind
            raise LeftOutError(
                "stacks for which there are no packs",
                reason=f"{asked:.4g} big blinds, the nearest packs have {depth:g}",
            )

    def lending_depth(self, given: HandToGrade) -> float:
        """Returns the big blinds of the nearest packs if these are for other stacks than those of a hand; else 0."""
        gamedef = given.hand.state.gamedef
        depth, asked = float(self._player.packs_for_game(gamedef).depth), min(gamedef.stacks) / gamedef.big_blind
        return depth if abs(asked / depth - 1) > DEPTH_TOLERANCE else 0.0

    def grade(self, given: HandToGrade, name: str, opponent: str) -> GradedHand:
        """Returns a hand with the decisions of a player graded.

        :param name: name of the player.
        :param opponent: name of the other one.
        """
        hand, position, unit = given.hand, given.position, given.big_blind
        cards = hand.hole_cards[position]
        decisions = list(decisions_of(given, name, opponent))
        terms = Terms(result=float(hand.values[position]) / unit)
        graded = GradedHand(given.source, given.line, hand.hand_id, opponent, position, bool(cards), terms, decisions)
        graded.date, graded.borrowed = given.date, given.borrowed
        if not cards:
            for decision in decisions:
                decision.reason = HIDDEN
            terms.ungraded = terms.result
            return graded
        gamedef = hand.state.gamedef
        asked = set(range(len(STREETS)))
        if self._spot:
            asked = {STREETS.index(decision.street) for decision in decisions if is_at(decision, self._spot)}
        passes = {street: ways for street, ways in self._passes.items() if street in asked}
        table, silent = self._table_of(gamedef) if self._preflop and PREFLOP in asked else (None, NOT_ASKED)
        if given.borrowed and silent != NOT_ASKED:
            table, silent = None, OTHER_STACKS
        if given.borrowed or not given.flop:
            passes.pop(FLOP, None)
        packs = self._player.packs_for_game(gamedef)
        live = self._player.live_for_game(gamedef)
        rake = Rake(self._rake.rate, self._rake.cap * given.big_blind)
        deadline = None if self._hand_s is None else time.monotonic() + self._hand_s
        _Hand(passes, packs, live, given, graded, rake, deadline).grade(table, silent)
        if live is not None:
            for decision in graded.decisions:
                if decision.graded and decision.street != STREETS[PREFLOP]:
                    decision.source_of_values += f", ranges of our player with {self._player.think_ms:,} ms"
        if given.borrowed:
            for decision in graded.decisions:
                if decision.source_of_values:
                    decision.source_of_values += f", ranges of {given.borrowed:g} big blinds"
        if self._spot:
            graded.decisions = at_spot(graded.decisions, terms, self._spot)
        return graded

    def _find_table(self, gamedef: GameDef) -> tuple[PreflopGrader | None, str]:
        """Returns what grades before the flop; or None and the reason."""
        if 2 * gamedef.blinds[1] != gamedef.blinds[0]:
            return None, OTHER_BLINDS
        table = self._player.preflop_table(gamedef)
        return (None, NO_TABLE) if table is None else (PreflopGrader(table), "")


class _Hand:
    """A hand while its decisions are being graded."""

    def __init__(
        self,
        passes: Mapping[int, tuple[Pass, ...]],
        packs: PackStrategy,
        live: LiveStrategy | None,
        given: HandToGrade,
        graded: GradedHand,
        rake: Rake,
        deadline: float | None,
    ) -> None:
        self._passes = passes
        self._deadline = deadline
        self._rake = rake
        self._packs = packs
        self._thinks = live is not None
        self._live = live or LiveStrategy(packs)
        self._given = given
        self._graded = graded
        self._terms = graded.terms
        hand = given.hand
        self._combo = combo_index(*sorted(hand.hole_cards[given.position]))
        events = [Event(s.betting_string(), situation_of(s), action) for s, action in hand.state.replay()]
        self._end = HandView(hand.state.betting_string(), tuple(hand.board), tuple(events), events[-1].situation)

    def grade(self, table: PreflopGrader | None, silent: str) -> None:
        """Grades all streets that can be, and adds up the terms.

        :param table: values of the actions before the flop.
        :param silent: without a table, the reason why decisions before the flop are not graded.
        """
        # Chips won in the hand, in big blinds: as the last solve expects them, and what they were when last known.
        worth: float | None = None
        told = 0.0
        # A street's solve needs no other one. The flop takes longest, so others are done by then if time runs out.
        own_by = [[d for d in self._graded.decisions if d.street == name] for name in STREETS]
        solves = {s: self._solve(s, own_by[s]) for s in sorted(self._passes, reverse=True) if own_by[s]}
        for street, own in enumerate(own_by):
            events = self._end.events_on(street)
            if not events:
                continue
            if street == PREFLOP and table is not None:
                worth, told = self._preflop(table, events, own)
                continue
            if street not in solves:
                reason = {PREFLOP: silent, FLOP: NO_FLOP_VALUES}.get(street, NOT_ASKED)
                for decision in own:
                    decision.reason = reason
                worth = None
                continue
            solved, reason = solves[street]
            if solved is None:
                for decision in own:
                    decision.reason = reason
                worth = None
                continue
            start = self._won(solved[0].start, solved[1].values.value(0, self._combo))
            if worth is None:
                self._terms.ungraded += start - told
            else:
                self._terms.seam += start - worth
            worth, told = self._follow(*solved, own)
        gross = self._gross()
        if worth is None:
            self._terms.ungraded += gross - told
        else:
            self._terms.luck_cards += gross - worth
        self._terms.ungraded += self._terms.result - gross

    def _preflop(self, table: PreflopGrader, events: list[Event], own: list[Decision]) -> tuple[float | None, float]:
        """Grades the decisions before the flop; returns the same as :meth:`_follow`."""
        hand, unit = self._given.hand, self._given.big_blind
        found = table.grade(self._given.position, self._combo, events, own, unit, self._terms)
        if not found.complete or len(events) < len(self._end.events) or not hand.state.finished:
            return None, found.worth  # a table cannot say what it expects of a flop
        gross, raked = self._gross(NO_RAKE), self._gross()  # the table knows no rake
        ended = gross
        if is_all_in(hand.state) and all(hand.hole_cards):
            ended = expected_payoffs(hand.state, hand.hole_cards, hand.board)[self._given.position] / unit
        self._terms.luck_opponent += ended - found.worth
        self._terms.luck_cards += gross - ended
        self._terms.ungraded += raked - gross
        return raked, raked

    def _gross(self, rake: Rake | None = None) -> float:
        """Returns what the player won, in big blinds; what the file says if that is not known.

        :param rake: what the house took; None: the rake that is given.
        """
        hand = self._given.hand
        known = hand.state.num_folded or (all(hand.hole_cards) and len(hand.board) == BOARD_CARDS[-1])
        if not known or not hand.state.finished:
            return self._terms.result
        won = float(payoffs(hand.state, hand.hole_cards, hand.board)[self._given.position])
        if hand.board:  # no flop, no rake; chips that were not called go back
            taken = (rake or self._rake).of(2 * min(hand.state.spent))
            won -= taken if won > 0 else taken / 2 if won == 0 else 0
        return won / self._given.big_blind

    def _won(self, street_start: int, chips: float) -> float:
        """Returns what the player wins in the hand, in big blinds, if that is ``chips`` from the street's start on."""
        return (chips - street_start) / self._given.big_blind

    def _solve(self, number: int, own: list[Decision]) -> tuple[tuple[Street, SolvedStreet] | None, str]:
        """Returns a street and its solve, as fine as the decisions need it; or None and the reason."""
        first = next(i for i, event in enumerate(self._end.events) if event.situation.street == number)
        opponent = 1 - self._given.position
        if not self._comes(first, opponent):
            return None, NEVER_BEFORE
        ranges = self._live.ranges_now(self._end.before(first), opponent)
        street = street_of(self._end, number, self._given.big_blind, ranges, self._rake)
        solved: SolvedStreet | None = None
        try:
            for way in self._passes[number]:
                solved = solve_street(street, way, self._given.position, self._combo, solved, self._deadline)
                self._judge(solved, own)
                if all(not d.graded or d.loss_pct_pot is None or d.loss_pct_pot < FINE_PCT for d in own):
                    break
        except OutOfTimeError:
            for decision in own:
                decision.forget()  # what a coarser solve said
            return None, TIME
        except SpotError as error:
            return None, CONTRADICTED if "dealt together" in error.message else UNHOLDABLE
        assert solved is not None
        if np.isnan(solved.values.value(0, self._combo)):
            return None, CONTRADICTED
        return (street, solved), ""

    def _comes(self, first: int, opponent: int) -> bool:
        """Tells whether our player takes every action of the opponent before a street with some of its range."""
        for number, event in enumerate(self._end.events[:first]):
            if event.situation.position != opponent:
                continue
            before = self._live.ranges_now(self._end.before(number), opponent)[opponent]
            board = self._end.board_on(event.situation.street)
            if self._thinks and event.situation.street >= FLOP:
                row = self._live.likelihood(self._end, number)
            else:
                row = self._packs.likelihood(event.betting, board, event.action)
            total = before.sum()
            if row is None or total <= 0 or float(before @ row) < LEAST_SHARE * total:
                return False
        return True

    def _judge(self, solved: SolvedStreet, own: list[Decision]) -> None:
        """Writes what the solve of a street says into its decisions."""
        unit = self._given.big_blind
        for decision, (number, (found, before)) in zip(own, solved.decisions.items(), strict=True):
            taken, best, losses = solved.taken(number), found.best, found.losses
            decision.share = found.share
            decision.hand_kind = name_hands(solved.solver.single.board).describe(self._combo)
            decision.source_of_values, decision.target_pct = solved.way.name, solved.pct_pot
            if np.isnan(losses).any():
                decision.verdict, decision.reason = NOT_GRADED, NEVER_HERE
                continue
            loss, pot = float(losses[taken]) / unit, decision.pot_bb
            noise = abs(float(losses[taken]) - before) / unit if not np.isnan(before) else loss
            error = float(np.hypot(noise, solved.way.systematic_pct / 100 * pot))
            # EVs are shown from the decision on.
            put_in = int(solved.tree.committed[solved.nodes[number], self._given.position]) / unit
            names = [format_action(solved.tree, child) for child in found.actions]
            decision.actions = {
                name: (float(value) / unit + put_in, float(often))
                for name, value, often in zip(names, found.values, found.strategy, strict=True)
            }
            decision.best_action = names[best]
            decision.loss_bb, decision.error_bb, decision.loss_pct_pot = loss, error, 100 * loss / pot
            decision.versus_bb = float(found.versus[taken]) / unit
            decision.baseline_bb = found.baseline / unit
            decision.freq, decision.best_freq = float(found.strategy[taken]), float(found.strategy[best])
            decision.range_freq = _range_freq(solved, number)
            decision.ev_best_bb = float(found.values[best]) / unit + put_in
            decision.ev_taken_bb = float(found.values[taken]) / unit + put_in
            decision.trivial = bool(losses.max() / unit < TRIVIAL / 100 * pot)
            if found.share < LEAST_SHARE:
                decision.verdict, decision.reason = NOT_GRADED, NEVER_HERE
            else:
                decision.verdict, decision.reason = verdict_of(loss, error, pot), ""
            if decision.verdict in ACCUSED:
                decision.grid = _grid(solved, number, unit)

    def _follow(self, street: Street, solved: SolvedStreet, own: list[Decision]) -> tuple[float | None, float]:
        """Adds the terms of a solved street.

        :returns: what the hand is worth at the start of the next street by this solve, None if that is not known; and
            what it was worth when it was known last.
        """
        values, terms, combo = solved.values, self._terms, self._combo
        now = self._won(street.start, values.value(0, combo))
        for decision, number in zip(own, solved.decisions, strict=True):
            found, _ = solved.decisions[number]
            if not decision.graded:
                return None, now
            best, taken = (self._won(street.start, float(found.values[n])) for n in (found.best, solved.taken(number)))
            terms.luck_opponent += best - now
            terms.losses += best - taken
            now = taken
        last, tree = solved.nodes[-1], solved.tree
        if tree.kind[last] == NodeKind.DEAL:
            dealt = self._won(street.start, values.value(last, combo))
            if np.isnan(dealt) or values.share(last, combo) < LEAST_SHARE:
                return None, now
            terms.luck_opponent += dealt - now
            following = int(tree.first_child[last])
            board = self._end.board
            if tree.kind[following] != NodeKind.DECISION:  # an all-in: what is left is luck of the cards
                return dealt, dealt
            promise = self._won(street.start, values.after_card(following, board[BOARD_CARDS[street.number]], combo))
            if np.isnan(promise):
                return None, dealt
            terms.luck_cards += promise - dealt
            return promise, promise
        gross = self._gross()
        terms.luck_opponent += gross - now
        return gross, gross


def _range_freq(solved: SolvedStreet, number: int) -> float:
    """Returns how often our player takes an action with its whole range."""
    node = solved.nodes[number]
    reach, often = solved.values.range_at(node), solved.values.strategy_at(node)[solved.taken(number)]
    total = float(reach.sum())
    return float(reach @ often) / total if total > 0 else 0.0


def _grid(solved: SolvedStreet, number: int, unit: int) -> list[list[float | None]]:
    """Returns by hand class the loss of an action in big blinds and how often our player takes it."""
    node, taken = solved.nodes[number], solved.taken(number)
    reach, often = solved.values.range_at(node), solved.values.strategy_at(node)[taken]
    losses = solved.values.all_losses(node)[taken] / unit
    reach = np.where(np.isnan(losses), 0.0, reach)
    weights, lost, done = (
        np.bincount(HAND_CLASS, values, NUM_HAND_CLASSES)
        for values in (reach, reach * np.nan_to_num(losses), reach * often)
    )
    return [
        [round(float(x / w), 3), round(float(f / w), 3)] if w > 0 else [None, None]
        for w, x, f in zip(weights, lost, done, strict=True)
    ]


def decisions_of(given: HandToGrade, player: str = "", opponent: str = "") -> Iterator[Decision]:
    """Yields the decisions of the player in a hand, not graded."""
    hand, position, unit = given.hand, given.position, given.big_blind
    cards = hand.hole_cards[position]
    ordinal, raises, aggressor = 0, 0, -1
    for state, action in hand.state.replay():
        street = state.round
        if state.acting_position == position:
            board = tuple(hand.board[: BOARD_CARDS[street]])
            owed = min(state.max_spent, *state.gamedef.stacks) - state.spent[position]
            pot = sum(state.spent)
            words = action_words(action, state)
            size = None
            if action.kind == "r":
                size = 100 * (action.size - state.max_spent) / (pot + owed)
            yield Decision(
                source=given.source,
                line=given.line,
                hand=hand.hand_id,
                player=player,
                opponent=opponent,
                position=("BB", "SB")[position],
                street=STREETS[street],
                ordinal=ordinal,
                betting=state.betting_string(),
                board=format_cards(board),
                cards=format_cards(cards),
                pot_bb=pot / unit,
                stack_bb=(min(state.gamedef.stacks) - state.spent[position]) / unit,
                to_call_bb=owed / unit,
                pot_type=UNOPENED if state.betting_string() == "" else POT_TYPES[min(raises, 3)],
                role="none" if aggressor < 0 else "aggressor" if aggressor == position else "caller",
                facing=_facing(state, owed, pot),
                hand_kind="",
                action="all-in" if words.all_in else words.verb,
                size_pct=size,
                big_blind=unit,
                date=given.date,
            )
            ordinal += 1
        if street == PREFLOP and action.kind == "r":
            raises, aggressor = raises + 1, state.acting_position


def _facing(state: HandState, owed: int, pot: int) -> str:
    """Returns in words what a player faces."""
    if state.round == PREFLOP and state.max_spent <= state.gamedef.big_blind:
        return "first" if owed else "limp"
    if not owed:
        return "checked to" if state.round > PREFLOP and state.acting_position else "first"
    if state.max_spent >= min(state.gamedef.stacks):
        return "all-in"
    percent = 100 * owed / max(pot - owed, 1)
    return next((text for below, text in _FACING if percent < below), "bet >= 170 %")
