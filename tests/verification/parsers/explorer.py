"""Parsers of what the page of the explorer sends."""

from __future__ import annotations

from functools import cache

from hedgehog.explorer.items.nodes import find_place
from hedgehog.explorer.items.solve_item import parse_player
from hedgehog.explorer.solving import StartRequest, parse_body
from hedgehog.explorer.work.play_lines import PlayPlace, find_play_place, line_of_state
from hedgehog.explorer.work.spot_form import read_form
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.cards import parse_cards
from hedgehog.runtime.errors import CardError, InputError, MatchStateError, SpotError
from hedgehog.solver.postflop.tree import TreeConfig, build_postflop_tree
from hedgehog.strategies.betting_tree import BettingTree
from tests.reference.small_games import same_sizes
from tests.verification.parsers.entry import ROOT, Parser, as_bytes

GAMEDEF = load_gamedef()
BOARD = tuple(parse_cards("Qh Jh 2c"))
SPOTS = tuple(path.read_text() for path in sorted((ROOT / "docs" / "examples" / "spots").glob("*.yaml")))
START = '{"spot": "x", "name": "my-spot", "storage": "auto", "target_pct": 0.5, "iterations": 100}'


@cache
def tree() -> BettingTree:
    """Returns a small tree that begins on the flop."""
    return build_postflop_tree(TreeConfig(street=1, pot=100, stack=230, sizes=same_sizes("100%", "", "a")))


def check_play_line(text: str, place: PlayPlace) -> None:
    again = find_play_place(line_of_state(place.state, place.board), GAMEDEF)
    assert again.state.betting_string() == place.state.betting_string()
    assert again.board == place.board


PARSERS = (
    Parser(
        "hedgehog.explorer.items.nodes.find_place",
        lambda text: find_place(tree(), BOARD, text),
        ("", "X", "X X", "X X 7d", "B100 C 7d X", "B100 F", "X B100 C 7d X X 8s A130 C"),
        (SpotError, CardError),
    ),
    Parser(
        "hedgehog.explorer.work.play_lines.find_play_place",
        lambda text: find_play_place(text, GAMEDEF),
        ("", "r250", "r250 c QsJh2h c r415", "r250 c QsJh2h c r415 c 7d c c 9c", "c r20000 c QsJh2h 7d 9c", "f"),
        (InputError, MatchStateError, CardError),
        check_play_line,
    ),
    Parser("hedgehog.explorer.items.solve_item.parse_player", parse_player, ("oop", "ip"), (InputError,)),
    Parser(
        "hedgehog.explorer.solving.parse_body",
        lambda text: parse_body(StartRequest, as_bytes(text)),
        (START, START.replace("auto", "f16")),
        (InputError,),
    ),
    Parser("hedgehog.explorer.work.spot_form.read_form", read_form, SPOTS, (SpotError,)),
)
KEPT: tuple[tuple[str, str], ...] = ()
