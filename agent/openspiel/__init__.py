"""OpenSpiel's ``universal_poker`` and its bots, as games and players of ours."""
