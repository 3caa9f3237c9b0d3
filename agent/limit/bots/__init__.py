"""Simple limit bots that simulate run-outs and count pot odds."""
