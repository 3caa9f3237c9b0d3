"""Plays hands with Hedgehog and OpenSpiel's ``universal_poker`` at once, which embeds the official ACPC game logic."""

from __future__ import annotations

import random
import re

import pyspiel

from hedgehog.poker.acpc.gamedef import UNLIMITED_RAISES, GameDef
from hedgehog.poker.acpc.matchstate import format_hand_cards
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.state import CALL, FOLD, Action, HandState

_ACPC_STATE = re.compile(r"STATE:0:(.*):(.*)\nSpent: \[((?:P[0-9]+: [0-9]+  )+)\]\n")
_SPENT = re.compile(r"P[0-9]+: ([0-9]+)  ")


def load_spiel(gamedef: GameDef) -> pyspiel.Game:
    """Returns a game in OpenSpiel, whose no-limit actions are raise sizes and whose limit raise is action 2."""

    def listed(values: tuple[int, ...]) -> str:
        return " ".join(map(str, values))

    parameters = {
        "betting": "nolimit" if gamedef.no_limit else "limit",
        "bettingAbstraction": "fullgame" if gamedef.no_limit else "fcpa",
        "numPlayers": gamedef.num_players,
        "numRounds": gamedef.num_rounds,
        "blind": listed(gamedef.blinds),
        "firstPlayer": listed(tuple(position + 1 for position in gamedef.first_positions)),
        "numSuits": gamedef.num_suits,
        "numRanks": gamedef.num_ranks,
        "numHoleCards": gamedef.num_hole_cards,
        "numBoardCards": listed(gamedef.num_board_cards),
    }
    if gamedef.no_limit:
        parameters["stack"] = listed(gamedef.stacks)
    else:
        parameters["raiseSize"] = listed(gamedef.raise_sizes)
    if set(gamedef.max_raises) != {UNLIMITED_RAISES}:
        parameters["maxRaises"] = listed(gamedef.max_raises)
    return pyspiel.load_game("universal_poker", parameters)


def play_in_both(gamedef: GameDef, theirs: pyspiel.State, rng: random.Random) -> int:
    """Plays one random hand in both programs and compares everything public around every action, and the values.

    :param theirs: a new initial state of :func:`load_spiel`.
    :returns: the number of actions played.
    """
    per_hand, players = gamedef.num_hole_cards, gamedef.num_players
    cards = rng.sample(gamedef.deck(), players * per_hand + gamedef.total_board_cards)
    hole_cards = [cards[position * per_hand :][:per_hand] for position in range(players)]
    board = cards[players * per_hand :]

    # OpenSpiel takes the lowest ranks and the first suits for a small deck: the order of hands is the same.
    lowered = [card - 4 * (13 - gamedef.num_ranks) - (4 - gamedef.num_suits) for card in cards]
    undealt = [(card >> 2) * gamedef.num_suits + (card & 3) for card in reversed(lowered)]
    shown_hands = [lowered[position * per_hand :][:per_hand] for position in range(players)]
    shown_board = lowered[players * per_hand :]

    ours = HandState(gamedef)
    num_actions = 0
    while True:
        while theirs.is_chance_node():
            theirs.apply_action(undealt.pop())
        _compare_public(gamedef, ours, theirs, shown_hands, shown_board)
        if theirs.is_terminal():
            break
        chosen = _choose(_compare_legal(gamedef, ours, theirs), rng)
        theirs.apply_action(chosen)
        ours.apply((FOLD, CALL)[chosen] if chosen < 2 else Action("r", chosen if gamedef.no_limit else 0))
        num_actions += 1
    assert ours.finished
    values, returns = payoffs(ours, hole_cards, board), theirs.returns()
    assert all(abs(value - other) < 1e-6 for value, other in zip(values, returns, strict=True)), (ours, values, returns)
    return num_actions


def _compare_public(
    gamedef: GameDef, ours: HandState, theirs: pyspiel.State, hole_cards: list[list[int]], board: list[int]
) -> None:
    match = _ACPC_STATE.fullmatch(theirs.to_struct().acpc_state)
    assert match is not None
    betting, cards, spent = match.groups()
    assert betting == ours.betting_string()
    assert list(map(int, _SPENT.findall(spent))) == ours.spent
    expected = format_hand_cards(hole_cards, board, gamedef, ours.round)
    assert cards == expected, (betting, cards, expected)
    assert theirs.is_terminal() == ours.finished
    assert ours.acting_position == (-1 if ours.finished else theirs.current_player())


def _compare_legal(gamedef: GameDef, ours: HandState, theirs: pyspiel.State) -> list[int]:
    """Compares the legal actions of both programs and returns them as OpenSpiel's numbers, ascending."""
    legal: list[int] = theirs.legal_actions()
    assert ours.can(FOLD) == (legal[0] == 0)
    assert ours.can(CALL) == (1 in legal[:2])
    sizes = len(legal) - ours.can(FOLD) - ours.can(CALL)
    limits = ours.raise_range()
    if limits is None:
        assert sizes == 0
        assert not any(ours.can(Action("r", size)) for size in (0, ours.min_raise_to, max(gamedef.stacks)))
    elif gamedef.no_limit:
        # OpenSpiel lists actions in ascending order, so that both ends and the count fix the whole list.
        smallest, largest = limits
        assert (legal[-sizes], legal[-1], sizes) == (smallest, largest, largest - smallest + 1), (ours, legal)
        assert ours.can(Action("r", smallest))
        assert ours.can(Action("r", largest))
        assert not ours.can(Action("r", smallest - 1))
        assert not ours.can(Action("r", largest + 1))
    else:
        assert legal[-sizes:] == [2]
        assert ours.can(Action("r"))
        assert not ours.can(Action("r", 1))
    return legal


def _choose(legal: list[int], rng: random.Random) -> int:
    """Returns a random action: mostly calls and small raises so that hands last, but every size is possible."""
    kind = rng.random()
    if kind < 0.05:
        return legal[0]
    raises = [action for action in legal[:3] if action > 1]
    if kind < 0.55 or not raises:
        return 1
    if kind < 0.75:
        return raises[0]
    if kind < 0.80:
        return legal[-1]
    chosen = rng.choice(legal)
    return max(chosen, raises[0]) if kind < 0.9 else min(legal[-1], raises[0] + rng.randrange(4))
