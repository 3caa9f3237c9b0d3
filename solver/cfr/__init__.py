"""Counterfactual regret minimisation on any two-player card game. Nothing here knows poker."""
