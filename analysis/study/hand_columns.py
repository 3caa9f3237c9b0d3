"""The columns of hands that are read one by one."""

from __future__ import annotations

from typing import Any

from hedgehog.analysis.histories.action_kinds import RAISE
from hedgehog.analysis.histories.hand_files import formats
from hedgehog.analysis.histories.real_hands import ROUNDS, RealHand, play, verify_net
from hedgehog.analysis.study._ingest_kernels import UNKNOWN_CARD
from hedgehog.analysis.study.batches import CARDS, RAISES


def columns(
    hand: RealHand, key: int, file: int, line: int, file_format: str, players: tuple[int, int]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Returns the columns of a hand, without ``num_actions``, and those of its actions.

    :param key: hash that all copies of the hand share, not 0.
    :param file: number of the file.
    :param line: number of the line on which the hand starts, from 1.
    :param file_format: one of :func:`~hedgehog.analysis.histories.hand_files.formats`.
    :param players: numbers of the players.
    :raises LogError: if the hand is not possible.
    """
    played = play(hand)
    verify_net(hand, played)
    raises = [0] * ROUNDS
    for row in played.rows:
        raises[row["round"]] += row["kind"] == RAISE
    cards = [UNKNOWN_CARD] * CARDS
    for start, known in ((0, hand.hole_cards[0]), (2, hand.hole_cards[1]), (4, hand.board)):
        cards[start : start + len(known)] = known
    return {
        "key": key,
        "hand": hand.hand,
        "file": file,
        "line": line,
        "format": formats().index(file_format),
        "player_bb": players[0],
        "player_sb": players[1],
        "big_blind": hand.blinds[0],
        "small_blind": hand.blinds[1],
        "dead": sum(hand.dead),
        "stack_bb": hand.stacks[0],
        "stack_sb": hand.stacks[1],
        "net_bb": hand.net[0],
        "net_sb": hand.net[1],
        "rounds": 1 + max((row["round"] for row in played.rows), default=-1),
        **dict(zip(RAISES, raises, strict=True)),
        "showdown": played.folded < 0,
        "cards": cards,
    }, played.rows
