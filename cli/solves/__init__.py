"""Commands about spots: solve, query, simulate."""
