"""Logs of a few hands that are graded."""

from __future__ import annotations

from pathlib import Path

GAME = """\
GAMEDEF
nolimit
numPlayers = 2
numRounds = 4
stack = {stack} {stack}
blind = 100 50
firstPlayer = 2 1 1 1
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = 0 3 1 1
END GAMEDEF
"""
RIVERS = [
    "STATE:0:r300c/cc/cc/r400c:AhKd|9s9c/Kh7d2c/5s/3d:-700|700:alice|bob",
    "STATE:1:r300c/cr600c/cc/cr900f:QsJs|AdTd/Ts8c3h/2d/2h:-600|600:alice|bob",
    # A jam of 197 big blinds into 10: our player never makes it.
    "STATE:2:r300c/cc/cc/r700r20000f:Ah3d|Td9d/6h8cJh/7s/As:-1000|1000:alice|bob",
    "STATE:3:r300f:7h2d|9s9c:-100|100:alice|bob",
    "STATE:4:r300c/cr600c/r1200c/r20000c:AcAs|KcKd/Kh7d2c/5s/3d:-20000|20000:bob|alice",
]


def write_log(folder: Path, lines: list[str], stack: int = 20000, name: str = "a.log") -> Path:
    (folder / "game.game").write_text(GAME.format(stack=stack))
    path = folder / name
    path.write_text("\n".join([f"# name/game/hands/seed m {folder / 'game.game'} {len(lines)} 1", *lines, ""]))
    return path
