"""What the process of the replayer does: it grades the hand that is looked at."""

from __future__ import annotations

from functools import cache
from typing import Any

from hedgehog.analysis.drills.played_hand import PlayedHandGrader, best_text, loss_text
from hedgehog.poker.acpc.handlog import LoggedHand
from hedgehog.runtime.documents import finite

_grader = cache(PlayedHandGrader)


def grade(hand: LoggedHand) -> dict[str, Any]:
    """Returns the grades of the decisions of both players, in the order in which each decided.

    :raises InputError: if the hand is of a game that is not graded; also PackError.
    """
    names = hand.names.split("|")
    players = []
    for position in range(len(names)):
        graded = _grader().grade(hand, position)
        decisions = [
            {
                "street": each.street,
                "action": each.action,
                "graded": each.graded,
                "reason": each.reason,
                "verdict": each.verdict,
                "loss_bb": each.loss_bb if each.graded else None,
                "loss_pct": each.loss_pct_pot if each.graded else None,
                "best": best_text(each) if each.graded else "",
                "text": loss_text(each) if each.graded else f"not graded, {each.reason}",
            }
            for each in graded.decisions
        ]
        players.append({"position": position, "name": names[position], "decisions": decisions})
    found: dict[str, Any] = finite({"players": players})
    return found
