"""Scripts that measure our player at the table."""
