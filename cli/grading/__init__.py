"""The command that grades a player's decisions."""
