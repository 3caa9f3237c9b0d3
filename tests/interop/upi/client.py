"""A client of UPI in this process, and trees for it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from hedgehog.interop.upi.dialogue import Dialogue

END = "END"
RIVER = """\
spot: river
board: Qh Jh 2c 7d 5s
pot: 100
stack: 450
range: {oop: "66+,AJ+,ATs-A8s,KQ,KJs,QTs+,JTs:0.5,65s", ip: "55+,AT+,A9s,KJ+,KTs,QJ,T8s+,AhTh:0.25"}
sizes: {river: {oop: "50%,a / 100%", ip: "50%,100% / a"}}
rake: {rate: 0.05, cap: 10}
"""


class Client:
    """Asks a dialogue, and holds what it says."""

    def __init__(self, *, blank_lines: bool = True) -> None:
        self.said: list[str] = []
        self.dialogue = Dialogue(self.said.append, blank_lines=blank_lines)
        self.ask(f"set_end_string {END}")

    def ask(self, command: str) -> list[str]:
        """Sends a command and returns the lines of its answer, without the end string."""
        self.said.clear()
        assert self.dialogue.answer(command + "\n")
        lines = "".join(self.said).split("\n")
        assert lines[-2:] == [END, ""]
        return lines[:-2]

    def fault(self, command: str) -> str:
        """Sends a command that is refused, and returns the message."""
        (line,) = self.ask(command)
        assert line.startswith("ERROR: ")
        assert "internal fault" not in line
        return line

    def done(self, *commands: str) -> None:
        """Sends commands that are answered ``NAME ok!``."""
        for command in commands:
            assert self.ask(command) == [f"{command.split()[0]} ok!"], command

    def vectors(self, command: str) -> list[list[float]]:
        """Returns the numbers of an answer of vectors; each line ends with a blank."""
        lines = self.ask(command)
        assert all(line.endswith(" ") and len(line.split(" ")) == 1327 for line in lines)
        return [[float(word) for word in line.split()] for line in lines]

    def children(self, node: str) -> list[str]:
        """Returns the ids of the children of a node, in order."""
        lines = self.ask(f"show_children {node}")
        assert not len(lines) % 8
        assert [lines[at] for at in range(0, len(lines), 8)] == [f"child {k}:" for k in range(len(lines) // 8)]
        assert not any(lines[7::8])
        return lines[1::8]

    def decisions(self, node: str = "r:0", cards: int = 2) -> Iterator[tuple[str, str]]:
        """Yields id and player of every decision at or below a node.

        :param cards: number of cards of each deal that are followed.
        """
        _, kind, *_ = self.ask(f"show_node {node}")
        if kind in ("OOP_DEC", "IP_DEC"):
            yield node, kind.removesuffix("_DEC")
        if kind != "END_NODE":
            below = self.children(node)
            for child in below if kind != "SPLIT_NODE" else below[::-1][:cards]:
                yield from self.decisions(child, cards)


def check_sums(client: Client, node: str, player: str, tolerance: float) -> float:
    """Checks the numbers of a decision as a strict client does, and returns the largest fault of a sum.

    The EV of each combo is the mean of the EVs after its actions, by its strategy; each action has one, taken or not.
    A combo with weight has a strategy that sums to 1, others have none. A combo has an EV if it can meet the opponent.
    """
    (weights,) = client.vectors(f"show_range {player} {node}")
    strategy = client.vectors(f"show_strategy {node}")
    values, matchups = client.vectors(f"calc_ev {player} {node}")
    children = client.children(node)
    after = [client.vectors(f"calc_ev {player} {child}")[0] for child in children]
    assert len(strategy) == len(children) >= 1
    board = client.ask(f"show_node {node}")[2].split()
    (names,) = client.ask("show_hand_order")
    worst = 0.0
    for combo, name in enumerate(names.split()):
        assert 0 <= weights[combo] <= (0 if {name[:2], name[2:]} & set(board) else 1)
        assert abs(sum(row[combo] for row in strategy) - (weights[combo] > 0)) < 1e-5
        assert math.isfinite(values[combo]) == (matchups[combo] > 0)
        if matchups[combo] > 0:
            found = [evs[combo] for evs in after]
            assert all(map(math.isfinite, found)), (node, name)
            mean = sum(row[combo] * ev for row, ev in zip(strategy, found, strict=True))
            worst = max(worst, abs(mean - values[combo]))
    assert worst <= tolerance, (node, worst)
    return worst
