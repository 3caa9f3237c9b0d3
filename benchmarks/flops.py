"""What a quick flop pack gains over its blueprint."""

from __future__ import annotations

from pathlib import Path

import click
from rich.table import Table

from benchmarks.common import run
from hedgehog.analysis.packs.flop_gain import Change, GainMeasure, LineGain, Respond, summarise
from hedgehog.analysis.stats.estimate import Estimate
from hedgehog.analysis.stats.number_text import format_error
from hedgehog.cli.console import output_console
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.cli.progress import show_progress
from hedgehog.cli.solves.solver_options import seed_option
from hedgehog.poker.acpc.gamedef import parse_gamedef, shipped_name
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.table import MISSING
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.cards.card_config import parse_card_config
from hedgehog.strategies.blueprint_pack import blueprint_beside
from hedgehog.strategies.pack import default_packs, open_pack
from hedgehog.strategies.quick_flops import read_quick_flops


@click.command()
@click.argument("pack", required=False, type=click.Path(path_type=Path))
@click.option("--line", "lines", metavar="BETTING", multiple=True, help="Preflop line; repeatable [default: all].")
@click.option("--flops", type=click.IntRange(2, 1755), default=10, show_default=True, help="Flop classes per line.")
@click.option("--runouts", type=click.IntRange(2, 100_000), default=300, show_default=True, help="Run-outs per match.")
@click.option(
    "--best-response",
    "respond",
    type=click.Choice(["flop", "all"]),
    help="Also exact best responses, on the flop alone or on all streets too (half a minute or one per flop).",
)
@seed_option(1, "Seed of flops and run-outs.")
@output_options(json="all flops", csv="all flops")
def main(
    pack: Path | None,
    lines: tuple[str, ...],
    flops: int,
    runouts: int,
    respond: Respond | None,
    seed: int,
    outputs: Outputs,
) -> None:
    """Let the rows of a quick flop pack play against the blueprint's, with all hands, in both seats.

    PACK is the pack's folder, by default the shipped one. Flops are drawn as often as they are dealt; run-outs are the
    same for both seats.
    """
    outputs.claim(pack)
    opened = open_pack(pack or default_packs() / "quick-flops")
    quick = read_quick_flops(opened, blueprint_beside(opened))
    known = {line.betting: line for line in quick.lines}
    for betting in lines:
        if betting not in known:
            raise InputError(f"the pack has no line {betting!r}, it has {', '.join(known)}", source=str(opened.folder))
    chosen = [known[betting] for betting in lines or known]
    measure = GainMeasure(quick, CardAbstraction.load_or_build(parse_card_config(quick.blueprint.config["cards"])))
    gains = []
    total = sum(min(flops, len(line.classes)) for line in chosen)
    with show_progress("playing", total, "flops") as shown:
        shown.update(0)
        for gain in measure.run(chosen, flops, runouts, seed, respond):
            gains.append(gain)
            shown.advance(1, f"{gain.line} {gain.flop}: {gain.won:+.2f} % of the pot")
    console = output_console()
    console.print(_table(summarise(gains), runouts))
    game = shipped_name(parse_gamedef(opened.manifest.gamedef))
    head = json_document("bench-flops", game=game, seed=seed, pack=opened.manifest.name, runouts=runouts)
    rows = [gain._asdict() for gain in gains]
    outputs.write_json(head | {"flops": rows})
    outputs.write_csv(rows)


def _table(lines: list[LineGain], runouts: int) -> Table:
    table = Table(title=f"% of the pot, means ± 95 %; {runouts} run-outs", title_justify="left")
    table.add_column("line", no_wrap=True)
    kinds = [kind for kind in ("free", "on_flop") if any(getattr(line, kind) is not None for line in lines)]
    names = {"free": "exploitable", "on_flop": "on the flop alone"}
    for column in ("flops", "ahead on", "wins", *(name for kind in kinds for name in (names[kind], "less by"))):
        table.add_column(column, justify="right", overflow="fold")
    for line in lines:
        changes = (text for kind in kinds for text in _change(getattr(line, kind)))
        table.add_row(line.line, str(line.flops), str(line.ahead), _text(line.won, sign="+"), *changes)
    notes = ["Wins: the pack's rows against the blueprint's."]
    if "free" in kinds:
        notes.append("Exploitable: blueprint → pack, by exact best responses on all streets.")
    if "on_flop" in kinds:
        notes.append("On the flop alone: by best responses that go on like the blueprint.")
    table.caption = " ".join(notes)
    table.caption_justify = "left"
    return table


def _change(change: Change | None) -> tuple[str, str]:
    if change is None:
        return MISSING, MISSING
    return f"{change.before.mean:.2f} → {change.after.mean:.2f}", _text(change.less, sign="+")


def _text(value: Estimate, sign: str = "") -> str:
    return f"{value.mean:{sign}.2f} {format_error(value.half_width, 2)}"


if __name__ == "__main__":
    run(main)
