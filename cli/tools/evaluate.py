"""``hedgehog eval`` and ``hedgehog equity``: the value of a hand, and the equity of two ranges."""

from __future__ import annotations

import math
from typing import Final

import click
import numpy as np
from numpy.typing import NDArray
from rich.table import Table as RichTable

from hedgehog.cli.console import output_console
from hedgehog.cli.given import refuse_options
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.poker.cards import NUM_COMBOS, combo_index, combo_mask, format_cards, format_combo, parse_cards
from hedgehog.poker.evaluation.equity import Equity, range_equity
from hedgehog.poker.evaluation.evaluator import NUM_RANK_CLASSES, hand_category, rank_hand
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES
from hedgehog.poker.ranges import parse_range
from hedgehog.poker.streets import BOARD_CARDS, STREETS
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import CardError, RangeError
from hedgehog.runtime.table import Column, Table, table_records

_GAME: Final = "hold'em"
_RANKS: Final = ("ihr", "six_card", "seven_card", "ehr")
_RANK_TITLES: Final = ("IHR", "6cHR", "7cHR", "EHR")
_board_option = click.option("--board", default="", help="Board of three to five cards, for example 'Qh Jh 2c'.")


@click.command("eval")
@click.argument("hand", nargs=-1, required=True)
@_board_option
@click.option("--against", default="random", show_default=True, help="The opponent's range.")
@click.option("--metrics", is_flag=True, help="Also show the hand ranks IHR, 6cHR, 7cHR and EHR on every street.")
@output_options(json="the figures", csv="the hand ranks of all hands on the board (with --metrics)")
def evaluate(hand: tuple[str, ...], board: str, against: str, metrics: bool, outputs: Outputs) -> None:
    """Evaluate HAND, for example AhKh: what it makes on the board, and its equity against a range.

    HAND may also be five to seven cards without a board.

    A hand rank is the share of all hands of an opponent that HAND beats, ties counted half: on the board as it is
    (IHR), on average over the next card (6cHR, on the flop) or over all boards to come (7cHR). EHR is the larger of IHR
    and 7cHR. Before the flop IHR compares two cards without suits.
    """
    if "csv" in outputs.files and not metrics:
        raise click.UsageError("--csv needs --metrics")
    outputs.claim()
    cards, board_cards = _parse_hand_and_board(" ".join(hand), board)
    if metrics and len(cards) != 2:
        raise click.UsageError("--metrics needs a hand of two cards")
    if len(cards) != 2:
        refuse_options("needs a hand of two cards", "against")
    opponent = _parse_named_range(against, "--against")

    figures: dict[str, object] = {"hand": format_cards(cards), "board": format_cards(board_cards)}
    lines = RichTable.grid(padding=(0, 3))
    lines.add_row("hand", format_cards(cards, " ") + _class_name(cards))
    if board_cards:
        lines.add_row("board", format_cards(board_cards, " "))
    if len(cards) + len(board_cards) >= 5:
        rank = rank_hand([*cards, *board_cards])
        figures |= {"made_hand": hand_category(rank), "rank": rank, "ranks": NUM_RANK_CLASSES}
        lines.add_row("made hand", f"{hand_category(rank)} (rank {rank:,} of {NUM_RANK_CLASSES:,}, higher is better)")
    if len(cards) == 2:
        own = np.zeros(NUM_COMBOS, dtype=np.float32)
        own[combo_index(*cards)] = 1.0
        result = range_equity(own, opponent, board_cards)
        figures |= {"against": against, **result._asdict(), "equity": result.equity}
        lines.add_row("equity", f"{100 * result.equity:.3f} % against {against}")
        lines.add_row("", f"win {100 * result.win:.3f} %, tie {100 * result.tie:.3f} %, lose {100 * result.lose:.3f} %")
    console = output_console()
    console.print(lines)
    if metrics:
        ranks = _street_ranks(cards, board_cards)
        figures["metrics"] = ranks.records()
        console.print(ranks.rich())
    outputs.write_json(json_document("eval", game=_GAME) | figures)
    outputs.write("csv", lambda: _ranks_of_all(board_cards).csv())


def _street_ranks(cards: list[int], board: list[int]) -> Table:
    """Returns the hand ranks of a hand on every street up to that of the board."""
    from hedgehog.poker.evaluation.strength import hand_strength

    rows: list[tuple[object, ...]] = []
    for street, size in zip(STREETS, BOARD_CARDS, strict=True):
        if size <= len(board):
            one = hand_strength(cards, board[:size])
            rows.append((street, format_cards(board[:size]), one.ihr, one.six_card, one.seven_card, one.ehr))
    ranks = [Column(name, title, _rank_text) for name, title in zip(_RANKS, _RANK_TITLES, strict=True)]
    return Table("metrics", "", ("street", "board", *ranks), tuple(rows))


def _rank_text(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.4f}"


def _ranks_of_all(board: list[int]) -> Table:
    """Returns the hand ranks of all hands that can be held on a board, one row each."""
    from hedgehog.poker.evaluation.strength import board_strengths

    found = board_strengths(board)
    figures = (found.ihr, found.six_card, found.seven_card, found.ehr)
    rows = [
        (format_combo(combo), *(float(values[combo]) for values in figures))
        for combo in np.flatnonzero(combo_mask(board)).tolist()
    ]
    return Table("ranks", "", ("hand", *_RANKS), tuple(rows))


@click.command()
@click.argument("first", metavar="RANGE")
@click.argument("second", metavar="RANGE")
@_board_option
@output_options(json="the figures", csv="the table")
def equity(first: str, second: str, board: str, outputs: Outputs) -> None:
    """Compute the exact all-in equity of two ranges such as 'QQ+,AKs' and '22+:0.5,AhKh', or 'random'."""
    outputs.claim()
    ranges = [_parse_named_range(first, "first range"), _parse_named_range(second, "second range")]
    board_cards = parse_cards(board)
    result = range_equity(ranges[0], ranges[1], board_cards)
    mirrored = Equity(result.lose, result.tie, result.win)

    rows = []
    for text, weights, side in zip((first, second), ranges, (result, mirrored), strict=True):
        combos = float(weights[combo_mask(board_cards)].sum(dtype=np.float64))
        rows.append((text, combos, side.equity, side.win, side.tie, side.lose))
    table = Table(
        "ranges",
        format_cards(board_cards, " ") or "before the flop",
        (
            Column("range", left=True),
            Column("combos", text="{:.6g}".format),
            *(Column(name, text=_percent) for name in ("equity", "win", "tie")),
            Column("lose", shown=False),
        ),
        tuple(rows),
    )
    output_console().print(table.rich())
    head = json_document("equity", game=_GAME, board=format_cards(board_cards))
    outputs.write_json(head | table_records([table]))
    outputs.write("csv", table.csv)


def _percent(share: float) -> str:
    return f"{100 * share:.3f} %"


def _parse_hand_and_board(hand_text: str, board_text: str) -> tuple[list[int], list[int]]:
    cards, board = parse_cards(hand_text), parse_cards(board_text)
    if len(cards) == 2 and len(board) in BOARD_CARDS:
        repeated = set(cards) & set(board)
        if repeated:
            raise CardError(f"{format_cards(sorted(repeated), ' ')} is both in the hand and on the board")
        return cards, board
    if 5 <= len(cards) <= 7 and not board:
        return cards, board
    raise CardError(
        "expected two cards and a board of none or three to five, or five to seven cards alone;"
        f" got {len(cards)} and a board of {len(board)}"
    )


def _parse_named_range(text: str, name: str) -> NDArray[np.float32]:
    try:
        return parse_range(text)
    except RangeError as error:
        raise RangeError(error.message, source=name) from None


def _class_name(cards: list[int]) -> str:
    return f"  ({HAND_CLASS_NAMES[HAND_CLASS[combo_index(*cards)]]})" if len(cards) == 2 else ""
