"""Strategies that come from somewhere else, such as another solver, and how far they are from an equilibrium."""
