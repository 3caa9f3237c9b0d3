"""The configuration of card buckets: how many each street has, and which features of hands they are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from hedgehog.poker.hand_classes import NUM_HAND_CLASSES
from hedgehog.runtime.errors import InputError

MAX_FLOP_BUCKETS: Final = 254
"""Most flop buckets: as many as fit into a byte beside the value for blocked combos."""
MAX_BUCKETS: Final = 4_000
"""Most buckets of turn and river."""
TURN_FEATURES: Final = ("distribution", "potential")
"""``distribution``: the distribution of river equity, in equal steps of equity. ``potential``: the quantiles of the
cube of river equity, so that draws to strong and to very strong hands are told apart."""
RIVER_FEATURES: Final = ("equity", "ochs", "blockers")
"""``equity``: the equity against a random hand. ``ochs``: beside it, the equity against groups of hole cards
(opponent-cluster hand strength). ``blockers``: beside it, how many of the strongest and the weakest hands on the board
the own cards leave to the opponent."""
_FEATURES: Final = {"turn_features": TURN_FEATURES, "river_features": RIVER_FEATURES}


@dataclass(frozen=True, slots=True)
class CardConfig:
    """The number of buckets of each street, and how they are made.

    :raises InputError: if a value is out of range or unknown.
    """

    flop: int = 200
    turn: int = 200
    river: int = 200
    seed: int = 1
    """Seed of the samples and starting points of k-means."""
    turn_features: str = TURN_FEATURES[0]
    """The kind of turn buckets, one of :data:`TURN_FEATURES`."""
    river_features: str = RIVER_FEATURES[0]
    """The kind of river buckets, one of :data:`RIVER_FEATURES`."""

    def __post_init__(self) -> None:
        for name, limit in (("flop", MAX_FLOP_BUCKETS), ("turn", MAX_BUCKETS), ("river", MAX_BUCKETS)):
            value = getattr(self, name)
            if not isinstance(value, int) or not 1 <= value <= limit:
                raise InputError(f"expected 1 to {limit} {name} buckets, got {value!r}")
        if not isinstance(self.seed, int) or not 0 <= self.seed < 2**63:
            raise InputError(f"expected a seed from 0 to 2^63 - 1, got {self.seed!r}")
        for name, known in _FEATURES.items():
            value = getattr(self, name)
            if value not in known:
                raise InputError(f"unknown {name.replace('_', ' ')} {value!r}, expected {', '.join(known)}")

    @property
    def bucket_counts(self) -> tuple[int, int, int, int]:
        """Number of buckets of each street, preflop to river."""
        return NUM_HAND_CLASSES, self.flop, self.turn, self.river

    def to_dict(self) -> dict[str, int | str]:
        """Returns the configuration as plain data, which :func:`parse_card_config` reads back.

        Features that have their default are left out, as in files that were written before there was a choice.
        """
        known: dict[str, int | str] = asdict(self)
        return {key: value for key, value in known.items() if key not in _FEATURES or value != _FEATURES[key][0]}


def parse_card_config(config: Mapping[str, Any]) -> CardConfig:
    """Returns the card configuration of a mapping with the fields of :class:`CardConfig`.

    :raises InputError: if a key is unknown or a value is out of range.
    """
    known = [field.name for field in fields(CardConfig)]
    unknown = sorted(set(config) - set(known))
    if unknown:
        raise InputError(f"unknown card abstraction key {unknown[0]!r}, expected {', '.join(known)}")
    return CardConfig(**config)
