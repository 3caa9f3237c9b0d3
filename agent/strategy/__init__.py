"""What our player plays in every situation: strategies from packs, bet-size translation and live solving.

Everything here is a function of the betting and the board. The player's own cards only select a column of the answer.

>>> import agent, poker
>>> from hedgehog.poker.acpc import load_gamedef
>>> packs = agent.ready_player("default", load_gamedef()).packs_alone
>>> board = tuple(poker.parse_cards("Qs Jh 2h"))
>>> layer, options = packs.options("r250c/r400", board)
>>> layer, [str(action) for action in options.actions], options.probabilities.shape
('quick', ['f', 'c', 'r1200', 'r2800', 'r20000'], (5, 1326))

A bet that the strategy lacks is read as one or both of the nearest bets that it has, with weights.

>>> [(line.betting, round(line.weight, 2)) for line in packs.abstract_lines(packs.place("r250c/r600", board))]
[('r250c/r625', 0.91), ('r250c/r415', 0.09)]
"""
