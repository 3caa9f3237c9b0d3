"""OpenSpiel's information set Monte Carlo tree search as a player: ``openspiel:ismcts.py:search``.

For decks of four suits: in others OpenSpiel 2.0.2 draws unknown cards wrongly, and the search fails.
"""

import pyspiel

SIMULATIONS = 50


def search(game, player):
    """Returns the bot that plays one position; Hedgehog calls the function once for each of them."""
    evaluator = pyspiel.RandomRolloutEvaluator(1, player)
    visits = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
    return pyspiel.ISMCTSBot(player, evaluator, 2.0, SIMULATIONS, -1, visits, False, False)
