"""What the decisions of a hand cost, right after it was played, or while it is replayed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hedgehog.agent.pack_player import PackPlayer
from hedgehog.analysis.drills.store_source import action_of, place_of
from hedgehog.analysis.grading.decision import Decision
from hedgehog.analysis.grading.hand import GradedHand, HandToGrade
from hedgehog.analysis.grading.options import GradeOptions
from hedgehog.analysis.grading.parts import grader_of
from hedgehog.analysis.histories.hand_words import action_text
from hedgehog.analysis.histories.left_out import LeftOutError
from hedgehog.analysis.histories.real_hands import game_objection
from hedgehog.poker.acpc.handlog import LoggedHand
from hedgehog.runtime.errors import InputError

DEPTH = "quick"


class PlayedHandGrader:
    """Grades single hands against our player, as ``hedgehog grade --depth quick`` does.

    :param packs: packs, or a folder of packs, of our player; None: the shipped ones.
    :param player: our player as it sits at the table. Then its ranges are those of the solves that it made there.
    :raises PackError: if there is no blueprint, or a pack is damaged.
    """

    def __init__(self, packs: Path | None = None, player: PackPlayer | None = None) -> None:
        self._grader = grader_of(GradeOptions("", DEPTH, packs=packs), player)

    def grade(self, hand: LoggedHand, position: int) -> GradedHand:
        """Returns a finished hand with the decisions of a position graded.

        :param hand: the cards of the other player may be missing, ``()``.
        :raises InputError: if the hand is of a game that is not graded, or of stacks for which there are no packs.
        """
        gamedef = hand.state.gamedef
        objection = "a limit game" if gamedef.is_holdem and not gamedef.no_limit else game_objection(gamedef)
        if objection is not None:
            raise InputError(f"not graded: {objection}")
        given = HandToGrade("", 1, hand, gamedef.big_blind, position)
        names = hand.names.split("|")
        try:
            self._grader.verify_depth(given)
        except LeftOutError as error:
            raise InputError(f"not graded: {error}") from None
        return self._grader.grade(given, names[position], names[1 - position])


def grade_lines(hand: GradedHand) -> Iterator[str]:
    """Yields a line per decision: what it lost, what was best, and what solved it; and why others are not graded."""
    for decision in hand.decisions:
        start = f"{decision.street.capitalize()}, {decision.action}"
        if decision.graded:
            yield f"{start}: {loss_text(decision)}"
        else:
            yield f"{start}: not graded, {decision.reason}"


def loss_text(decision: Decision) -> str:
    """Returns what a graded decision lost, what was best, and what solved it."""
    loss, error, pct = decision.loss_bb or 0.0, decision.error_bb or 0.0, decision.loss_pct_pot or 0.0
    solved = "" if decision.target_pct is None else f", solved to {decision.target_pct:.2g} % of the pot"
    better = "" if pct <= 0.1 else f", best was {best_text(decision)}"
    return (
        f"{decision.verdict}, loses {loss:.2f} ± {error:.2f} BB ({pct:.1f} % of the pot){better}"
        f" ({decision.source_of_values}{solved})"
    )


def best_text(decision: Decision) -> str:
    """Returns the best action in words, with street totals in chips."""
    state = place_of(decision).state
    return action_text(action_of(decision.best_action, state), state)
