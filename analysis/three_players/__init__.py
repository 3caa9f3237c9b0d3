"""How far a two-player strategy gets at a three-player table: experiments, mapping statistics and the preflop bias.

>>> from hedgehog.analysis.three_players.experiments import cells
>>> [cell.name for cell in cells("x4")]
['hbb5', 'hbb5 argmax']
"""
