"""Commands for a person at the table: play-here and ask."""
