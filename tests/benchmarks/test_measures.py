"""Scripts that measure solves, judgements and builds, on small sizes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks import measure_coarse_start, measure_trembles, simulate_makespan
from benchmarks.grading import measure_judging
from hedgehog.solver.packs.jobs import Job
from tests.cli.command import Run

ROOT = Path(__file__).parents[2]

RIVER = """\
spot: small
board: Td 9d 6h Qc 2s
pot: 100
stack: 300
range: {oop: "AA,T9s,76s:0.5,KdJd", ip: "QQ,AQs,87s,Ad2d:0.25"}
sizes:
  river: {oop: "50%,a/a", ip: "50%,a/a"}
"""


def test_solves_that_begin_with_sampling(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_coarse_start, "SAMPLED", ((0, 0), (4, 10)))
    (tmp_path / "small.yaml").write_text(RIVER)
    code, output, _ = run(measure_coarse_start.main, tmp_path / "small.yaml")
    assert code == 0
    head, rule, *rows = output.splitlines()
    assert (head, rule) == ("| spot | sampled first | 1 % | 0.5 % |", "| --- | ---: | ---: | ---: |")
    for row, sampled in zip(rows, ("nothing", "10 iterations on 4 cards"), strict=True):
        assert re.fullmatch(rf"\| small \| {sampled} \| \d+, \S+ s \| \d+, \S+ s \|", row)


def test_answers_to_lines_that_nobody_takes(run: Run) -> None:
    options = ("--line", "A4500", "--iterations", "150", "--reference", "600")
    code, output, _ = run(measure_trembles.main, ROOT / "docs" / "examples" / "spots" / "river.yaml", *options)
    assert code == 0
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in output.splitlines()]
    assert head == ["spot", "way", "iterations", "exploitability", "A4500", "CPU s"]
    losses = {row[1]: float(row[4]) for row in rows}
    assert set(losses) == {"as if", "subsidy of that", "plain", "trembles 0.001, 5%", "lock at A4500"}
    assert min(losses.values()) >= 0
    assert losses["as if"] < losses["plain"] < losses["lock at A4500"]


def test_judgements_of_a_log(run: Run) -> None:
    code, output, _ = run(measure_judging.main, ROOT / "tests" / "data" / "acpc" / "log_limit2p_s1471220049.log.gz")
    assert code == 0
    assert [row.split(" | ")[:3] for row in output.splitlines()[2:5]] == [
        ["| P1_ex, P2_mix", "result", "+0.338 ± 0.787"],
        ["| P1_ex, P2_mix", "evat", "+0.627 ± 0.510"],
        ["| P1_ex, P2_mix", "divat", "+0.734 ± 0.490"],
    ]
    assert output.splitlines()[-1].startswith("300 hands, ")


class Measured:
    """A build of six flops, of which four are solved."""

    def jobs(self) -> list[Job]:
        return [Job("line", number, Path()) for number in range(6)]

    def seconds(self, job: Job) -> float | None:
        return float(job.flop_class + 1) if job.flop_class < 4 else None

    def cost(self, job: Job) -> float:
        return 0.5


def test_a_cluster_is_simulated_from_measured_flops(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(simulate_makespan, "open_flop_build", lambda config, work, flops: Measured())
        code, output, _ = run(simulate_makespan.main, "flops", "config.yaml", "--work", tmp_path)
    assert code == 0
    first, second, *table = output.splitlines()
    assert first == "6 flops, 4 of them measured, 0.00 hours of CPU"  # two more of 2.5 seconds
    assert second == "longest 4.0 s, mean 2.5 s"
    ideal = {"16": "0:01", "64": "0:00", "256": "0:00", "1,024": "0:00"}
    assert [row.split(" | ")[:3] for row in table[2:6]] == [[f"| {n}", s, "0:19"] for n, s in ideal.items()]
    config = ROOT / "docs" / "examples" / "four-bet.yaml"
    code, _, errors = run(simulate_makespan.main, "flops", config, "--work", tmp_path / "nothing")
    assert (code, "holds no finished flop of this configuration" in errors) == (2, True)


@pytest.mark.slow
def test_a_cluster_is_simulated_from_kept_times(run: Run, tmp_path: Path) -> None:
    times = tmp_path / "times.json"
    times.write_text("[0.5]")
    code, output, _ = run(simulate_makespan.main, "lbr", "default", "--hands", 400_000, "--times", times)
    assert code == 0
    first, second, *table, _, last = output.splitlines()
    assert first == "200,000 pairs of hands, 1 of them measured, 27.78 hours of CPU"
    assert second == "longest 0.5 s, mean 0.5 s"
    # Two pairs to a task: 100,000 seconds of work on 16 cores, 15 to start, 2 ms of the client and 4 ms of the network
    # for each task of one second.
    assert table[2].split(" | ")[:3] == ["| 16", "1:44:10", "1:45:03"]
    assert last == "twice as many as 512 cores gain less than 25 %: handing out 100,000 tasks takes the client 200 s"
    times.write_text("{}")
    code, _, errors = run(simulate_makespan.main, "lbr", "default", "--times", times)
    assert (code, "expected a JSON list of seconds" in errors) == (2, True)


def test_a_sample_of_blocks_is_measured_and_kept(run: Run, tmp_path: Path) -> None:
    times = tmp_path / "times.json"
    words = ("tournament", "call", "--agents", 3, "--hands", 60, "--block", 20, "--sample", 2, "--times", times)
    code, output, _ = run(simulate_makespan.main, *words)
    assert (code, len(json.loads(times.read_text()))) == (0, 2)
    assert output.startswith("9 blocks of 20 hands, 2 of them measured, 0.00 hours of CPU\n")
    assert run(simulate_makespan.main, *words)[:2] == (0, output)
