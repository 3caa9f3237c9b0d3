"""Files of games: JSON trees, payoff matrices as CSV, and Gambit's extensive-game format (.efg).

Trees are written in ``.efg`` and JSON here. Reading ``.efg`` and exact rational solutions need the optional package
pygambit (extra ``efg``).
"""

from __future__ import annotations

import csv
import io
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np

from hedgehog.gametheory.normal_games import NormalForm, matrix_game, normal_form_game
from hedgehog.gametheory.tree import CHANCE, LEAF, ExtensiveGame, Number, TreeBuilder
from hedgehog.runtime.documents import csv_rows, json_document
from hedgehog.runtime.errors import GameError
from hedgehog.runtime.packages import require
from hedgehog.runtime.text_files import plain_text

FORMAT: Final = "hedgehog.game"
_MOST_DIGITS: Final = 100


def game_document(game: ExtensiveGame) -> dict[str, Any]:
    """Returns an extensive game as a JSON document. Fractions are texts such as ``1/3``."""
    leaves = iter(game.exact_payoffs)
    nodes: list[dict[str, Any]] = []
    for node, mover in enumerate(game.mover.tolist()):
        entry: dict[str, Any] = {"parent": int(game.parent[node]), "label": game.labels[node]}
        if node and game.mover[game.parent[node]] == CHANCE:
            entry["probability"] = _written(game.probabilities[node])
        if mover == LEAF:
            entry["payoffs"] = [_written(payoff) for payoff in next(leaves)]
        elif mover != CHANCE:
            infoset = game.infosets[int(game.infoset[node])]
            entry |= {"player": game.players[mover], "infoset": infoset.name, "actions": list(infoset.actions)}
        nodes.append(entry)
    return json_document("game", game=game.name, players=game.players, nodes=nodes)


def parse_game(text: str, source: str | None = None) -> ExtensiveGame:
    """Returns the extensive game of a JSON document that :func:`game_document` has made.

    :param source: name of the file, for messages.
    :raises GameError: if the text is no such document or the game is malformed.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise GameError("expected a JSON document", source=source) from None
    try:
        return _game_of_document(document)
    except GameError as error:
        raise type(error)(error.message, source=source) from None


def _game_of_document(document: object) -> ExtensiveGame:
    if not isinstance(document, dict) or document.get("format") != FORMAT or document.get("version") != 1:
        raise GameError(f"expected a document with format {FORMAT!r} and version 1")
    players, nodes = document.get("players"), document.get("nodes")
    if not isinstance(players, list) or not all(isinstance(name, str) for name in players):
        raise GameError("expected a list of names as 'players'")
    if not isinstance(nodes, list) or not all(isinstance(entry, dict) for entry in nodes):
        raise GameError("expected a list of objects as 'nodes'")
    builder = TreeBuilder(str(document.get("game") or "game"), players)
    path: list[int] = []  # the nodes from the root to the last one
    for number, entry in enumerate(nodes):
        parent, label = entry.get("parent"), entry.get("label", "")
        if not isinstance(label, str):
            raise GameError(f"node {number}: expected a text as 'label'")
        while path and path[-1] != parent:
            path.pop()
        if type(parent) is not int or (parent != -1 if number == 0 else not path):
            raise GameError(f"node {number}: expected nodes in depth-first order, each with its parent")
        probability = _read_number(entry.get("probability", 1), number)
        if "payoffs" in entry:
            payoffs = entry["payoffs"]
            if not isinstance(payoffs, list):
                raise GameError(f"node {number}: expected a list as 'payoffs'")
            builder.add_leaf(parent, label, probability, [_read_number(payoff, number) for payoff in payoffs])
            continue
        path.append(number)
        if "player" not in entry:
            builder.add_chance(parent, label, probability)
            continue
        player, infoset, actions = entry["player"], entry.get("infoset"), entry.get("actions")
        if player not in players or not isinstance(infoset, str):
            raise GameError(f"node {number}: expected one of the players and the name of an information set")
        if not isinstance(actions, list) or not all(isinstance(action, str) for action in actions):
            raise GameError(f"node {number}: expected a list of names as 'actions'")
        builder.add_decision(parent, label, probability, players.index(player), infoset, name=infoset, actions=actions)
    return builder.finish()


def _written(number: Number) -> int | float | str:
    if isinstance(number, Fraction):
        return int(number) if number.denominator == 1 else str(number)
    return number


def _read_number(value: object, node: int) -> Number:
    if isinstance(value, str) and len(value) <= _MOST_DIGITS and "e" not in value.lower():
        try:
            return Fraction(value)
        except (ValueError, ZeroDivisionError):
            pass
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300:
        return value
    raise GameError(f"node {node}: expected a number or a fraction such as '1/3', got {str(value)[:50]!r}")


def format_matrix(game: NormalForm) -> str:
    """Returns a game of two players as CSV: the column player's actions in the first line, the row player's in front.

    Cells hold player 1's payoff if the game is zero-sum, or both payoffs with a semicolon between them.

    :raises GameError: if the game has not two players.
    """
    if len(game.players) != 2:
        raise GameError(f"a payoff matrix has two players, this game {len(game.players)}")
    rows = []
    for row, name in enumerate(game.actions[0]):
        if game.is_zero_sum:
            cells = [repr(float(x)) for x in game.payoffs[0, row]]
        else:
            cells = [f"{float(x)!r};{float(y)!r}" for x, y in zip(*game.payoffs[:, row], strict=True)]
        rows.append([name, *cells])
    return csv_rows([["", *game.actions[1]], *rows])


def parse_matrix(text: str, source: str | None = None) -> NormalForm:
    """Returns the game of a CSV table: names of the columns, then one line per row with its name in front.

    Cells are numbers or fractions such as ``1/6``, the payoffs of the row player in a zero-sum game, or both players'
    payoffs with a semicolon between them (``3;-1/2``), as :func:`format_matrix` writes them. All cells are of one kind.

    :param source: name of the file, for messages.
    :raises GameError: if the table is malformed.
    """
    try:
        lines = [line for line in csv.reader(io.StringIO(text), strict=True) if line]
    except csv.Error as error:
        raise GameError(f"expected CSV: {error}", source=source) from None
    if len(lines) < 2 or len(lines[0]) < 2:
        raise GameError("expected a line with the names of the columns, then a line per row", source=source)
    numbers = lines[1][1].count(";") + 1 if len(lines[1]) > 1 else 1
    table = []
    for number, line in enumerate(lines[1:], 2):
        if len(line) != len(lines[0]):
            raise GameError(f"expected {len(lines[0])} cells, got {len(line)}", source=source, line=number)
        for cell in line[1:]:
            if cell.count(";") + 1 != numbers or numbers > 2:
                kinds = "one payoff in every cell, or two in every cell such as 3;-1"
                raise GameError(f"expected {kinds}, got {cell[:50]!r}", source=source, line=number)
        table.append([[_cell(part, source, number) for part in cell.split(";")] for cell in line[1:]])
    rows, columns = [line[0] for line in lines[1:]], lines[0][1:]
    payoffs = np.moveaxis(np.array(table), -1, 0)
    try:
        return matrix_game(payoffs[0], rows, columns) if numbers == 1 else normal_form_game(payoffs, [rows, columns])
    except GameError as error:
        raise GameError(error.message, source=source) from None


def _cell(text: str, source: str | None, line: int) -> float:
    try:
        if len(text) > _MOST_DIGITS:
            raise ValueError
        value = float(Fraction(text)) if "/" in text else float(text)
    except (ValueError, ZeroDivisionError, OverflowError):
        value = math.nan
    if not math.isfinite(value):
        raise GameError(f"expected a number, got {text[:50]!r}", source=source, line=line)
    return value


def format_efg(game: ExtensiveGame) -> str:
    """Returns an extensive game in Gambit's format ``EFG 2 R``, with all payoffs at terminal nodes."""
    lines = [f"EFG 2 R {_quoted(game.name)} {{ {' '.join(map(_quoted, game.players))} }}", '""', ""]
    numbers: dict[int, int] = {}
    of_player = [0] * len(game.players)
    for number, infoset in enumerate(game.infosets):
        of_player[infoset.player] += 1
        numbers[number] = of_player[infoset.player]
    chances, ends = 0, 0
    for node, mover in enumerate(game.mover.tolist()):
        children = game.child_lists[node]
        if mover == LEAF:
            payoffs = " ".join(map(_efg_number, game.exact_payoffs[ends]))
            ends += 1
            lines.append(f't "" {ends} "" {{ {payoffs} }}')
        elif mover == CHANCE:
            chances += 1
            outcomes = " ".join(f"{_quoted(game.labels[c])} {_efg_number(game.probabilities[c])}" for c in children)
            lines.append(f'c "" {chances} "" {{ {outcomes} }} 0')
        else:
            number = int(game.infoset[node])
            infoset = game.infosets[number]
            actions = " ".join(map(_quoted, infoset.actions))
            lines.append(f'p "" {mover + 1} {numbers[number]} {_quoted(infoset.name)} {{ {actions} }} 0')
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _efg_number(number: Number) -> str:
    return str(number) if isinstance(number, (int, Fraction)) else f"{number:.17g}"


def _pygambit() -> Any:
    return require("pygambit", "reading .efg files and exact solutions need", GameError)


def read_efg(path: Path) -> ExtensiveGame:
    """Returns the extensive game of an ``.efg`` file, read by pygambit.

    Payoffs at nodes before the end are added to those of the leaves below.

    :raises GameError: if pygambit is not installed, the file cannot be read, or the game is malformed.
    """
    gambit = _pygambit()
    try:
        found = gambit.read_efg(io.StringIO(plain_text(path.read_bytes()).decode("utf-8", "backslashreplace")))
    except Exception as error:  # pygambit documents several kinds
        raise GameError(f"no extensive game in Gambit's format: {error}", source=str(path)) from None
    try:
        return _from_gambit(found)
    except GameError as error:
        raise type(error)(error.message, source=str(path)) from None


def _from_gambit(found: Any) -> ExtensiveGame:
    players = list(found.players)
    names = [player.label or f"p{number + 1}" for number, player in enumerate(players)]
    builder = TreeBuilder(found.title or "game", names)
    stack: list[tuple[Any, int, str, Number, tuple[Fraction, ...]]] = [
        (found.root, -1, "", 1, (Fraction(0),) * len(players))
    ]
    while stack:
        node, parent, label, probability, paid = stack.pop()
        if node.outcome:  # where there is none, pygambit has an object that is false
            gained = (Fraction(str(node.outcome[player])) for player in players)
            paid = tuple(a + b for a, b in zip(paid, gained, strict=True))
        if node.is_terminal:
            builder.add_leaf(parent, label, probability, paid)
            continue
        actions = list(node.infoset.actions)
        labels = [action.label or str(number + 1) for number, action in enumerate(actions)]
        if node.player.is_chance:
            number = builder.add_chance(parent, label, probability)
            chances: list[Number] = [Fraction(str(action.prob)) for action in actions]
        else:
            player = players.index(node.player)
            name = node.infoset.label or f"{names[player]} {node.infoset.number + 1}"
            number = builder.add_decision(
                parent, label, probability, player, node.infoset.number, name=name, actions=labels
            )
            chances = [1] * len(actions)
        below = list(zip(node.children, labels, chances, strict=True))
        stack += [(child, number, text, chance, paid) for child, text, chance in reversed(below) if chance > 0]
    return builder.finish()


def exact_value(game: ExtensiveGame) -> Fraction:
    """Returns player 1's value in exact rationals, by pygambit's linear program.

    :raises GameError: if pygambit is not installed, or the game has not two players with constant sum.
    """
    gambit = _pygambit()
    if len(game.players) != 2 or game.constant_sum() is None:
        raise GameError(f"game {game.name!r}: expected two players with constant sum")
    found = gambit.read_efg(io.StringIO(format_efg(game)))
    solution = gambit.nash.lp_solve(found, rational=True)
    return Fraction(str(solution.equilibria[0].payoff(next(iter(found.players)))))
