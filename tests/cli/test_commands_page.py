"""The commands in the tables of docs/commands.md, run as they are or scaled down as written here."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

from tests.cli.command import hedgehog

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 600
SOLVE = "hedgehog solve docs/examples/spots/turn.yaml --target-pct 0.5 --save my-solve"
DEALER = "hedgehog dealer mymatch holdem.nolimit.2p.reverse_blinds 1000 0 Alice Bob -p 18791,18374"
EXPLORE = "hedgehog explore my-solve"
SERVE = "hedgehog serve"
ONLINE = "hedgehog play http://127.0.0.1:8050 --as slumbot --hands 1000"
TWO_LOGS = (
    "hedgehog match random call --hands 5 --in-process --jobs 1 --out match"
    " && cp match/seating_1.log mymatch.log && cp match/seating_2.log mymatch2.log"
)


@dataclass(frozen=True)
class Plan:
    """How a command is tried."""

    scaled: dict[str, str] = field(default_factory=dict)
    """Parts of the command and what stands there in the test: less work, or what a newcomer brings along."""
    before: str = ""
    """What must have been done before."""
    slow: bool = False


FACTORY = "hedgehog pack build strategies/configs/exact-flops.yaml --out my-flops --dask local:2"
TINY_FACTORY = "hedgehog pack build tiny-exact-flops.yaml --out my-flops --threads 1"
TINY_FLOPS = """\
kind: flops
name: tiny
blueprint: strategies/packs/blueprint
target_pct: 100
max_iterations: 1
lines:
  - name: single_raised
    betting: r250c
    flop: {oop: "a", ip: "a"}
    turn: {oop: "", ip: ""}
    river: {oop: "", ip: ""}
flops: [Qh Jh 2c]
"""
FEW = {"--hands 500 --seed 1": "--hands 5 --seed 1 --think-ms 50 --no-duplicate"}
PLANS = {
    "hedgehog play-here --hints": Plan({"--hints": "--hints --think-ms 0 --hands 1 < keys"}, slow=True),
    "hedgehog play-here --freezeout --stack 1500 --levels 10/20x10,15/30x10,25/50": Plan(
        {"25/50": "25/50 --think-ms 0 < keys"}, slow=True
    ),
    'hedgehog ask --hand AhKd --line "R250 C X B300" --board "Qs Jh 2h"': Plan({" --hand": " --think-ms 0 --hand"}),
    "hedgehog drill": Plan({"drill": "drill --seed 1 --count 1 --street preflop < keys"}, slow=True),
    "hedgehog drill my-solve --progress drill.txt": Plan(
        {"--progress drill.txt": "--count 1 --progress drill.txt < keys"}, before=SOLVE, slow=True
    ),
    "hedgehog grade mymatch.log --player random --html graded.html": Plan(
        {"--html": "--depth quick --street river --html"}, before=TWO_LOGS
    ),
    "hedgehog grade mymatch.log --player random --hand 3": Plan(
        {"--hand": "--depth quick --street river --hand"}, before=TWO_LOGS
    ),
    "hedgehog grade mymatch.log --player random --street preflop --store graded": Plan(before=TWO_LOGS),
    "hedgehog grade show graded --by street,action": Plan(
        before=f"{TWO_LOGS} && hedgehog grade mymatch.log --player random --street preflop --store graded"
    ),
    "hedgehog judge mymatch.log --html page.html": Plan(before=TWO_LOGS),
    "hedgehog judge mymatch.log --hand 3": Plan(before=TWO_LOGS),
    "hedgehog log verify *.log": Plan(before=TWO_LOGS),
    "hedgehog log stats --pairs *.log": Plan(before=TWO_LOGS),
    "hedgehog log show mymatch.log --hand 3": Plan(before=TWO_LOGS),
    "hedgehog log convert mymatch.log --to phh": Plan(before=TWO_LOGS),
    "hedgehog study hands *.log --menu menu.yaml": Plan(before=TWO_LOGS),
    "hedgehog study menu *.log --decisions 5000": Plan(
        {"--decisions 5000": "--decisions 100 --min-count 1"}, before=TWO_LOGS
    ),
    "hedgehog study trees --hands mymatch.log": Plan(before=TWO_LOGS),
    "hedgehog study tree --hands mymatch.log": Plan(before=TWO_LOGS),
    "hedgehog study profile *.log --lines 20": Plan(before=TWO_LOGS),
    "hedgehog study model docs/examples/spots/river.yaml *.log --of ip": Plan(
        {"--of": "--min-count 1 --of"}, before=TWO_LOGS
    ),
    'hedgehog eval "AhKh" --board "Qh Jh 2c"': Plan(),
    'hedgehog equity "QQ+,AK" "random"': Plan(slow=True),
    'hedgehog eval "AhKh" --board "Qh Jh 2c" --metrics': Plan(),
    'hedgehog range "[50]AA,KK[/50] AQs+" --to pio': Plan(),
    "hedgehog solve --example river > my.yaml": Plan(),
    "hedgehog solve my.yaml": Plan(before="hedgehog solve --example river > my.yaml"),
    SOLVE: Plan(),
    'hedgehog query my-solve --line "X B150 C 6d" --tree': Plan(before=SOLVE),
    'hedgehog query my-solve --filter "top pair+" --html page.html': Plan(before=SOLVE),
    EXPLORE: Plan({"my-solve": "my-solve --no-browser & sleep 20; kill $!; wait $!"}, before=SOLVE, slow=True),
    'hedgehog pack spot --line r250c --board "Qh Jh 2c" > spot.yaml': Plan(),
    'hedgehog pack spot --stack 100bb --blinds 1/2 --line r5c --board "Qh Jh 2c" > spot.yaml': Plan(),
    "hedgehog solve docs/examples/spots/river.yaml --respond oop --model docs/examples/river-model.yaml": Plan(
        {"--model": "--iterations 20 --p 0.5 --model"}
    ),
    'hedgehog versus docs/examples/spots/river.yaml "dcfr?iterations=200"'
    ' "cgh?iterations=50&abstraction=strength-river"': Plan({'strength-river"': 'strength-river" --hands 50000'}),
    'hedgehog versus my-solve my-solve "cfr?iterations=20" --html meeting.html': Plan(
        {"--html": "--hands 50000 --html"}, before=SOLVE
    ),
    "hedgehog simulate my-solve --hands 10000000": Plan({"10000000": "100000"}, before=SOLVE, slow=True),
    "hedgehog convert tests/data/texassolver/river.txt > my-river.yaml": Plan(),
    "hedgehog solve my-river.yaml --evaluate tests/data/texassolver/river.json.xz": Plan(
        before="hedgehog convert tests/data/texassolver/river.txt > my-river.yaml"
    ),
    "hedgehog upi --launcher pio my-solve": Plan(before=SOLVE),
    'hedgehog match default "cmd:python3 docs/examples/bots/client.py" --hands 500 --seed 1': Plan(FEW, slow=True),
    "hedgehog match me=py:docs/examples/bots/pair_raiser.py:PairRaiser house=default --hands 500 --seed 1": Plan(
        FEW, slow=True
    ),
    "hedgehog match default call --hands 500 --seed 1": Plan(FEW, slow=True),
    "hedgehog match default call --stack 100bb --blinds 1/2 --hands 500": Plan(
        {"500": "5 --think-ms 0 --no-duplicate"}, slow=True
    ),
    "hedgehog match default random --game kuhn.limit.2p --hands 500": Plan({"500": "50 --no-duplicate"}),
    "hedgehog tournament run docs/examples/round-robin.yaml": Plan({"docs/examples/": "few-hands-"}, slow=True),
    "hedgehog tournament run docs/examples/round-robin.yaml --add minbet --hands 1000": Plan(
        {"docs/examples/": "few-hands-", "1000": "6"}, "hedgehog tournament run few-hands-round-robin.yaml", slow=True
    ),
    "hedgehog tournament run docs/examples/round-robin.yaml --dask local:2": Plan(
        {"docs/examples/": "few-hands-"}, slow=True
    ),
    "hedgehog match random call --hands 500000 --in-process": Plan({"500000": "5000 --jobs 1"}),
    "hedgehog game freezeout jamfold call --games 1000": Plan({"1000": "50"}),
    "hedgehog game freezeout default call --stack 1500 --levels 10/20x10,15/30x10,25/50 --out my-freeze-outs": Plan(
        {"--out": "--games 2 --out"}
    ),
    DEALER: Plan({"1000 0": "10 0"}),
    "hedgehog play 127.0.0.1 18791": Plan({"18791": "18791 --think-ms 50"}),
    "./startme.sh 127.0.0.1 18374": Plan({"18374": "18374 --think-ms 50"}),
    SERVE: Plan({"serve": "serve --player call --no-aivat --port 8050"}),
    ONLINE: Plan({"--hands 1000": "--hands 10 --player call --think-ms 0"}),
    "hedgehog lbr default --think-ms 0": Plan({"--think-ms 0": "--think-ms 0 --hands 100"}, slow=True),
    "hedgehog lbr default --base self --think-ms 0": Plan({"--think-ms 0": "--think-ms 0 --hands 6"}, slow=True),
    "hedgehog endgame default --think-ms 0": Plan({"--think-ms 0": "--think-ms 0 --turns 1"}, slow=True),
    "hedgehog audit default": Plan({"default": "default --boards 1"}, slow=True),
    "hedgehog lbr default --think-ms 0 --dask local:2": Plan({"--dask": "--hands 100 --dask"}, slow=True),
    "hedgehog match default raise --in-process --think-ms 100 --aivat": Plan(
        {"--aivat": "--aivat --hands 20"}, slow=True
    ),
    "hedgehog log aivat *.log --player call=call --dask local:2 --results values.jsonl": Plan(
        before=TWO_LOGS, slow=True
    ),
    "hedgehog pack exploit strategies/packs/blueprint": Plan(
        {"packs/blueprint": "packs/blueprint --boards 1 --fresh 2"}, slow=True
    ),
    "hedgehog pack show": Plan(),
    "hedgehog pack chart --out preflop.svg": Plan(),
    "hedgehog pack evs --line r250 --hand AKs --hand T9s": Plan(),
    "hedgehog pack report --line r250c --html report.html": Plan(
        {"--line": "--flops few-flops.txt --runouts 2 --line"},
        "printf 'Qs Js 2h\\nAs Kd 7c\\n' > few-flops.txt",
        slow=True,
    ),
    "hedgehog pack subset 60 --out my-flops.txt": Plan({"60": "1755 --line r250r850r2125c"}, slow=True),
    "hedgehog pack build strategies/configs/quick-blueprint.yaml --out my-blueprint": Plan(
        {"strategies/configs/": "few-seconds-"}, slow=True
    ),
    "hedgehog pack build strategies/configs/blueprint-depths.yaml --out my-packs": Plan(
        {"strategies/configs/": "few-boards-"}, slow=True
    ),
    FACTORY: Plan({"strategies/configs/": "tiny-"}, slow=True),
    "hedgehog pack status my-flops": Plan(before=TINY_FACTORY),
    'hedgehog query my-flops --line "R250 C Qh Jh 2c X"': Plan(before=TINY_FACTORY),
    "hedgehog pack build strategies/configs/limit-blueprint-3p.yaml --out my-limit": Plan(
        {"strategies/configs/": "few-deals-"}, slow=True
    ),
    "hedgehog pack values strategies/packs --stack 5bb --boards 200 --out my-values": Plan({"200": "100"}, slow=True),
    "hedgehog lab three-players --out three-players": Plan(
        {"--out": "--only x4 --hands 12 --pack my-two --out"},
        "hedgehog pack build few-deals-limit-blueprint.yaml --out my-two",
        slow=True,
    ),
    "hedgehog game solve kuhn": Plan(),
    "hedgehog game dominance jqk": Plan(),
    "hedgehog game evaluate jqk tests/data/games/jqk.json": Plan(),
    "hedgehog game show jqk --svg jqk.svg --efg jqk.efg": Plan(),
    "hedgehog game jamfold --stack 3600 --chart jam.svg": Plan({"--chart": "--model chip --chart"}, slow=True),
    "hedgehog game jamfold --rate docs/examples/charts/system.yaml": Plan(slow=True),
    "hedgehog game icm 3000 3000 2000 --payouts 50,30,20 --blinds 100 200": Plan({"100 200": "100 200 --deals 2000"}),
    "hedgehog lab abstractions docs/examples/spots/river.yaml --out abstractions": Plan(
        {"--out": "--tests river --iterations 8 --out"}, slow=True
    ),
    "hedgehog lab losses docs/examples/spots/turn.yaml --out losses": Plan(
        {"--out": "--iterations 8 --out"}, slow=True
    ),
    "hedgehog lab menus docs/examples/spots/river.yaml --sizes 33%,75%,150%,a": Plan({"--sizes": "--most 1 --sizes"}),
    "hedgehog lab counts docs/examples/spots/short-flop.yaml": Plan(),
    "hedgehog lab counts --flops 23": Plan(
        {"23": "few-flops.txt --measures rank --tests river"}, "printf 'Qs Js 2h\\nAs Kd 7c\\n' > few-flops.txt"
    ),
}
TOGETHER = (DEALER, "hedgehog play 127.0.0.1 18791", "./startme.sh 127.0.0.1 18374")
"""These three are one match."""
OVER_HTTP = (SERVE, ONLINE)
"""The first command is the server of the second one."""


def commands_on_the_page() -> list[str]:
    """Returns the commands in the rows of all tables that begin with a task, in the order of the page."""
    tables = (ROOT / "docs/commands.md").read_text().split("| task | command |\n")[1:]
    rows = [row for table in tables for row in table.split("\n\n")[0].splitlines()[1:]]
    return [command for row in rows for command in re.findall(r"`([^`]+)`", row.rsplit(" | ", 1)[1])]


def as_run(command: str) -> str:
    for part, instead in PLANS[command].scaled.items():
        assert part in command
        command = command.replace(part, instead)
    return command


def prepare_folder(tmp_path: Path) -> None:
    """Makes a folder in which paths of the page lead to the same files as in a clone, and ``hedgehog`` is a command."""
    for name in ("docs", "strategies", "startme.sh", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    program = tmp_path / "bin" / "hedgehog"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m hedgehog.cli "$@"\n')
    program.chmod(0o755)
    (tmp_path / "keys").write_text("c\n" * 20 + "f\n" * 20)
    tournament = (ROOT / "docs/examples/round-robin.yaml").read_text()
    (tmp_path / "few-hands-round-robin.yaml").write_text(re.sub("hands: 500 ", "hands: 5 ", tournament))
    blueprint = (ROOT / "strategies/configs/quick-blueprint.yaml").read_text()
    (tmp_path / "few-seconds-quick-blueprint.yaml").write_text(re.sub("seconds: 600", "seconds: 3", blueprint))
    depths = (ROOT / "strategies/configs/blueprint-depths.yaml").read_text()
    (tmp_path / "few-boards-blueprint-depths.yaml").write_text(re.sub("iterations: [0-9]+", "iterations: 1", depths))
    for name in ("limit-blueprint", "limit-blueprint-3p"):
        limit = (ROOT / f"strategies/configs/{name}.yaml").read_text()
        (tmp_path / f"few-deals-{name}.yaml").write_text(re.sub("(iterations|seconds): .*", "iterations: 1", limit))
    (tmp_path / "tiny-exact-flops.yaml").write_text(TINY_FLOPS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    prepare_folder(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def folder_after(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Returns a function that returns a folder in which a command has been run, once for all tests that need it."""

    @cache
    def make(command: str) -> Path:
        folder = tmp_path_factory.mktemp("after")
        prepare_folder(folder)
        for part in filter(None, command.split(" && ")):
            if part.startswith("hedgehog "):
                assert in_this_process(part, folder)[0] == 0
            else:
                assert shell(part, folder).returncode == 0
        return folder

    return make


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=os.environ | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


def in_this_process(command: str, folder: Path) -> tuple[int, str, str]:
    """Runs a command of Hedgehog, whose files may be a pattern and whose output may go to a file, as a shell does."""
    command, _, file = command.partition(" > ")
    program, *words = shlex.split(command)
    assert program == "hedgehog"
    found = [sorted(map(str, folder.glob(word))) if "*" in word else [word] for word in words]
    names = [os.path.relpath(name, folder) if name.startswith(str(folder)) else name for name in chain(*found)]
    done = hedgehog(*names, folder=folder)
    if file:
        (folder / file).write_text(done.stdout)
    return done.returncode, done.stdout, done.stderr


def test_every_command_is_tried() -> None:
    assert commands_on_the_page() == list(PLANS)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(command, marks=[pytest.mark.slow] if plan.slow else [])
        for command, plan in PLANS.items()
        if command not in (*TOGETHER, *OVER_HTTP)
    ],
)
def test_a_command_does_what_it_promises(command: str, tmp_path: Path, folder_after: Callable[[str], Path]) -> None:
    folder = tmp_path / "folder"
    shutil.copytree(folder_after(PLANS[command].before), folder, symlinks=True)
    if PLANS[command].slow:
        done = shell(as_run(command), folder)
        result = done.returncode, done.stdout, done.stderr
    else:
        result = in_this_process(as_run(command), folder)
    code, out, err = result
    assert (code, "error" in err) == (0, False), err
    assert out or ">" in command


def test_a_command_of_the_page_in_a_shell(folder: Path) -> None:
    done = shell("hedgehog solve --example river > my.yaml && hedgehog log verify --help", folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "my.yaml").stat().st_size


@pytest.mark.slow
def test_dealer_and_players_meet(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as two:
        ports = {"18791": str(one.getsockname()[1]), "18374": str(two.getsockname()[1])}
    dealer, *players = (re.sub("18791|18374", lambda found: ports[found[0]], as_run(c)) for c in TOGETHER)
    environment = os.environ | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    running = [subprocess.Popen(f"exec {dealer}", shell=True, cwd=folder, env=environment, stdout=subprocess.PIPE)]
    try:
        assert running[0].stdout is not None
        assert running[0].stdout.readline().split() == [port.encode() for port in ports.values()]
        running += [subprocess.Popen(f"exec {player}", shell=True, cwd=folder, env=environment) for player in players]
        assert [process.wait(TIMEOUT_S) for process in running] == [0, 0, 0]
    finally:
        for process in running:
            process.kill()
            process.wait()
        running[0].stdout.close()
    assert (folder / "mymatch.log").read_text().count("STATE:") == 10


@pytest.mark.slow
def test_server_and_client_meet(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as one:
        port = str(one.getsockname()[1])
    server, client = (as_run(command).replace("8050", port) for command in OVER_HTTP)
    environment = os.environ | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    running = subprocess.Popen(f"exec {server}", shell=True, cwd=folder, env=environment, stdout=subprocess.PIPE)
    try:
        assert running.stdout is not None
        assert f"http://127.0.0.1:{port}/api" in running.stdout.readline().decode()
        done = shell(client, folder)
        assert (done.returncode, "10 hands, 0 broken" in " ".join(done.stdout.split())) == (0, True), done.stderr
    finally:
        running.terminate()
        assert running.wait(TIMEOUT_S) == 0
        running.stdout.close()
    assert (folder / "served" / "hands.log").read_text().count("STATE:") == 10
