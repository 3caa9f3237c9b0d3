"""OpenSpiel's ``universal_poker`` and our game definitions: the same games, with other numbers for cards and actions.

Both programs know the games of ACPC game definitions. OpenSpiel's player is the position. Its actions are 0 (fold),
1 (check or call) and N > 1 (raise to N chips over the whole hand); the raise of a limit game is 2. Its deck has the
lowest ranks and the first suits where ours has the highest and the last, and numbers cards by rank and suit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from hedgehog.poker.acpc.gamedef import UNLIMITED_RAISES, UNLIMITED_STACK, GameDef, parse_gamedef
from hedgehog.poker.state import CALL, FOLD, LIMIT_RAISE, Action, HandState
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.packages import require

GAME: Final = "universal_poker"
FULL: Final = "fullgame"
"""The betting abstraction in which an action is the size of a raise; all others have a menu of two or three sizes."""
FOLD_NUMBER: Final = 0
CALL_NUMBER: Final = 1
LIMIT_RAISE_NUMBER: Final = 2
MOST_LIMIT_PLAYERS: Final = 4
"""Most players of a limit game that OpenSpiel loads."""
_KEYWORDS: Final = (
    "numPlayers", "numRounds", "stack", "blind", "raiseSize", "firstPlayer", "maxRaises", "numSuits", "numRanks",
    "numHoleCards", "numBoardCards",
)  # fmt: skip


def spiel() -> Any:
    """Returns the module ``pyspiel``.

    :raises InputError: if OpenSpiel is not installed.
    """
    return require("pyspiel", "OpenSpiel's games and bots need")


def spiel_parameters(gamedef: GameDef) -> dict[str, str | int]:
    """Returns the parameters of ``universal_poker`` with which OpenSpiel plays a game of ours, raises by their size.

    :raises InputError: if raises cannot be told from calls, because a raise to one chip is legal, or OpenSpiel does not
        play the game by the same rules.
    """

    def listed(values: Sequence[int]) -> str:
        return " ".join(map(str, values))

    verify_distinct_raises(gamedef)
    _verify_limit_game(gamedef)
    parameters: dict[str, str | int] = {
        "betting": "nolimit" if gamedef.no_limit else "limit",
        "bettingAbstraction": FULL if gamedef.no_limit else "fcpa",
        "numPlayers": gamedef.num_players,
        "numRounds": gamedef.num_rounds,
        "blind": listed(gamedef.blinds),
        "firstPlayer": listed([position + 1 for position in gamedef.first_positions]),
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
    return parameters


def verify_distinct_raises(gamedef: GameDef) -> None:
    """Checks that no raise has the number of a fold or call.

    :raises InputError: if a raise to one chip is legal.
    """
    if gamedef.no_limit and gamedef.big_blind == 0:
        raise InputError("a raise to 1 chip would have the number of a call: the game needs a blind")


def _verify_limit_game(gamedef: GameDef) -> None:
    """Checks that OpenSpiel plays a limit game by the same rules.

    :raises InputError: if the game has stacks, which OpenSpiel ignores, or more players than it loads.
    """
    if gamedef.no_limit:
        return
    if set(gamedef.stacks) != {UNLIMITED_STACK}:
        raise InputError("OpenSpiel ignores the stacks of limit games: it plays this game by other rules")
    if gamedef.num_players > MOST_LIMIT_PLAYERS:
        raise InputError(
            f"OpenSpiel loads no limit game of more than {MOST_LIMIT_PLAYERS} players, got {gamedef.num_players}"
        )


def spiel_game(gamedef: GameDef) -> Any:
    """Returns a game of ours as a ``pyspiel.Game``, in which an action is the size of a raise.

    :raises InputError: if OpenSpiel is not installed, or the game cannot be written in its numbers.
    """
    return spiel().load_game(GAME, spiel_parameters(gamedef))


def gamedef_of(game: Any) -> GameDef:
    """Returns the game definition of a ``pyspiel.Game`` of ``universal_poker``; player and position are the same.

    :raises InputError: if it is another game, or a no-limit game in which actions are not sizes.
    """
    name = game.get_type().short_name
    if name != GAME:
        raise InputError(f"expected OpenSpiel's game {GAME}, got {name}")
    return gamedef_of_parameters(game.get_parameters())


def gamedef_of_parameters(parameters: dict[str, Any]) -> GameDef:
    """Returns the game definition that parameters of ``universal_poker`` describe.

    :raises InputError: if actions of the game are not sizes of raises, or the game is not playable.
    """
    no_limit = parameters.get("betting", "nolimit") == "nolimit"
    abstraction = parameters.get("bettingAbstraction", "fcpa")
    if no_limit and abstraction != FULL:
        raise InputError(f"expected {GAME} with bettingAbstraction={FULL}, got bettingAbstraction={abstraction}")
    lines = ["GAMEDEF", "nolimit" if no_limit else "limit"]
    for keyword in _KEYWORDS:
        ignored = keyword == ("raiseSize" if no_limit else "stack")
        if parameters.get(keyword, "") != "" and not ignored:
            lines.append(f"{keyword} = {parameters[keyword]}")
    return parse_gamedef("\n".join([*lines, "END GAMEDEF"]), source=GAME)


def card_of_number(number: int, gamedef: GameDef) -> int:
    """Returns the card id of OpenSpiel's number of a card, which is also the number of the chance action."""
    rank, suit = divmod(number, gamedef.num_suits)
    return 4 * (rank + 13 - gamedef.num_ranks) + suit + 4 - gamedef.num_suits


def number_of_card(card: int, gamedef: GameDef) -> int:
    """Returns OpenSpiel's number of a card of the game's deck."""
    rank, suit = (card >> 2) - (13 - gamedef.num_ranks), (card & 3) - (4 - gamedef.num_suits)
    return rank * gamedef.num_suits + suit


def action_of_number(number: int, gamedef: GameDef) -> Action:
    """Returns the action with OpenSpiel's number of it."""
    if number == FOLD_NUMBER:
        return FOLD
    if number == CALL_NUMBER:
        return CALL
    return Action("r", number) if gamedef.no_limit else LIMIT_RAISE


def number_of_action(action: Action) -> int:
    """Returns OpenSpiel's number of an action."""
    return {"f": FOLD_NUMBER, "c": CALL_NUMBER}.get(action.kind, action.size or LIMIT_RAISE_NUMBER)


def legal_numbers(state: HandState) -> list[int]:
    """Returns OpenSpiel's numbers of all legal actions of a state, ascending; empty if the hand is over."""
    if state.finished:
        return []
    numbers = [FOLD_NUMBER] * state.can_fold() + [CALL_NUMBER]
    limits = state.raise_range()
    if limits is None:
        return numbers
    return [*numbers, *range(limits[0], limits[1] + 1)] if state.gamedef.no_limit else [*numbers, LIMIT_RAISE_NUMBER]
