"""Judged hands in words: lines of play, where the play left the baseline first, and a report on one hand as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hedgehog.analysis.histories.hand_words import made_hand
from hedgehog.analysis.judging.hands import SeatedHand
from hedgehog.analysis.judging.judgement import HandJudgement, StreetJudgement
from hedgehog.analysis.judging.session import CostlyStreet
from hedgehog.poker.cards import format_cards
from hedgehog.poker.streets import BOARD_CARDS

_VERBS: Final = {"f": "folds", "k": "checks", "c": "calls", "b": "bets", "r": "raises"}


def blinds_text(seated: SeatedHand) -> str:
    """Returns the letters of the blinds in the order in which they are posted: ``s`` small, ``l`` large; B's are
    capitals. Without two different blinds the text is empty."""
    blinds = seated.hand.state.gamedef.blinds
    if blinds[0] == blinds[1]:
        return ""
    small = blinds.index(min(blinds))
    return "sL" if small == seated.position else "Sl"


def line_with_blinds(line: str, seated: SeatedHand, street: int) -> str:
    """Returns a betting line in letters, before the flop with the blinds: ``SlRrC``."""
    blinds = blinds_text(seated) if street == 0 else ""
    if not blinds or not line:
        return line
    return blinds + line


def line_in_words(line: str, names: Sequence[str]) -> str:
    """Returns a betting line such as ``kBrC`` in words: ``alice checks, bob bets, alice raises, bob calls``.

    :param names: names of A and of B.
    """
    told = ", ".join(f"{names[letter.isupper()]} {_VERBS[letter.lower()]}" for letter in line)
    return told or "no betting"


def departure(actual: str, baseline: str) -> tuple[int, str, str] | None:
    """Returns who left the baseline first (0 for A, 1 for B), what it did, and what the baseline does.

    :returns: the player and two letters; None if both lines are the same.
    """
    for played, expected in zip(actual, baseline, strict=False):
        if played != expected:
            return int(played.isupper()), played.lower(), expected.lower()
    return None


def departure_in_words(street: StreetJudgement, names: Sequence[str]) -> str:
    """Returns where the betting of a street left the baseline first; empty if it did not, or without a baseline."""
    found = departure(street.actual, street.baseline or "")
    if found is None:
        return ""
    player, played, expected = found
    return f"{names[player]} {_VERBS[played]} where the baseline {_VERBS[expected]}"


def names_of(seated: SeatedHand) -> tuple[str, str]:
    """Returns the names of A and of B."""
    names = seated.hand.names.split("|")
    return names[seated.position], names[1 - seated.position]


def known_board(seated: SeatedHand, street: int) -> str:
    """Returns the board of a street as text, empty before the flop."""
    return format_cards(seated.hand.board[: BOARD_CARDS[street]], " ")


def holding_in_words(seated: SeatedHand, street: int) -> str:
    """Returns both hands and the board of a street: ``Ac Kc against 7h 6h on Ks 5h 3d``."""
    own = format_cards(seated.hand.hole_cards[seated.position], " ")
    other = format_cards(seated.hand.hole_cards[1 - seated.position], " ")
    board = known_board(seated, street)
    return f"{own} against {other}" + (f" on {board}" if board else "")


def costly_in_words(costly: CostlyStreet, unit: str) -> Iterator[str]:
    """Yields the lines of text that describe a costly street."""
    judgement, seated = costly.judgement, costly.seated
    street = judgement.streets[costly.street]
    names = names_of(seated)
    held = holding_in_words(seated, costly.street)
    yield f"{-costly.loss:+.2f} {unit}  hand {seated.hand.hand_id}, {street.street}: {held} ({costly.source})"
    yield f"  played: {line_in_words(street.actual, names)}"
    if street.baseline is not None:
        yield f"  baseline: {line_in_words(street.baseline, names)}"
        if left := departure_in_words(street, names):
            yield f"  {left}"


def hand_lines(seated: SeatedHand, judgement: HandJudgement, unit: str) -> Iterator[str]:
    """Yields the lines of text that say who held what and what it made."""
    names = names_of(seated)
    width = max(map(len, names))
    last = len(judgement.streets) - 1
    for player, name in enumerate(names):
        position = seated.position if player == 0 else 1 - seated.position
        cards = seated.hand.hole_cards[position]
        made = made_hand((*cards, *seated.hand.board)) if seated.hand.state.is_showdown else ""
        sign = 1 - 2 * player
        result = sign * judgement.result
        parts = [f"{'AB'[player]}  {name:<{width}}  {format_cards(cards, ' ')}", f"{result:+.2f} {unit}", made]
        yield "  ".join(filter(None, parts))
    board = known_board(seated, last)
    if board:
        yield f"board  {board}"


def describe_unit(seated: SeatedHand) -> str:
    """Returns the unit of the values and its chips: ``small bets of 10 chips``."""
    gamedef = seated.hand.state.gamedef
    return f"{'big blinds' if gamedef.no_limit else 'small bets'} of {seated.unit} chips"
