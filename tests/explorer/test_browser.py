"""The page in Debian's chromium, headless, driven by Playwright. ``make test-browser`` installs the browser."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

from hedgehog.solver.postflop.spot import parse_spot
from tests.explorer.explored import RIVER, query, save
from tests.explorer.spot_texts import TEXTS, verify_same_spot
from tests.solver.depth_packs import write_depths
from tests.solver.postflop_fixtures import SMALL_FLOP

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
LOG = Path(__file__).parents[1] / "data" / "acpc" / "log_hunl2p_s0.log.gz"
PLACE_OF_GRID = """() => {
  const box = document.querySelector(".grid-panel .grid").getBoundingClientRect();
  return [box.left, box.top + scrollY, box.width, box.height].map(Math.round);
}"""
PATIENCE_MS = 240_000

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here: make test-browser installs it")
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    root = tmp_path_factory.mktemp("solves")
    return [save(root / "river", RIVER), save(root / "flop", SMALL_FLOP)]


@pytest.fixture(scope="module")
def packs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_depths(tmp_path_factory.mktemp("family") / "depths", 20, 50, 200)


@pytest.fixture(scope="module")
def address(folders: list[Path], packs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yields the address that ``hedgehog explore`` prints."""
    solves = tmp_path_factory.mktemp("new") / "solves"
    command = [
        sys.executable,
        "-m",
        "hedgehog.cli",
        "explore",
        *map(str, folders),
        str(packs),
        str(LOG),
        "--no-browser",
    ]
    process = subprocess.Popen([*command, "--solves", str(solves)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", process.stdout.readline())
        assert found is not None
        yield found[0]
    finally:
        process.terminate()
        assert process.wait(240) == 0


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@contextmanager
def opened(browser: Browser, address: str, view: str, *, refused: int = 0, **options: Any) -> Iterator[Page]:
    """Yields a page that shows a view. It may make no requests to other places, and no mistakes but `refused` requests
    that the test makes wrong on purpose (the browser itself reports those)."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    faults: list[str] = []
    elsewhere: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.on("request", lambda request: elsewhere.append(request.url))
    page.goto(f"{address}#/{view}")
    yield page
    context.close()
    assert [fault for fault in faults if "status of 400" not in fault] == []
    assert len(faults) == refused
    assert [url for url in elsewhere if not url.startswith((address, "blob:", "data:"))] == []


def test_the_start_page_lists_everything(browser: Browser, address: str) -> None:
    with opened(browser, address, "") as page:
        for title in ("river", "flop", "Our player", "quick-flops", LOG.name):
            expect(page.locator(".tile strong", has_text=re.compile(f"^{re.escape(title)}$"))).to_be_visible()
        page.locator(".tile", has_text="river").first.click()
        expect(page.locator(".cell")).to_have_count(169)


def test_the_grid_the_line_and_the_numbers(browser: Browser, address: str, folders: list[Path]) -> None:
    (expected,) = query(folders[0], ["X"])
    with opened(browser, address, "solve/river?line=X") as page:
        shares = page.locator(".action-table tbody td:nth-child(2)")
        expect(shares).to_have_text([f"{100 * share:.2f}" for share in expected["freq"]])
        page.locator('.cell[data-hand="AA"]').hover()
        expect(page.locator(".detail strong")).to_have_text("AA")
        expect(page.locator(".combos tbody tr[data-combo]")).to_have_count(6)
        hand = next(hand for hand in expected["hands"] if hand["hand"] == "AsAh")
        row = page.locator('tr[data-combo="AsAh"] td')
        for column, share in enumerate(hand["strategy"], 1):
            expect(row.nth(column)).to_contain_text(f"{100 * share:.1f}")
        page.locator('.cell[data-hand="KK"]').click()
        expect(page.locator('.cell[data-hand="KK"]')).to_have_attribute("aria-pressed", "true")
        assert "hand=KK" in page.url
        page.locator(".choice[data-token='B500']").last.click()
        expect(page.locator(".step.now .step-head")).to_contain_text("OOP")
        assert "line=X+B500" in page.url
        page.go_back()
        expect(shares).to_have_text([f"{100 * share:.2f}" for share in expected["freq"]])


@pytest.mark.slow
def test_figures_and_filters(browser: Browser, address: str) -> None:
    with opened(browser, address, "solve/river?line=X") as page:
        page.get_by_role("button", name="Equity", exact=True).click()
        expect(page.locator('.cell[data-hand="AA"] .value')).to_have_text(re.compile(r"^\d+$"))
        page.get_by_role("group", name="Figure").get_by_role("button", name="EV", exact=True).click()
        expect(page.locator('.cell[data-hand="AA"] .value')).to_have_text(re.compile(r"^[\d,.]+$"))
        page.get_by_label("Any made hand").select_option(label="set")
        expect(page.locator(".combos tbody tr[data-combo]")).to_have_count(12)  # QQ, JJ, 77 and 55
        page.get_by_label("Any made hand").select_option(label="Any made hand")
        page.get_by_label("Hands by name").fill("AKs")
        expect(page.locator(".combos tbody tr[data-combo]")).to_have_count(4)
        page.locator(".combos th button", has_text="EV").last.click()
        expect(page.locator(".combos th[aria-sort=descending]")).to_contain_text("EV")


def test_keys(browser: Browser, address: str) -> None:
    with opened(browser, address, "solve/river") as page:
        expect(page.locator(".step")).to_have_count(1)
        page.keyboard.press("1")
        expect(page.locator(".step")).to_have_count(2)
        page.keyboard.press("ArrowDown")
        expect(page.locator(".step").first.locator(".choice[aria-pressed=true]")).to_contain_text("Bet")
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".step")).to_have_count(1)
        page.keyboard.press("p")
        expect(page.locator(".segments button[data-value='1']").first).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("g")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        expect(page.locator('.cell[data-hand="AKs"]')).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("?")
        expect(page.locator("dialog#keys")).to_be_visible()


@pytest.mark.slow
def test_next_cards(browser: Browser, address: str, folders: list[Path]) -> None:
    (expected,) = query(folders[1], ["X X 7d"])
    with opened(browser, address, "solve/flop?line=X X") as page:
        expect(page.locator(".deck-card:disabled")).to_have_count(3)
        expect(page.locator(".deck-face i").first).to_be_visible()
        page.get_by_label("Figure").select_option(label="EV of OOP")
        face = page.locator('.deck-card[data-card="7s"] .deck-face')
        expect(face).to_have_text(re.compile(r"^[\d.]+$"))
        assert float(face.inner_text()) == pytest.approx(expected["avg_ev"][0], abs=0.006)
        page.locator('.deck-card[data-card="7d"]').click()
        expect(page.locator(".facts .card")).to_have_count(4)
        page.keyboard.press("ArrowDown")
        expect(page.locator(".facts .card").nth(3)).to_have_attribute("aria-label", "7c")


@pytest.mark.slow
def test_two_decisions_side_by_side(browser: Browser, address: str) -> None:
    with opened(browser, address, "solve/river?line=X") as page:
        page.get_by_role("button", name="Compare").click()
        page.locator(".choice[data-token='B1000']").last.click()
        expect(page.locator(".step")).to_have_count(3)
        page.get_by_role("button", name="Compare").click()
        expect(page.locator(".three .grid")).to_have_count(3)
        expect(page.locator("tr[data-figure=equity] td").nth(1)).to_have_text(re.compile(r"\d"))


@pytest.mark.slow
def test_a_phone_in_the_dark(browser: Browser, address: str) -> None:
    options = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark", "has_touch": True}
    for view in ("", "solve/river?line=X", "solve/flop?line=X X", "new", "pack/depths", "match/log-hunl2p-s0-log-gz"):
        with opened(browser, address, view, **options) as page:
            page.wait_for_load_state("networkidle")
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, view
            background = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert sum(map(int, re.findall(r"\d+", background)[:3])) < 120


@pytest.mark.slow
def test_the_layout_does_not_jump(browser: Browser, address: str) -> None:
    with opened(browser, address, "solve/river?line=X") as page:
        expect(page.locator(".facts")).to_contain_text("/")
        page.wait_for_load_state("networkidle")
        before = page.evaluate(PLACE_OF_GRID)
        page.locator('.cell[data-hand="AKs"]').hover()
        page.get_by_role("group", name="Figure").get_by_role("button", name="Weight", exact=True).click()
        page.locator(".choice[data-token='B500']").last.click()
        expect(page.locator(".step")).to_have_count(3)
        page.wait_for_load_state("networkidle")
        assert page.evaluate(PLACE_OF_GRID) == before


def test_solving_a_spot(browser: Browser, address: str) -> None:
    with opened(browser, address, "new?from=river") as page:
        expect(page.locator(".estimate")).to_contain_text("of memory")
        cell = page.locator(".range-paint").first.locator('.cell[data-hand="22"]')
        cell.click()
        expect(page.locator("textarea.yaml")).to_have_value(re.compile("22"))
        expect(page.locator(".estimate")).to_contain_text("of memory")
        page.get_by_label("Target, percent of the pot").fill("5")
        page.get_by_role("button", name="Solve", exact=True).click()
        expect(page.locator(".panel-title", has_text=re.compile(": small.river"))).to_be_visible()  # it has begun
        page.reload()  # the solve goes on
        page.goto(f"{address}#/new")
        page.get_by_role("link", name="Look at it").click()
        expect(page.locator(".headline")).to_contain_text("small river-2")
        expect(page.locator('.cell[data-hand="22"]:not(.empty)')).to_be_visible()


@pytest.mark.slow
def test_the_form_keeps_the_spot(browser: Browser, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(f"{address}#/new")
    estimate, form = page.locator(".estimate"), page.locator(".columns.form > .side").first
    expect(estimate).to_contain_text("of memory")
    text = page.get_by_label("Spot file (YAML)")
    for name, spot in TEXTS.items():
        text.fill(spot)
        page.get_by_role("button", name="Read into the form", exact=True).click()
        expect(form).to_have_js_property("inert", False)
        expect(estimate).to_contain_text("abstraction" if name == "abstraction" else "of memory")
        assert text.input_value() == spot.replace("\r\n", "\n")  # not changed by reading
        text.evaluate("box => { box.value = ''; }")  # the form alone has the spot
        page.get_by_label("Pot", exact=True).dispatch_event("input")
        expect(text).to_have_value(re.compile("range:"))
        verify_same_spot(parse_spot(text.input_value()), parse_spot(spot))
    text.fill(TEXTS["locks"])
    page.get_by_role("button", name="Read into the form", exact=True).click()
    expect(form).to_contain_text("The form keeps locks (2)")
    page.get_by_text("Thresholds and rake").click()
    page.get_by_label("Rake, percent").fill("12.5")
    expect(text).to_have_value(re.compile(r"rate: 0\.125\n"))
    page.get_by_role("button", name="Leave out", exact=True).click()
    expect(text).not_to_have_value(re.compile("locks"))
    expect(form).not_to_contain_text("The form keeps")
    context.close()


@pytest.mark.slow
def test_a_refused_text_takes_the_estimate_away(browser: Browser, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(f"{address}#/new?from=river")
    estimate, form = page.locator(".estimate"), page.locator(".columns.form > .side").first
    expect(estimate).to_contain_text("of memory")
    text = page.get_by_label("Spot file (YAML)")
    expect(text).to_have_value(re.compile("small river-2"))
    before = text.input_value()
    for wrong, said in ((before.replace("pot: 1000", "pot: many"), "'pot'"), (f"sizes: menu.yaml\n{before}", "sizes")):
        text.fill(wrong)
        expect(estimate).not_to_contain_text("of memory")
        expect(form).to_have_js_property("inert", True)  # what was written is not overwritten by the form
        page.get_by_role("button", name="Read into the form", exact=True).click()
        expect(estimate).to_contain_text(said)
        assert text.input_value() == wrong
    page.get_by_role("button", name="Back to the form's text", exact=True).click()
    expect(text).to_have_value(before)
    expect(estimate).to_contain_text("of memory")
    hands = page.get_by_label("Range of OOP as text")
    hands.fill("AA,XX")
    hands.blur()
    expect(estimate).to_contain_text("'XX'")
    expect(estimate).not_to_contain_text("of memory")
    hands.fill("AA:0.00003,KK")
    hands.blur()
    expect(estimate).to_contain_text("of memory")
    expect(text).to_have_value(re.compile("oop: KK,AA:0.00003|oop: AA:0.00003,KK"))
    context.close()


@pytest.mark.slow
def test_a_hand_step_by_step(browser: Browser, address: str) -> None:
    with opened(browser, address, "match/log-hunl2p-s0-log-gz?sort=won") as page:
        page.locator("table.hands a").first.click()
        expect(page.locator(".steps li")).not_to_have_count(0)
        expect(page.locator(".why table")).to_be_visible()
        expect(page.locator(".why")).to_contain_text("Layer blueprint")
        page.keyboard.press("End")
        expect(page.locator(".why")).to_contain_text("The hand is over")


@pytest.mark.slow
def test_what_a_log_holds_besides_is_named(browser: Browser, address: str) -> None:
    note = "1 hand left out, unreadable: m.log:5: '<b>STATE'"

    def answer(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, json=response.json() | {"left_out": [note]})

    with opened(browser, address, "") as page:
        page.route("**/hands?*", answer)
        page.goto(f"{address}#/match/log-hunl2p-s0-log-gz")
        expect(page.locator(".left-out")).to_have_text(note)
        expect(page.locator("table.hands a").first).to_be_visible()


@pytest.mark.slow
def test_our_player(browser: Browser, address: str) -> None:
    with opened(browser, address, "pack/our-player?line=r250 c QsJh2h c&cards=AhKd", refused=1) as page:
        expect(page.locator(".why")).to_contain_text("Quick flop pack")
        page.get_by_label("Raise to, over the whole hand").fill("550")
        page.get_by_role("button", name="Raise", exact=True).click()
        expect(page.locator(".why")).to_contain_text("is read as")
        page.get_by_label("Betting", exact=True).fill("r250c")
        page.get_by_role("button", name="Go", exact=True).click()
        expect(page.locator("#notice")).to_contain_text("expected 3 cards")
        page.get_by_label("Board", exact=True).fill("2c 7d 9h")
        page.get_by_role("button", name="Go", exact=True).click()
        expect(page.locator(".facts .card")).to_have_count(3)
        expect(page.locator("#notice")).to_be_hidden()  # the mistake is mended


@pytest.mark.slow
def test_limit_holdem_and_its_buckets(browser: Browser, address: str) -> None:
    view = "limit/limit-hold-em?by=hbb3&nearest=3&line=r c c QsJh2h r r&cards=AhKh"
    with opened(browser, address, view, refused=1, viewport={"width": 390, "height": 844}) as page:
        expect(page.locator(".candidates")).to_contain_text("14 candidates, 7 of them unreached (NaN)")
        expect(page.locator(".candidates tr.taken")).to_contain_text("answer")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.get_by_text("Card buckets").click()
        expect(page.locator("tr[data-bucket]")).to_have_count(77)
        page.locator("tr[data-bucket='8'] button").click()
        expect(page.locator(".cell:not(.empty)")).not_to_have_count(169)
        expect(page.locator(".combo-panel .panel-title")).to_contain_text("33 combos")
        page.get_by_role("button", name="Bucket 8 alone: show all").click()
        expect(page.locator(".combo-panel .panel-title")).to_contain_text("990 combos")
        page.get_by_role("button", name="Distance", exact=True).click()
        expect(page.locator('.cell[data-hand="AA"] .value')).to_have_text("35")
        page.get_by_label("Who answers").select_option("trained")
        expect(page.locator(".why")).to_contain_text("The three-player strategy answers here")
        page.get_by_label("Betting", exact=True).fill("rff")
        page.get_by_role("button", name="Go", exact=True).click()
        expect(page.locator("#notice")).to_contain_text("the hand is over")
        page.get_by_role("button", name="2 players").click()
        expect(page.locator(".why")).to_contain_text("The two-player strategy answers here")
        expect(page.locator('[aria-label="Whose hands"] button')).to_have_count(2)


@pytest.mark.slow
def test_the_stacks_of_our_player(browser: Browser, address: str) -> None:
    with opened(browser, address, "pack/depths?line=r250 c QsJh2h", refused=1) as page:
        expect(page.locator(".packs summary")).to_have_text("For 200 BB: 200bb (blueprint)")
        page.get_by_label("Stacks", exact=True).select_option(label="20 BB")
        expect(page.locator(".packs summary")).to_have_text("For 20 BB: 20bb (blueprint)")
        expect(page.locator(".facts")).to_contain_text("1,750")
        assert "stack=20bb" in page.url
        page.get_by_label("Another stack, in chips or big blinds").fill("37.5 bb")
        page.get_by_role("button", name="Set", exact=True).click()
        expect(page.locator(".why")).to_contain_text("for 50 big blinds, the nearest depth to the 37.5 of this game")
        expect(page.locator(".facts")).to_contain_text("3,500")
        page.go_back()
        expect(page.locator(".packs summary")).to_have_text("For 20 BB: 20bb (blueprint)")
        page.get_by_label("Another stack, in chips or big blinds").fill("deep")
        page.get_by_role("button", name="Set", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text("expected a stack in chips or in big blinds")
        page.get_by_label("Stacks", exact=True).select_option(label="50 BB")
        expect(page.locator(".facts")).to_contain_text("4,750")
        page.get_by_role("link", name="Solve this spot").click()
        expect(page.locator(".preset")).to_contain_text("Ranges of the strategy for 50 BB.")
        expect(page.get_by_label("Stack", exact=True)).to_have_value("4750")


@pytest.mark.slow
def test_a_spot_of_our_player(browser: Browser, address: str) -> None:
    with opened(browser, address, "new") as page:
        expect(page.locator(".estimate")).to_contain_text("of memory")
        depths = page.get_by_role("group", name="Stacks of our player")
        expect(depths.get_by_role("button")).to_have_text(["20 BB", "50 BB", "100 BB", "200 BB"])
        page.get_by_label("Betting line of our player").fill("r250r850c")
        depths.get_by_role("button", name="200 BB").click()
        expect(page.locator(".preset")).to_contain_text("Ranges of the strategy for 200 BB.")
        text = page.get_by_label("Spot file (YAML)")
        expect(text).to_have_value(re.compile("after r250r850c.*\nstack: 19150\n", re.DOTALL))
        expect(page.get_by_label("Stack", exact=True)).to_have_value("19150")
        expect(page.locator(".columns.form > .side").first).to_have_js_property("inert", False)


@pytest.mark.slow
def test_a_spot_of_our_player_in_other_blinds(browser: Browser, address: str) -> None:
    with opened(browser, address, "new?player=depths", refused=1) as page:
        expect(page.locator(".estimate")).to_contain_text("of memory")
        fill, line = page.get_by_role("button", name="Fill in"), page.get_by_label("Betting line of our player")
        line.fill("r250c")
        fill.click()
        expect(page.locator(".preset")).to_contain_text("Ranges of the strategy for 200 BB.")
        page.get_by_label("Blinds of our player").fill("1 / 2")
        page.get_by_label("Stack of our player, in chips or big blinds").fill("75")
        fill.click()  # the line that was filled in is one of other chips: the likeliest one takes its place
        expect(page.locator(".preset")).to_contain_text("the strategy for 50 BB, the nearest depth to 37.5.")
        expect(line).not_to_have_value("r250c")
        line.fill("r5c")
        fill.click()
        text = page.get_by_label("Spot file (YAML)")
        expect(text).to_have_value(re.compile("after r5c.*\npot: 10\nstack: 70\n", re.DOTALL))
        line.fill("r250c")
        fill.click()
        expect(page.locator("#notice")).to_contain_text("illegal raise 'r250'")
        expect(text).to_have_value(re.compile("after r5c"))


@pytest.mark.slow
def test_a_spot_of_a_game_of_other_chips(browser: Browser, address: str) -> None:
    game = "pack/depths?game=holdem.nolimit.2p.10-20.1000-900&line=r50 c QsJh2h"
    with opened(browser, address, game) as page:
        expect(page.locator(".facts")).to_contain_text("850")
        page.get_by_role("link", name="Solve this spot").click()
        expect(page.locator(".preset")).to_contain_text("the strategy for 50 BB, the nearest depth to 45.")
        expect(page.get_by_label("Blinds of our player")).to_have_value("10/20")
        expect(page.get_by_label("Stack", exact=True)).to_have_value("850")


@pytest.mark.slow
def test_a_deleted_solve_gives_a_message(browser: Browser, address: str, folders: list[Path]) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{address}#/solve/flop")
    expect(page.locator(".cell")).to_have_count(169)
    away = folders[1].with_name("away")
    folders[1].rename(away)
    try:
        page.locator(".choice").first.click()
        expect(page.get_by_role("alert")).to_contain_text("cannot be")
        page.goto(f"{address}#/solve/river")
        expect(page.locator(".cell")).to_have_count(169)
    finally:
        away.rename(folders[1])
    context.close()


@pytest.mark.slow
def test_a_drill_on_a_phone(browser: Browser, address: str) -> None:
    """A question, an answer by a tap, the grid, and the next question by a key; nothing is wider than the page."""
    options = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
    with opened(browser, address, "drill?item=river&street=3&start=1", **options) as page:
        answers = page.locator("button.answer")
        expect(answers.first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        answers.first.tap()
        expect(page.locator(".verdict strong")).to_have_text(re.compile("Right|Wrong"))
        expect(page.locator(".action-table .taken")).to_have_count(1)
        page.locator("button.show-grid").tap()
        expect(page.locator(".grid-slot .cell")).to_have_count(169)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.keyboard.press("n")
        expect(page.locator(".panel-title")).to_contain_text("2.")
        page.keyboard.press("1")
        expect(page.locator(".drill-head")).to_contain_text("of 2 right")
        page.locator(".drill-head button").click()
        expect(page.locator("h1")).to_have_text("The end of the drill")
