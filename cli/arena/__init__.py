"""Commands that play: match, tournament, dealer, play."""
