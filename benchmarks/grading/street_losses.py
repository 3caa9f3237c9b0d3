"""What the players of a heads-up log lose on turn and river, from a random sample of hands that grows until stopped.

    python -m benchmarks.grading.street_losses LOG --store DIR [--seconds S] [--aivat FOLDER] [--picture FILE]

The hands in which a player other than ``--opponent`` decides on the river, or on the turn in every third of them, come
in an order drawn once. What is done is kept in DIR, so the same command goes on where it stopped; with ``--seconds 0``
it tells what is there. The preflop losses of all hands are added, so that of the game only flops are missing.
"""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np
from matplotlib.figure import Figure
from scipy.stats import pearsonr, spearmanr

from benchmarks.common import print_markdown, run
from benchmarks.grading.preflop_losses import aivat_of
from hedgehog.analysis.drawing.charts import MUTED, SERIES, draw_svg_and_png
from hedgehog.analysis.grading.graded import GradedHands
from hedgehog.analysis.grading.hand import GradedHand, HandGrader, HandToGrade, hand_to_grade
from hedgehog.analysis.grading.options import PASSES, GradeOptions
from hedgehog.analysis.grading.parts import open_our_player, parse_part, part_text
from hedgehog.analysis.histories.hand_input import HandInput
from hedgehog.analysis.stats.estimate import mean_estimate
from hedgehog.poker.streets import RIVER, TURN
from hedgehog.runtime.files import write_text_file

_PART = 10
_TURN_OF = 3
"""In one of so many hands the turn is graded, too: a turn takes as long as several rivers."""
_CUT_BB = 20.0


class Sampled(NamedTuple):
    """A hand of the sample."""

    place: int
    """Its place in the order of all hands."""
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
@click.option("--picture", type=click.Path(path_type=Path), help="Draw preflop losses against AIVAT to this SVG.")
def main(
    log: Path,
    store: Path,
    opponent: str,
    depth: str,
    seed: int,
    seconds: float,
    folder: Path | None,
    picture: Path | None,
) -> None:
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
    graded: dict[int, GradedHand] = {}
    for number, start in enumerate(range(0, len(sample), _PART)):
        path = store / f"part-{number:06}.json"
        if not path.exists():
            break
        graded.update(zip((one.place for one in sample[start : start + _PART]), parse_part(path), strict=True))
    if graded:
        order = np.random.default_rng(seed).permutation(len(everything))
        covered = [everything[number] for number in order[: max(graded) + 1]]
        _report(graded, covered, everything, {} if folder is None else aivat_of(folder), picture)


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
            found.append(Sampled(place, given, name, turn))
    return found


def _verify_settings(path: Path, wanted: dict[str, object]) -> None:
    if path.exists() and json.loads(path.read_text()) != wanted:
        raise click.ClickException(f"{path} belongs to another sample")
    write_text_file(path, json.dumps(wanted) + "\n")


class _Player:
    """What one player lost: before the flop in all its hands, later in those of the sample that is done."""

    def __init__(self, name: str, hands: list[GradedHand]) -> None:
        self.name = name
        self.hands = hands
        self.preflop = GradedHands(GradeOptions(name), tuple(hands), ()).mean("loss_bb").mean
        self.river: list[float] = []
        """mbb lost on the river in each hand of the sample, 0 where none was decided."""
        self.turn: list[float] = []

    def mean(self, cut: float = np.inf) -> float:
        """Returns the mbb per hand lost before the flop and on the river, each river loss cut at so many."""
        return self.preflop + float(np.minimum(self.river, cut).mean()) if self.river else np.nan


def _report(
    graded: dict[int, GradedHand],
    covered: list[tuple[str, HandToGrade]],
    everything: list[tuple[str, HandToGrade]],
    aivat: dict[str, float],
    picture: Path | None,
) -> None:
    """Prints the losses by street, the seam, the players, and the costliest places of good players.

    :param graded: graded hands by their place in the order.
    :param covered: all hands of the order up to the last one that is done.
    """
    rivers = {place: _lost(hand, "river") for place, hand in graded.items()}
    turns = {place: _lost(hand, "turn") for place, hand in graded.items() if place % _TURN_OF == 0}
    seams = {place: 1000 * hand.terms.seam for place, hand in graded.items() if place % _TURN_OF == 0}
    count = len(covered)
    print(f"{len(graded):,} hands graded of {count:,} that were drawn from {len(everything):,}")
    for name, found, places in (
        ("river", rivers, range(count)),
        ("turn", turns, range(0, count, _TURN_OF)),
        ("seam from turn to river", seams, range(0, count, _TURN_OF)),
    ):
        mean = mean_estimate([found.get(place, 0.0) for place in places])
        print(f"{name}: {mean.mean:+.0f} ± {mean.half_width:.0f} mbb per hand")
    both = mean_estimate([value for value in seams.values() if value])
    print(f"seam where both are solved, {both.n} hands: {both.mean / 1000:+.2f} ± {both.half_width / 1000:.2f} BB")
    decisions = Counter(
        (d.street, d.verdict) for hand in graded.values() for d in hand.decisions if d.street in ("turn", "river")
    )
    for street in ("turn", "river"):
        texts = [f"{number} {verdict}" for (where, verdict), number in decisions.most_common() if where == street]
        print(f"{street} decisions: {', '.join(texts)}")
    before = HandGrader(open_our_player(None), {}, preflop=True)
    by_player: dict[str, list[GradedHand]] = defaultdict(list)
    for name, given in everything:
        by_player[name].append(before.grade(given, name, ""))
    everybody = GradedHands(GradeOptions("all"), tuple(hand for hands in by_player.values() for hand in hands), ())
    for column in ("loss_bb", "versus_bb", "baseline_bb"):
        mean = everybody.mean(column)
        print(f"preflop {column}: {mean.mean:+.1f} ± {mean.half_width:.1f} mbb per hand")
    print("preflop: {} of {} raises translated, {:.1f} mbb per hand left open".format(*everybody.translated()))
    players = {name: _Player(name, hands) for name, hands in by_player.items()}
    for place, (name, _) in enumerate(covered):
        players[name].river.append(rivers.get(place, 0.0))
        if place % _TURN_OF == 0:
            players[name].turn.append(turns.get(place, 0.0))
    rows = []
    for player in sorted(players.values(), key=lambda each: each.preflop):
        later = [mean_estimate(values) if len(values) > 1 else None for values in (player.turn, player.river)]
        texts = ["" if one is None else f"{one.mean:.0f} ± {one.half_width:.0f}" for one in later]
        known = f"{aivat[player.name]:.0f}" if player.name in aivat else ""
        rows.append([player.name, f"{len(player.hands):,}", f"{player.preflop:.0f}", *texts, known])
    print_markdown(["player", "hands", "preflop", "turn", "river", "AIVAT"], rows)
    known_players = [player for player in players.values() if player.name in aivat and len(player.river) > 1]
    for least in (0, 500, 2500):
        chosen = [player for player in known_players if len(player.hands) >= least]
        if len(chosen) < 3:
            continue
        values = [aivat[player.name] for player in chosen]
        for text, losses in (
            ("preflop", [player.preflop for player in chosen]),
            ("preflop and river", [player.mean() for player in chosen]),
            (f"preflop and river cut at {_CUT_BB:g} BB", [player.mean(1000 * _CUT_BB) for player in chosen]),
            ("river alone", [player.mean() - player.preflop for player in chosen]),
        ):
            r, rho = pearsonr(losses, values)[0], spearmanr(losses, values)[0]
            print(f"{len(chosen)} players, {text}: Pearson {r:.3f}, Spearman {rho:.3f}")
    if not known_players:
        return
    many = [player for player in known_players if len(player.hands) >= 2500]
    good = sorted(many, key=lambda each: -aivat[each.name])[:5]
    names = ", ".join(player.name for player in good)
    print(f"costliest places before the flop of the five with the best AIVAT ({names}):")
    hands = tuple(hand for player in good for hand in player.hands)
    for leak in GradedHands(GradeOptions("good"), hands, ()).leaks()[:6]:
        print(f"  {leak.kind}: {leak.mbb_per_hand:.1f} ({leak.low:.1f} to {leak.high:.1f}), {leak.decisions} decisions")
    own = {player.name for player in good}
    later_hands = tuple(hand for place, hand in graded.items() if covered[place][0] in own)
    worst = GradedHands(GradeOptions("good"), later_hands, ()).worst(20)
    for d in [d for d in worst if d.street != "preflop"][:5]:
        print(
            f"  {d.player} {d.hand}: {d.betting} {d.board} {d.cards} {d.action}, {d.loss_bb:.1f} ± {d.error_bb:.1f} BB"
        )
    if picture is not None:
        everyone = [player for player in players.values() if player.name in aivat and len(player.hands) >= 50]
        picture.write_bytes(draw_svg_and_png(lambda figure: _draw(figure, everyone, aivat))[0])


def _lost(hand: GradedHand, street: str) -> float:
    return 1000 * sum(d.loss_bb or 0.0 for d in hand.decisions if d.graded and d.street == street)


def _draw(figure: Figure, players: list[_Player], aivat: dict[str, float]) -> None:
    """Draws every player's preflop loss against its AIVAT; the area of a point is its number of hands."""
    figure.set_size_inches(7.2, 4.2)
    axes = figure.subplots()
    sizes = [max(6.0, len(player.hands) / 25) for player in players]
    values = [aivat[player.name] for player in players]
    axes.scatter([player.preflop for player in players], values, s=sizes, color=SERIES[0], alpha=0.6, linewidth=0)
    for player in players:
        if len(player.hands) >= 2500 and player.preflop > 100:  # below, the names would cover each other
            at = (player.preflop, aivat[player.name])
            axes.annotate(player.name, at, xytext=(6, 3), textcoords="offset points", fontsize=7, color=MUTED)
    axes.axhline(0, color=MUTED, linewidth=0.7)
    axes.set_xlabel("loss before the flop against our player, mbb per hand")
    axes.set_ylabel("AIVAT against DeepStack, mbb per hand")
    axes.grid()


if __name__ == "__main__":
    run(main)
