"""Builds the postflop betting tree: every betting line from a flop, turn or river to its fold or showdown.

Money is in chips. A size is written as the *street total* of the acting player: all chips that it has put in on this
street after the action. At a decision let ``prev`` be the opponent's street total, ``pot`` the pot after a call,
``max`` the street total that is all-in (stacks are equal), and ``min = clamp(prev + to_call, 1, max)``. Then:

* a size token becomes ``prev + round(pot * fraction)``, ``round(prev * factor)``, ``prev + chips`` or ``max``,
  products rounded half away from zero;
* an amount is clamped to ``[min, max]`` and becomes all-in if
  ``max <= amount + round((pot + 2 * (amount - prev)) * force_allin_threshold)``;
* all-in is added to any menu if ``max <= prev + round(pot * add_allin_threshold)``;
* duplicates are removed, then sizes that lie too close below a larger one (``merging_threshold``).

After a called all-in the remaining cards are dealt: DEAL nodes without decisions lead to a SHOWDOWN on the river.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hedgehog.poker.betsizes import (
    AllIn,
    BetSizes,
    ChipAmount,
    Geometric,
    Menu,
    PotFraction,
    PreviousBetMultiple,
    verify_opening_menu,
)
from hedgehog.poker.cards import SUITS, parse_card
from hedgehog.poker.streets import RIVER
from hedgehog.runtime.errors import ResourceError, SpotError
from hedgehog.strategies.betting_tree import IP, OOP, ActionKind, BettingTree, NodeKind, TreeBuilder

MAX_NODES = 2_000_000
"""Most nodes of a tree that :func:`build_postflop_tree` builds. No solver here could hold one board of a larger tree.

The limit of a tree from the flop on is a quarter of this, because it has hundreds of boards with at least 128 bytes for
each line.
"""

_TOKEN_KINDS = {
    "F": ActionKind.FOLD,
    "X": ActionKind.CHECK,
    "C": ActionKind.CALL,
    "B": ActionKind.BET,
    "R": ActionKind.RAISE,
    "A": ActionKind.ALL_IN,
}
_KIND_TOKENS = {int(kind): token for token, kind in _TOKEN_KINDS.items()}


@dataclass(frozen=True, slots=True)
class StreetSizes:
    """The bet sizes of both players on one street."""

    oop: BetSizes
    ip: BetSizes
    donk: Menu | None = None
    """OOP's first bets if it called on the previous street; None for its normal menu."""

    def __post_init__(self) -> None:
        if self.donk is not None:
            verify_opening_menu(self.donk)


@dataclass(frozen=True, slots=True)
class TreeConfig:
    """The configuration of a postflop betting tree: street, pot, stack and bet sizes.

    :raises SpotError: if a value is out of range or the sizes do not match the streets.
    """

    street: int
    """Street of the root: 1 flop, 2 turn, 3 river; OOP acts first."""
    pot: int
    """Chips in the pot at the root."""
    stack: int
    """Chips behind, the same for both players."""
    sizes: tuple[StreetSizes, ...]
    """One entry per street from ``street`` to the river."""
    add_allin_threshold: float = 0.0
    """All-in is offered whenever it is at most this multiple of the pot after a call."""
    force_allin_threshold: float = 0.0
    """A bet becomes all-in if it would leave at most this multiple of the pot after the bet is called."""
    merging_threshold: float = 0.0
    """A size is dropped if its relative distance to the next larger one is less than this."""
    max_bets: int | None = None
    """Most bets and raises on one street; None for no limit but the stacks."""
    lines: tuple[tuple[str, ...], ...] = ()
    """Betting lines from the root that the tree has besides those of the menus (:func:`build_postflop_tree`)."""

    def __post_init__(self) -> None:
        if not 1 <= self.street <= RIVER:
            raise SpotError(f"the tree must start on street 1, 2 or 3, got {self.street}")
        if len(self.sizes) != RIVER + 1 - self.street:
            raise SpotError(f"expected bet sizes for {RIVER + 1 - self.street} streets, got {len(self.sizes)}")
        if self.pot < 1 or self.stack < 1:
            raise SpotError(f"pot and stack must be at least 1 chip, got {self.pot} and {self.stack}")
        if self.pot + 2 * self.stack >= 2**31:
            raise SpotError(f"pot {self.pot} and stack {self.stack} exceed 2^31 chips in all")
        for name in ("add_allin_threshold", "force_allin_threshold", "merging_threshold"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise SpotError(f"{name} must be a number of at least 0, got {value}")
        if self.max_bets is not None and self.max_bets < 0:
            raise SpotError(f"max_bets must be at least 0, got {self.max_bets}")


# A trie of extra lines: action token -> lines that continue after it.
_Lines = dict[str, "_Lines"]


@dataclass(slots=True)
class _Pending:
    """A node whose children are still to be made."""

    node: int
    street_start: int  # chips each player had put in when the street began
    num_bets: int  # bets and raises on this street so far
    oop_called: bool  # the street before was ended by OOP calling
    extra: _Lines
    taken: Sequence[str] = ()  # the only actions from here on, until there are no more


def build_postflop_tree(
    config: TreeConfig, extra_lines: Iterable[Sequence[str]] = (), taken: Sequence[str] = ()
) -> BettingTree:
    """Returns the betting tree of a configuration. Nodes come street by street, each street in one contiguous block.

    :param extra_lines: betting lines from the root that must exist even where the menus lack a size, such as the
        opponent's real bet in live solving; the configuration may have more of them. A line is a sequence of action
        tokens ``F X C B<n> R<n> A<n>`` with street totals, without separators between streets. A size is added on the
        given path only; below it the menus apply as usual.
    :param taken: the actions of a betting line on the street of the root that have been taken already. Decisions on
        this line offer nothing else.
    :raises SpotError: if one of these lines holds an illegal action.
    :raises ResourceError: if the tree exceeds :data:`MAX_NODES` nodes.
    """
    return _Builder(config, _line_trie([*config.lines, *extra_lines, taken]), taken).build()


class _Builder(TreeBuilder):
    def __init__(self, config: TreeConfig, extra: _Lines, taken: Sequence[str]) -> None:
        super().__init__()
        self.config = config
        self.extra = extra
        self.taken = taken

    def build(self) -> BettingTree:
        config = self.config
        root = self.add(NodeKind.DECISION, config.street, OOP, -1, ActionKind.ROOT, 0, (0, 0))
        todo = [_Pending(root, 0, 0, False, self.extra, self.taken)]
        most = MAX_NODES // 4 if config.street == 1 else MAX_NODES
        for _ in range(config.street, RIVER + 1):
            deals: list[_Pending] = []
            while todo:
                decisions = self._expand(todo.pop(), deals)
                todo.extend(reversed(decisions))
                if len(self.kind) > most:
                    raise ResourceError(f"the betting tree exceeds {most:,} nodes: use fewer or larger bet sizes")
            todo = [self._deal(pending) for pending in reversed(deals)]
        return self.finish(config.pot, config.stack)

    def _deal(self, pending: _Pending) -> _Pending:
        """Adds the one child of a DEAL node: the first node of the next street."""
        node = pending.node
        street = self.street[node] + 1
        committed = self.committed[node]
        if committed[0] < self.config.stack:
            kind, player = NodeKind.DECISION, OOP
        else:
            kind, player = (NodeKind.SHOWDOWN if street == RIVER else NodeKind.DEAL), -1
        child = self.add(kind, street, player, node, ActionKind.DEAL, 0, committed)
        self.first_child[node] = child
        self.num_children[node] = 1
        return _Pending(child, committed[0], 0, pending.oop_called, pending.extra)

    def _expand(self, pending: _Pending, deals: list[_Pending]) -> list[_Pending]:
        """Adds the children of a node; returns those that are decisions and appends those that are deals."""
        node = pending.node
        if self.kind[node] == NodeKind.DEAL:
            deals.append(pending)
            return []
        if self.kind[node] != NodeKind.DECISION:
            self._verify_used(pending.extra, node)
            return []
        street, player = self.street[node], self.player[node]
        theirs = self.committed[node][1 - player]
        start = pending.street_start
        decisions: list[_Pending] = []
        extra = dict(pending.extra)
        offered = self._offered(pending, extra)
        if pending.taken:
            only = parse_action(pending.taken[0])
            offered = [(action, amount) for action, amount in offered if (action, amount) == only]
        taken = pending.taken[1:]

        first = len(self.kind)
        self.first_child[node] = first
        for action, amount in offered:
            lines = extra.pop(_token(action, amount), {}) if extra else {}
            if amount:
                total = start + amount
                committed = (total, theirs) if player == OOP else (theirs, total)
                child = self.add(NodeKind.DECISION, street, 1 - player, node, action, amount, committed)
                decisions.append(_Pending(child, start, pending.num_bets + 1, False, lines, taken))
            elif action == ActionKind.FOLD:
                fold = self.add(NodeKind.FOLD, street, player, node, action, 0, self.committed[node])
                self._verify_used(lines, fold)
            elif action == ActionKind.CHECK and player == OOP:
                child = self.add(NodeKind.DECISION, street, IP, node, action, 0, (theirs, theirs))
                decisions.append(_Pending(child, start, 0, pending.oop_called, lines, taken))
            else:
                kind = NodeKind.SHOWDOWN if street == RIVER else NodeKind.DEAL
                called = theirs - start if action == ActionKind.CALL else 0
                child = self.add(kind, street, -1, node, action, called, (theirs, theirs))
                if kind == NodeKind.DEAL:
                    deals.append(_Pending(child, start, 0, player == OOP, lines))
                else:
                    self._verify_used(lines, child)
        self._verify_used(extra, node)
        self.num_children[node] = len(self.kind) - first
        return decisions

    def _offered(self, pending: _Pending, extra: _Lines) -> list[tuple[ActionKind, int]]:
        """Returns the actions of a decision in order, with street totals; 0 for fold, check and call."""
        player = self.player[pending.node]
        mine, theirs = self.committed[pending.node][player], self.committed[pending.node][1 - player]
        prev = theirs - pending.street_start
        offered = [(ActionKind.FOLD, 0), (ActionKind.CALL, 0)] if theirs > mine else [(ActionKind.CHECK, 0)]
        if theirs < self.config.stack:
            street, largest = self.street[pending.node], self.config.stack - pending.street_start
            amounts = self._amounts(pending, street, player, prev, mine - pending.street_start, extra)
            bet = _bet_or_raise(prev)
            offered += [(bet if amount < largest else ActionKind.ALL_IN, amount) for amount in amounts]
        return offered

    def _verify_used(self, extra: _Lines, node: int) -> None:
        """Refuses extra lines that ask for an action the rules do not offer at ``node``."""
        if extra:
            path = format_line(_walk_up(self.parent, self.action, self.amount, node))
            raise SpotError(f"illegal action {next(iter(extra))!r} after {path!r}")

    def _amounts(self, pending: _Pending, street: int, player: int, prev: int, own: int, extra: _Lines) -> list[int]:
        """Returns the street totals a player may bet or raise to, ascending; all-in, if offered, is the last."""
        config = self.config
        start = pending.street_start
        largest = config.stack - start
        smallest = min(max(2 * prev - own, 1), largest)
        pot = config.pot + 2 * (start + prev)
        chosen: set[int] = set()
        if config.max_bets is None or pending.num_bets < config.max_bets:
            menu = self._menu(pending, street, player)
            for amount in menu_amounts(menu, street, max(pending.num_bets - 1, 0), pot, prev, largest):
                amount = min(max(amount, smallest), largest)
                left = _round((pot + 2 * (amount - prev)) * config.force_allin_threshold)
                chosen.add(largest if largest <= amount + left else amount)
            if largest <= prev + _round(pot * config.add_allin_threshold):
                chosen.add(largest)
        kept = _merge(sorted(chosen), prev, pot, config.merging_threshold)
        wanted = _extra_amounts(extra, prev, smallest, largest)
        return sorted(set(kept) | wanted) if wanted else kept

    def _menu(self, pending: _Pending, street: int, player: int) -> Menu:
        sizes = self.config.sizes[street - self.config.street]
        if player == IP:
            return sizes.ip.menu(pending.num_bets)
        if pending.num_bets == 0 and pending.oop_called and sizes.donk is not None:
            return sizes.donk
        return sizes.oop.menu(pending.num_bets)


def menu_amounts(menu: Menu, street: int, raises: int, pot: int, prev: int, largest: int) -> list[int]:
    """Returns the street totals in chips of a menu's sizes, in the menu's order, before limits are applied.

    :param street: 0 preflop to 3 river.
    :param raises: raises on this street so far, without the bet.
    :param pot: the pot after a call.
    :param prev: the opponent's street total.
    :param largest: the street total that is all-in.
    """
    amounts = []
    for size in menu:
        match size:
            case PotFraction(fraction):
                amounts.append(prev + _round(pot * fraction))
            case PreviousBetMultiple(factor):
                amounts.append(_round(prev * factor))
            case ChipAmount(chips, max_raises):
                if max_raises is None or raises < max_raises:
                    amounts.append(prev + chips)
            case Geometric(streets, max_fraction):
                # The opponent's stack after its bet, in pots: what is left to bring in.
                spr = (largest - prev) / pot
                left = max((streets or RIVER + 1 - street) - raises, 1)
                ratio = ((2 * spr + 1) ** (1 / left) - 1) / 2
                amounts.append(prev + _round(pot * min(ratio, max_fraction or math.inf)))
            case AllIn():
                amounts.append(largest)
    return amounts


def _bet_or_raise(prev: int) -> ActionKind:
    return ActionKind.RAISE if prev else ActionKind.BET


def _round(value: float) -> int:
    """Rounds a non-negative number half away from zero."""
    whole = math.floor(value)
    return whole + (value - whole >= 0.5)


def _merge(amounts: list[int], prev: int, pot: int, threshold: float) -> list[int]:
    """Returns the amounts, ascending, without those too close below a larger one.

    :param amounts: street totals, ascending and without duplicates.
    """
    if threshold == 0:
        return amounts
    kept: list[int] = []
    limit = math.inf
    for amount in reversed(amounts):
        ratio = (amount - prev) / pot
        if ratio < limit:
            kept.append(amount)
            # The last factor keeps a size that sits exactly on the border from surviving by rounding.
            limit = (ratio - threshold) / (1 + threshold) * (1 - 1e-12)
    return kept[::-1]


def _extra_amounts(extra: _Lines, prev: int, smallest: int, largest: int) -> set[int]:
    """Returns the legal amounts among the tokens of ``extra``; the caller reports tokens that stay unused."""
    bet_or_raise = _bet_or_raise(prev)
    amounts = set()
    for token in extra:
        kind, amount = parse_action(token)
        is_all_in = kind == ActionKind.ALL_IN and amount == largest
        if is_all_in or (kind == bet_or_raise and smallest <= amount < largest):
            amounts.add(amount)
    return amounts


def _line_trie(lines: Iterable[Sequence[str]]) -> _Lines:
    trie: _Lines = {}
    for line in lines:
        level = trie
        for token in line:
            parse_action(token)
            level = level.setdefault(token, {})
    return trie


def parse_action(token: str) -> tuple[ActionKind, int]:
    """Returns the action and the street total in chips of an action token; the total is 0 for fold, check and call.

    :param token: ``F``, ``X``, ``C``, or ``B``, ``R``, ``A`` followed by the street total; the letter may be small.
    :raises SpotError: if the token is none of these.
    """
    kind = _TOKEN_KINDS.get(token[:1].upper())
    digits = token[1:]
    if kind is not None:
        if kind in (ActionKind.FOLD, ActionKind.CHECK, ActionKind.CALL):
            if not digits:
                return kind, 0
        elif digits.isascii() and digits.isdigit() and len(digits) <= 10:
            return kind, int(digits)
    raise SpotError(f"expected an action such as F, X, C, B200, R800 or A4900, got {token!r}")


def format_action(tree: BettingTree, node: int) -> str:
    """Returns the token of the action that led to ``node``, for example ``B200``.

    :raises ValueError: at the root and after a deal, where no player acted.
    """
    return _format_action(int(tree.action[node]), int(tree.amount[node]))


def parse_line(text: str) -> list[str]:
    """Returns the tokens of a line such as ``B200 C 7d``, without checking them against a tree.

    Letters of actions and ranks of cards become capital, and suits small: ``b200 c 7D`` is the same line.
    """
    return [_as_card(token) if _is_card(token) else token.upper() for token in text.split()]


def format_line(tokens: Iterable[str]) -> str:
    """Returns a betting line: its tokens, joined by blanks."""
    return " ".join(tokens)


def node_for_line(tree: BettingTree, tokens: Iterable[str]) -> int:
    """Returns the node that a betting line leads to.

    Deals are passed through: a line whose last action ends a street leads to the first node of the next street.

    :param tokens: action tokens, without cards.
    :raises SpotError: if the tree lacks an action of the line.
    """
    node = 0
    while tree.kind[node] == NodeKind.DEAL:
        node = int(tree.first_child[node])
    for token in tokens:
        kind, amount = parse_action(token)
        for child in tree.children(node):
            if tree.action[child] == kind and (amount == 0 or tree.amount[child] == amount):
                node = child
                break
        else:
            offered = " ".join(format_action(tree, child) for child in tree.children(node)) or "nothing"
            raise SpotError(f"no action {token!r} after {format_line(line_of(tree, node))!r}, offered: {offered}")
        while tree.kind[node] == NodeKind.DEAL:
            node = int(tree.first_child[node])
    return node


def place_of_line(tree: BettingTree, board: Sequence[int], line: str) -> tuple[int, tuple[int | None, ...]]:
    """Returns the decision node of a line such as ``X B200 C 7d`` and the cards that the line names.

    The cards are given per street after the root's, None where the line names none.

    :param board: card ids of the root.
    :param line: action tokens and dealt cards separated by blanks.
    :raises InputError: if the tree has no such decision, or a card cannot be dealt where it stands.
    """
    actions: list[str] = []
    named: dict[int, int] = {}
    node = node_for_line(tree, ())
    for token in parse_line(line):
        if not _is_card(token):
            actions.append(token)
            node = node_for_line(tree, actions)
            continue
        card = parse_card(token)
        street = int(tree.street[node])
        if tree.action[node] != ActionKind.DEAL or street in named:
            raise SpotError(f"no card is dealt before {token!r} in the line {line!r}")
        if card in board or card in named.values():
            raise SpotError(f"the card {token!r} of the line {line!r} is already on the board")
        named[street] = card
    if tree.kind[node] != NodeKind.DECISION:
        raise SpotError(f"no player acts after the line {line!r}")
    return node, tuple(named.get(street) for street in range(int(tree.street[0]) + 1, int(tree.street[node]) + 1))


def _is_card(token: str) -> bool:
    return len(token) == 2 and token[1].lower() in SUITS


def _as_card(token: str) -> str:
    return token[0].upper() + token[1].lower()


def line_of(tree: BettingTree, node: int) -> list[str]:
    """Returns the action tokens from the root to ``node``. Deals have no token."""
    return _walk_up(tree.parent.tolist(), tree.action.tolist(), tree.amount.tolist(), node)


def _walk_up(parent: list[int], action: list[int], amount: list[int], node: int) -> list[str]:
    tokens = []
    while parent[node] >= 0:
        if action[node] != ActionKind.DEAL:
            tokens.append(_format_action(action[node], amount[node]))
        node = parent[node]
    return tokens[::-1]


def _format_action(kind: int, amount: int) -> str:
    if kind not in _KIND_TOKENS:
        raise ValueError(f"no player acted before this node (action {kind})")
    return _token(kind, amount)


def _token(kind: int, amount: int) -> str:
    return _KIND_TOKENS[kind] + (str(amount) if kind >= ActionKind.BET else "")
