"""Random requests: none of them may be the server's fault, whatever they ask for."""

from __future__ import annotations

import random
import string
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from hedgehog.analysis.study.trees.betting_tree import StudyTree
from hedgehog.analysis.study.trees.files import write_tree
from hedgehog.analysis.study.trees.kinds import parse_shape
from hedgehog.strategies.pack import default_packs
from tests.explorer.explored import BASE, HOST, RIVER, TOKEN, explored, get, save
from tests.solver.postflop_fixtures import SMALL_FLOP
from tests.tiny_flop_pack import write_tiny_flop_pack

LOG = Path(__file__).parents[1] / "data" / "acpc" / "log_hunl2p_s0.log.gz"
QUESTIONS = [
    "node",
    "equity",
    "cards",
    "range",
    "hands",
    "hand",
    "curves",
    "children",
    "histogram",
    "text",
    "flops",
    "flop",
    "parse",
    "buckets",
]
WORDS = {
    "line": [
        "",
        "X",
        "X X",
        "X X 7d",
        "X B500",
        "B500 C",
        "r250",
        "r250 c QsJh2h c",
        "r250c/kr300",
        "r*c/",
        "f",
        "cc",
        "((",
        "\0",
    ],
    "player": ["oop", "ip", "P1_ex", "", "nobody"],
    "action": ["", "0", "1", "7", "-1", "x", "९"],
    "cards": ["", "7d", "7dKh", "QhQh", "zz", "2c" * 60],
    "what": ["", "ev", "equity", "ev,equity", "luck"],
    "flop": ["r250c Qs Jh 2h", "line As Ah Qs", "", "Qs", "x" * 50],
    "decision": ["0", "1", "99", "x", ""],
    "think": ["", "0", "1", "-5", "x"],
    "hand": ["0", "499", "500", "-1", "x", "9" * 30],
    "log": ["0", "1", "x"],
    "page": ["0", "4", "99", "x"],
    "sort": ["", "won", "lost", "pot", "luck"],
    "street": ["", "turn", "river", "x"],
    "end": ["", "showdown", "fold", "x"],
    "path": ["", "r", "rc", "rc/r", "zz", "r" * 300],
    "depth": ["1", "3", "20", "21", "x"],
    "board": ["", "Qs Jh 2h", "Qs", "??"],
    "players": ["", "2", "3", "9", "x"],
    "by": ["", "trained", "hbb2", "luck"],
    "nearest": ["", "3", "0", "99", "x"],
    "weights": ["", "d", "x"],
}
BODIES: list[Any] = [
    *({}, [], None, 7, "x", {"text": "AA"}, {"text": "x"}, {"text": 7}, {"text": "", "hands": ["AKs"], "weight": 0.5}),
    *({"form": {}}, {"form": {"rake": {"percent": 7}, "locks": [1]}}, {"form": {"rake": 3, "x": [None]}}, {"form": 3}),
    *({"spot": RIVER}, {"spot": "x"}, {"spot": RIVER, "name": "../x"}, {"spot": "\0"}, {"spot": "a: &a [*a]"}),
]


def noise(rng: random.Random) -> str:
    letters = string.printable + "äß€𝄞\0/\\.%"
    return "".join(rng.choice(letters) for _ in range(rng.choice((0, 1, 3, 12, 60))))


def ask(client: TestClient, rng: random.Random, names: list[str]) -> int:
    """Sends one random request and returns the status of the answer."""
    if rng.random() < 0.12:
        what = rng.choice(["read", "write", "range", "estimate", "start", "stop", "save", "luck", noise(rng)])
        if rng.random() < 0.3:
            content: Any = noise(rng).encode("utf-8", "surrogatepass")
            headers = {"content-type": "application/json"}
            return client.post(f"{BASE}/api/1/solve/{quoted(what)}", content=content, headers=headers).status_code
        body = rng.choice(BODIES)
        if what == "start" and isinstance(body, dict):
            body = {**body, "name": "../never"}
        return client.post(f"{BASE}/api/1/solve/{quoted(what)}", json=body).status_code
    if rng.random() < 0.1:
        first = rng.choice([TOKEN, TOKEN[:-1], quoted(noise(rng))])
        headers = {"host": rng.choice([HOST, "example.org", HOST, HOST])}
        return client.get(f"http://{HOST}/{first}/{quoted(noise(rng))}", headers=headers).status_code
    name = rng.choice([*names, *names, quoted(noise(rng))])
    question = rng.choice([*QUESTIONS, *QUESTIONS, "verify", "", quoted(noise(rng))])
    keys = rng.sample(sorted(WORDS), rng.randrange(5)) + (["line"] if rng.random() < 0.7 else [])
    params = {key: noise(rng) if rng.random() < 0.15 else rng.choice(WORDS[key]) for key in keys}
    return client.get(f"{BASE}/api/1/items/{name}/{question}", params=params).status_code


def quoted(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


@pytest.mark.process
@pytest.mark.parametrize("count", [150, pytest.param(10_000, marks=pytest.mark.slow)])
def test_no_request_is_the_servers_fault(tmp_path: Path, count: int) -> None:
    write_tree(tmp_path / "tree", StudyTree(parse_shape("2-2-3")))
    items = [
        save(tmp_path / "river", RIVER, iterations=5),
        save(tmp_path / "flop", SMALL_FLOP, iterations=2),
        LOG,
        tmp_path / "tree",
        write_tiny_flop_pack(tmp_path),
        *([default_packs()] if count > 1000 else []),
    ]
    rng = random.Random(5)
    with explored(*items, solves=tmp_path / "solves") as (client, names):
        found = [ask(client, rng, names) for _ in range(count)]
        assert [status for status in found if status >= 500] == []
        assert found.count(200) > count / 20
        assert found.count(400) > count / 20
        assert get(client, "items/river/node")["kind"] == "decision"
    assert not (tmp_path / "solves").exists()
    assert not (tmp_path / "never").exists()
