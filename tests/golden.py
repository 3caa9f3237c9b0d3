"""Reads the golden ACPC data in ``tests/data/acpc``, whose README describes it."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hedgehog.poker.acpc.gamedef import GameDef, find_gamedef, read_gamedef

FOLDER = Path(__file__).parent / "data" / "acpc"
LOGS = sorted(path.name.removesuffix(".log.gz") for path in FOLDER.glob("log_*.log.gz"))
TRANSCRIPTS = sorted(path.name.removesuffix(".json.gz") for path in FOLDER.glob("transcript_*.json.gz"))


def game(name: str) -> GameDef:
    """Returns a shipped game definition."""
    return read_gamedef(find_gamedef(name))


HUNL = "holdem.nolimit.2p.reverse_blinds"


def read_golden_log(name: str) -> list[str]:
    """Returns the lines of a golden log."""
    return gzip.decompress((FOLDER / f"{name}.log.gz").read_bytes()).decode().splitlines()


def read_scenarios() -> list[dict[str, Any]]:
    """Returns the recorded scenarios."""
    scenarios: list[dict[str, Any]] = json.loads(gzip.decompress((FOLDER / "scenarios.json.gz").read_bytes()))
    return scenarios


@dataclass(frozen=True)
class Transcript:
    """A recorded match: what every seat received and sent."""

    game: str
    names: list[str]
    hands: int
    seed: int
    seats: list[list[tuple[str, str]]]
    """For each seat the pairs ("S", line received) and ("C", chunk sent) in order."""
    log: str
    warnings: list[str]


def read_transcript(name: str) -> Transcript:
    """Returns a golden transcript."""
    data = json.loads(gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes()))
    arguments = data["dealer_args"]
    return Transcript(
        game=arguments[1].removesuffix(".game"),
        names=arguments[4 : 4 + len(data["seats"])],
        hands=int(arguments[2]),
        seed=int(arguments[3]),
        seats=[[(kind, text) for kind, text in seat] for seat in data["seats"]],
        log=data["log"],
        warnings=data["warnings"],
    )
