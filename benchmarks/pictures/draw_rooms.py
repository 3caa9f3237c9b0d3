"""Draws the packages and the rooms inside them, the picture of docs/architecture.md.

    python -m benchmarks.pictures.draw_rooms

The order of the layers is read from the import-linter contracts in ``pyproject.toml``. Written is ``docs/rooms.svg``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from html import escape
from typing import Final

import click

from benchmarks.common import run
from hedgehog.runtime.packages import ROOT

PICTURE: Final = ROOT / "docs" / "rooms.svg"
PACKAGES: Final = {
    "cli": "the hedgehog command: one folder for each group of commands",
    "explorer": "strategies, matches and trees in the browser, on this machine alone",
    "interop": "formats and protocols of other programs",
    "analysis": "what logs, solves, packs and players are worth",
    "arena": "matches and tournaments: over processes, or inside one process",
    "agent": "the players: ACPC client, bots, our player",
    "dealer": "the ACPC dealer alone",
    "gametheory": "games by their rules, linear programs, dominance, jam or fold; no poker",
    "solver": "computes strategies; a room imports only from the rooms to its right",
    "strategies": "the betting tree, the formats of strategy packs, bet-size translation",
    "poker": "cards, hand ranks, ranges, betting rules, bet sizes",
    "runtime": "no poker: errors, exports, files, locks, memory, compiled kernels",
}
ROOMS: Final = {
    "cli": {
        "solves": "solve, query, simulate",
        "packs": "pack build, show, verify",
        "arena": "match, tournament, dealer",
        "table": "play-here, ask, drill",
        "log": "log show, stats, judge",
        "study": "study hands, trees",
        "bench": "bench: speed",
        "lab": "lab: two laboratories",
        "tools": "eval, equity, lbr, endgame, audit",
        "games": "game solve, jamfold",
        "explore": "explore",
        "upi": "upi: PioSOLVER's protocol",
        "online": "serve, play at a server",
    },
    "explorer": {"items": "what can be shown", "work": "processes beside the server"},
    "interop": {
        "upi": "PioSOLVER's line protocol",
        "http": "games over HTTP, both sides",
        "openspiel": "bots, policies, Kaggle",
        "environments": "PettingZoo, Gymnasium",
        "texassolver": "configurations, dumps",
        "wasmpostflop": "tree configurations",
    },
    "analysis": {
        "stats": "means, intervals, luck",
        "aivat": "less luck, same mean",
        "lbr": "local best response",
        "endgame": "exact best response",
        "judging": "DIVAT, EVAT, LFAT",
        "grading": "losses of decisions",
        "drills": "questions, repetition",
        "histories": "files of hands, formats",
        "study": "real bets, menus, trees",
        "tournament": "scores, ranks, pages",
        "solves": "convergence, simulation",
        "lab": "what forgetting costs",
        "three_players": "a two-player strategy",
        "packs": "curves, buckets, gains",
        "speed": "how fast this machine is",
        "drawing": "charts, templates",
        "games": "jam or fold, trees, charts",
    },
    "gametheory": {"tournaments": "jam or fold, charts, prizes"},
    "solver": {
        "packs": "builders of packs",
        "flops": "refiner, best response",
        "abstraction": "groups of hands",
        "blueprint": "whole-game trainer",
        "postflop": "spots, saved solves",
        "cfr": "algorithms; no poker",
    },
    "arena": {"seatings": "over TCP, or in one process", "freeze_out": "levels, whole matches"},
    "agent": {
        "acpc": "dealer's client",
        "openspiel": "OpenSpiel's bots",
        "limit": "limit hold'em",
        "strategy": "packs, live",
    },
    "poker": {
        "acpc": "game definitions, states, logs",
        "evaluation": "hand ranks, equities, showdowns",
        "games": "the shipped game definitions",
        "range_texts": "ranges for other programs",
    },
    "runtime": {
        "display": "notebooks, frames, charts",
        "extending": "parts by name",
        "serving": "web servers, workers",
        "engines": "long tasks: here, clusters",
    },
}

_WIDTH: Final = 900
_BAND: Final = 800
_PAD: Final = 14
_HEAD: Final = 34
_ROOM: Final = 46
_GAP: Final = 8
_PER_ROW: Final = 5
_COLOURS: Final = (
    "#dbe7f6",
    "#dcefe3",
    "#f6ecd6",
    "#f3dfdc",
    "#f7e4ee",
    "#e6e0f2",
    "#dcedf0",
    "#ece7dc",
    "#e6e8eb",
    "#f0e8dd",
    "#e3ecd9",
)
_STYLE: Final = """text { font-family: Helvetica, Arial, "Liberation Sans", sans-serif; fill: #1d2733; }
.package { font-size: 16px; font-weight: 700; }
.what { font-size: 13px; fill: #44515f; }
.room { font-size: 13px; font-weight: 700; }
.small { font-size: 11px; fill: #44515f; }"""


def layers() -> list[list[str]]:
    """Returns the packages layer by layer, the highest first, as the first contract in ``pyproject.toml`` has them."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]
    return [layer.split(" | ") for layer in contract["layers"]]


def draw() -> str:
    """Returns the picture as the text of an SVG file."""
    parts: list[str] = []
    top = 16
    for number, layer in enumerate(layers()):
        width = (_BAND - _GAP * (len(layer) - 1)) / len(layer)
        rows = max(-(-len(ROOMS.get(package, ())) // _PER_ROW) for package in layer)
        height = _HEAD + rows * (_ROOM + _GAP) + (4 if rows else 0)
        for column, package in enumerate(layer):
            parts += _draw_package(package, 84 + column * (width + _GAP), top, width, height, _COLOURS[number])
        top += height + _GAP
    arrow = (
        f'<path d="M40 24 V{top - 34}" stroke="#44515f" stroke-width="2"/>'
        f'<path d="M33 {top - 36} h14 l-7 14 z" fill="#44515f"/>'
        f'<text class="what" transform="translate(28 {top / 2:g}) rotate(-90)" text-anchor="middle">'
        "a package imports only from packages below it</text>"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {top + 8}" role="img">\n'
        "<title>The packages of Hedgehog and the rooms inside them</title>\n"
        f"<style>{_STYLE}</style>\n"
        f'<rect width="{_WIDTH}" height="{top + 8}" rx="10" fill="#ffffff"/>\n{arrow}\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _draw_package(package: str, left: float, top: float, width: float, height: float, colour: str) -> Iterator[str]:
    yield (
        f'<rect x="{left:g}" y="{top}" width="{width:g}" height="{height}" rx="7" fill="{colour}"/>'
        f'<text class="package" x="{left + _PAD:g}" y="{top + 23}">{package}/'
        f'<tspan class="what" font-weight="400" dx="10">{escape(PACKAGES[package])}</tspan></text>'
    )
    rooms = list(ROOMS.get(package, {}).items())
    per_row = min(_PER_ROW, -(-len(rooms) // -(-len(rooms) // _PER_ROW))) if rooms else 1
    room_width = (width - 2 * _PAD - _GAP * (per_row - 1)) / per_row
    for number, (room, what) in enumerate(rooms):
        x = left + _PAD + number % per_row * (room_width + _GAP)
        y = top + _HEAD + number // per_row * (_ROOM + _GAP)
        yield (
            f'<rect x="{x:g}" y="{y}" width="{room_width:g}" height="{_ROOM}" rx="5" fill="#ffffff"/>'
            f'<text class="room" x="{x + 10:g}" y="{y + 19}">{room}</text>'
            f'<text class="small" x="{x + 10:g}" y="{y + 36}">{escape(what)}</text>'
        )
        if package == "solver" and number + 1 < len(rooms):
            yield f'<path d="M{x + room_width:g} {y + 17} v12 l{_GAP} -6 z" fill="#44515f"/>'


@click.command()
def main() -> None:
    """Draw the packages and the rooms inside them into docs/rooms.svg."""
    PICTURE.write_text(draw())


if __name__ == "__main__":
    run(main)
