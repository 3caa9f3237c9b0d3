"""Says in words and as values for JSON where the answer of a limit player comes from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

from hedgehog.agent.limit.explanation import AskedCandidate, LimitExplanation, OpponentAnswer
from hedgehog.agent.limit.mapped_strategy import Triple
from hedgehog.analysis.histories.hand_words import position_names
from hedgehog.poker.acpc.gamedef import GameDef

STEPS: Final = (
    "candidates that the two-player strategy reaches",
    "the answer for the other opponent, because no candidate is reached",
    "the next class of pots or pot odds, because no candidate of the nearest is reached",
    "all candidates of the street, because no class has one that is reached",
    "the nearest candidate, though it is not reached",
)
"""What each step of :mod:`hedgehog.agent.limit.mapped_strategy` means."""
_SHOWN: Final = 5


def limit_reasons(found: LimitExplanation, gamedef: GameDef) -> Iterator[str]:
    """Yields sentences on the decisions that answered, those passed over, and the distance to the trained strategy."""
    if found.source != "mapping":
        row = "" if found.bucket is None else f", bucket {found.bucket}"
        unreached = ", which the strategy itself hardly ever reaches" if found.reached is False else ""
        at = "" if found.history is None else f": decision {found.history or '(no action yet)'}{row}{unreached}"
        yield f"Answer of {'the ' if 'strategy' in found.source else ''}{found.source}{at}."
    for one in found.opponents:
        yield from _opponent(one, position_names(gamedef)[one.opponent])
    if found.trained is not None:
        assert found.distance is not None
        yield (
            f"The strategy trained for three players: {triple_text(found.trained)}; distance "
            f"{100 * found.distance:.1f} % of the probability."
        )


def _opponent(one: OpponentAnswer, name: str) -> Iterator[str]:
    yield (
        f"Against the {name}: {one.candidates:,} candidates, {one.unreached:,} of them unreached (NaN); answered by "
        f"{STEPS[one.step]}."
    )
    for candidate in one.used[:_SHOWN]:
        yield f"  {_text(candidate)}, weight {100 * candidate.weight:.1f} %: {triple_text(candidate.triple)}"
    if len(one.used) > _SHOWN:
        yield f"  and {len(one.used) - _SHOWN:,} more"
    if one.passed_over:
        shown = "; ".join(map(_text, one.passed_over[:_SHOWN]))
        more = f"; and {len(one.passed_over) - _SHOWN:,} more" if len(one.passed_over) > _SHOWN else ""
        yield f"  passed over as unreached: {shown}{more}"


def _text(candidate: AskedCandidate) -> str:
    return f"{candidate.history or '(no action yet)'} from the {candidate.seat}, distance {candidate.distance}"


def triple_text(triple: Triple) -> str:
    """Returns probabilities in percent: ``fold 3.1 %, call 80.0 %, raise 16.9 %``."""
    return ", ".join(f"{name} {100 * p:.1f} %" for name, p in zip(("fold", "call", "raise"), triple, strict=True))


def limit_values(found: LimitExplanation | None) -> dict[str, Any] | None:
    """Returns an explanation as JSON-serialisable values; named tuples become objects."""
    if found is None:
        return None
    return {
        **asdict(found),
        "opponents": [
            {
                **one._asdict(),
                "used": [candidate._asdict() for candidate in one.used],
                "passed_over": [candidate._asdict() for candidate in one.passed_over],
            }
            for one in found.opponents
        ],
        "distance": found.distance,
    }
