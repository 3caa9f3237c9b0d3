"""Solves a game by a method of the user's choice, and says what was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from hedgehog.gametheory.cfr import GameCfr
from hedgehog.gametheory.files import exact_value
from hedgehog.gametheory.induction import backward_induction
from hedgehog.gametheory.lookahead import lookahead_gain
from hedgehog.gametheory.normal_games import NormalForm, pure_equilibria, solve_matrix
from hedgehog.gametheory.sequence_form import solve_sequence_form
from hedgehog.gametheory.strategies import InfosetStrategy, Profile, describe, expected_payoffs, exploitability
from hedgehog.gametheory.tree import ExtensiveGame
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.watch import SILENT, Watch

Method = Literal["lp", "cfr", "induction", "exact"]


@dataclass(frozen=True, slots=True)
class GameSolution:
    """Strategies of a game in extensive form, and what they are worth."""

    profile: Profile
    strategies: list[InfosetStrategy]
    """The profile by information sets."""
    document: dict[str, Any]
    """All results, as ``hedgehog game solve --json`` writes them."""


def solve_game(
    game: ExtensiveGame,
    method: Method = "lp",
    *,
    tremble: float = 0.0,
    algorithm: str = "pcfr+",
    iterations: int = 10_000,
    target: float = 1e-4,
    lookahead: int = 0,
    watch: Watch = SILENT,
) -> GameSolution:
    """Solves a game in extensive form.

    :param method: ``lp``: linear programs of the sequence form; ``cfr``; ``induction``: backward induction; ``exact``:
        as ``lp``, with the exact value by pygambit.
    :param tremble: with ``lp``: least probability of every action.
    :param algorithm: with ``cfr``: the algorithm.
    :param iterations: with ``cfr``: at most so many.
    :param target: with ``cfr``: the exploitability to stop at.
    :param lookahead: own decisions that responses look ahead (:mod:`hedgehog.gametheory.lookahead`), whose winnings are
        then among the results; 0: none.
    :param watch: with ``cfr``: hears of iterations.
    :raises GameError: if the method cannot solve the game, or pygambit is missing.
    """
    content: dict[str, Any] = {"method": method}
    profile: Profile
    if method == "induction":
        induced = backward_induction(game)
        content["value"] = float(induced.values[0, 0])
        profile = induced.profile
    elif method == "cfr":
        solver = GameCfr(game, algorithm)
        watch.begin("solving", iterations, "iterations")
        solver.run(
            target=target,
            iterations=iterations,
            report=lambda done, reached: watch.update(done, f"exploitability {reached:.3g}"),
        )
        content |= {"algorithm": str(solver.algorithm), "iterations": solver.iteration}
        if len(game.players) == 2 and game.constant_sum() is not None:
            content["bracket"] = list(solver.bracket())
        profile = solver.profile()
        content["value"] = float(expected_payoffs(game, profile)[0])
    else:
        if method == "exact":
            content["exact_value"] = str(exact_value(game))
        solution = solve_sequence_form(game, tremble=tremble)
        content |= {"value": solution.value, "duality_gap": solution.gap}
        profile = solution.profile
    rows = describe(game, profile)
    content["payoffs"] = expected_payoffs(game, profile).tolist()
    content["exploitability"] = exploitability(game, profile)
    content["unique_value"] = len(game.players) == 2 and game.constant_sum() is not None
    if lookahead:
        found = lookahead_gain(game, profile, lookahead)
        content["lookahead"] = {"decisions": lookahead, "gain": found.gain, "share": found.share}
    content["strategies"] = [row._asdict() for row in rows]
    return GameSolution(profile, rows, json_document("game-solution", game=game.name, players=game.players, **content))


def matrix_document(form: NormalForm, name: str) -> dict[str, Any]:
    """Returns value, optimal strategies and pure equilibria of a matrix game.

    :param name: name of the game.
    :raises GameError: if it is no zero-sum game of two players.
    """
    solution = solve_matrix(form)
    mixtures = zip(form.players, form.actions, (solution.row, solution.column), strict=True)
    content: dict[str, Any] = {
        "value": solution.value,
        "duality_gap": solution.gap,
        "pure_equilibria": [
            [names[i] for names, i in zip(form.actions, cell, strict=True)] for cell in pure_equilibria(form)
        ],
        "strategies": [
            {"player": player, "actions": dict(zip(actions, mixture.tolist(), strict=True))}
            for player, actions, mixture in mixtures
        ],
    }
    return json_document("game-solution", game=name, players=form.players, method="lp", **content)
