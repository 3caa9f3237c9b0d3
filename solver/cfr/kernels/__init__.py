"""Compiled loops of counterfactual regret minimisation, from SIMD vectors up to passes over a whole game.

``_board_kernels`` draws the memory layouts and describes a pass.
"""
