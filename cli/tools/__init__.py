"""Small commands: eval, equity, lbr, audit, completion."""
