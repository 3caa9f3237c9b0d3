"""Small commands: eval, equity, lbr, endgame, audit, completion."""
