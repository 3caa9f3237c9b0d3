"""Makes the players of limit hold'em from their parsed specifications."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hedgehog.agent.limit.line_bias import read_any_bias
from hedgehog.agent.limit.mapped_strategy import MappedAnswer, MappedStrategy
from hedgehog.agent.limit.nearest import Way
from hedgehog.agent.limit.options import LimitOptions
from hedgehog.agent.limit.three_player import LimitMappingPlayer, ObservingMappingPlayer
from hedgehog.agent.limit.two_player import open_trained_strategy, open_two_player_table
from hedgehog.agent.player import Player, observes


def make_limit_player(
    options: LimitOptions,
    base: Player | None,
    name: str,
    *,
    on_mapping: Callable[[MappedAnswer], None] | None = None,
) -> LimitMappingPlayer:
    """Returns a player that carries a two-player strategy to the three-player table.

    :param base: the player for decisions that the strategy does not answer; None if it answers all.
    :param name: name of the player.
    :param on_mapping: called with every mapping of a decision; None: nobody listens.
    :raises InputError: if the file with the bias cannot be read.
    """

    def open_strategy() -> MappedStrategy:
        return MappedStrategy(
            Way[options.way.upper()],
            open_two_player_table(Path(options.pack) if options.pack else None),
            nearest=options.nearest,
            by_distance=options.by_distance,
            on_mapping=on_mapping,
        )

    made = ObservingMappingPlayer if base is not None and observes(base) else LimitMappingPlayer
    return made(
        open_strategy,
        mode=options.mode,
        base=base,
        bias=read_any_bias(Path(options.bias)) if options.bias else None,
        argmax=options.argmax,
        name=name,
        open_trained=lambda: open_trained_strategy(Path(options.pack) if options.pack else None),
    )
