"""Games by their rules: a generator function that deals, asks and pays, from which the tree is derived.

The function yields :func:`chance`, :func:`choose` and :func:`reveal`, and returns :func:`outcome`. It is run anew with
the recorded answers for every path through the game. It must therefore depend on its parameters and on the answers
alone. The idea of deriving trees and information sets from a program is that of the language Gala (Koller and Pfeffer
1997).

>>> @game(players=("odd", "even"))
... def pennies():
...     one = yield choose("odd", ["heads", "tails"], seen_by=())
...     other = yield choose("even", ["heads", "tails"])
...     return outcome(1 if one != other else -1)
>>> pennies.build().counts.nodes
7
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Generator, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any, Final, TypeVar

from hedgehog.gametheory.tree import ExtensiveGame, Number, TreeBuilder, verify_chance
from hedgehog.runtime.errors import GameError

ALL: Final = "ALL"
"""Stands for all players, as in ``reveal(ALL, card)``."""
Audience = str | Sequence[str]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Chance:
    """A chance move. :func:`chance` makes it."""

    outcomes: tuple[Any, ...]
    probabilities: tuple[Number, ...]
    to: Audience


@dataclass(frozen=True, slots=True)
class Choose:
    """A decision. :func:`choose` makes it."""

    player: str
    options: tuple[Any, ...]
    seen_by: Audience


@dataclass(frozen=True, slots=True)
class Reveal:
    """Something that players learn. :func:`reveal` makes it."""

    who: Audience
    what: Hashable


@dataclass(frozen=True, slots=True)
class Outcome:
    """The payoffs at the end. :func:`outcome` makes it."""

    payoffs: tuple[Number, ...]


Statement = Chance | Choose | Reveal
Rules = Callable[..., Generator[Statement, Any, Outcome]]


def chance(outcomes: Iterable[T] | Mapping[T, Number], *, to: Audience = ()) -> Chance:
    """Returns a chance move; ``yield`` gives the outcome.

    :param outcomes: different outcomes with equal probabilities, or outcome -> probability. Fractions stay exact.
    :param to: who sees the outcome: a player, several players or :data:`ALL`; nobody by default.
    """
    if isinstance(outcomes, Mapping):
        return Chance(tuple(outcomes), tuple(outcomes.values()), to)
    found = tuple(outcomes)
    return Chance(found, _equal_shares(len(found)), to)


@cache
def _equal_shares(count: int) -> tuple[Fraction, ...]:
    """Returns one tuple per count, so that repeated statements are compared by identity."""
    return (Fraction(1, max(count, 1)),) * count


def choose(player: str, options: Iterable[T], *, seen_by: Audience = ALL) -> Choose:
    """Returns a decision; ``yield`` gives the option that the player chooses.

    :param options: different options, such as labels or :func:`amounts`.
    :param seen_by: who sees the choice beside the player; ``()`` makes moves simultaneous.
    """
    return Choose(player, tuple(options), seen_by)


def reveal(who: Audience, what: Hashable) -> Reveal:
    """Returns a statement after which ``who`` (a player, several, or :data:`ALL`) know ``what``."""
    return Reveal(who, what)


def outcome(*payoffs: Number) -> Outcome:
    """Returns the payoffs at the end: x for ``x`` and ``-x`` in a game of two players, or one payoff per player."""
    return Outcome(payoffs)


def amounts(low: Number, high: Number, step: Number = 1) -> tuple[Number, ...]:
    """Returns the amounts ``low``, ``low + step``, ... up to ``high``, as options of a bet.

    :raises GameError: if the step is not positive or no amount is in the interval.
    """
    if not step > 0 or high < low:
        raise GameError(f"expected amounts from low to high in positive steps, got {low}, {high}, {step}")
    count = math.floor((high - low) / step + 1e-9) + 1
    return tuple(low + i * step for i in range(count))


@dataclass(frozen=True, slots=True)
class RuleGame:
    """A game by its rules. :func:`game` makes it, and :meth:`build` derives its tree."""

    name: str
    players: tuple[str, ...]
    rules: Rules
    summary: str = ""

    def parameters(self) -> dict[str, Any]:
        """Returns the parameters of the rules with their defaults."""
        return {
            name: None if parameter.default is parameter.empty else parameter.default
            for name, parameter in inspect.signature(self.rules).parameters.items()
        }

    def build(self, **parameters: Any) -> ExtensiveGame:
        """Returns the extensive game that follows from the rules.

        :param parameters: arguments of the rules.
        :raises GameError: if a parameter is unknown, the rules are inconsistent, or the game has more than a million
            nodes.
        """
        try:
            inspect.signature(self.rules).bind(**parameters)
        except TypeError as error:
            known = ", ".join(f"{key}={value!r}" for key, value in self.parameters().items()) or "none"
            raise GameError(f"game {self.name!r}: {error}; its parameters are {known}") from None
        return _Derivation(self, parameters).run()


def game(players: Sequence[str], name: str | None = None) -> Callable[[Rules], RuleGame]:
    """Returns a decorator that makes a game of a generator function.

    :param players: names of the players, in the order of the payoffs.
    :param name: name of the game; by default that of the function.
    """

    def decorate(rules: Rules) -> RuleGame:
        summary = (inspect.getdoc(rules) or "").partition("\n")[0]
        return RuleGame(name or rules.__name__.replace("_", "-"), tuple(players), rules, summary)

    return decorate


@dataclass(slots=True)
class _Branch:
    """A node on the current path that has more than one child."""

    statement: Chance | Choose
    node: int
    next_child: int = 0


@dataclass(slots=True)
class _Derivation:
    """Runs the rules along every path, depth first. One run continues to a leaf, and the next repeats its start."""

    source: RuleGame
    parameters: dict[str, Any]
    path: list[_Branch] = field(default_factory=list)

    def run(self) -> ExtensiveGame:
        builder = TreeBuilder(self.source.name, self.source.players)
        self.follow(builder)
        while self.path:
            branch = self.path[-1]
            branch.next_child += 1
            options = branch.statement.outcomes if isinstance(branch.statement, Chance) else branch.statement.options
            if branch.next_child == len(options):
                self.path.pop()
            else:
                self.follow(builder)
        return builder.finish()

    def follow(self, builder: TreeBuilder) -> None:
        """Runs the rules once: the recorded answers first, then the first option everywhere."""
        seen: list[list[tuple[str, Hashable]]] = [[] for _ in self.source.players]
        known = len(self.path)
        parent, label = -1, ""
        probability: Number = 1
        met = 0
        run = self.source.rules(**self.parameters)
        if not inspect.isgenerator(run):
            raise self.error("expected a generator function, with yield chance(...) or yield choose(...)")
        answer: Any = None
        while True:
            try:
                statement = run.send(answer)
            except StopIteration as end:
                if met < known:
                    raise self.error("the rules ended earlier than before with the same answers") from None
                self.end(builder, end.value, parent, label, probability)
                return
            if isinstance(statement, Reveal):
                self.tell(seen, self.audience(statement.who), ("saw", statement.what))
                answer = None
                continue
            if not isinstance(statement, (Chance, Choose)):
                raise self.error(f"expected yield of chance, choose or reveal, got {statement!r}")
            options = statement.outcomes if isinstance(statement, Chance) else statement.options
            index = 0
            if len(options) == 1:
                self.check(statement)
            elif met < known:
                branch = self.path[met]
                if branch.statement != statement:
                    raise self.error(
                        f"with the same answers the rules said {branch.statement!r} first and then {statement!r}"
                    )
                index, parent = branch.next_child, branch.node
                met += 1
            else:
                self.check(statement)
                parent = self.add(builder, statement, seen, parent, label, probability)
                self.path.append(_Branch(statement, parent))
                met += 1
                known += 1
            answer = options[index]
            if len(options) > 1:
                label = str(answer)
                probability = statement.probabilities[index] if isinstance(statement, Chance) else 1
            if isinstance(statement, Chance):
                self.tell(seen, self.audience(statement.to), ("saw", answer))
            else:
                player = self.source.players.index(statement.player)
                self.tell(seen, self.audience(statement.seen_by) - {player}, ("saw", answer))
                # With a single option there is no decision, so it is something seen.
                self.tell(seen, {player}, ("did" if len(options) > 1 else "saw", answer))

    def add(
        self,
        builder: TreeBuilder,
        statement: Chance | Choose,
        seen: list[list[tuple[str, Hashable]]],
        parent: int,
        label: str,
        probability: Number,
    ) -> int:
        if isinstance(statement, Chance):
            return builder.add_chance(parent, label, probability)
        player = self.source.players.index(statement.player)
        name = " ".join(str(what) for _, what in seen[player]) or "start"
        actions = [str(option) for option in statement.options]
        return builder.add_decision(parent, label, probability, player, tuple(seen[player]), name=name, actions=actions)

    def end(self, builder: TreeBuilder, value: object, parent: int, label: str, probability: Number) -> None:
        if not isinstance(value, Outcome):
            raise self.error(f"expected return outcome(...), got {value!r}")
        payoffs = value.payoffs
        if len(payoffs) == 1 and len(self.source.players) == 2:
            payoffs = (payoffs[0], -payoffs[0])
        builder.add_leaf(parent, label, probability, payoffs)

    def check(self, statement: Chance | Choose) -> None:
        if isinstance(statement, Chance):
            verify_chance(statement.outcomes, statement.probabilities)
        elif statement.player not in self.source.players:
            raise self.error(f"no player {statement.player!r}: expected one of {list(self.source.players)}")
        elif not statement.options or len(set(map(str, statement.options))) != len(statement.options):
            raise self.error(f"expected different options of {statement.player!r}, got {list(statement.options)}")

    def audience(self, who: Audience) -> set[int]:
        if who == ALL:
            return set(range(len(self.source.players)))
        names = (who,) if isinstance(who, str) else tuple(who)
        unknown = [name for name in names if name not in self.source.players]
        if unknown:
            raise self.error(f"no player {unknown[0]!r}: expected one of {list(self.source.players)}")
        return {self.source.players.index(name) for name in names}

    @staticmethod
    def tell(seen: list[list[tuple[str, Hashable]]], players: set[int], what: tuple[str, Hashable]) -> None:
        for player in players:
            seen[player].append(what)

    def error(self, message: str) -> GameError:
        return GameError(f"game {self.source.name!r}: {message}")
