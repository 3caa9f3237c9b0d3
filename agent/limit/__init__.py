"""Players of limit hold'em that play trained strategies."""
