"""What the players of a heads-up log lose on turn and river, from a random sample of hands that grows until stopped.

    python -m benchmarks.grading.street_losses LOG --store DIR [--seconds S] [--aivat FOLDER] [--picture FILE]

The hands in which a player other than ``--opponent`` decides on the river, or on the turn in every third of them, come
in an order drawn once. What is done is kept in DIR, so the same command goes on where it stopped; with ``--seconds 0``
it tells what is there. The preflop losses of all hands are added, so that of the game only flops are missing.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

from benchmarks.common import run
from benchmarks.grading.preflop_losses import aivat_of
from hedgehog.analysis.grading.hand import GradedHand, HandGrader, HandToGrade, hand_to_grade
from hedgehog.analysis.grading.options import PASSES
from hedgehog.analysis.grading.parts import open_our_player, parse_part, part_text
from hedgehog.analysis.histories.hand_input import HandInput
from hedgehog.poker.streets import RIVER, TURN
from hedgehog.runtime.files import write_text_file

_PART = 10
_TURN_OF = 3
"""In one of so many hands the turn is graded, too: a turn takes as long as several rivers."""
_CUT_BB = 20.0


class Sampled(NamedTuple):
    """A hand of the sample."""

    given: HandToGrade
    name: str
    turn: bool
    """Whether the turn is graded, too."""


@click.command()
@click.argument("log", type=click.Path(path_type=Path))
@click.option("--store", type=click.Path(path_type=Path), required=True, help="Folder of the parts that are done.")
@click.option("--opponent", default="DeepStack", show_default=True, help="Leave this player out.")
@click.option("--depth", type=click.Choice(list(PASSES)), default="quick", show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--seconds", type=float, default=float("inf"), help="Start no further part after so long.")
@click.option("--aivat", "folder", type=click.Path(path_type=Path), help="Folder of results.NAME.csv.")
def main(log: Path, store: Path, opponent: str, depth: str, seed: int, seconds: float, folder: Path | None) -> None:
    """Grades more hands of LOG, and prints what is known of all that are graded."""
    began, cpu = time.perf_counter(), time.process_time()
    ours = open_our_player(None)
    everything = list(_hands(log, opponent))
    sample = _sample(everything, seed)
    graders = {
        turn: HandGrader(ours, {s: PASSES[depth][s] for s in ((TURN, RIVER) if turn else (RIVER,))}, preflop=True)
        for turn in (False, True)
    }
    store.mkdir(parents=True, exist_ok=True)
    _verify_settings(store / "sample.json", {"log": log.name, "hands": len(sample), "depth": depth, "seed": seed})
    done = 0
    for number, start in enumerate(range(0, len(sample), _PART)):
        path = store / f"part-{number:06}.json"
        if path.exists():
            continue
        if time.perf_counter() - began >= seconds:
            break
        part = sample[start : start + _PART]
        found = [graders[one.turn].grade(one.given, one.name, opponent) for one in part]
        write_text_file(path, part_text(found))
        done += len(found)
        click.echo(f"{done} hands, {(time.process_time() - cpu) / done:.2f} s of processor time each", err=True)
    graded = [hand for path in sorted(store.glob("part-*.json")) for hand in parse_part(path)]
    if graded:
        _report(graded, sample, everything, opponent, {} if folder is None else aivat_of(folder))


def _hands(log: Path, opponent: str) -> Iterator[tuple[str, HandToGrade]]:
    inputs = HandInput([log], None, None)
    for file in inputs.files:
        for entry in inputs.read(file, hidden_cards=True):
            for name in entry.hand.names.split("|"):
                given = None if name == opponent else hand_to_grade(log.name, entry, name)
                if given is not None:
                    yield name, given


def _streets(given: HandToGrade) -> set[int]:
    """Returns the streets on which the player decides."""
    return {state.round for state, _ in given.hand.state.replay() if state.acting_position == given.position}


def _sample(everything: list[tuple[str, HandToGrade]], seed: int) -> list[Sampled]:
    order = np.random.default_rng(seed).permutation(len(everything))
    found = []
    for place, number in enumerate(order):
        name, given = everything[number]
        turn, streets = place % _TURN_OF == 0, _streets(given)
        if RIVER in streets or (turn and TURN in streets):
            found.append(Sampled(given, name, turn))
    return found


def _verify_settings(path: Path, wanted: dict[str, object]) -> None:
    if path.exists() and json.loads(path.read_text()) != wanted:
        raise click.ClickException(f"{path} belongs to another sample")
    write_text_file(path, json.dumps(wanted) + "\n")


def _report(
    graded: list[GradedHand],
    sample: list[Sampled],
    everything: list[tuple[str, HandToGrade]],
    opponent: str,
    known: dict[str, float],
) -> None:
    raise NotImplementedError


if __name__ == "__main__":
    run(main)
