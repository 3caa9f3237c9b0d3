"""Questions about a saved solve: lines that its strategies take, cards that may come, hands that get there."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from hedgehog.analysis.drills.question import Choice, Grid, Question, Scene
from hedgehog.analysis.drills.sources import MOST_TRIES, SourceOptions, files_digest
from hedgehog.analysis.drills.spots import strategy_grid
from hedgehog.poker.cards import COMBO_CARDS, format_card, format_cards
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import real_path
from hedgehog.solver.postflop.queries import NodeView, action_evs, find_node, view_node
from hedgehog.solver.postflop.solution_files import open_solution, read_saved_solve
from hedgehog.solver.postflop.spot import PLAYERS
from hedgehog.solver.postflop.tree import format_action, parse_action, parse_line
from hedgehog.strategies.betting_tree import ActionKind, NodeKind
from hedgehog.strategies.manifest import MANIFEST_NAME

_VERBS = {
    ActionKind.FOLD: "fold",
    ActionKind.CHECK: "check",
    ActionKind.CALL: "call",
    ActionKind.BET: "bet",
    ActionKind.RAISE: "raise to",
    ActionKind.ALL_IN: "all-in to",
}
_DID = {
    ActionKind.FOLD: "folds",
    ActionKind.CHECK: "checks",
    ActionKind.CALL: "calls",
    ActionKind.BET: "bets",
    ActionKind.RAISE: "raises to",
    ActionKind.ALL_IN: "is all-in with",
}
_POSITIONS = tuple(name.upper() for name in PLAYERS)


class SolveSource:
    """Asks about decisions of a saved solve. EVs are those of the solve: both players follow it afterwards."""

    def __init__(self, folder: Path, options: SourceOptions) -> None:
        """
        :raises PackError: if the solve is damaged.
        :raises InputError: if it has none of the streets that are asked for.
        """
        saved = read_saved_solve(folder)
        self._spot = saved.spot
        self._solution = open_solution(saved)
        self._pct_pot = saved.found.pct_pot
        self._streets = options.streets
        first = int(self._solution.tree.street[0])
        if options.streets and not any(street >= first for street in options.streets):
            raise InputError(
                f"the solve begins on the {STREETS[first]}: expected this street or a later one", source=str(folder)
            )
        self.identity = f"solve {files_digest(folder / MANIFEST_NAME)}"
        self.title = f"{saved.spot.name}, {real_path(folder).name}"

    def questions(self, random: random.Random) -> Iterator[Question]:
        """Yields questions without end; lines come as often as the strategies take them."""
        failed = 0
        while failed <= MOST_TRIES:
            made = self._draw(random)
            failed = failed + 1 if made is None else 0
            if made is not None:
                yield made

    def _draw(self, random: random.Random) -> Question | None:
        """Walks through the tree and returns the question about one decision on the way; None if there is none."""
        tree, solution = self._solution.tree, self._solution
        node, dealt, line = 0, tuple[int, ...](), list[str]()
        found: list[tuple[str, NodeView]] = []
        while tree.kind[node] != NodeKind.FOLD and tree.kind[node] != NodeKind.SHOWDOWN:
            if tree.kind[node] == NodeKind.DEAL:
                left = [card for card in range(52) if card not in (*solution.board, *dealt)]
                card = random.choice(left)
                dealt, line = (*dealt, card), [*line, format_card(card)]
                node = int(tree.first_child[node])
                continue
            view = view_node(solution, node, dealt, equities=False)
            if not view.is_reached or np.isnan(view.frequency).any():
                break
            if not self._streets or int(tree.street[node]) in self._streets:
                found.append((" ".join(line), view))
            chosen = random.choices(list(tree.children(node)), view.frequency.tolist())[0]
            line = [*line, format_action(tree, chosen)]
            node = int(chosen)
        if not found:
            return None
        return self._ask(*random.choice(found), random)

    def _ask(self, line: str, view: NodeView, random: random.Random) -> Question | None:
        evs = action_evs(self._solution, view)
        known = ~np.isnan(evs).any(axis=0) & ~np.isnan(view.strategy).any(axis=0)
        sums = np.cumsum(np.where(known, view.pair_weights[view.player], 0))
        if sums[-1] <= 0:
            return None
        combo = int(np.searchsorted(sums, random.random() * sums[-1], side="right"))
        cards = format_cards(sorted(map(int, COMBO_CARDS[combo]), reverse=True))
        error = self._pct_pot / 100 * self._spot.pot
        choices = tuple(
            Choice(_words(token, _VERBS), float(ev), float(often), error)
            for token, ev, often in zip(view.actions, evs[:, combo], view.strategy[:, combo], strict=True)
        )
        tree, player = self._solution.tree, view.player
        put_in = [int(chips) for chips in tree.committed[view.node]]
        return Question(
            key=f"{line or '-'} | {cards}",
            place={"line": line},
            title=f"solve of {self._spot.name}",
            street=STREETS[int(tree.street[view.node])],
            position=_POSITIONS[player],
            story=tuple(self._story(line)),
            board=format_cards(view.board),
            cards=cards,
            pot=view.pot,
            to_call=max(put_in) - put_in[player],
            stack=int(tree.stack) - put_in[player],
            opponent_stack=int(tree.stack) - put_in[1 - player],
            big_blind=0,
            choices=choices,
            values=f"the saved solve, exploitable for {self._pct_pot:.2g} % of the pot; both follow it afterwards",
        )

    def _story(self, line: str) -> Iterator[Scene]:
        """Yields the streets of a line."""
        street = int(self._solution.tree.street[0])
        cards, done, player = format_cards(self._solution.board), list[str](), 0
        for token in parse_line(line):
            if len(token) == 2 and token[1] in "cdhs":
                yield Scene(STREETS[street], cards, ", ".join(done))
                street, cards, done, player = street + 1, token, [], 0
                continue
            done.append(f"{_POSITIONS[player]} {_words(token, _DID)}")
            player = 1 - player
        yield Scene(STREETS[street], cards, ", ".join(done))

    def has_grid(self, question: Question) -> bool:
        """Tells whether a question has a grid: every one has."""
        return True

    def grid(self, question: Question) -> Grid | None:
        """Returns the strategy of the whole range at the decision of a question."""
        view = view_node(self._solution, *find_node(self._solution, str(question.place["line"])), equities=False)
        names = tuple(_words(token, _VERBS) for token in view.actions)
        rows = np.nan_to_num(view.strategy)
        weights = np.where(np.isnan(view.strategy).any(axis=0), 0, view.reach[view.player])
        return strategy_grid(names, rows, weights)


def _words(token: str, verbs: dict[ActionKind, str]) -> str:
    kind, amount = parse_action(token)
    return verbs[kind] + (f" {amount:,}" if amount else "")
