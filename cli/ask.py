"""``hedgehog ask``: what a player would do with a hand, or with all of them, and where that comes from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.text import Text

from agent.specs import make_player, parse_player_spec
from cli.hand_text import cards_text, did_text, has_suit_symbols, position_name, street_name
from cli.outputs import claim_outputs, json_document, json_option, overwrite_option, write_json
from cli.play import DEFAULT_GAME, DEFAULT_THINK_MS, announce_first_launch
from poker.betting_line import format_betting_line, parse_betting_line, street_start
from poker.cards import (
    COMBO_CARDS,
    NUM_CARDS,
    NUM_COMBOS,
    combo_index,
    combo_mask,
    format_card,
    format_cards,
    format_combo,
    parse_cards,
)
from poker.errors import CardError, InputError, MatchStateError
from poker.gamedef import GameDef, find_gamedef, read_gamedef
from poker.matchstate import MatchState
from poker.state import NOBODY, HandState

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
    "--player", "spec_text", metavar="SPEC", default="default", show_default=True, help="Whom to ask; see match --help."
)
@click.option(
    "--game",
    metavar="GAMEDEF",
    default=DEFAULT_GAME,
    show_default=True,
    help="Game definition: a file or the name of a shipped one.",
)
@click.option(
    "--think-ms",
    type=click.IntRange(0),
    default=DEFAULT_THINK_MS,
    show_default=True,
    help="Time to solve a turn or river; 0 asks the packs alone.",
)
@click.option("--threads", type=click.IntRange(1), default=None, help="Threads for solving.  [default: 1]")
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
    player = make_player(spec, seed=0, think_ms=think_ms, threads=threads)
    if spec.compiles:
        announce_first_launch()
    player.warm_up()
    player.new_match(gamedef, 0)
    matchstate = MatchState(state.acting_position, 0, ((), ()), board, state)
    options, explanation, weights = _ask(player, spec.text, matchstate)
    if grid and grid not in {*(str(action) for action in options.actions), *(a.kind for a in options.actions)}:
        raise InputError(f"no action {grid!r} here, offered: {' '.join(map(str, options.actions))}")
    answer = _Answer(gamedef, state, board, combo, options, explanation, weights)
    _print(answer, spec.text, grid)
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
        where = f"on the {street_name(gamedef, state.round)}" if state.round else "before the flop"
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


@dataclass(frozen=True, slots=True)
class _Answer:
    """A decision and what is done there."""

    gamedef: GameDef
    state: HandState
    board: tuple[int, ...]
    combo: int | None
    options: Options
    explanation: Explanation | None
    weights: NDArray[np.float64]
    """(1326,) the range of the player to act."""

    @property
    def pot(self) -> int:
        """All chips in the middle, the bet to call included."""
        return sum(self.state.spent)

    @property
    def to_call(self) -> int:
        return self.state.max_spent - self.state.spent[self.state.acting_position]

    @property
    def stack(self) -> int:
        """Chips the player to act has left."""
        position = self.state.acting_position
        return self.gamedef.stacks[position] - self.state.spent[position]

    def equities(self) -> tuple[float | None, float] | None:
        """Returns the equity of the hand and of the range; see :func:`cli.explain_view.equities`."""
        from cli.explain_view import equities

        if self.explanation is None:
            return None
        return equities(self.explanation, self.combo, self.state.acting_position, self.board)

    def as_dict(self, *, every_hand: bool) -> dict[str, Any]:
        """Returns the answer as JSON-serialisable values.

        :param every_hand: with the weight and the strategy of every combo of the range.
        """
        from cli.explain_view import average_strategy

        state, combo, explanation = self.state, self.combo, self.explanation
        started = street_start(state)
        average = average_strategy(self.options, self.weights)
        equities = self.equities() or (None, None)
        content: dict[str, Any] = {
            "betting": state.betting_string(),
            "line": format_betting_line(state),
            "board": format_cards(self.board),
            "street": street_name(self.gamedef, state.round),
            "position": state.acting_position,
            "pot": self.pot,
            "to_call": self.to_call,
            "stack": self.stack,
            "hand": format_combo(combo) if combo is not None else None,
            "actions": [
                {
                    "action": str(action),
                    "raise_to_street": action.size - started if action.size else None,
                    "probability": float(self.options.probabilities[number, combo]) if combo is not None else None,
                    "range_frequency": float(average[number]),
                }
                for number, action in enumerate(self.options.actions)
            ],
            "hand_equity": equities[0],
            "range_equity": equities[1],
            "layer": None,
        }
        if explanation is not None:
            content |= {
                "layer": explanation.layer,
                "iterations": explanation.iterations,
                "folds_kept": explanation.folds_kept,
                "left_tree": explanation.left_tree,
                "translations": [
                    {
                        "betting": one.event.betting,
                        "action": str(one.event.action),
                        "pot_frac": one.pot_frac,
                        "layer": one.layer,
                        "sizes": [
                            {"action": str(size.action), "pot_frac": size.pot_frac, "weight": size.weight}
                            for size in one.sizes
                        ],
                    }
                    for one in explanation.translations
                ],
                "abstract_lines": [{"betting": line.betting, "weight": line.weight} for line in explanation.lines],
            }
        if every_hand:
            content["hands"] = [
                {
                    "hand": format_combo(number),
                    "weight": float(self.weights[number]),
                    "probabilities": [float(chance) for chance in self.options.probabilities[:, number]],
                }
                for number in range(NUM_COMBOS)
                if combo_mask(self.board)[number]
            ]
        return content


def _print(answer: _Answer, name: str, grid: str | None) -> None:
    from cli.explain_view import class_name, grid_table, reasons, strategy_table

    console = Console(highlight=False)
    symbols = has_suit_symbols(console)
    gamedef, state, combo = answer.gamedef, answer.state, answer.combo
    for line in _story(state, answer.board, symbols):
        console.print(line)
    actor = position_name(gamedef, state.acting_position)
    console.print(
        f"Pot {answer.pot:,}. The {actor} is to act: {answer.to_call:,} to call, {answer.stack:,} left"
        f" ({answer.stack / gamedef.big_blind:,.1f} bb)."
    )
    console.print(f"In ACPC text: {state.betting_string() or '(no action yet)'}", soft_wrap=True)
    console.print()
    if combo is not None:
        hand = cards_text([*COMBO_CARDS[combo]][::-1], symbols)
        console.print(Text(f"{name} with ").append_text(hand).append(f" ({class_name(combo)}):"))
    else:
        console.print(f"{name} on average over its range:")
    console.print(strategy_table(answer.options, answer.weights, combo, state))
    if answer.explanation is not None:
        for sentence in reasons(answer.explanation, gamedef):
            console.print(sentence)
    equities = answer.equities()
    if equities is not None:
        of_hand, of_range = equities
        alone = f"{100 * of_hand:.1f} % for this hand, " if of_hand is not None else ""
        console.print(f"Equity against the opponent's range: {alone}{100 * of_range:.1f} % for the whole range.")
    if grid is not None:
        console.print()
        console.print(grid_table(answer.options, answer.weights, combo_mask(answer.board), grid))


def _story(state: HandState, board: tuple[int, ...], symbols: bool) -> Iterator[Text]:
    """Yields the hand so far, a line per street."""
    gamedef = state.gamedef
    replay = HandState(gamedef)
    for street, actions in enumerate(state.actions):
        done = []
        for position, action in actions:
            done.append(f"{position_name(gamedef, position)} {did_text(action, replay)}")
            replay.perform(action)
        line = Text(street_name(gamedef, street).capitalize().ljust(9))
        cards = board[gamedef.board_cards_by(street) - gamedef.num_board_cards[street] :][
            : gamedef.num_board_cards[street]
        ]
        if cards:
            line.append_text(cards_text(cards, symbols)).append("  " if done else "")
        line.append(", ".join(done)).rstrip()
        yield line
