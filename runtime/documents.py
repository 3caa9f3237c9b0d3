"""The keys that every JSON document of Hedgehog starts with."""

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
    """Returns a JSON document: ``content`` behind the keys that every JSON document of Hedgehog starts with.

    :param kind: what the document holds; its key ``format`` becomes ``hedgehog.KIND``.
    :param version: version of this format; it grows when a program that reads the format must change.
    :param game: name of the game definition or of the spot.
    :param seed: seed of all random numbers behind the content; None: nothing in it is random.
    :param players: names of the players, in the order of all lists with one value per player.
    """
    head = {"format": f"hedgehog.{kind}", "version": version, "game": game, "seed": seed}
    return {**head, "players": list(players) if players is not None else None, **content}


def verify_distinct_names(names: Sequence[str]) -> None:
    """Verifies that the columns of a table, or the tables of a document, have names of their own.

    :raises ValueError: if a name stands twice: in JSON one of the two would be lost.
    """
    if len(set(names)) < len(names):
        raise ValueError(f"expected names that differ, got {', '.join(names)}")
