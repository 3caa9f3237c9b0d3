"""The lines of ``add_line``: one number for each action, all chips that its player has put in since the root.

Checks and calls have numbers too: a check repeats the player's total, a call matches the other player's. Cards have
none. ``0 50 50 0`` is no line: after the call of 50 on the first street both players have put in 50.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hedgehog.runtime.errors import InputError

Line = tuple[int, ...]


def line_tokens(numbers: Sequence[int], street: int, stack: int) -> list[str]:
    """Returns the action tokens ``X C B<n> R<n> A<n>`` of a line, with street totals.

    Whether a raise is large enough is for the tree to say (:mod:`hedgehog.solver.postflop.tree`).

    :param numbers: chips that the acting player has put in since the root after each action.
    :param street: street of the root, 1 flop to 3 river.
    :param stack: chips that each player has at the root.
    :raises InputError: if a number is no action where it stands.
    """
    tokens: list[str] = []
    put_in = [0, 0]
    start, player, checked = 0, 0, False
    for place, total in enumerate(numbers, 1):
        mine, theirs = put_in[player], put_in[1 - player]
        if street > 3 or start >= stack:
            raise InputError(f"number {place} of the line, {total}: no player acts any more")
        if total > stack:
            raise InputError(f"number {place} of the line, {total}: the stack is {stack}")
        if total < theirs:
            expected = f"{theirs} to call or more to raise" if theirs > mine else f"{mine} to check or more to bet"
            raise InputError(f"number {place} of the line, {total}: incorrect bet size, expected {expected}")
        put_in[player] = total
        ends = False
        if total == theirs:
            ends = theirs > mine or checked
            tokens.append("C" if theirs > mine else "X")
            checked = True
        else:
            letter = "A" if total == stack else "R" if theirs > start else "B"
            tokens.append(f"{letter}{total - start}")
        player = 1 - player
        if ends:
            street, start, player, checked = street + 1, total, 0, False
    return tokens


def remove_line(lines: Iterable[Line], removed: Line) -> list[Line]:
    """Returns the lines without the last action of a line and all that follows it.

    :raises InputError: if no line begins with it.
    """
    kept: dict[Line, None] = {}
    found = False
    for line in lines:
        if line[: len(removed)] == removed:
            found = True
            line = removed[:-1]
        if line:
            kept[line] = None
    if not found:
        raise InputError("no line of add_line begins with these numbers")
    return list(kept)
