"""AIVAT at a table of more than two players: the average over one player's hands, given the cards of all others.

The source is that of :mod:`hedgehog.analysis.aivat.definition`. *State* means public events and the cards of all other
players. Each player is scored alone, with the average over the hands that it could hold if its strategy is known, else
with the hand that it held. Luck is removed at every deal, and at every action of a player whose strategy is known: its
own, and those of the others, whose cards are known. The mean of every term is 0, whatever the values are.
"""

from __future__ import annotations

from hedgehog.analysis.aivat.definition import Array, HandAverage


class TableAverage(HandAverage):
    """Computes the AIVAT value of one hand for one of several players.

    :meth:`deal_opponent` corrects for the hands that all other players were dealt.
    """

    def other_action(self, probabilities: Array, values: Array, taken: int) -> None:
        """Corrects for an action of another player whose strategy is known. The weights of the hands stay.

        :param probabilities: (actions,) probability of each action with the cards that this player holds.
        :param values: (actions, H) value after each action with every hand of the player who is scored.
        :param taken: index of the action that was taken.
        """
        by_action = values @ self.weights
        self.correction += float(probabilities @ by_action) - float(by_action[taken])
