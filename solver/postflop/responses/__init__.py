"""Answers to a model of the opponent, with a guard against the model's being wrong."""
