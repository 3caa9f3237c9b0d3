"""Every option of every command counts, or is refused with one line: none is silently ignored.

The tables below hold all options. An option is in ``ALWAYS`` if it counts at every call of its command. It is in
``REFUSED`` with calls at which it would do nothing, all of which must be refused. A limit (of time, memory, threads or
processes) counts even if it is never reached, ``--overwrite`` is a permission, and numbers of hands belong to the plan
with which a folder of results goes on; all of these stand in ``ALWAYS``.
"""

from __future__ import annotations

import gzip
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
import pytest

from hedgehog.cli.main import cli
from hedgehog.strategies.pack import default_packs
from tests.cli.command import Run

DATA: Final = Path(__file__).parents[1] / "data"
SPOT: Final = """\
spot: tiny
board: Td 9d 6h Qc 2c
pot: 100
stack: 300
range: {oop: "AA,T9s", ip: "QQ,AQs"}
sizes:
  river: {oop: "75%/a", ip: "75%/a"}
"""
TEXAS: Final = str(Path(__file__).parents[1] / "data" / "texassolver" / "river.txt")
SERVER: Final = "http://127.0.0.1:9/api --as slumbot --player call"
LOCKS: Final = 'locks: [{line: "", strategy: {X: 1}}]\n'

ALWAYS: Final = {
    "dealer": "-p --bind -f -L -T -a -q --t_response --t_hand --t_per_hand --start_timeout --version_timeout "
    "--answers --overwrite",
    "play": "--player --game --seed --think-ms --threads --overwrite --blinds --stack",
    "serve": "--player --port --bind --game --blinds --stack --seed --think-ms --threads --workers --left-after --out "
    "--overwrite",
    "play-here": "--against --seed --game --stack --freezeout --think-ms --think-hand-ms --threads --hints --grades "
    "--log",
    "ask": "--hand --line --board --sizes --player --game --think-ms --threads --grid --json "
    "--overwrite --blinds --stack",
    "drill": "--street --count --progress --against-clock --json --overwrite",
    "match": "--hands --block-hands --seed --game --duplicate --think-ms --think-hand-ms --threads --in-process "
    "--t-response --t-hand --t-per-hand --t-version --dask --out --aivat --overwrite --json --blinds --stack",
    "tournament report": "--aivat --json --overwrite",
    "tournament run": "--out --dask --add --hands --overwrite --aivat",
    "tournament status": "--json --overwrite",
    "audit": "--boards --seed --think-ms --results --json --overwrite",
    "convert": "--to --out --overwrite",
    "solve": "--example --json --threads --algorithm --storage --overwrite --respond --estimate --evaluate",
    "query": "--line --round --json --csv --html --svg --overwrite",
    "upi": "--launcher",
    "explore": "--port --solves --progress --no-browser",
    "simulate": "--hands --seed --line --best-response --threads --json --overwrite",
    "versus": "--hands --top --threads --json --csv --html --svg --overwrite",
    "pack buckets": "--flop --turn --river --turn-features --river-features --json --csv --overwrite",
    "pack build": "--out --work --estimate --overwrite",
    "pack chart": "--out --overwrite --stack",
    "pack evs": "--line --hand --json --csv --overwrite --stack",
    "pack exploit": "--boards --fresh --buckets --seed --json --overwrite --stack",
    "pack list": "--json --csv --overwrite",
    "pack report": "--line --texture --flops --runouts --threads --seed --json --csv --parquet --html "
    "--overwrite --stack",
    "pack show": "--json --overwrite --stack",
    "pack spot": "--line --board --pack --own-tree --out --overwrite --blinds --stack",
    "pack status": "--json --overwrite",
    "pack subset": "--line --threads --out --overwrite",
    "pack values": "--out --work --boards --seed --overwrite --stack",
    "pack verify": "--json --overwrite",
    "lbr": "--setting --base --seed --think-ms --threads --game --results --json --overwrite --blinds --stack",
    "endgame": "--seed --think-ms --threads --game --turn-sizes --river-sizes --value-iterations "
    "--results --json --overwrite --blinds --stack",
    "log aivat": "--game --player --record --pairs --first --results --json --overwrite",
    "status": "--json --overwrite",
    "log all-in-ev": "--from --game --out --overwrite",
    "log convert": "--to --from --out --split --skip --overwrite --game",
    "log show": "--hand --from --to --player --game",
    "log stats": "--from --game --player --pairs --first --all-in-ev --actions --json --csv --classes-csv --overwrite",
    "log verify": "--game",
    "study hands": "--store --game --dask --player --not-player --sizes --choose --min-share --min-count --compare "
    "--situation --histogram --menu --html --json --problems --overwrite",
    "study menu": "--store --game --dask --player --not-player --min-count --menu --json --problems --overwrite",
    "study model": "--store --game --dask --player --not-player --of --line --min-count --model --json --overwrite",
    "study profile": "--store --game --dask --player --min-hands --seats --lines --lines-csv --json --csv "
    "--html --overwrite",
    "study tree": "--hands --store --line --depth --histogram --out --jsonl --overwrite",
    "study trees": "--hands --store --svg --png --json --csv --overwrite",
    "grade": "--from --game --packs --think-ms --spot --since --hand --first --estimate --parquet --html --overwrite",
    "judge": "--from --game --player --hand --first --strategy --record --dask --json --csv --html --plot --overwrite",
    "game dominance": "-p --kind --normal-form --pure --json --overwrite",
    "game evaluate": "-p --json --overwrite",
    "game freezeout": "--games --seed --stack --levels --think-ms --dask --out --json --overwrite",
    "game jamfold": "--stack --total --blinds --rate --chart --json --overwrite",
    "game icm": "--payouts --blinds --json --overwrite",
    "game list": "--json --overwrite",
    "game show": "-p --svg --efg --csv --json --overwrite",
    "game solve": "-p --method --lookahead --svg --json --overwrite",
    "eval": "--board --metrics --json --overwrite",
    "equity": "--board --json --csv --overwrite",
    "range": "--to --order",
    "completion": "",
    "lab abstractions": "--measures --tests --opponents --algorithm --memory --experiments --threads --estimate",
    "lab counts": "--flops --measures --classes --out",
    "lab losses": "--abstractions --menu --algorithm --memory --threads --estimate --overwrite",
    "lab menus": "--player --street --sizes --most --threads --estimate --overwrite",
    "lab three-players": "--only --hands --bias-hands --mapping-hands --pack --seed --jobs --out --json --overwrite",
    "bench dealer": "--json --csv --overwrite",
    "bench evaluator": "--json --csv --overwrite",
    "bench player": "--json --csv --overwrite",
    "bench solver": "--json --csv --overwrite --peer --spot",
    "bench targets": "--json --csv --overwrite --peer --spot",
}
# Command and option -> arguments with which the option would do nothing; names of `places` in braces.
REFUSED: Final[dict[str, dict[str, list[str]]]] = {
    "dealer": {
        "--go-on": ["mine kuhn.limit.2p 1 0 A B -l --go-on", "mine kuhn.limit.2p 1 0 A B -a --go-on"],
        "--first-hand": ["mine kuhn.limit.2p 1 0 A B -a --first-hand 5"],
    },
    "audit": {
        "--jobs": ["call --dask local:2 --jobs 2"],
        "--part": ["call --part 1/2", "--merge {log} --results {new} --part 1/2"],
        "--dask": ["--merge {log} --results {new} --dask local:2"],
        "--merge": ["{log} --merge"],
        **{
            option: [f"call --part 1/2 --results {{new}} {option} 3"]
            for option in ("--min-reach", "--top", "--tolerance", "--csv")
        },
    },
    "status": {"--dask": ["{new} --dask tcp://127.0.0.1:9", ""]},
    "play": {
        "--after-log": ["127.0.0.1 9 --player call --after-log {log}"],
        "--as": ["127.0.0.1 9 --player call --as Alice"],
        **{option: [f"{SERVER} {option} 5"] for option in ("--think-hand-ms", "--t-hand", "--hard-limit-ms")},
        "--connect-timeout": [f"{SERVER} --connect-timeout 5"],
        **{option: [f"{SERVER} {option} {{new}}"] for option in ("--log", "--report", "--record")},
        **{option: [f"127.0.0.1 9 --player call {option} 5"] for option in ("--hands", "--concurrency", "--workers")},
        "--key": ["127.0.0.1 9 --player call --key k", f"{SERVER} --key k"],
        **{option: [f"127.0.0.1 9 --player call {option} {{new}}"] for option in ("--out", "--json")},
    },
    "serve": {
        "--aivat": ["--player random --aivat --out {new}"],
        "--key": ["--key '' --out {new}"],
    },
    "play-here": {
        "--hands": ["--freezeout --hands 5"],
        "--levels": ["--levels 1/2"],
        "--blinds": ["--freezeout --levels 1/2 --blinds 1/2"],
    },
    "match": {
        "--jobs": ["call fold --in-process --out {new} --dask local:2 --jobs 2"],
        "--t-start": ["call fold --in-process --t-start 9"],
        "--record": ["call fold --record"],
        "--resume": ["call fold --resume", "call fold --resume --overwrite --out {new}"],
        "--resume-external": ["call fold --resume-external"],
    },
    "tournament run": {
        "--jobs": ["{tournament} --out {new} --dask local:2 --jobs 2"],
        "--retry-failed": ["{tournament} --out {new} --overwrite --retry-failed"],
        "--resume-external": ["{tournament} --out {new} --overwrite --resume-external"],
        "--record": ["{tournament} --out {new} --record"],
    },
    "tournament report": {"--jobs": ["{new} --jobs 2"], "--dask": ["{new} --dask local:2"]},
    "convert": {
        "--dump": ["{log} --dump a.json"],
        **{
            option: [f"{{spot}} --to wasm-postflop {option} AA", f"{TEXAS} {option} AA"]
            for option in ("--item", "--board", "--oop", "--ip", "--ranges")
        },
    },
    "solve": {
        "--out": ["{spot} --estimate --out {new}", "{spot} --evaluate {solve} --out {new}"],
        "--csv": ["{spot} --estimate --csv {new}"],
        "--lines": ["{spot} --lines X", "{spot} --estimate --lines X"],
        "--iterations": ["{spot} --estimate --iterations 5"],
        "--target-pct": ["{spot} --estimate --target-pct 5"],
        "--save": ["{spot} --estimate --save {new}", "{abstract} --save {new}"],
        "--save-every": ["{spot} --save-every 5", "{spot} --save-strategy {new} --save-every 5"],
        "--save-strategy": ["{spot} --estimate --save-strategy {new}"],
        "--model": ["{spot} --model {model}"],
        "--p": ["{spot} --p 0.5"],
        "--svg": ["{spot} --svg {new}"],
    },
    "query": {
        "--hand": ["{solve} --line ? --hand AA"],
        "--filter": ["{solve} --line ? --filter set"],
        "--combos": [
            "{solve} --combos --json {new}",
            "{solve} --combos --grid X",
            "{solve} --line ? --combos",
        ],
        "--tree": ["{solve} --line ? --tree", "{solve} --tree --csv {new}"],
        "--grid": ["{solve} --line ? --grid X", "{solve} --grid X --json {new}"],
        "--as-if": ["{solve} --as-if", "{solve} --line X --as-if"],
    },
    "upi": {"--children": ["--launcher {new} --children 7"]},
    "simulate": {
        "--target-pct": ["{solve} --target-pct 1"],
        "--iterations": ["{solve} --iterations 5"],
        "--algorithm": ["{solve} --algorithm cfr"],
        "--storage": ["{solve} --storage f16"],
    },
    "versus": {
        "--seed": ["{solve} {solve} {solve} --hands 0 --seed 1"],
        "--fill": ["{solve} {solve} {solve} --hands 0 --fill"],
    },
    "pack build": {
        "--threads": ["{flops} --out {new} --partial --threads 2", "{flops} --out {new} --dask local:2 --threads 2"],
        "--dask": [
            "{flops} --out {new} --partial --dask local:2",
            "{blueprint} --out {new} --dask local:2",
            "{flops} --estimate --dask local:2",
        ],
        "--flops": ["{blueprint} --out {new} --flops 23"],
        "--partial": ["{flops} --out {new} --partial --estimate", "{blueprint} --out {new} --partial"],
    },
    "pack show": {"--classes": ["{packs}/blueprint --classes"]},
    "endgame": {
        "--jobs": ["call --dask local:2 --jobs 2"],
        "--turns": ["--merge {log} --results {new} --turns 4"],
        "--part": ["--merge {log} --results {new} --part 1/2"],
        "--dask": ["--merge {log} --results {new} --dask local:2"],
        "--merge": ["{log} --merge"],
    },
    "log aivat": {
        "--jobs": ["{log} --player Alice=call --dask local:2 --jobs 2"],
        "--part": ["{log} --player Alice=call --part 1/2", "--merge {log} --results {new} --part 1/2"],
        "--dask": ["--merge {log} --results {new} --dask local:2"],
        "--merge": ["{log} --merge"],
    },
    "lbr": {
        "--jobs": ["call --dask local:2 --jobs 2"],
        "--hands": ["--merge {log} --results {new} --hands 4"],
        "--part": ["--merge {log} --results {new} --part 1/2"],
        "--dask": ["--merge {log} --results {new} --dask local:2"],
        "--merge": ["{log} --merge"],
    },
    "study hands": {"--jobs": ["{log} --dask local:2 --jobs 2"]},
    "study model": {"--jobs": ["{spot} {log} --of ip --dask local:2 --jobs 2"]},
    "study profile": {"--jobs": ["{log} --dask local:2 --jobs 2"]},
    "study menu": {
        "--jobs": ["{log} --dask local:2 --jobs 2 --sizes 2"],
        "--decisions": ["{log}", "{log} --decisions 9 --sizes 2"],
        "--sizes": ["{log} --decisions 9 --sizes 2"],
    },
    "study tree": {
        "--game": ["2-2-2 --game kuhn.limit.2p"],
        "--jobs": ["2-2-2 --jobs 2", "--hands {log} --dask local:2 --jobs 2"],
        "--dask": ["2-2-2 --dask local:2"],
        "--player": ["2-2-2 --player Ada"],
        "--not-player": ["2-2-2 --not-player Ada"],
    },
    "study trees": {
        "--game": ["2-2-2 --game kuhn.limit.2p"],
        "--jobs": ["2-2-2 --jobs 2", "--hands {log} --dask local:2 --jobs 2"],
        "--dask": ["2-2-2 --dask local:2"],
    },
    "drill": {
        "--kind": ["--kind boards", "{solve} --kind hands"],
        "--spot": ["--spot river", "{solve} --spot river"],
        "--stack": ["{solve} --stack 100bb", "{store} --stack 100bb"],
        "--packs": ["{solve} --packs {packs}", "{store} --packs {packs}"],
        "--seed": ["{store} --seed 1"],
        "--due": ["{solve} --due"],
        "--new": ["{solve} --due --progress {new} --new 3"],
    },
    "grade": {
        "--jobs": ["{log} --player Ada --dask local:2 --jobs 2"],
        "--dask": [
            "{log} --player Ada --estimate --dask local:2",
            "--merge {store} --store {new} --dask local:2",
        ],
        "--part": [
            "{log} --player Ada --part 1/2",
            "{log} --player Ada --estimate --part 1/2",
            "--merge {store} --store {new} --part 1/2",
        ],
        "--merge": ["{store} --merge"],
        "--player": ["--merge {store} --store {new} --player Ada"],
        "--csv": ["--merge {store} --store {new} --csv {new}"],
        "--json": ["--merge {store} --store {new} --json {new}"],
        "--depth": ["{log} --player Ada --estimate --depth quick"],
        "--rake": ["{log} --player Ada --estimate --rake 5"],
        "--street": ["{log} --player Ada --estimate --street river"],
        "--store": ["{log} --player Ada --estimate --store {new}"],
        "--borrow-ranges": ["{log} --player Ada --street preflop --borrow-ranges"],
        "--worst-flops": [
            "{log} --player Ada --estimate --worst-flops 3",
            "{log} --player Ada --depth full --worst-flops 3",
            "{log} --player Ada --street river --worst-flops 3",
        ],
        "--hand-s": ["{log} --player Ada --estimate --hand-s 3", "{log} --player Ada --street preflop --hand-s 3"],
        "--worst": ["{log} --player Ada --hand 0 --worst 3", "{log} --player Ada --estimate --worst 3"],
        "--min-decisions": ["{log} --player Ada --hand 0 --min-decisions 3"],
    },
    "judge": {
        "--jobs": ["{log} --jobs 2", "{log} --dask local:2 --jobs 2"],
        "--decisions-csv": ["{log} --decisions-csv {new}"],
        "--worst": ["{log} --hand 0 --worst 3", "{log} --worst 3"],
        "--judge": ["{log} --hand 0 --judge cut"],
        "--roe": ["{log} --roe"],
        "--roe-preflop": ["{log} --roe-preflop 5"],
        "--seed": ["{log} --seed 3", "{log} --roe --seed 3"],
        "--settings": ["{log} --settings {settings}"],
    },
    "game freezeout": {
        "--jobs": ["call fold --dask local:2 --jobs 2"],
        "--stacks": ["call fold --stack 100 --stacks 100 100"],
        "--blinds": ["call fold --levels 1/2 --blinds 1 2"],
        "--resume": ["call fold --resume", "call fold --resume --overwrite --out {new}"],
    },
    "game icm": {
        "--chart": ["3000 2000 --payouts 3,1 --chart {new}"],
        "--deals": ["3000 2000 1000 --payouts 3,1 --deals 5000", "3000 2000 --payouts 3,1 --blinds 1 2 --deals 5000"],
        "--seed": ["3000 2000 1000 --payouts 3,1 --seed 2", "3000 2000 --payouts 3,1 --blinds 1 2 --seed 2"],
    },
    "game jamfold": {
        "--all-stacks": ["--all-stacks", "--all-stacks --model chip --chart {new}", "--rate {new} --all-stacks"],
        "--model": ["--rate {new} --model alternating"],
    },
    "game solve": {
        "--tremble": ["jqk --method cfr --tremble 0.1", "{matrix} --tremble 0.1"],
        "--algorithm": ["jqk --algorithm nonsense", "jqk --method exact --algorithm dcfr"],
        "--iterations": ["jqk --iterations 5"],
        "--target": ["jqk --method induction --target 0.5"],
    },
    "eval": {"--against": ["AhKhQhJhTh --against AA"], "--csv": ["AhKh --csv {new}"]},
    "lab abstractions": {
        "--iterations": ["{spot} --estimate --iterations 5"],
        "--deals": ["{spot} --deals 10", "{spot} --experiments e1 --deals 10"],
        "--big-blind": ["{spot} --estimate --big-blind 2"],
        "--out": ["{spot} --estimate --out {new}"],
        "--overwrite": ["{spot} --estimate --overwrite"],
    },
    "lab losses": {
        "--iterations": ["{spot} --estimate --iterations 5"],
        "--big-blind": ["{spot} --estimate --big-blind 2"],
        "--out": ["{spot} --estimate --out {new}"],
        "--json": ["{spot} --estimate --json {new}"],
    },
    "lab menus": {
        "--iterations": ["{spot} --estimate --iterations 5"],
        "--target-pct": ["{spot} --estimate --target-pct 1"],
        "--out": ["{spot} --estimate --out {new}"],
        "--json": ["{spot} --estimate --json {new}"],
    },
    "lab counts": {
        "--tree": ["--flops r7 --tree"],
        "--tests": ["{spot} --tests river"],
        "--opponents": ["{spot} --tree --opponents range"],
        "--overwrite": ["{spot} --overwrite"],
    },
}
CALLS: Final = [
    (command, option, call)
    for command, options in REFUSED.items()
    for option, calls in options.items()
    for call in calls
]


def _commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from _commands(found, (*path, name))
    else:
        yield " ".join(path), command


def test_the_tables_hold_every_option_of_every_command() -> None:
    options = {
        name: sorted(max(option.opts, key=len) for option in command.params if isinstance(option, click.Option))
        for name, command in _commands(cli)
    }
    assert {name: sorted([*always.split(), *REFUSED.get(name, {})]) for name, always in ALWAYS.items()} == options


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("options")
    texts = {
        "spot": SPOT,
        "abstract": SPOT + "abstraction: rank-river\n",
        "model": LOCKS,
        "tournament": "game: kuhn.limit.2p\nhands: 2\nin_process: true\nagents: [call, raise]\n",
        "flops": "kind: flops\n",
        "blueprint": "kind: blueprint\n",
        "settings": "preflop_level: 0\n",
        "matrix": ",a,b\nc,1,0\nd,0,1\n",
    }
    found = {"new": folder / "new", "solve": folder / "solve", "packs": default_packs()}
    for name, text in texts.items():
        found[name] = folder / f"{name}.{'csv' if name == 'matrix' else 'yaml'}"
        found[name].write_text(text)
    found["store"] = folder / "store"
    found["store"].mkdir()
    (found["store"] / "grading.json").write_text("{}")
    found["log"] = folder / "match.log"
    lines = gzip.decompress((DATA / "acpc" / "log_hunl2p_s0.log.gz").read_bytes()).splitlines(keepends=True)
    found["log"].write_bytes(b"".join(lines[:40]))
    return found


@pytest.fixture(scope="module")
def solved(places: dict[str, Path]) -> Path:
    """Saves a solve of a river and returns its folder."""
    from hedgehog import solver

    spot = solver.read_spot(places["spot"])
    solver.save_solve(places["solve"], solver.solve(solver.prepare(spot), 50, 10, threads=1), spot)
    return places["solve"]


@pytest.mark.parametrize(("command", "option", "call"), CALLS)
def test_an_option_that_would_do_nothing_is_refused(
    run: Run, places: dict[str, Path], solved: Path, command: str, option: str, call: str
) -> None:
    code, output, errors = run(*command.split(), *shlex.split(call.format_map(places)))
    message = [line for line in errors.splitlines() if line.lower().startswith("error: ")]
    assert (code, output, len(message)) == (2, "", 1), errors
    assert option in message[0]
    assert not places["new"].exists()


@pytest.mark.parametrize(
    "call",
    [
        "game solve jqk --method cfr --algorithm cfr --iterations 5 --target 0.5",
        "game solve jqk --tremble 0.01",
        "eval AhKh --against AA",
        "solve {spot} --estimate --threads 1 --algorithm cfr --storage f32",
        "query {solve} --tree --combos",
        "query {solve} --line X --hand AA --combos",
    ],
)
def test_options_that_count_are_taken(run: Run, places: dict[str, Path], solved: Path, call: str) -> None:
    code, _, errors = run(*shlex.split(call.format_map(places)))
    assert (code, errors) == (0, "")
