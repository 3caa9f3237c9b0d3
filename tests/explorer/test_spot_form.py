"""The form of a spot: text -> form -> text describes one spot, whatever the spot file holds."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

from hedgehog.explorer.work.spot_form import parse_page_spot, read_form, write_form
from hedgehog.poker.cards import NUM_CARDS, format_cards
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.postflop.spot import ABSTRACTIONS, parse_spot
from tests.explorer.explored import RIVER
from tests.explorer.spot_texts import LOCKED, TEXTS, verify_same_spot


def verify_same(text: str) -> dict[str, Any]:
    """Sends a text through the form and back, and returns the form."""
    read = read_form(text)
    form = dict(read["form"], board=read["board"])
    rake = dict(form.get("rake", {}))
    if read["percent"]:
        del rake["rate"]
        form["rake"] = {"percent": read["percent"], **rake}
    for written in (write_form(read["form"]), write_form(form)):
        verify_same_spot(parse_spot(text), parse_spot(written))
    return read


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_the_same_spot_after_the_form(name: str) -> None:
    verify_same(TEXTS[name])


@pytest.mark.parametrize(
    ("rate", "percent"),
    [("0.07", "7"), ("0.05", "5"), ("0", "0"), ("0.5", "50"), ("0.029", "2.9"), ("1e-3", "0.1"), ("0.33", "33")],
)
def test_the_rake_in_percent_is_exact(rate: str, percent: str) -> None:
    assert verify_same(f"{RIVER}rake: {{rate: {rate}}}\n")["percent"] == percent


def test_a_rake_keeps_the_keys_it_has() -> None:
    def written(rake: dict[str, str]) -> object:
        return yaml.safe_load(write_form({"rake": rake}))["rake"]

    assert written({"percent": "7"}) == {"rate": 0.07}
    assert written({"percent": "7", "cap": "3"}) == {"rate": 0.07, "cap": 3}
    assert written({"cap": "3"}) == {"cap": 3}
    assert written({"percent": "much"}) == {"rate": "much"}


def test_comments_are_reported() -> None:
    assert read_form(LOCKED)["comments"]
    assert not read_form(LOCKED.replace("# Both lines are played at the table.", "").replace("# a raise never", ""))[
        "comments"
    ]
    assert read_form(RIVER + "# the end")["comments"]


def test_a_menu_file_is_refused_by_name() -> None:
    text = RIVER.partition("sizes:")[0] + "sizes: menu.yaml\n"
    with pytest.raises(SpotError, match=r"the page opens no files: write the bet sizes of menu\.yaml here"):
        parse_page_spot(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [("pot: 1000", "pot: x"), ("pot: 1000", "pott: 1000"), ("pot: 1000", "pot: 5.5"), ("pot:", "pot: [")],
)
def test_a_refused_text_names_its_line(old: str, new: str) -> None:
    assert old in RIVER
    number = 1 + RIVER[: RIVER.index(old)].count("\n")
    with pytest.raises(SpotError) as caught:
        read_form(RIVER.replace(old, new, 1))
    assert re.match(rf"line ({number}|{number + 1}): ", str(caught.value)), caught.value


def test_numbers_have_no_quotes_and_texts_stay_texts() -> None:
    form = {"spot": "12", "pot": "1000", "stack": "no", "locks": [{"line": "X", "strategy": {"X": "0.25"}}]}
    assert write_form(form) == ("spot: 12\npot: 1000\nstack: 'no'\nlocks:\n- line: X\n  strategy:\n    X: 0.25\n")


WEIGHTS = st.floats(1e-12, 1).map(lambda weight: f":{weight!r}") | st.sampled_from(["", ":0.5", ":0.00003", ":1"])
HANDS = st.sampled_from(["AA", "KK-99", "AKs", "AKo", "KQ", "T9s+", "AhKh", "76s-54s", "22+", "A5s-A2s", "random"])
RANGES = st.lists(st.tuples(HANDS, WEIGHTS).map("".join), min_size=3, max_size=8).map(",".join)
MENUS = st.sampled_from(["", "50%", "33%,75%,a", "100c", "e", "2e200%", "52.5%"])
SIZES = st.tuples(MENUS, st.sampled_from(["", " / 2.5x", " / 100%,a", " / 20c3r /"])).map("".join)
DECIMALS = st.decimals(0, "0.9", places=3).map(str) | st.floats(0, 0.9).map(repr)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@st.composite
def spot_texts(draw: st.DrawFn) -> str:
    """Draws the text of a spot file."""
    board = draw(st.lists(st.integers(0, NUM_CARDS - 1), min_size=3, max_size=5, unique=True))
    spot: dict[str, Any] = {
        "spot": draw(NAMES),
        "board": format_cards(board, draw(st.sampled_from(["", " "]))),
        "pot": draw(st.integers(1, 10_000)),
        "stack": draw(st.integers(1, 20_000)),
        "range": {"oop": draw(RANGES), "ip": draw(RANGES)},
        "sizes": {},
    }
    for street in ("flop", "turn", "river"):
        spot["sizes"][street] = {"oop": draw(SIZES), "ip": draw(SIZES)}
        if street != "flop" and draw(st.booleans()):
            spot["sizes"][street]["donk"] = draw(MENUS)
    optional = {
        "add_allin_threshold": DECIMALS,
        "force_allin_threshold": DECIMALS,
        "merging_threshold": DECIMALS,
        "max_bets": st.integers(0, 9),
        "abstraction": st.sampled_from(list(ABSTRACTIONS)),
    }
    for key, values in optional.items():
        if draw(st.booleans()):
            spot[key] = draw(values)
    if draw(st.booleans()):
        spot["rake"] = {"rate": draw(DECIMALS), "cap": draw(st.integers(0, 99))}
    keys = draw(st.permutations(sorted(spot)))
    flow = draw(st.sampled_from([None, False, True]))
    style = draw(st.sampled_from([None, '"', "'"]))
    return yaml.safe_dump(
        {key: spot[key] for key in keys}, default_flow_style=flow, default_style=style, sort_keys=False
    )


_FORM_WITH_A_LINE_BREAK = r"""
spot: "a\Nb"
board: 2c2d2h
pot: 1
stack: 1
range: {oop: AA, ip: AA}
sizes: {flop: {oop: "", ip: ""}, turn: {oop: "", ip: ""}, river: {oop: "", ip: ""}}
"""


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(spot_texts())
@example(_FORM_WITH_A_LINE_BREAK)
def test_any_text_is_the_same_spot_after_the_form(text: str) -> None:
    try:
        parse_spot(text)
    except SpotError:
        reject()
    verify_same(text)
