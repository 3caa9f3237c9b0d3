"""The EV of every action before the flop, for every hand class, against a blueprint as the opponent."""
