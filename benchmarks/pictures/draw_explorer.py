"""Takes the screens of the explorer's pages in Debian's chromium and compresses them.

    python -m benchmarks.pictures.draw_explorer FOLDER [NAME]...

FOLDER holds what the screens show, made by these commands in it (some minutes)::

    hedgehog solve .../docs/examples/spots/turn.yaml --target-pct 0.5 --save my-turn
    hedgehog match default call --hands 200 --seed 3 --think-ms 0 --in-process --out my-match
    hedgehog tournament run small.yaml --out my-tournament     # agents call, raise, random; 200 hands; in_process
    hedgehog study tree --hands my-match/seating_1.log --hands my-match/seating_2.log --out my-tree

Written are the files of ``docs/explorer``, or only those that are named.
"""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from benchmarks.common import run
from hedgehog.runtime.packages import ROOT

OUT: Final = ROOT / "docs" / "explorer"
ITEMS: Final = ("my-turn", "my-match", "my-tournament", "my-tree")
_COLOURS: Final = (192, 128, 96, 64)
_WIDTH: Final = 900
_MOST_BYTES: Final = 110_000
_PATIENCE_MS: Final = 180_000


@dataclass(frozen=True)
class Screen:
    """One screen: the view behind ``#/``, what must be there, and the size of the window."""

    view: str
    wait: str
    width: int = 1280
    height: int = 860
    dark: bool = False
    script: str = ""


_PLAYER: Final = "pack/our-player?line=r250 c QsJh2h c r550&cards=QdTd"
_COMPARED: Final = "compare?a=my-turn&line_a=X&b=my-turn&line_b=B120&player=ip"
SCREENS: Final = {
    "strategy": Screen("solve/my-turn?line=X&hand=QJs", ".fact:last-child >> text=/"),
    "cards": Screen("solve/my-turn?line=X B150 C", ".deck-face i", height=560),
    "compare": Screen(_COMPARED, "tr[data-figure=equity] >> text=.", height=820),
    "player": Screen(_PLAYER, ".why >> text=is read as", height=880),
    "flops": Screen("flops/quick-flops?line=r250c&textures=paired&sort=f1", "tr[data-flop]", height=720),
    "solve": Screen("new?from=my-turn", ".estimate strong", 1360, 900, script="solve"),
    "hand": Screen("hand/my-match?hand=5&step=7", ".why table", height=760),
    "tournament": Screen("match/my-tournament", "table.hands", height=900),
    "tree": Screen("tree/my-tree", ".tree li li", height=560),
    "phone": Screen("solve/my-turn?line=X", ".fact:last-child >> text=/", 390, 844),
    "dark": Screen("solve/my-turn?line=X B150 C 6d X&figure=ev", ".fact:last-child >> text=/", dark=True),
}


def take(page: Page, address: str, screen: Screen) -> bytes:
    """Returns a screen as PNG."""
    page.goto(f"{address}#/{screen.view}")
    page.locator(screen.wait).first.wait_for(timeout=_PATIENCE_MS)
    if screen.script == "solve":
        page.get_by_role("button", name="Solve", exact=True).click()
        page.get_by_role("link", name="Look at it").wait_for(timeout=_PATIENCE_MS)
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(400)
    return page.screenshot()


def compress(png: bytes) -> bytes:
    """Returns a PNG with a palette of few colours."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    if picture.width > _WIDTH:
        size = (_WIDTH, round(picture.height * _WIDTH / picture.width))
        picture = picture.resize(size, Image.Resampling.LANCZOS)
    for colours in _COLOURS:  # as many as the size allows
        out = io.BytesIO()
        reduced = picture.quantize(colours, Image.Quantize.MEDIANCUT, kmeans=4, dither=Image.Dither.NONE)
        reduced.save(out, "PNG", optimize=True)
        if len(out.getvalue()) <= _MOST_BYTES:
            break
    return out.getvalue()


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice(list(SCREENS)))
def main(folder: Path, names: tuple[str, ...]) -> None:
    """Take the screens of the explorer that NAME tells, or all of them, from the items in FOLDER."""
    OUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as solves, sync_playwright() as playwright:
        command = [sys.executable, "-m", "hedgehog.cli", "explore", *ITEMS, "--no-browser", "--solves", solves]
        server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        found = re.search(r"http\S+", server.stdout.readline())
        assert found is not None
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        try:
            for name in names or SCREENS:
                screen = SCREENS[name]
                context = browser.new_context(
                    viewport={"width": screen.width, "height": screen.height},
                    color_scheme="dark" if screen.dark else "light",
                )
                page = context.new_page()
                page.set_default_timeout(_PATIENCE_MS)
                (OUT / f"{name}.png").write_bytes(compress(take(page, found[0], screen)))
                context.close()
                click.echo(f"{name} {(OUT / f'{name}.png').stat().st_size}")
        finally:
            browser.close()
            server.terminate()
            server.wait()


if __name__ == "__main__":
    run(main)
