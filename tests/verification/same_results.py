"""Shows that two checkouts give the same results: ``python tests/verification/same_results.py BEFORE AFTER``.

The script runs the same commands with the same seeds in both checkouts, one after the other and in folders of their
own. It compares byte by byte what they write: match logs, the JSON and the saved strategy of solves, a blueprint of 200
boards, a quick and an exact pack of two flops each, and 200 hands of local best response in two settings. Times, dates,
machines and commits are left out of the comparison. The exit status is 1 if anything differs. A checkout takes about
two minutes with warm caches.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

BLUEPRINT: Final = """kind: blueprint
name: replayed
menu: small
stack: 2000
flop_buckets: 8
turn_buckets: 8
river_buckets: 8
threads: 1
iterations: 200
"""
QUICK: Final = """kind: quick-flops
name: replayed-quick
blueprint: blueprint
classes: [Qh Jh 2c, As Kd 7c]
lines:
  - {betting: cc, refine: {boards: 20}}
"""
EXACT: Final = """kind: flops
name: replayed-exact
blueprint: blueprint
target_pct: 1.5
max_iterations: 6
storage: f16
flops: [Qh Jh 2c, As Kd 7c]
lines:
  - name: limped
    betting: cc
    flop: {oop: "100% /", ip: "100% /"}
    turn: {oop: "100% /", ip: "100% /"}
    river: {oop: "100% /", ip: "100% /"}
    force_allin_threshold: 0.2
    max_bets: 1
"""
CONFIGS: Final = {"blueprint.yaml": BLUEPRINT, "quick.yaml": QUICK, "exact.yaml": EXACT}

COMMANDS: Final = (
    "match default call --hands 200 --seed 7 --think-ms 0 --out match-over-tcp",
    "match default random --hands 2000 --seed 7 --think-ms 0 --in-process --out match-in-process",
    "solve SPOTS/river.yaml --iterations 60 --threads 1 --json river.json --save-strategy river",
    "solve SPOTS/locks.yaml --iterations 60 --threads 1 --json locks.json",
    "solve SPOTS/turn.yaml --iterations 10 --threads 1 --json turn.json",
    "pack build blueprint.yaml --out blueprint",
    "pack build quick.yaml --out quick --threads 1",
    "pack build exact.yaml --out exact --threads 1",
    "lbr default --setting fcpa --setting 56bets --hands 200 --seed 3 --jobs 1 --threads 1 --json lbr.json",
)

_TIMED: Final = re.compile(
    r"seconds|_s$|_ms$|^date$|^machine|^commit$|^command$|version|^time|wall|cpu|rate|per_second"
)
"""Keys of JSON whose values differ from run to run."""
_PROVENANCE: Final = re.compile(
    r"(?ms)^provenance:.*?^(?=\S)|^manifest_sha256:.*|^.*seconds.*?$|^  \w+_quality:\n(    .*\n|    - .*\n)*|^#.*?$"
)


def main() -> int:
    """Runs the commands in both checkouts and prints one row per file."""
    before, after = (results(Path(argument).resolve()) for argument in sys.argv[1:3])
    for name in sorted(before | after):
        same = before.get(name) == after.get(name)
        print(f"{'same' if same else 'DIFFERS':8}{before.get(name, '-')[:12]:14}{after.get(name, '-')[:12]:14}{name}")
    return int(before != after)


def results(checkout: Path) -> dict[str, str]:
    """Returns path in the folder of the run -> digest, for every file that the commands write."""
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "SPOTS").symlink_to(checkout / "docs/examples/spots")
        for config, text in CONFIGS.items():
            (folder / config).write_text(text)
        for command in COMMANDS:
            words = [sys.executable, "-m", "hedgehog.cli", *command.split()]
            done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
            if done.returncode:
                raise SystemExit(f"{checkout}: hedgehog {command}: exit code {done.returncode}\n{done.stderr}")
        written = [file for file in folder.rglob("*") if file.is_file() and "SPOTS" not in file.parts]
        return {str(file.relative_to(folder)): digest(file) for file in written if kept(file)}


def kept(file: Path) -> bool:
    """Tells whether a file holds results that can be compared. Records of times, dates and processes are left out."""
    return file.suffix in {".log", ".json", ".npy", ".yaml", ".tsv"} and not re.search(
        r"_quality|times|state|^build\.json$", file.name
    )


def digest(file: Path) -> str:
    """Returns the SHA-256 of a file's content without times and machines."""
    data = file.read_bytes()
    if file.suffix == ".json":
        data = json.dumps(_without_times(json.loads(data))).encode()
    elif file.suffix != ".npy":
        data = _PROVENANCE.sub("", data.decode()).encode()
    return hashlib.sha256(data).hexdigest()


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_times(item) for key, item in value.items() if not _TIMED.search(key)}
    return [_without_times(item) for item in value] if isinstance(value, list) else value


if __name__ == "__main__":
    sys.exit(main())
