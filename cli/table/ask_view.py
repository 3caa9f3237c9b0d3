"""The answer of ``hedgehog ask`` on the screen."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from hedgehog.agent.questions import Answer
from hedgehog.analysis.histories.hand_words import hand_story, position_name
from hedgehog.analysis.packs.decision_words import reasons
from hedgehog.analysis.packs.limit_words import limit_reasons
from hedgehog.cli.console import output_console
from hedgehog.cli.table.explain_view import class_name, grid_table, strategy_table
from hedgehog.cli.table.hand_text import cards_text, has_suit_symbols
from hedgehog.poker.acpc.betting_line import format_spot_actions
from hedgehog.poker.cards import COMBO_CARDS
from hedgehog.poker.state import HandState


def print_answer(answer: Answer, name: str, grid: str | None, *, by_street: bool) -> None:
    """Prints an answer of the player called ``name``.

    :param grid: action to show as a 13 x 13 grid. An empty text shows the most frequent actions, None no grid.
    :param by_street: whether the sizes of the line that was asked about were read as totals on their street.
    """
    console = output_console()
    symbols = has_suit_symbols(console)
    decision = answer.decision
    state, combo = decision.state, decision.combo
    gamedef = state.gamedef
    for line in _story(state, decision.board, symbols):
        console.print(line)
    actor = position_name(gamedef, state.acting_position)
    stack = decision.stack
    left = "" if stack is None else f", {stack:,} left ({stack / gamedef.big_blind:,.1f} bb)"
    console.print(f"Pot {decision.pot:,}. The {actor} is to act: {decision.to_call:,} to call{left}.")
    read = ""
    if state.round and gamedef.no_limit:  # before the flop both ways are the same, and limit lines have no sizes
        read = f" (sizes read as totals {'on their street' if by_street else 'over the hand'})"
    console.print(f"Line: {format_spot_actions(state) or '(no action yet)'}{read}", soft_wrap=True)
    console.print(f"In ACPC text: {state.betting_string() or '(no action yet)'}", soft_wrap=True)
    console.print()
    if combo is not None:
        hand = cards_text([*COMBO_CARDS[combo]][::-1], symbols)
        console.print(Text(f"{name} with ").append_text(hand).append(f" ({class_name(combo)}):"))
    else:
        own = "its range" if answer.own_range else "all hands, because it never gets here by its own strategy"
        console.print(f"{name} on average over {own}:")
    console.print(strategy_table(answer))
    if answer.explanation is not None:
        for sentence in reasons(answer.explanation, gamedef, answer.decision.state.round):
            console.print(sentence)
    if answer.limit is not None:
        for sentence in limit_reasons(answer.limit, gamedef):
            console.print(sentence, highlight=False)
    equities = answer.equities()
    if equities is not None:
        of_hand, of_range = equities
        alone = f"{100 * of_hand:.1f} % for this hand, " if of_hand is not None else ""
        console.print(f"Equity against the opponent's range: {alone}{100 * of_range:.1f} % for the whole range.")
    if grid is not None:
        console.print()
        console.print(grid_table(answer, grid))


def _story(state: HandState, board: tuple[int, ...], symbols: bool) -> Iterator[Text]:
    """Yields the hand so far, one line per street."""
    for street, cards, text in hand_story(state, board):
        line = Text(street.capitalize().ljust(9))
        if cards:
            line.append_text(cards_text(cards, symbols)).append("  " if text else "")
        line.append(text).rstrip()
        yield line
