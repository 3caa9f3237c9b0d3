"""hedgehog.poker.hand_names against a slow reference that looks at cards one by one, and filters."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, format_combo, parse_cards, parse_combo
from hedgehog.poker.evaluation.evaluator import hand_category, rank_hand
from hedgehog.poker.hand_names import DRAWS, MADE_HANDS, name_hands, parse_hand_filter
from hedgehog.runtime.errors import CardError, InputError

_CATEGORIES = {"four of a kind": "quads"}
_FROM_STRAIGHT_ON = ("straight", "flush", "full house", "quads", "straight flush")
# Straights as sets of ranks 0..12, lowest first.
_STRAIGHTS = [{12, 0, 1, 2, 3}, *(set(range(low, low + 5)) for low in range(9))]


def slow_made(hole: tuple[int, int], board: list[int]) -> str:
    category = hand_category(rank_hand([*hole, *board]))
    category = _CATEGORIES.get(category, category)
    if category in _FROM_STRAIGHT_ON:
        return category
    ranks = [card // 4 for card in board]
    one, other = (card // 4 for card in hole)
    if one == other:
        if one in ranks:
            return "set"
        above = [one > rank for rank in ranks]
        return "overpair" if all(above) else "pocket pair" if any(above) else "underpair"
    paired = [rank for rank in (one, other) if rank in ranks]
    if any(ranks.count(rank) == 2 for rank in paired):
        return "trips"
    if len(paired) == 2:
        return "two pair"
    if paired:
        return {max(ranks): "top pair", min(ranks): "bottom pair"}.get(paired[0], "middle pair")
    return "ace high" if 12 in (one, other) else "high card"


def straight_with(hole: tuple[int, int], board: list[int], card: int) -> bool:
    """Does a card make a straight with a hole card that beats those of the board and the card alone?"""
    of_board = {one // 4 for one in [*board, card]}
    of_all = of_board | {one // 4 for one in hole}
    best = [number for number, straight in enumerate(_STRAIGHTS) if straight <= of_all]
    alone = [number for number, straight in enumerate(_STRAIGHTS) if straight <= of_board]
    return max(best, default=-1) > max(alone, default=-1)


def slow_draws(hole: tuple[int, int], board: list[int], made: str) -> set[str]:
    if len(board) == 5:
        return set()
    cards = [*hole, *board]
    found = set()
    strength = MADE_HANDS.index(made)
    if strength < MADE_HANDS.index("flush"):
        for suit in range(4):
            held = [card for card in cards if card % 4 == suit]
            mine = [card for card in hole if card % 4 == suit]
            if not mine:
                continue
            if len(held) == 4:
                found.add("flush draw")
                missing = [4 * rank + suit for rank in range(13) if 4 * rank + suit not in board]
                if max(mine) == max(missing):
                    found.add("nut flush draw")
            if len(held) == 3 and len(board) == 3:
                found.add("backdoor flush draw")
    if strength < MADE_HANDS.index("straight"):
        ranks = {card // 4 for card in cards}
        outs = {rank for rank in range(13) if rank not in ranks and straight_with(hole, board, 4 * rank)}
        runs = [(12 if low == 0 else low - 1, low + 4) for low in range(9) if {*range(low, low + 4)} <= ranks]
        if len(outs) == 1:
            found.add("gutshot")
        elif any(set(ends) <= outs for ends in runs):
            found.add("OESD")
        elif outs:
            found.add("double gutshot")
        if outs and "flush draw" in found:
            found.add("combo draw")
    if made in ("high card", "ace high") and min(hole) // 4 > max(board) // 4 and hole[0] // 4 != hole[1] // 4:
        found.add("overcards")
    return found


BOARDS = [
    "Qh Jh 2c", "9h 8h 7h", "As Ad 5c", "7c 7d 7h", "Ah 2d 3s", "Ks Qs Js", "5s 4d 2c",
    "Qh Jh 2c 7d", "Td 9d 8d 7d", "Kc Kd 5h 5s", "Ah 3d 4s 5c", "4c 5d 8h 9s", "7c 7d 7h 7s", "6c 7d 8h 9s",
    "Qh Jh 2c 7d 5s", "Ts Js Qs Ks As", "9c 9d 9h 2s 2c", "4h 5h 6h 7h 8h", "Ac Kd 7h 4s 2c", "5c 6d 7h 8s 9c",
]  # fmt: skip


@pytest.mark.parametrize("text", BOARDS)
@pytest.mark.quick_cases(every=3)
def test_every_combo_against_the_slow_reference(text: str) -> None:
    board = parse_cards(text)
    names = name_hands(board)
    for combo in range(NUM_COMBOS):
        low, high = (int(card) for card in COMBO_CARDS[combo])
        drawn = {name for name, found in zip(DRAWS, names.draws[:, combo], strict=True) if found}
        if {low, high} & set(board):
            assert names.made[combo] == -1
            assert (drawn, names.describe(combo)) == (set(), "")
            continue
        made = slow_made((low, high), board)
        assert MADE_HANDS[names.made[combo]] == made, format_combo(combo)
        assert drawn == slow_draws((low, high), board, made), format_combo(combo)


def test_the_boards_show_every_name() -> None:
    found = [name_hands(parse_cards(text)) for text in BOARDS]
    assert {int(index) for names in found for index in np.unique(names.made)} == {*range(-1, len(MADE_HANDS))}
    assert all(any(names.draws[index].any() for names in found) for index in range(len(DRAWS)))


@pytest.mark.parametrize(
    ("hand", "board", "description"),
    [
        ("AhKh", "Qh Jh 2c", "ace high, overcards, gutshot, nut flush draw, combo draw"),
        ("Qs9s", "Qh Jh 2c", "top pair"),
        ("7s7d", "Qh Jh 2c", "pocket pair"),
        ("AcKc", "Qd Qh 5s", "ace high, overcards"),
        ("Ac5c", "Qd Qh 5s", "bottom pair"),
        ("KdQs", "Qd Qh 5s", "trips"),
        ("2c3d", "Ts Js Qs Ks As", "straight flush"),
    ],
)
def test_examples(hand: str, board: str, description: str) -> None:
    assert name_hands(parse_cards(board)).describe(parse_combo(hand)) == description


def chosen(text: str, board: str = "Qh Jh 2c") -> set[str]:
    return {
        format_combo(int(combo))
        for combo in np.flatnonzero(parse_hand_filter(text).select(name_hands(parse_cards(board))))
    }


def test_filters() -> None:
    pairs = list(combinations(["Qs", "Qd", "Qc"], 2))
    sets = {format_combo(parse_combo("".join(pair))) for pair in pairs}
    assert sets < chosen("set")
    assert len(chosen("set")) == 9
    assert chosen("Set, two pair") == chosen("set") | chosen("two-pair")
    assert chosen("bottom pair & flush draw") == chosen("bottom pair") & chosen("FD") != set()
    assert chosen("set & flush draw, overpair") == (chosen("set") & chosen("flush draw")) | chosen("overpair")
    assert chosen("top_pair+") == {hand for name in MADE_HANDS[6:] for hand in chosen(name)}
    assert chosen("gutshot+ & !flush draw") == {
        hand for name in ("gutshot", "double gutshot", "oesd") for hand in chosen(name)
    } - chosen("flush draw")
    assert chosen("high card+") == chosen("!set, set")
    assert len(chosen("high card+")) == 49 * 48 // 2
    assert chosen("nut flush draw") < chosen("flush draw")
    assert chosen("flush draw+", "Qh Jh 2c 7d 5s") == set()


@pytest.mark.parametrize(
    ("text", "message"),
    [("top pear", "did you mean 'top pair'"), ("", "known are high card"), ("set,", "''"), ("set & & fd", "''")],
)
def test_unknown_names(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_hand_filter(text)


@pytest.mark.parametrize("board", [[0, 1], [0, 1, 1], [0, 1, 52], list(range(6))])
def test_boards_that_are_none(board: list[int]) -> None:
    with pytest.raises(CardError, match="three to five"):
        name_hands(board)
