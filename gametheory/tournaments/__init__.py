"""Tournaments of two and three players that jam or fold: equilibria, charts of one's own, payouts."""
