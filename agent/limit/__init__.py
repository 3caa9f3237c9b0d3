"""Limit hold'em players: trained strategies, and how a two-player strategy is carried to the three-player table.

A *way* carries a decision of the three-player game to decisions of the two-player game, which the two-player strategy
answers. Its names HBB1 to HBB5 are those of the thesis that published the ways.

>>> from hedgehog.agent.limit.street_mapping import map_street
>>> map_street("rfc"), map_street("rcc"), map_street("rrc", players=2)
('rc', 'cc', 'rrc')
"""
