"""A player of your own: bets with a pair or better, and gives up otherwise.

Run it as a script, or install it with a package, and ``hedgehog match pairs call --hands 500`` knows it::

    [project.entry-points."hedgehog.players"]
    pairs = "my_package.player:Pairs"
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import hedgehog as hh
from hedgehog.agent.registered import PLAYERS
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.state import CALL, FOLD, Action


class Pairs(hh.Player):
    """Bets half the pot with a pair or better of its own cards, once on each street; folds other hands to bets."""

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        """Returns the action of the seat whose cards are seen."""
        state = matchstate.state
        own = [card // 4 for card in matchstate.hole_cards[matchstate.position] or ()]
        board = [card // 4 for card in matchstate.board]
        limits = state.raise_range()
        paired = len(set(own)) < len(own) or bool(set(own) & set(board))
        if paired and limits is not None and not any(action.kind == "r" for _, action in state.actions[-1]):
            return Action("r", min(max(state.max_spent + sum(state.spent) // 2, limits[0]), limits[1]))
        return CALL if paired or not state.can_fold() else FOLD


if __name__ == "__main__":
    PLAYERS.register("pairs", Pairs)
    with TemporaryDirectory() as folder:
        result = hh.play_match(["pairs", "call"], hands=500, seed=1, out=Path(folder) / "match")
        print(result)
