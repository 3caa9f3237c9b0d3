"""Strategies of one's own for a game in extensive form: read from JSON, and rated.

A profile is the document that ``hedgehog game solve --json`` writes, or any JSON object with its key ``strategies``: a
list with an object per information set, ``{"player": "p1", "infoset": "Q", "actions": {"check": 0.25, "bet": 0.75}}``.
For a game in normal form the objects have no ``infoset``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from hedgehog.gametheory.losses import decision_values
from hedgehog.gametheory.normal_games import NormalForm
from hedgehog.gametheory.strategies import Profile, expected_payoffs, realisation_weights
from hedgehog.gametheory.tree import ExtensiveGame, Floats
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import GameError

_TOLERANCE: Final = 1e-3
"""Most by which the probabilities of an information set may miss 1, as rounded numbers do; they are divided by it."""

_ROUNDING: Final = 1e-12
"""Gains below this share of the largest payoff are rounding."""


class InfosetLoss(NamedTuple):
    """What a strategy gives away at one information set, against the other players' strategies of the profile."""

    player: str
    infoset: str
    actions: dict[str, float]
    """Probabilities of the actions in the profile."""
    best: str
    """The best action, if the player goes on in the best way after it."""
    reach: float
    """How often the information set is reached in a play of the profile."""
    loss: float
    """Payoff lost there per play: over all information sets of a player, what its best response gains."""


@dataclass(frozen=True, slots=True)
class ProfileRating:
    """How good the strategies of a profile are against each other."""

    losses: tuple[InfosetLoss, ...]
    """All information sets, the costliest first."""
    document: dict[str, Any]
    """All results, as ``hedgehog game evaluate --json`` writes them."""


def parse_profile(text: str, game: ExtensiveGame, source: str | None = None) -> Profile:
    """Returns the strategies of a JSON document, one array of probabilities per player.

    :param source: name of the file, for messages.
    :raises GameError: if the text is no such document, names what the game does not have, leaves out an information
        set, or has probabilities that do not add up to 1.
    """

    def fail(message: str) -> GameError:
        return GameError(message, source=source)

    entries = _entries(text, fail)
    given: dict[tuple[str, str], dict[str, Any]] = {}
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict) or not isinstance(entry.get("actions"), dict):
            raise fail(f"strategies, entry {number}: expected an object with player, infoset and actions")
        key = (str(entry.get("player")), str(entry.get("infoset")))
        if key in given:
            raise fail(f"the information set {key[1]!r} of {key[0]} stands there twice")
        given[key] = entry["actions"]
    profile = []
    for player, side in zip(game.players, game.sequences, strict=True):
        behaviour = np.ones(side.number)
        for row, number in enumerate(side.infosets):
            infoset = game.infosets[number]
            actions = given.pop((player, infoset.name), None)
            if actions is None:
                raise fail(f"the information set {infoset.name!r} of {player} is missing")
            first = int(side.first[row])
            behaviour[first : first + len(infoset.actions)] = _chances(actions, infoset.actions, infoset.name, fail)
        profile.append(behaviour)
    for player, name in given:
        raise fail(f"the game {game.name} has no information set {name!r} of {player}")
    return tuple(profile)


def _entries(text: str, fail: Callable[[str], GameError]) -> list[Any]:
    """Returns the list of strategies in a JSON document."""
    try:
        root = json.loads(text)
    except (ValueError, RecursionError):
        raise fail("expected strategies as JSON, as hedgehog game solve --json writes them") from None
    entries = root.get("strategies") if isinstance(root, dict) else None
    if not isinstance(entries, list):
        raise fail("expected an object with the key 'strategies', a list, as hedgehog game solve --json writes it")
    return entries


def _chances(actions: dict[str, Any], names: Any, infoset: str, fail: Any) -> Floats:
    for name in actions:
        if name not in names:
            raise fail(f"{infoset!r}: expected the actions {', '.join(names)}, got {name!r}")
    chances = [actions.get(name, 0) for name in names]
    for chance in chances:
        if not isinstance(chance, (int, float)) or not 0 <= chance <= 1:
            raise fail(f"{infoset!r}: expected probabilities from 0 to 1, got {chance!r}")
    total = float(sum(chances))
    if abs(total - 1) > _TOLERANCE:
        raise fail(f"{infoset!r}: expected probabilities that add up to 1, got {total:.6g}")
    return np.array(chances, dtype=np.float64) / total


def rate_profile(game: ExtensiveGame, profile: Profile) -> ProfileRating:
    """Returns payoffs, what best responses gain, and where the strategies give it away.

    Strategies that give nothing away are an equilibrium. In a game of two players whose payoffs have a constant sum all
    equilibria are worth the same; in other games another one may have other payoffs.

    :raises GameError: if the profile does not fit the game.
    """
    payoffs = expected_payoffs(game, profile)
    found = []
    gained = []
    for player, behaviour in enumerate(profile):
        side, values = game.sequences[player], decision_values(game, profile, player)
        weights = realisation_weights(game, player, behaviour)
        lost = weights * np.where(values.reach > 0, values.losses * values.reach, 0.0)
        gained.append(float(lost[1:].sum()))
        for row, number in enumerate(side.infosets):
            infoset = game.infosets[number]
            span = slice(int(side.first[row]), int(side.first[row]) + len(infoset.actions))
            losses = values.losses[span]
            best = infoset.actions[int(np.argmin(losses))] if not np.isnan(losses).any() else ""
            reach = float(weights[side.incoming[row]] * values.reach[span.start])
            actions = dict(zip(infoset.actions, behaviour[span].tolist(), strict=True))
            found.append(
                InfosetLoss(game.players[player], infoset.name, actions, best, reach, max(float(lost[span].sum()), 0.0))
            )
    found.sort(key=lambda one: -one.loss)
    document = json_document(
        "game-rating",
        game=game.name,
        players=game.players,
        payoffs=payoffs.tolist(),
        gains=gained,
        exploitability=float(np.mean(gained)),
        unique_value=len(game.players) == 2 and game.constant_sum() is not None,
        infosets=[one._asdict() for one in found],
    )
    return ProfileRating(tuple(found), document)


def parse_mixtures(text: str, form: NormalForm, source: str | None = None) -> Profile:
    """Returns the mixed strategies of a JSON document for a game in normal form, one array of probabilities per player.

    An entry of ``strategies`` is ``{"player": "p1", "actions": {"rock": 0.5, "paper": 0.5}}``. Actions that it leaves
    out are never taken.

    :param source: name of the file, for messages.
    :raises GameError: as :func:`parse_profile`.
    """

    def fail(message: str) -> GameError:
        return GameError(message, source=source)

    given: dict[str, Floats] = {}
    for number, entry in enumerate(_entries(text, fail), 1):
        if not isinstance(entry, dict) or not isinstance(entry.get("actions"), dict):
            raise fail(f"strategies, entry {number}: expected an object with player and actions")
        player = str(entry.get("player"))
        if player not in form.players or "infoset" in entry:
            what = f"information set {entry['infoset']!r}" if "infoset" in entry else f"player {player!r}"
            raise fail(f"strategies, entry {number}: a matrix has the players {', '.join(form.players)} and no {what}")
        if player in given:
            raise fail(f"the player {player} stands there twice")
        names = form.actions[form.players.index(player)]
        given[player] = _chances(entry["actions"], names, player, fail)
    for player in form.players:
        if player not in given:
            raise fail(f"the strategy of {player} is missing")
    return tuple(given[player] for player in form.players)


def rate_mixtures(form: NormalForm, profile: Profile, name: str) -> ProfileRating:
    """Returns payoffs, what best responses gain and what each player loses, as :func:`rate_profile` does.

    A player has a single decision, so that its loss is what its best response gains.

    :param profile: float64[actions] probabilities per player.
    :param name: name of the game.
    """
    found, payoffs = [], []
    scale = float(np.abs(form.payoffs).max(initial=0.0)) or 1.0
    for player, (names, mixture) in enumerate(zip(form.actions, profile, strict=True)):
        values = form.payoffs[player]
        for other in reversed(range(len(profile))):
            if other != player:
                values = np.tensordot(values, profile[other], axes=(other, 0))
        own = float(values @ mixture)
        payoffs.append(own)
        best = int(np.argmax(values))
        actions = dict(zip(names, mixture.tolist(), strict=True))
        loss = float(values[best]) - own
        loss = loss if loss > _ROUNDING * scale else 0.0
        found.append(InfosetLoss(form.players[player], "", actions, names[best], 1.0, loss))
    gained = [one.loss for one in found]
    constant = float(np.ptp(form.payoffs.sum(axis=0))) <= 1e-9 * scale
    found.sort(key=lambda one: -one.loss)
    document = json_document(
        "game-rating",
        game=name,
        players=form.players,
        payoffs=payoffs,
        gains=gained,
        exploitability=float(np.mean(gained)),
        unique_value=len(form.players) == 2 and constant,
        infosets=[one._asdict() for one in found],
    )
    return ProfileRating(tuple(found), document)
