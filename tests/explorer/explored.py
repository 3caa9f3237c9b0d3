"""Saved solves, a library and a client for the tests of the explorer."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from click.testing import CliRunner
from starlette.testclient import TestClient

from hedgehog.cli.main import cli
from hedgehog.explorer.app import create_app
from hedgehog.explorer.library import Library
from hedgehog.poker.cards import NUM_CARDS, format_card
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.solution import PostflopSolution
from hedgehog.solver.postflop.solution_files import save_solve, save_strategy
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import parse_spot
from hedgehog.solver.postflop.tree import format_action
from hedgehog.strategies.betting_tree import NodeKind

TOKEN: Final = "0123456789abcdef0123456789abcdef"
HOST: Final = "127.0.0.1:8765"
BASE: Final = f"http://{HOST}/{TOKEN}"

RIVER: Final = """\
spot: small river
board: Qh Jh 2c 7d 5s
pot: 1000
stack: 4500
range: {oop: "66+,A8s+,KQo,QTs+,JTs,T9s,96s+", ip: "55+,A2s+,ATo+,K9s+,QJo,T8s+,97s+"}
sizes: {river: {oop: "50%,a / a", ip: "50%,100% / a"}}
"""
TURN: Final = """\
spot: small turn
board: Td 9d 6h Qc
pot: 200
stack: 900
range: {oop: "AKs,JTs,98s:0.5,66,T9o:0.25", ip: "QQ,KJs,87s,AdTh,ATs:0.6"}
sizes:
  turn: {oop: "60%", ip: "75%,a"}
  river: {oop: "60%,a", ip: "75%", donk: "33%"}
rake: {rate: 0.05, cap: 30}
"""


def save(folder: Path, text: str, *, iterations: int = 30, strategy: bool = False) -> Path:
    """Solves a spot for some iterations and returns the folder to which it is saved."""
    spot = parse_spot(text)
    solver = PostflopSolver(prepare(spot), threads=1)
    solver.run(iterations)
    (save_strategy if strategy else save_solve)(folder, solver, spot)
    return folder


@contextmanager
def explored(*paths: Path, solves: Path | None = None) -> Iterator[tuple[TestClient, list[str]]]:
    """Yields a client of an explorer that shows what is at the paths, and the ids of its items."""
    library = Library()
    names = [name for path in paths for name in library.add(path)]
    app = create_app(library, token=TOKEN, hosts=[HOST], solves=solves)
    with TestClient(app, base_url=BASE, raise_server_exceptions=False) as client:
        yield client, names


def get(client: TestClient, path: str, /, **params: object) -> Any:
    """Returns the JSON of a GET request that must succeed."""
    response = client.get(f"{BASE}/api/1/{path}", params={key: str(value) for key, value in params.items()})
    assert response.status_code == 200, response.text
    return response.json()


def post(client: TestClient, path: str, content: object, *, status: int = 200) -> Any:
    """Returns the JSON of the answer to a POST request."""
    response = client.post(f"{BASE}/api/1/{path}", json=content)
    assert response.status_code == status, response.text
    return response.json()


def query(folder: Path, lines: list[str]) -> list[dict[str, Any]]:
    """Returns what ``hedgehog query`` writes about some lines."""
    asked = [word for line in lines for word in ("--line", line)]
    result = CliRunner().invoke(cli, ["query", str(folder), *asked, "--tree", "--json"])
    assert result.exit_code == 0, result.output
    found: list[dict[str, Any]] = json.loads(result.stdout)["lines"]
    return found


def random_line(solution: PostflopSolution, rng: random.Random) -> str:
    """Returns a random line that ends at a decision, with random cards."""
    tree, node, tokens, good = solution.tree, 0, list[str](), ""
    board = list(solution.board)
    while tree.num_children[node]:
        if tree.kind[node] == NodeKind.DEAL:
            card = rng.choice([card for card in range(NUM_CARDS) if card not in board])
            board.append(card)
            tokens.append(format_card(card))
            node = int(tree.first_child[node])
        else:
            good = " ".join(tokens)
            if rng.random() < 0.2:
                break
            node = rng.choice(list(tree.children(node)))
            tokens.append(format_action(tree, node))
    return good
