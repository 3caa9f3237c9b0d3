"""Makes LBR logs from ACPC logs by text replacement only, so that they are independent of the code under test."""

from __future__ import annotations

import re

CONFIG = [
    "In config file: GAME_DEF=game_def.fullholdem",
    "In config file: ACTIONS_R0=C",
    "In config file: ACTIONS_R1=F,C,0.05,A",
    "Loading player: some_player.so",
    "Using seed 7.",
]


def lbr_betting(acpc: str) -> str:
    """Returns heads-up betting (big blind 100) with raise totals rewritten as raises by, with a leading 0."""
    bet = 100

    def raise_by(match: re.Match[str]) -> str:
        nonlocal bet
        by, bet = int(match[1]) - bet, int(match[1])
        return f"r{by}"

    return "0" + re.sub(r"(?<=/)(?=/|$)", "cc", re.sub(r"r([0-9]+)", raise_by, acpc))


def lbr_line(acpc_line: str, renamed: dict[str, str] | None = None, imaginary: float | None = None) -> str:
    """Returns the STATE line of a heads-up hand in LBR form."""
    _, hand_id, betting, cards, values, names = acpc_line.split(":")
    hands, slash, board = cards.partition("/")
    first, second = values.split("|")
    players = [(renamed or {}).get(name, name) for name in names.split("|")]
    value = float(first) if imaginary is None else imaginary
    return (
        f"{int(hand_id) + 1}:{','.join(players)}:{lbr_betting(betting)}:{hands.replace('|', ',')}|{slash}{board}"
        f":{first},{'-0' if second == '0' else second}({value:.6f})"
    )


def lbr_log(acpc_log: list[str], renamed: dict[str, str] | None = None) -> list[str]:
    """Returns a whole ACPC log in LBR form; the imaginary values are half the chips won."""
    hands = [line for line in acpc_log if line.startswith("STATE:")]
    lines = [lbr_line(line, renamed, float(line.split(":")[4].split("|")[0]) / 2) for line in hands]
    won = []
    for line in lines:
        names, values = line.split(":")[1], line.split(":")[4].split("(")[0]
        won.append(float(values.split(",")[names.split(",").index("BR")]) if "BR" in names else 0.0)
    n, total, squares = len(won), sum(won), sum(x * x for x in won)
    sums = f"sum={total:.6f}, sum_sq={squares:.6f}, vr_sum={total / 2:.6f}, vr_sum_sq={squares / 4:.6f}"
    totals = f"RAW BR STATS: n={n}, {sums}"
    return [*CONFIG, *lines, totals, "RESULTS", f"1)BR: {total:.0f}"]
