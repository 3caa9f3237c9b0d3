"""What a fold audit is told, and what it finds on a board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from hedgehog.agent.specs import PlayerSpec
from hedgehog.poker.acpc.gamedef import GameDef


@dataclass(frozen=True, slots=True)
class AuditJob:
    """Whom to audit, and how, whatever the number of boards."""

    spec: PlayerSpec
    """The player."""
    gamedef: GameDef
    seed: int
    """Seed from which the boards are drawn."""
    think_ms: int = 0
    """Milliseconds that our player may think per decision."""


class ProbeBet(NamedTuple):
    """One bet of the prober, whatever the board.

    The fields are those of :class:`hedgehog.analysis.fold_audit.AuditedBet`.
    """

    position: int
    line: str
    bet: str
    is_raise: bool
    street: int


class BetSample(NamedTuple):
    """One bet on one board, and the answer to it."""

    reach: float
    fold: float
    risk: int
    pot: int


BoardSamples = list[tuple[ProbeBet, BetSample]]
"""The bets on a board and the answers to them."""
