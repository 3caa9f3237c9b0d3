"""``hedgehog ask``: what a player would do with one hand or its whole range, and which strategy says so."""

from __future__ import annotations

from pathlib import Path

import click

from hedgehog.agent.questions import Decision, ask_player, parse_decision
from hedgehog.agent.specs import make_player, parse_player_spec, start_player
from hedgehog.cli.first_launch import prepare_first_launch
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.cli.player_options import game_option, player_threads_option, think_option
from hedgehog.cli.tools.completion import complete_players
from hedgehog.poker.acpc.betting_line import counts_by_street
from hedgehog.poker.acpc.gamedef import GameDef, find_gamedef, read_gamedef
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import GamedefError, InputError


@click.command()
@click.option("--hand", "hand_text", metavar="CARDS", help="Your two cards, for example AhKd.")
@click.option(
    "--line",
    "line_text",
    metavar="BETTING",
    default="",
    help="The betting so far: X check, C call, F fold, B300 bet, R900 raise to 900 on this street, A all-in; or ACPC "
    "text such as r250c/cr550.",
)
@click.option("--board", "board_text", metavar="CARDS", default="", help="The board, for example 'Qs Jh 2h'.")
@click.option(
    "--sizes",
    type=click.Choice(["street", "hand"]),
    help="The N of rN is a total on its street, or over the whole hand as in ACPC logs.  [default: street if BETTING "
    "has X, B, A or k, else hand]",
)
@click.option(
    "--player",
    "spec_text",
    metavar="SPEC",
    default="default",
    show_default=True,
    help="Whom to ask; see match --help.",
    shell_complete=complete_players,
)
@game_option
@think_option
@player_threads_option
@click.option(
    "--grid",
    is_flag=False,
    flag_value="",
    metavar="[ACTION]",
    help="Show the range as a 13x13 grid: how often it takes ACTION (f, c, r or rN as in ACPC text), or what "
    "it does most.",
)
@output_options(json="the answer, with --grid for every combo,")
def ask(
    hand_text: str | None,
    line_text: str,
    board_text: str,
    sizes: str | None,
    spec_text: str,
    game: str,
    think_ms: int,
    threads: int | None,
    grid: str | None,
    outputs: Outputs,
) -> None:
    """Show what our player would do at a decision, and why.

    The betting and the board say whose turn it is. The answer is what the player samples from with this hand, or on
    average over its range; where it comes from (a pack, or a solve made now); and how bets of other sizes than its own
    were read.

    Example: hedgehog ask --hand AhKd --line "R250 C X B300" --board "Qs Jh 2h"
    """
    spec = parse_player_spec(spec_text)
    game_file = find_gamedef(game)
    gamedef = read_gamedef(game_file)
    decision = _parse_decision(line_text, board_text, hand_text, sizes, gamedef, game_file)
    outputs.claim(game_file, Path(spec.argument) if spec.kind == "pack" else None)
    from hedgehog.analysis.packs.answer_values import answer_values
    from hedgehog.cli.table.ask_view import print_answer  # imports numba, which can wait until now

    player = make_player(spec, gamedef, think_ms=think_ms, threads=threads)
    if spec.for_game(gamedef).compiles:
        prepare_first_launch(player)
    start_player(player, gamedef, 0)
    answer = ask_player(player, decision)
    actions = answer.options.actions
    if grid and grid not in {*map(str, actions), *(action.kind for action in actions)}:
        raise InputError(f"no action {grid!r} here, offered: {' '.join(map(str, actions))}")
    by_street = counts_by_street(line_text, by_street=None if sizes is None else sizes == "street")
    print_answer(answer, spec.text, grid, by_street=by_street)
    if "json" in outputs.files:
        head = json_document("ask", game=game_file.stem, seed=None, players=[spec.text])
        outputs.write_json(head | answer_values(answer, every_hand=grid is not None))


def _parse_decision(
    line: str, board: str, hand: str | None, sizes: str | None, gamedef: GameDef, game_file: Path
) -> Decision:
    """Returns the decision that the options describe.

    :raises InputError: as :func:`hedgehog.agent.questions.parse_decision` raises it, with the name of the option.
    """
    try:
        by_street = None if sizes is None else sizes == "street"
        return parse_decision(line, board, hand, gamedef=gamedef, by_street=by_street)
    except GamedefError as error:
        error.source = str(game_file)
        raise
    except InputError as error:
        if sizes is None and not counts_by_street(line) and "/" in line and "raise to" in error.message:
            error.message += " (totals on the street: write X and B, as in R250 C X B300, or add --sizes street)"
        error.source = f"--{error.source}"
        raise
