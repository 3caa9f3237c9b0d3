"""``hedgehog ask``: what a player would do with a hand, or with all of them, and where that comes from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from agent.specs import make_player, parse_player_spec
from analysis.histories.hand_words import street_names
from cli.first_launch import prepare_first_launch
from cli.outputs import claim_outputs, json_option, overwrite_option, write_json
from cli.player_options import game_option, player_threads_option, think_option
from cli.tools.completion import complete_players
from poker.acpc.betting_line import parse_betting_line
from poker.acpc.gamedef import GameDef, find_gamedef, read_gamedef
from poker.acpc.matchstate import MatchState
from poker.cards import NUM_CARDS, combo_index, combo_mask, format_card, parse_cards
from poker.state import NOBODY, HandState
from runtime.documents import json_document
from runtime.errors import CardError, InputError, MatchStateError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from agent.explanation import Explanation
    from agent.player import Player
    from agent.shadow import Options


@click.command()
@click.option("--hand", "hand_text", metavar="CARDS", default=None, help="Your two cards, for example AhKd.")
@click.option(
    "--line",
    "line_text",
    metavar="BETTING",
    default="",
    help="The betting so far: f fold, c call, k check, rN bet or raise to N, / between streets.",
)
@click.option("--board", "board_text", metavar="CARDS", default="", help="The board, for example 'Qs Jh 2h'.")
@click.option(
    "--sizes",
    type=click.Choice(["street", "hand"]),
    default=None,
    help="The N of rN is a total on its street, or over the whole hand as in ACPC logs.  [default: street if BETTING "
    "has a k, else hand]",
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
    default=None,
    metavar="[ACTION]",
    help="Show the range as a 13x13 grid: how often it takes ACTION (f, c, r or rN as in ACPC text), or what "
    "it does most.",
)
@json_option("the answer, with --grid for every combo,")
@overwrite_option
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
    json_file: Path | None,
    overwrite: bool,
) -> None:
    """Show what our player would do at a decision, and why.

    The betting and the board say whose turn it is. The answer is what the player samples from with this hand, or on
    average over its range; where it comes from (a pack, or a solve made now); and how bets of other sizes than its own
    were read.

    Example: hedgehog ask --hand AhKd --line "r250c/kr300" --board "Qs Jh 2h"
    """
    spec = parse_player_spec(spec_text)
    game_file = find_gamedef(game)
    gamedef = read_gamedef(game_file)
    if gamedef.num_players != 2 or gamedef.num_hole_cards != 2 or len(gamedef.deck()) != NUM_CARDS:
        raise InputError("expected a game for two players with two hole cards from 52", source=str(game_file))
    state, board = _parse_situation(line_text, board_text, sizes, gamedef)
    combo = _parse_hand(hand_text, board) if hand_text is not None else None
    inputs = [game_file, Path(spec.argument)] if spec.kind == "pack" else [game_file]
    claim_outputs(json_file, inputs=inputs, overwrite=overwrite)
    from cli.table.ask_view import Answer, print_answer  # imports numba, which can wait until the input is checked

    player = make_player(spec, seed=0, think_ms=think_ms, threads=threads)
    if spec.compiles:
        prepare_first_launch(player)
    player.warm_up()
    player.new_match(gamedef, 0)
    matchstate = MatchState(state.acting_position, 0, ((), ()), board, state)
    options, explanation, weights = _ask(player, spec.text, matchstate)
    if grid and grid not in {*(str(action) for action in options.actions), *(a.kind for a in options.actions)}:
        raise InputError(f"no action {grid!r} here, offered: {' '.join(map(str, options.actions))}")
    answer = Answer(gamedef, state, board, combo, options, explanation, weights)
    print_answer(answer, spec.text, grid)
    if json_file is not None:
        document = json_document(
            "ask", game=game_file.stem, seed=None, players=[spec.text], **answer.as_dict(every_hand=grid is not None)
        )
        write_json(json_file, document)


def _parse_situation(
    line_text: str, board_text: str, sizes: str | None, gamedef: GameDef
) -> tuple[HandState, tuple[int, ...]]:
    """Returns the betting and the board of a decision.

    :raises MatchStateError: if the betting is illegal or the hand is over.
    :raises CardError: if the cards are not those of the street.
    """
    try:
        state = parse_betting_line(line_text, gamedef, by_street={"street": True, "hand": False, None: None}[sizes])
    except MatchStateError as error:
        wrong_sizes = sizes is None and "k" not in line_text and "/" in line_text and "raise to" in error.message
        hint = " (with --sizes street, or a k for every check: totals on the street)" if wrong_sizes else ""
        raise MatchStateError(error.message + hint, source="--line") from None
    if state.acting_position == NOBODY:
        raise MatchStateError("the hand is over at the end of the betting: nobody is to act", source="--line")
    try:
        board = parse_cards(board_text)
    except CardError as error:
        raise CardError(error.message, source="--board") from None
    expected = gamedef.board_cards_by(state.round)
    if len(board) != expected:
        where = f"on the {street_names(gamedef)[state.round]}" if state.round else "before the flop"
        raise CardError(
            f"expected {expected or 'no'} cards {where}, where the betting ends, got {len(board)}", source="--board"
        )
    return state, tuple(board)


def _parse_hand(text: str, board: tuple[int, ...]) -> int:
    """Returns the combo of a hand.

    :raises CardError: if it is not two cards, or one of them is on the board.
    """
    try:
        cards = parse_cards(text)
    except CardError as error:
        raise CardError(error.message, source="--hand") from None
    if len(cards) != 2:
        raise CardError(f"expected two cards such as AhKd, got {text!r}", source="--hand")
    repeated = sorted(set(cards) & set(board))
    if repeated:
        raise CardError(f"{format_card(repeated[0])} is both in the hand and on the board", source="--hand")
    return combo_index(*cards)


def _ask(player: Player, name: str, matchstate: MatchState) -> tuple[Options, Explanation | None, NDArray[np.float64]]:
    """Returns the strategy, how it came about if the player can tell, and the range of the player, (1326,)."""
    from agent.player import ExplainsStrategy, ReportsStrategy

    if isinstance(player, ExplainsStrategy):
        explanation = player.explain(matchstate)
        return explanation.options, explanation, explanation.ranges[matchstate.position]
    if isinstance(player, ReportsStrategy):
        return player.strategy(matchstate), None, combo_mask(matchstate.board).astype(float)
    raise InputError(f"the player {name!r} does not tell how it would act")
