"""Options that the commands with players share."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

import click

from hedgehog.agent.time_manager import DEFAULT_THINK_MS, HAND_AVERAGE_MS
from hedgehog.cli.given import refuse_options
from hedgehog.cli.tools.completion import complete_games
from hedgehog.poker.acpc.chosen_game import chosen_game
from hedgehog.poker.acpc.gamedef import DEFAULT_GAME, load_gamedef

_GAME_OPTION = click.option(
    "--game",
    metavar="GAMEDEF",
    default=DEFAULT_GAME,
    show_default=True,
    help="Game definition: a file or the name of a shipped one.",
    shell_complete=complete_games,
)
_STACK_OPTIONS = (
    click.option(
        "--stack",
        metavar="N|NNbb",
        default=None,
        help="Heads-up no-limit hold'em with this stack in chips or big blinds, in place of --game; two stacks as "
        "N,N: of the big blind and of the button.  [default: 200bb]",
    ),
    click.option(
        "--blinds",
        metavar="SMALL/BIG",
        default=None,
        help="Heads-up no-limit hold'em with these blinds, in place of --game.  [default: 50/100]",
    ),
)


def game_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options ``--game``, ``--stack`` and ``--blinds`` to a command, which gets ``game``, a file or a name.

    If the command has :data:`levels_option`, the first level has the blinds of the game.

    :raises InputError: from the command, if a stack or blinds are malformed.
    """

    @wraps(command)
    def with_game(*args: Any, game: str, stack: str | None, blinds: str | None, **others: Any) -> Any:
        if others.get("levels") is not None:
            from hedgehog.arena.freeze_out.rules import parse_levels

            refuse_options("does not go with --levels, which has the blinds", "blinds")
            earlier, last = parse_levels(others["levels"])
            blinds = "/".join(map(str, earlier[0][:2] if earlier else last))
        if stack is not None or blinds is not None:
            refuse_options("does not go with --stack and --blinds, which choose a game", "game")
            game = chosen_game(stack, blinds)
        return command(*args, game=game, **others)

    found: Callable[..., Any] = with_game
    for option in reversed((_GAME_OPTION, *_STACK_OPTIONS)):
        found = option(found)
    return found


levels_option = click.option(
    "--levels",
    metavar="LEVELS",
    default=None,
    help="Blind levels in place of --blinds, SMALL/BIGxHANDS each, such as 10/20x10,15/30x10,25/50; the last goes on.",
)


def chosen_game_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options ``--stack`` and ``--blinds`` to a command, which gets ``gamedef``, None without them.

    :raises InputError: from the command, if a stack or blinds are malformed.
    """

    @wraps(command)
    def with_game(*args: Any, stack: str | None, blinds: str | None, **others: Any) -> Any:
        gamedef = None if stack is None and blinds is None else load_gamedef(chosen_game(stack, blinds))
        return command(*args, gamedef=gamedef, **others)

    found: Callable[..., Any] = with_game
    for made in (
        click.option(
            "--blinds",
            metavar="SMALL/BIG",
            default=None,
            help="The blinds of the game.  [default: those of the blueprint; with --stack: 50/100]",
        ),
        click.option(
            "--stack",
            metavar="N|NNbb",
            default=None,
            help="The stacks of the game in chips or big blinds; the blueprint of the nearest depth is taken.  "
            "[default: those of the blueprint, nearest to 200bb; with --blinds: 200bb]",
        ),
    ):
        found = made(found)
    return found


WHICH_DEPTH: Final = (
    "The pack for this stack in big blinds, or in chips of blinds 50/100, where PATH holds several depths.  "
    "[default: nearest to 200bb]"
)


def depth_option(text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Returns a decorator that adds ``--stack`` to a command about packs, which gets ``depth``, big blinds or None.

    The command raises :class:`InputError` if the stack is malformed.

    :param text: the help text.
    """

    def with_option(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_depth(*args: Any, stack: str | None, **others: Any) -> Any:
            from hedgehog.strategies.pack_games import big_blinds  # with pydantic, which most players do without

            depth = None if stack is None else big_blinds(load_gamedef(chosen_game(stack, None)))
            return command(*args, depth=depth, **others)

        found: Callable[..., Any] = click.option("--stack", metavar="N|NNbb", default=None, help=text)(with_depth)
        return found

    return with_option


think_option = click.option(
    "--think-ms",
    type=click.IntRange(0),
    default=DEFAULT_THINK_MS,
    show_default=True,
    help="Most thinking time of our player per decision; 0 plays from the packs alone.",
)
think_hand_option = click.option(
    "--think-hand-ms",
    type=click.IntRange(0),
    default=HAND_AVERAGE_MS,
    show_default=True,
    help="Most thinking time of our player per hand, on average over the match.",
)
player_threads_option = click.option("--threads", type=click.IntRange(1), help="Threads of our player.  [default: 1]")
