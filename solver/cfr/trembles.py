"""Quantal trembles: the opponent of whoever learns now and then takes any action, the cheap ones most often.

CFR learns nothing where the opponent never goes: the answer to an action that no hand takes is what the first
iterations left. So the opponent *trembles* at every decision. With a small probability, the *share*, a hand chooses
among all actions with weights ``exp(-loss / temperature)``, computed as ``(1 - loss / (256 temperature)) ^ 256``. The
loss of an action is what it costs the hand against its best action, in chips, given that play has come there; it is the
mean over the iterations so far, in which iteration t counts t times. Costly actions are rare, and the hands that lose
least by an action are the ones that come with it.

Only the learner sees the trembles. The strategies that are learnt, averaged and reported have none, and values and best
responses are those of the plain game.

Uniform trembles are those of extensive-form perfect equilibria (Farina, Kroer and Sandholm 2017, Regret minimization in
behaviorally-constrained zero-sum games); weights by loss are those of quantal response (McKelvey and Palfrey 1998,
Quantal response equilibria for extensive form games).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tremble:
    """How opponents tremble."""

    share: float
    """Probability of a tremble at every decision, above 0 and below 1."""
    temperature: float
    """Chips of loss that divide the weight of an action by e, above 0."""
