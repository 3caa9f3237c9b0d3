"""The laboratories: what forgetting a part of the cards costs.

:mod:`hedgehog.analysis.lab.rows` solves a spot with a hand abstraction and judges the strategies in the real game.

>>> from hedgehog.analysis.lab.rows import look_iterations
>>> look_iterations(400)
[10, 50, 100, 150, 200, 250, 300, 350, 400]
"""
