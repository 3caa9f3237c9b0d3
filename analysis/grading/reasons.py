"""Why decisions are not graded."""

from __future__ import annotations

from typing import Final

NO_TABLE: Final = "no preflop table"
OTHER_BLINDS: Final = "blinds that the preflop table does not have"
LEFT_TREE: Final = "betting that the preflop table does not have"
NO_FLOP_VALUES: Final = "flop not solved"
NOT_ASKED: Final = "street not asked for"
OTHER_SPOT: Final = "another spot than the one asked for"
OTHER_STACKS: Final = "stacks that the preflop table does not have"
TIME: Final = "time"
NEVER_HERE: Final = "our player never comes here"
NEVER_BEFORE: Final = "our player never plays the streets before like this"
HIDDEN: Final = "cards unknown"
UNHOLDABLE: Final = "a bet that no tree can hold"
CONTRADICTED: Final = "ranges exclude each other"
