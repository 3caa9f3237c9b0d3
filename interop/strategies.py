"""Reads anybody's strategies for a spot: a saved solve, a JSON file of ``hedgehog solve``, or a dump of TexasSolver.

Every command that asks for "a strategy" takes what :func:`read_strategy` reads. It answers for any decision of the
spot's betting tree (:class:`~hedgehog.solver.postflop.responses.given_strategy.GivenStrategy`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.interop.texassolver.dump import TexasDump, is_dump
from hedgehog.poker.cards import NUM_COMBOS, combo_mask, format_card, format_combo, parse_cards, parse_combo
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.errors import CardError, InputError
from hedgehog.runtime.input_files import open_input
from hedgehog.runtime.text_files import READ_ERRORS, decompressed, reason
from hedgehog.solver.postflop.responses.given_strategy import (
    GivenStrategy,
    OwnCount,
    given_solution,
    verify_fit,
    verify_hands,
)
from hedgehog.solver.postflop.solution_files import is_saved_solve, open_solution, read_saved_solve
from hedgehog.solver.postflop.spot import PLAYERS, PostflopSpot
from hedgehog.solver.postflop.tree import build_postflop_tree, format_action, format_line, line_of
from hedgehog.strategies.betting_tree import ActionKind, BettingTree

MOST_BYTES: Final = 2 << 30
"""Largest size of a strategy file, after decompression."""
_TOLERANCE: Final = 0.001
_DOCUMENT: Final = "hedgehog.solution"


def read_strategy(path: str | Path, spot: PostflopSpot) -> GivenStrategy:
    """Returns the strategies of a file or folder, for the betting tree of a spot.

    :param path: the folder of a saved solve; or a file, which may be compressed by gzip, bzip2 or xz: a dump of
        TexasSolver, or a JSON file of ``hedgehog solve`` with every decision of the tree.
    :param spot: the spot, whose tree, board and ranges the strategies must fit.
    :raises InputError: if it is none of these or does not fit the spot. Missing streets are named.
    """
    path, source = Path(path), str(path)
    tree = build_postflop_tree(spot.tree)
    ranges = (spot.live_range(0), spot.live_range(1))
    if path.is_dir():
        if not is_saved_solve(path):
            raise InputError("expected a dump of TexasSolver, or the folder of a saved solve", source=source)
        given = given_solution(open_solution(read_saved_solve(path)))
        try:
            verify_fit(given, tree, spot.board)
            for player in (0, 1):
                verify_hands(given, ranges[player], player)
        except InputError as error:
            raise InputError(error.message, source=source) from None
        return given
    return parse_strategy(_read(path), tree, spot.board, ranges, source)


def parse_strategy(
    text: bytes,
    tree: BettingTree,
    board: tuple[int, ...],
    ranges: Sequence[NDArray[np.float32]],
    source: str | None = None,
) -> GivenStrategy:
    """Returns the strategies of a JSON file: a dump of TexasSolver, or a result of ``hedgehog solve``.

    :param tree: the betting tree of the spot.
    :param board: card ids of the root.
    :param ranges: float32[1326] weights of OOP and IP: the hands that must have a strategy.
    :param source: name of the file, for messages.
    :raises InputError: if it is neither or lacks streets; other faults are found when a decision is asked for.
    """
    try:
        root = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(
            "expected strategies as JSON: a dump of TexasSolver or of hedgehog solve", source=source
        ) from None
    if is_dump(root):
        dump = TexasDump(root, tree, board, ranges, source)
        own_count = OwnCount(dump.program, dump.card_weights)
        return GivenStrategy(tree, board, (ranges[0], ranges[1]), dump.node_strategy, own_count=own_count)
    if isinstance(root, Mapping) and root.get("format") == _DOCUMENT:
        document = SolutionDocument(root, tree, board, ranges, source)
        return GivenStrategy(tree, board, (ranges[0], ranges[1]), document.node_strategy)
    raise InputError("expected strategies: a dump of TexasSolver, or a JSON file of hedgehog solve", source=source)


class SolutionDocument:
    """The strategies of a JSON file of ``hedgehog solve`` (:mod:`hedgehog.solver.postflop.solution_json`).

    :param root: the JSON value of the file.
    :param tree: the betting tree of the spot.
    :param board: card ids of the root.
    :param ranges: float32[1326] weights of OOP and IP: the hands that must have a strategy.
    :param source: name of the file, for messages.
    :raises InputError: if the file is of another board, or lacks the decisions of a street.
    """

    def __init__(
        self,
        root: Mapping[str, Any],
        tree: BettingTree,
        board: tuple[int, ...],
        ranges: Sequence[NDArray[np.float32]],
        source: str | None = None,
    ) -> None:
        self._tree, self._board, self._source = tree, board, source
        self._held = [(weights > 0) & combo_mask(board) for weights in ranges]
        try:
            same = tuple(parse_cards(root["board"])) == board
            self._hands = [_combos(root["hands"][player]) for player in (0, 1)]
            self._nodes = {str(node["line"]): node for node in root["nodes_data"]}
        except (KeyError, IndexError, TypeError, AttributeError, CardError):
            raise self._fail("expected the keys board, hands and nodes_data of a JSON file of hedgehog solve") from None
        if not same:
            raise self._fail("the file is about another board")
        later = [STREETS[street] for street in np.unique(tree.street[tree.num_children > 1]).tolist()[1:]]
        if later and not any(_has_card(line) for line in self._nodes):
            raise self._fail(
                f"the file lacks the {' and the '.join(later)}: the folder of hedgehog solve --save has all streets"
            )
        for player in (0, 1):
            missing = self._held[player].copy()
            missing[self._hands[player]] = False
            if missing.any():
                first = format_combo(int(np.argmax(missing)))
                raise self._fail(
                    f"the file lacks {int(missing.sum())} hands of the {PLAYERS[player]} range, such as {first}"
                )

    def node_strategy(self, node: int, dealt: Sequence[int] = ()) -> NDArray[np.float32]:
        """Returns float32[actions, 1326]: probabilities at a decision. Combos without one have equal probabilities.

        :param dealt: the cards dealt after the root board on the way to the node.
        :raises InputError: if the file lacks the decision or has other actions there.
        """
        tree = self._tree
        line = self._line(node, dealt)
        data = self._nodes.get(line)
        if data is None:
            raise self._fail(
                f"the file lacks the decision {line!r}: expected all of them, as hedgehog solve --out writes"
            )
        actions = [format_action(tree, child) for child in tree.children(node)]
        if data.get("actions") != actions:
            raise self._fail(f"the trees differ at {line!r}: the spot has {', '.join(actions)}")
        player = int(tree.player[node])
        hands = self._hands[player]
        try:
            given = data["stored_strategy"] if "stored_strategy" in data else data["strategy"]
            rows = np.array(given, dtype=np.float64).reshape(len(actions) - 1, len(hands))
        except (KeyError, TypeError, ValueError):
            raise self._fail(f"expected {len(actions) - 1} rows of {len(hands)} probabilities at {line!r}") from None
        last = 1 - rows.sum(axis=0)
        rows = np.vstack([rows, np.where(abs(last) < _TOLERANCE, np.maximum(last, 0), last)])
        known = ~np.isnan(rows).any(axis=0)
        if (rows[:, known] < 0).any():
            raise self._fail(f"expected probabilities that sum to 1 at {line!r}")
        missing = self._held[player] & combo_mask(dealt)
        missing[hands[known]] = False
        if missing.any():
            raise self._fail(
                f"the file lacks the strategies of {int(missing.sum())} hands at {line!r}, where nobody gets but a "
                "best response may: write it again with this version, or read the folder of hedgehog solve --save"
            )
        strategy = np.full((len(actions), NUM_COMBOS), 1 / len(actions), dtype=np.float32)
        strategy[:, hands[known]] = rows[:, known] / rows[:, known].sum(axis=0)
        return strategy

    def _line(self, node: int, dealt: Sequence[int]) -> str:
        tree = self._tree
        tokens: list[str] = line_of(tree, node)
        path = []
        while node > 0:
            path.append(node)
            node = int(tree.parent[node])
        cards = list(dealt)
        for place, child in enumerate(reversed(path)):
            if tree.action[child] == ActionKind.DEAL:
                tokens.insert(place, format_card(int(cards.pop(0))))
        return format_line(tokens)

    def _fail(self, message: str) -> InputError:
        return InputError(message, source=self._source)


def _read(path: Path) -> bytes:
    try:
        with open_input(path) as raw, decompressed(raw) as stream:
            text = stream.read(MOST_BYTES + 1)
    except READ_ERRORS as problem:
        raise InputError(f"could not read the strategies ({reason(problem)})", source=str(path)) from None
    if len(text) > MOST_BYTES:
        raise InputError(f"expected at most {MOST_BYTES:,} bytes of strategies", source=str(path))
    return text


def _combos(text: str) -> NDArray[np.int64]:
    return np.array([parse_combo(text[at : at + 4]) for at in range(0, len(text), 4)], dtype=np.int64)


def _has_card(line: str) -> bool:
    return any(len(token) == 2 and token[1] in "cdhs" for token in line.split())
