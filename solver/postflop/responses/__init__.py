"""Answers to a model of the opponent, guarded against its being wrong, and to lines that nobody takes."""
