"""Graded hands that nothing was solved for, and logs to be graded."""

from __future__ import annotations

from pathlib import Path

from hedgehog.analysis.grading.decision import Decision
from hedgehog.analysis.grading.hand import GradedHand
from hedgehog.analysis.grading.options import verdict_of
from hedgehog.analysis.grading.terms import Terms

POT = 10.0
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


def graded_hand(number: int, facing: str, loss: float, baseline: float) -> GradedHand:
    """Returns a hand with one river decision in a pot of 10 big blinds."""
    decision = Decision(
        source="a.log",
        line=number + 1,
        hand=number,
        player="alice",
        opponent="bob",
        position="BB",
        street="river",
        ordinal=0,
        betting="cc/cc/cc/",
        board="QhJh2c7d5s",
        cards="AhKd",
        pot_bb=POT,
        stack_bb=195.0,
        to_call_bb=0.0,
        pot_type="limped",
        role="none",
        facing=facing,
        hand_kind="high card",
        action="check",
        size_pct=None,
        verdict=verdict_of(loss, 0.01, POT),
        best_action="B500",
        loss_bb=loss,
        error_bb=0.01,
        loss_pct_pot=100 * loss / POT,
        versus_bb=baseline - loss,
        baseline_bb=baseline,
        freq=0.5,
        best_freq=0.5,
        ev_best_bb=5.0,
        ev_taken_bb=5.0 - loss,
        share=1.0,
        source_of_values="river",
        target_pct=0.03,
        actions={"X": (5.0 - loss, 0.5), "B500": (5.0, 0.5)},
        grid=[[0.1, 0.5]] * 168 + [[None, None]],
    )
    terms = Terms(result=1.0 - loss, ungraded=0.5, luck_opponent=0.5, losses=loss)
    return GradedHand("a.log", number + 1, number, "bob", 0, known=True, terms=terms, decisions=[decision])


def write_log(folder: Path, lines: list[str], stack: int = 20000, name: str = "a.log") -> Path:
    """Writes an ACPC log with its game of blinds 50/100 and returns its path."""
    (folder / "game.game").write_text(GAME.format(stack=stack))
    path = folder / name
    path.write_text("\n".join([f"# name/game/hands/seed m {folder / 'game.game'} {len(lines)} 1", *lines, ""]))
    return path
