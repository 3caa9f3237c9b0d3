"""The head that all JSON documents of Hedgehog have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def json_document(
    kind: str,
    *,
    version: int = 1,
    game: str | None = None,
    seed: int | None = None,
    players: Sequence[str] | None = None,
    **content: object,
) -> dict[str, Any]:
    """Returns the content of a JSON output under the head that all of them have.

    :param kind: what it is; ``format`` becomes ``hedgehog.KIND``.
    :param version: of this format; it grows when a reader must change.
    :param game: the game definition's name, or the spot's.
    :param seed: of all randomness in it; None: there is none.
    :param players: names, in the order of all lists that have one value per player.
    """
    head = {"format": f"hedgehog.{kind}", "version": version, "game": game, "seed": seed}
    return {**head, "players": list(players) if players is not None else None, **content}
