"""The histories of limit games, counted in two ways that build none of them."""

from __future__ import annotations

from hedgehog.poker.limit_betting import LimitTree


def count_paths(tree: LimitTree) -> list[int]:
    """Returns the number of histories that lead to decisions of each street, preflop to river.

    In a tree that is not merged this is the number of decisions.
    """
    ways = [0] * len(tree.street)
    ways[0] = 1
    totals = [0] * tree.gamedef.num_rounds
    for node in range(tree.num_decisions):  # a decision has a lower number than those that follow it
        totals[tree.street[node]] += ways[node]
        for child in tree.child[node]:
            if child >= 0:
                ways[child] += ways[node]
    return totals


def count_histories(
    num_players: int, caps: tuple[int, ...] = (3, 4, 4, 4), *, free_folds: bool = False, min_street_length: int = 0
) -> int:
    """Returns the number of histories of a limit game by counting alone, without building a tree.

    :param num_players: number of players at the start; the big blind acts last preflop.
    :param caps: most raises on each street.
    :param free_folds: whether a player may also fold where checking is free.
    :param min_street_length: least number of actions on a street that two players start. With 3 and ``free_folds``,
        12,827,520 three-player histories result, a figure that was published in error.
    """

    def street(players: int, cap: int, preflop: bool) -> tuple[int, dict[int, int]]:
        """Returns the number of decisions of one street, and of its ends by the number of players left."""
        shortest = min_street_length if players == 2 else 0
        closed: dict[int, int] = {}
        decisions = 0
        todo = [(players, players, 0, 0)]
        while todo:
            left, pending, raises, length = todo.pop()
            if left == 1:
                continue
            if pending <= 0 and length >= shortest:
                closed[left] = closed.get(left, 0) + 1
                continue
            decisions += 1
            facing = raises > 0 or (preflop and pending > 1)
            todo.append((left, pending - 1, raises, length + 1))
            if facing or free_folds:
                todo.append((left - 1, pending - 1, raises, length + 1))
            if raises < cap:
                todo.append((left, left - 1, raises + 1, length + 1))
        return decisions, closed

    total, starts = 0, {num_players: 1}
    for number, cap in enumerate(caps):
        following: dict[int, int] = {}
        for players, ways in starts.items():
            decisions, closed = street(players, cap, number == 0)
            total += ways * decisions
            for left, count in closed.items():
                following[left] = following.get(left, 0) + ways * count
        starts = following
    return total
