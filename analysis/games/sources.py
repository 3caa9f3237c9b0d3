"""Finds the game that a user names: a shipped example, a file, or a Python function with the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hedgehog.agent.plugins import import_source, split_source
from hedgehog.gametheory.examples import EXAMPLES, jam_fold_hand
from hedgehog.gametheory.files import parse_game, parse_matrix, read_efg
from hedgehog.gametheory.normal_games import NormalForm
from hedgehog.gametheory.rules import RuleGame
from hedgehog.gametheory.tree import ExtensiveGame
from hedgehog.runtime.config_file import read_text
from hedgehog.runtime.errors import GameError, HedgehogError
from hedgehog.runtime.extending.user_code import user_code_error

JAM_FOLD_HAND = "jam-fold-hand"


def shipped_game(name: str) -> RuleGame:
    """Returns a shipped game by its rules; the jam/fold hand gets its tables of hold'em here.

    :raises GameError: if there is no such game.
    """
    if name == JAM_FOLD_HAND:
        from hedgehog.poker.evaluation.equity import class_equities, class_pairs
        from hedgehog.poker.hand_classes import HAND_CLASS_NAMES

        return jam_fold_hand(HAND_CLASS_NAMES, class_pairs(), class_equities())
    if name not in EXAMPLES:
        known = ", ".join([*EXAMPLES, JAM_FOLD_HAND])
        raise GameError(f"no game {name!r}: expected {known}, FILE.json, FILE.efg, FILE.csv or FILE.py:FUNCTION")
    return EXAMPLES[name]


def input_file(text: str) -> Path | None:
    """Returns the file that a game's name stands for, or None for a shipped example."""
    parts = split_source(text)
    path = Path(parts[0] if parts is not None else text)
    return path if path.suffix in (".json", ".efg", ".csv", ".py") else None


def find_game(text: str, parameters: Sequence[str]) -> ExtensiveGame | NormalForm:
    """Returns the game that a user names.

    :param text: name of an example, FILE.json, FILE.efg, FILE.csv (a payoff matrix) or FILE.py:FUNCTION.
    :param parameters: texts ``key=value`` for games by their rules.
    :raises GameError: if there is no such game, or a parameter is wrong.
    :raises InputError: if a file cannot be read or the user's code fails.
    """
    path = input_file(text)
    if path is not None and path.suffix != ".py":
        if parameters:
            raise GameError(f"{text!r} is a file, which has no parameters")
        if path.suffix == ".efg":
            if not path.is_file():
                raise GameError("there is no such file", source=str(path))
            return read_efg(path)
        content = read_text(path, GameError, "game")
        return parse_game(content, str(path)) if path.suffix == ".json" else parse_matrix(content, str(path))
    rules = shipped_game(text) if path is None else _own_game(text)
    values = parse_parameters(rules.parameters(), parameters)
    try:
        return rules.build(**values)
    except HedgehogError:
        raise
    except Exception as error:
        raise user_code_error(f"the rules of {rules.name!r} failed", error, None) from error


def _own_game(text: str) -> RuleGame:
    parts = split_source(text)
    if parts is None:
        raise GameError(f"expected FILE.py:FUNCTION, got {text!r}")
    found = getattr(import_source(parts[0]), parts[1], None)
    if not isinstance(found, RuleGame):
        raise GameError(
            f"expected a function {parts[1]!r} with the decorator hedgehog.gametheory.game(players=...)",
            source=parts[0],
        )
    return found


def parse_parameters(defaults: Mapping[str, Any], texts: Sequence[str]) -> dict[str, Any]:
    """Returns the values of parameters ``key=value``, each with the type of its default.

    :param defaults: name -> default value of every parameter.
    :raises GameError: if a text has no such form, the key is unknown, or the value has another type.
    """
    values: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or key not in defaults:
            known = ", ".join(f"{name}={_shown(default)}" for name, default in defaults.items()) or "none"
            raise GameError(f"no parameter {text!r}: expected some of {known}")
        values[key] = _parse_value(key, value, defaults[key])
    return values


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)


def _parse_value(key: str, text: str, default: object) -> Any:
    words = {"yes": True, "true": True, "no": False, "false": False}
    try:
        if isinstance(default, bool):
            return words[text.lower()]
        if isinstance(default, (tuple, list)):
            return tuple(int(part) for part in text.split(","))
        if isinstance(default, float):
            return float(text)
        if isinstance(default, int):
            return int(text)
    except (ValueError, KeyError):
        raise GameError(f"parameter {key!r}: expected a value such as {_shown(default)}, got {text[:50]!r}") from None
    return text
