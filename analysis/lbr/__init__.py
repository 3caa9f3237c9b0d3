"""Local best response: a lower bound on what a player can lose."""
