"""The policies of the DIVAT baseline: when it bets, raises, calls and folds. A YAML file can change them.

The default values are the published ones (Billings and Kan, A tool for the direct assessment of poker decisions, ICGA
Journal 2006).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from hedgehog.poker.streets import STREETS
from hedgehog.runtime.config_file import read_config
from hedgehog.runtime.errors import InputError

_BETS: Final = 4


@dataclass(frozen=True, slots=True)
class StreetPolicy:
    """The policies of the baseline on one street."""

    fold_offset: float
    """What is added to the pot odds: a hand folds if its seven-card hand rank is below the sum."""
    make: tuple[float, float, float, float]
    """Effective hand rank from which a hand is worth one, two, three and four bets."""


@dataclass(frozen=True, slots=True)
class DivatSettings:
    """The policies of the baseline."""

    streets: tuple[StreetPolicy, StreetPolicy, StreetPolicy, StreetPolicy]
    """Policies from preflop to river."""
    preflop_level: int = 1
    """Number of bets that the big blind counts as before the flop: 1 or 0."""


_EARLY: Final = (0.58, 0.825, 0.93, 0.965)
PUBLISHED: Final = DivatSettings(
    (
        StreetPolicy(0.0, _EARLY),
        StreetPolicy(0.075, _EARLY),
        StreetPolicy(0.1, _EARLY),
        StreetPolicy(0.0, (0.64, 0.85, 0.94, 0.97)),
    )
)
"""The published settings."""


def _as_number(value: object) -> object:
    """Converts the text of a YAML value, for pydantic's strict literal types."""
    return int(value) if isinstance(value, str) and value in ("0", "1") else value


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _StreetConfig(_Model):
    fold_offset: float = Field(ge=-1, le=1, allow_inf_nan=False)
    make: list[Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)]] = Field(min_length=_BETS, max_length=_BETS)


class _DivatConfig(_Model):
    preflop: _StreetConfig | None = None
    flop: _StreetConfig | None = None
    turn: _StreetConfig | None = None
    river: _StreetConfig | None = None
    preflop_level: Annotated[Literal[0, 1], BeforeValidator(_as_number)] = 1


def read_divat_settings(path: str | Path) -> DivatSettings:
    """Returns the settings of a YAML file. Streets that the file leaves out keep the published policies.

    :raises InputError: with the line, if the file cannot be read or is malformed.
    """
    config = read_config(path, _DivatConfig, InputError, "judging settings")
    policies = []
    for street, published in zip(STREETS, PUBLISHED.streets, strict=True):
        given: _StreetConfig | None = getattr(config.model, street)
        if given is None:
            policies.append(published)
            continue
        if any(low > high for low, high in pairwise(given.make)):
            raise config.fail((street, "make"), f"'{street}.make': expected ascending numbers, got {given.make}")
        one, two, three, four = given.make
        policies.append(StreetPolicy(given.fold_offset, (one, two, three, four)))
    preflop, flop, turn, river = policies
    return DivatSettings((preflop, flop, turn, river), config.model.preflop_level)
