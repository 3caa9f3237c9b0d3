"""Questions about graded decisions: the player's own, other hands at them, and their betting on other boards."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hedgehog.analysis.drills.player_source import our_packs
from hedgehog.analysis.drills.question import Choice, Grid, Question
from hedgehog.analysis.drills.sources import MOST_TRIES, SourceOptions
from hedgehog.analysis.drills.spots import Place, PlaceSolver, SolvedPlace, draw_combo, question_at
from hedgehog.analysis.grading.decision import Decision
from hedgehog.analysis.grading.options import ACCUSED
from hedgehog.analysis.grading.parts import read_store
from hedgehog.analysis.grading.spots import is_at, kinds_of
from hedgehog.analysis.grading.words import state_of
from hedgehog.analysis.histories.hand_words import action_text
from hedgehog.poker.cards import combo_index, format_cards, parse_cards
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.errors import InputError, MatchStateError, SpotError
from hedgehog.runtime.files import real_path
from hedgehog.solver.postflop.tree import parse_action
from hedgehog.strategies.betting_tree import ActionKind


def place_of(decision: Decision) -> Place:
    """Returns where a graded decision was.

    :raises InputError: if the store does not tell the chips of a big blind.
    """
    state = state_of(decision)
    return Place(decision.big_blind, state.gamedef.stacks[0], decision.betting, decision.board)


def action_of(name: str, state: HandState) -> Action:
    """Returns the action of a name in a graded decision: a token such as ``B400``, or ACPC text such as ``r900``.

    :raises InputError: if it is none.
    """
    if name[:1] in "fcr" and (len(name) == 1 or name[1:].isdigit()):
        return FOLD if name == "f" else CALL if name == "c" else Action("r", int(name[1:] or 0))
    kind, amount = parse_action(name)
    if kind == ActionKind.FOLD:
        return FOLD
    if kind in (ActionKind.CHECK, ActionKind.CALL):
        return CALL
    return Action("r", min(amount + state.round_start, *state.gamedef.stacks))


def question_of(decision: Decision) -> Question:
    """Returns the question about a graded decision.

    :raises InputError: if the decision has no values, or is damaged.
    """
    place = place_of(decision)
    try:
        state = place.state
        choices: dict[str, Choice] = {}
        for name, (ev, often) in decision.actions.items():
            text = action_text(action_of(name, state), state)
            chips, before = ev * place.big_blind, choices.get(text)
            choices[text] = (
                Choice(text, chips, often, (decision.error_bb or 0.0) * place.big_blind)
                if before is None
                else replace(before, frequency=before.frequency + often)
            )
        combo = combo_index(*parse_cards(decision.cards))
    except (MatchStateError, ValueError) as error:
        raise InputError(f"hand {decision.hand} of {decision.source} is damaged: {error}") from error
    solved = "" if decision.target_pct is None else f", solved to {decision.target_pct:.2g} % of the pot"
    made = question_at(
        place,
        combo,
        tuple(choices.values()),
        title=f"{decision.player}, hand {decision.hand} of {decision.source}, against {decision.opponent}",
        values=f"{decision.source_of_values}{solved}",
        key=f"{decision.source}:{decision.line}:{decision.ordinal}",
    )
    loss = decision.loss_bb
    return replace(
        made,
        played=decision.action + (f" ({decision.size_pct:.0f} % of the pot)" if decision.size_pct is not None else ""),
        played_loss=None if loss is None else loss * place.big_blind,
    )


def by_saving(decisions: list[Decision]) -> list[Decision]:
    """Returns decisions in the order in which they are drilled.

    First comes the kind of decisions that loses most altogether: how often it comes times its mean loss.
    """
    lost: dict[str, float] = defaultdict(float)
    for decision in decisions:
        lost[kinds_of(decision)[0]] += decision.loss_bb or 0.0
    return sorted(decisions, key=lambda d: (-lost[kinds_of(d)[0]], -(d.loss_bb or 0.0), d.source, d.line, d.ordinal))


class StoreSource:
    """Asks about the faults in a store of graded hands."""

    def __init__(self, folder: Path, options: SourceOptions) -> None:
        """
        :raises InputError: if the store is damaged, or has no fault of the kind that is asked for.
        """
        graded, digest = read_store(folder)
        self._folder = folder
        self._options = options
        self._graded = graded
        self.identity = f"store {digest[:16]} {options.kind}"
        self.title = f"{graded.options.player}, {real_path(folder).name}"
        self._solver: PlaceSolver | None = None
        faults = [
            decision
            for decision in graded.decisions()
            if decision.verdict in ACCUSED
            and decision.actions
            and (not options.streets or STREETS.index(decision.street) in options.streets)
            and is_at(decision, options.spot)
        ]
        if not faults:
            raise InputError("no graded decision of this kind is a fault: nothing to drill", source=str(folder))
        self.faults = by_saving(faults)
        """The decisions that are asked about, in order."""

    def questions(self, random: random.Random) -> Iterator[Question]:
        """Yields the questions."""
        if self._options.kind == "same":
            yield from map(question_of, self.faults)
            return
        wanted = [decision for decision in self.faults if decision.board and len(parse_cards(decision.board)) > 3]
        if not wanted:
            raise InputError("other hands and boards are solved on turn and river: no fault is there")
        tried = 0
        while True:
            for decision in wanted:
                made = self._another(decision, random)
                tried = tried + 1 if made is None else 0
                if made is not None:
                    yield made
                elif tried > MOST_TRIES:
                    return

    def _another(self, decision: Decision, random: random.Random) -> Question | None:
        """Returns a question with another hand or board; None if the one that was drawn makes none."""
        place = place_of(decision)
        if self._options.kind == "boards":
            board = random.sample(range(52), len(place.cards))
            place = replace(place, board=format_cards(board))
        try:
            solved = self._solve(place)
        except SpotError:
            return None
        combo = draw_combo(solved.weights(), place.cards, random)
        if combo is None:
            return None
        choices = solved.choices(place.state, combo)
        if not choices:
            return None
        what = "another hand" if self._options.kind == "hands" else "another board"
        title = f"{what} at hand {decision.hand} of {decision.source}"
        return question_at(place, combo, choices, title=title, values=solved.text)

    def _solve(self, place: Place) -> SolvedPlace:
        if self._solver is None:
            self._solver = PlaceSolver(our_packs(self._options.packs, place.state.gamedef))
        return self._solver.solve(place)

    def has_grid(self, question: Question) -> bool:
        """Tells whether a question has a grid. The store has none of the cheaper faults before the flop."""
        return self._options.kind != "same" or self._kept_grid(question) is not None

    def _kept_grid(self, question: Question) -> Decision | None:
        """Returns the decision of a question if the store has its grid."""
        return next((d for d in self.faults if d.grid and f"{d.source}:{d.line}:{d.ordinal}" == question.key), None)

    def grid(self, question: Question) -> Grid | None:
        """Returns the grid of a question: that of the store, or of its solve."""
        if self._options.kind != "same":
            place = Place(**question.place)
            return self._solve(place).grid(place.state)
        found = self._kept_grid(question)
        if found is None:
            return None
        cells = tuple(None if cell[0] is None else (float(cell[0]),) for cell in found.grid)
        return Grid(f"BB that {question.played} loses", ("loss",), False, cells)
