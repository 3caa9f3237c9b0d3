"""The kinds of decisions, and the choice of decisions by words of their kind, such as ``river BB 3-bet``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hedgehog.analysis.grading.decision import Decision
from hedgehog.analysis.grading.reasons import HIDDEN, OTHER_SPOT
from hedgehog.analysis.grading.terms import Terms
from hedgehog.runtime.errors import InputError


def places_of(decision: Decision) -> tuple[str, str]:
    """Returns where a decision was made: in full, and by street and by what the player faced alone."""
    d = decision
    roles = () if d.role == "none" else (d.role,)
    return ", ".join((d.street, d.position, d.pot_type, *roles, d.facing)), f"{d.street}, {d.facing}"


def kinds_of(decision: Decision) -> tuple[str, ...]:
    """Returns the kinds that a decision belongs to: each of its places alone, and its action there."""
    return tuple(kind for place in places_of(decision) for kind in (place, f"{place}: {decision.action}"))


def is_at(decision: Decision, spot: str) -> bool:
    """Tells whether all words of a text stand in the kind of a decision, its action included.

    :param spot: words such as ``river BB 3-bet``, in capitals or not; every decision has none.
    """
    kind = kinds_of(decision)[1].lower()
    return all(word in kind for word in spot.lower().split())


def verify_spot(decisions: Iterable[Decision], spot: str) -> None:
    """Checks that some decision is at a spot.

    :raises InputError: if none is; the message has a kind as an example. No decisions are in order.
    """
    kind = ""
    for decision in decisions:
        kind = kinds_of(decision)[1]
        if is_at(decision, spot):
            return
    if kind:
        raise InputError(f"no decision is at such a spot: {spot!r}; a kind reads {kind!r}", source="--spot")


def at_spot(decisions: Sequence[Decision], terms: Terms, spot: str) -> list[Decision]:
    """Returns the decisions of a hand, of which those at other spots are not graded.

    :param terms: the terms of the hand; what other decisions lost is no loss any more, but *not graded*.
    :param spot: as for :func:`is_at`.
    """
    found = []
    for decision in decisions:
        if is_at(decision, spot) or decision.reason == HIDDEN:
            found.append(decision)
            continue
        if decision.graded:
            lost = decision.loss_bb or 0.0
            terms.losses -= lost
            terms.ungraded -= lost
        other = replace(decision)
        other.forget()
        other.reason = OTHER_SPOT
        found.append(other)
    return found
