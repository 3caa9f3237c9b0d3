"""What a blueprint holds and does after a betting line on a board: a spot file with its ranges, and its strategy."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.acpc.betting_line import describe_reading, parse_betting_line
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.cards import NUM_COMBOS, combo_mask, format_cards, parse_cards
from hedgehog.poker.hand_classes import HAND_CLASS
from hedgehog.poker.ranges import disjoint_weight, format_range, round_weights
from hedgehog.poker.state import Action, HandState
from hedgehog.poker.streets import FLOP, STREETS
from hedgehog.runtime.errors import PackError, SpotError
from hedgehog.solver.blueprint.cards.card_abstraction import BLOCKED, CardAbstraction
from hedgehog.solver.packs.blueprint import MIN_WEIGHT, normalised_ranges
from hedgehog.solver.postflop.responses.given_strategy import GivenStrategy
from hedgehog.solver.postflop.tree import format_line, line_of
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind, betting_token, subtree
from hedgehog.strategies.blueprint_pack import BlueprintTable, read_blueprint
from hedgehog.strategies.pack import open_pack, read_tree
from hedgehog.strategies.pack_games import DEFAULT_DEPTH, big_blinds, find_blueprints, nearest_depth, same_depth
from hedgehog.strategies.quantize import dequantize_rows
from hedgehog.strategies.translation import bluff_limit, real_total

# Menus by the street of the board, for both players and each street left: the later the board, the more sizes.
_SIZES: Final = {
    1: ("33%,75% / 100% /", "75% /", "100% /"),
    2: ("33%,75%,150% / 75%,a", "75%,a / 75%,a"),
    3: ("33%,75%,150%,a / 75%,a",),
}


@dataclass(frozen=True, slots=True)
class BlueprintSpot:
    """The pot, stacks and ranges after a betting line of a blueprint on a board."""

    betting: str
    """ACPC betting with raises as totals over the hand and slashes between streets, such as ``r250c/cr550c``."""
    board: tuple[int, ...]
    """Three to five card ids."""
    pot: int
    """Chips in the pot."""
    stack: int
    """Chips behind, the same for both players."""
    ranges: NDArray[np.float32]
    """float32 (2, 1326) weights of OOP and IP, each with maximum 1. Weights below :data:`MIN_WEIGHT` are 0."""
    probability: float
    """Probability that two random hands which miss the board take the line."""
    node: int
    """The decision of the blueprint's tree to which the line leads."""


def spot_text(
    path: str | Path,
    line: str,
    board: str,
    report: Callable[[str], None] | None = None,
    *,
    gamedef: GameDef | None = None,
    own_tree: bool = False,
) -> str:
    """Returns the text of a spot file with both players' ranges after a betting line of a blueprint.

    Of several blueprints, the one of the nearest depth is taken. Pot and stacks are those of the game asked for.

    :param path: folder of a blueprint pack, or a folder of packs with blueprints among them.
    :param line: the betting, in the notation of :mod:`hedgehog.poker.acpc.betting_line`.
    :param board: text of three to five cards, in the order in which they are dealt.
    :param report: called with messages while card tables are built, which only lines past the flop need.
    :param gamedef: heads-up no-limit hold'em of any stacks and blinds; None for the blueprint's own game, of several
        blueprints that of the depth that is nearest to the default game.
    :param own_tree: write the betting lines of the blueprint instead of bet sizes to start from.
    :raises HedgehogError: if there is no blueprint, or it lacks the line or never takes it.
    """
    cards = parse_cards(board)
    asked = DEFAULT_DEPTH if gamedef is None else big_blinds(gamedef)
    game = nearest_depth(find_blueprints(path), asked)
    opened = open_pack(game.blueprint)
    table = read_blueprint(opened)
    betting = parse_betting_line(line, game.gamedef if gamedef is None else gamedef)
    origin = f"The ranges come from the strategy for {game.depth:g} big blinds"
    if gamedef is not None and not same_depth(game.depth, asked):
        origin += f", the nearest depth to {asked:g}; pot and stack are those of {asked:g}"
    spot = blueprint_spot(table, betting, cards, card_tables(table, opened.folder, report))
    lines = bet_lines(subtree(table.tree, spot.node)[0]) if own_tree else ()
    read = f"Line: {describe_reading(line, betting)}"
    return format_spot(spot, opened.manifest.name, f"{origin}.\n# {read}.", lines)


def card_tables(
    table: BlueprintTable, folder: str | Path, report: Callable[[str], None] | None = None
) -> Callable[[], CardAbstraction]:
    """Returns a function that returns the card tables of a blueprint, and builds them if need be.

    :param folder: the blueprint's folder, for messages.
    :param report: called with messages while card tables are built.
    """

    @cache
    def load() -> CardAbstraction:
        if "cards" not in table.config:
            raise PackError("the blueprint's configuration lacks its cards", source=str(folder))
        found = CardAbstraction.load_or_build(table.config["cards"], progress=report)
        if table.config.get("card_digest") != found.digest:
            raise PackError("was made with other card tables: it cannot be followed past the flop", source=str(folder))
        return found

    return load


def bet_lines(tree: BettingTree) -> list[str]:
    """Returns the betting lines of a postflop tree that end with a bet after which there is no other one.

    With fold, check and call wherever the rules allow them, they make the tree.
    """
    bets = np.flatnonzero((tree.action >= ActionKind.BET) & (tree.action <= ActionKind.ALL_IN))
    before: set[int] = set()  # nodes that a later bet passes
    for node in bets[::-1].tolist():
        above = int(tree.parent[node])
        while above >= 0 and above not in before:
            before.add(above)
            above = int(tree.parent[above])
    return [format_line(line_of(tree, node)) for node in bets.tolist() if node not in before]


def likely_lines(path: str | Path, gamedef: GameDef) -> list[tuple[str, float]]:
    """Returns the preflop lines to the flop that the blueprint of the nearest depth takes most, the likeliest first.

    :param path: folder of a blueprint pack, or a folder of packs with blueprints among them.
    :param gamedef: the game that is played, in whose chips the lines are; lines that leave nothing to decide are
        left out.
    :returns: pairs of an ACPC betting, and how often a hand of the blueprint's own game takes it.
    :raises PackError: if there is no blueprint, or it is damaged.
    """
    opened = open_pack(nearest_depth(find_blueprints(path), big_blinds(gamedef)).blueprint)
    tree = read_tree(opened, "blueprint")
    found = []
    for betting, share in opened.manifest.quality.get("flop_line_probability", {}).items():
        state, node = HandState(gamedef), 0
        for token in re.findall(r"[fc]|r[0-9]+", str(betting)):
            child = next((each for each in tree.children(node) if betting_token(tree, each) == token), None)
            real = "" if child is None else _real_token(tree, child, state)
            if child is None or not real:
                break
            state.apply(Action(real[0], int(real[1:] or 0)))
            node = child
        if state.round == FLOP and not state.finished:
            found.append((state.betting_string().rstrip("/"), float(share)))
    return sorted(found, key=lambda line: -line[1])


def blueprint_spot(
    table: BlueprintTable, betting: HandState, board: Sequence[int], abstraction: Callable[[], CardAbstraction]
) -> BlueprintSpot:
    """Returns the spot at the end of a betting line of a blueprint.

    :param betting: the state of the hand after the line, in the blueprint's game or one with other stacks and blinds,
        where sizes are the same shares of the pot. The line must end where the board's last card is dealt.
    :param board: three to five card ids, in the order in which they are dealt.
    :param abstraction: returns the card tables of the blueprint; called only for lines that go on after the flop.
    :raises SpotError: if the line does not lead to the board's street, or ends in a fold or all-in.
    :raises PackError: if the blueprint lacks the line or never takes it.
    """
    tree, line = table.tree, betting.betting_string().rstrip("/")
    state = HandState(betting.gamedef)
    if not 3 <= len(board) <= 5:
        raise SpotError(f"expected a board of 3, 4 or 5 cards, got {len(board)}")
    node, buckets = 0, HAND_CLASS.astype(np.uint16)
    ranges = np.ones((2, NUM_COMBOS), dtype=np.float64)
    for action in (action for of_street in betting.actions for _, action in of_street):
        if tree.kind[node] == NodeKind.DEAL:
            node = int(tree.first_child[node])
            street = int(tree.street[node])
            if street < len(board) - 2:
                buckets = abstraction().buckets(street, board[: street + 2])
        children = tree.children(node)
        offered = [_real_token(tree, child, state) for child in children]
        token = str(action)
        if token not in offered:
            before = "".join(str(each) for of_street in state.actions for _, each in of_street)
            where = f"after {before!r}" if before else "at the start"
            has = ", ".join(dict.fromkeys(filter(None, offered)))
            raise PackError(f"line {line!r}: the blueprint has no {token} {where}, it has {has} (totals over the hand)")
        taken = [index for index, each in enumerate(offered) if each == token]  # several where chips are coarse
        own, chances = ranges[int(tree.player[node])], bucket_probabilities(table, node, buckets)
        goes_on = [index for index in taken if action.kind == "f" or tree.action[children[index]] != ActionKind.FOLD]
        following = children[max(goes_on, key=lambda index: float(own @ chances[:, index]))]
        chance = chances[:, taken].sum(axis=1)
        if action.kind == "c" and "f" in offered:
            chance += (1 - _folds_kept(tree, node, state)) * chances[:, offered.index("f")]
        own *= chance
        node = following
        state.apply(action)
    if tree.kind[node] == NodeKind.DEAL:
        node = int(tree.first_child[node])
    _verify_end(table, node, line, board)
    if betting.finished:
        raise SpotError(f"after the line {line!r} there is nothing left to decide")
    live = combo_mask(board)
    found = normalised_ranges(ranges.astype(np.float32))
    if not (found[:, live] > 0).any(axis=1).all():
        raise PackError(f"the blueprint never takes the line {line!r} to {format_cards(board, ' ')}")
    pairs = np.where(live, 1.0, 0.0) @ disjoint_weight(live.astype(np.float64))
    met = np.where(live, ranges[0], 0) @ disjoint_weight(np.where(live, ranges[1], 0))
    stack = min(betting.gamedef.stacks) - betting.max_spent
    return BlueprintSpot(line, tuple(board), sum(betting.spent), stack, found, float(met / pairs), node)


def blueprint_strategy(
    path: str | Path, line: str, board: Sequence[int], report: Callable[[str], None] | None = None
) -> GivenStrategy:
    """Returns what both players of a blueprint do after a betting line on a board.

    Hands of one bucket act alike. Flop packs that refine the blueprint play no part.

    :param path: folder of a blueprint pack, or a folder of packs, of which the default game's blueprint is taken.
    :param line: the betting, in the notation of :mod:`hedgehog.poker.acpc.betting_line`.
    :param board: three to five card ids, in the order in which they are dealt.
    :param report: called with messages while card tables are built.
    :raises HedgehogError: if there is no blueprint, or it lacks the line or never takes it.
    """
    game = nearest_depth(find_blueprints(path), DEFAULT_DEPTH)
    opened = open_pack(game.blueprint)
    table = read_blueprint(opened)
    cards = card_tables(table, opened.folder, report)
    return strategy_after(table, parse_betting_line(line, game.gamedef), board, cards)


def strategy_after(
    table: BlueprintTable, betting: HandState, board: Sequence[int], cards: Callable[[], CardAbstraction]
) -> GivenStrategy:
    """Returns what both players of a blueprint do after a betting line on a board.

    :param betting: the state of the hand after the line, in the blueprint's game.
    :param board: three to five card ids, in the order in which they are dealt.
    :param cards: returns the card tables of the blueprint.
    :raises HedgehogError: if the blueprint lacks the line or never takes it.
    """
    spot = blueprint_spot(table, betting, board, cards)
    tree, old = subtree(table.tree, spot.node)

    @cache
    def buckets(dealt: tuple[int, ...]) -> NDArray[np.uint16]:
        shown = (*spot.board, *dealt)
        return cards().buckets(FLOP + len(shown) - 3, shown)

    def rows(node: int, dealt: tuple[int, ...]) -> NDArray[np.float32]:
        return bucket_probabilities(table, int(old[node]), buckets(dealt)).T.astype(np.float32)

    everything = np.ones(NUM_COMBOS, dtype=np.float32)
    return GivenStrategy(tree, spot.board, (everything, everything), rows)


def _real_token(tree: BettingTree, child: int, state: HandState) -> str:
    """Returns the ACPC text of the legal action that an action of the tree stands for; empty if there is none.

    :param child: the node to which the action leads.
    :param state: the decision in the game that is played.
    """
    if tree.action[child] < ActionKind.BET:
        return betting_token(tree, child) if state.can_fold() else "c"
    limits = state.raise_range()
    if limits is None:
        return ""
    limits = limits[0], max(limits[0], min(limits[1], *state.gamedef.stacks))
    if tree.action[child] == ActionKind.ALL_IN:
        return f"r{limits[1]}"
    before = tree.committed[tree.parent[child]]
    pot_after_call = tree.root_pot + 2 * int(before.max())
    fraction = (int(tree.committed[child].max()) - int(before.max())) / pot_after_call
    return f"r{real_total(fraction, state.max_spent, limits)}"


def _folds_kept(tree: BettingTree, node: int, state: HandState) -> float:
    """Returns the share of the folds at a node that stay folds where a call costs less than in the tree.

    The rest become calls, as those of the player at the table do.
    """
    position = state.acting_position
    before, own = int(tree.committed[node].max()), int(tree.committed[node, position])
    real = (state.max_spent - state.spent[position]) / (2 * state.max_spent)
    of_tree = (before - own) / (tree.root_pot + 2 * before)
    return min(1.0, bluff_limit(real) / bluff_limit(of_tree)) if of_tree > 0 else 1.0


def _verify_end(table: BlueprintTable, node: int, line: str, board: Sequence[int]) -> None:
    """Checks that a line has led to a decision at the beginning of the board's street.

    :raises SpotError: if it has not; the message says where it ends.
    """
    tree, street = table.tree, int(table.tree.street[node])
    cards = f"{len(board)} cards are on the board {format_cards(board, ' ')}"
    if tree.kind[node] == NodeKind.FOLD:
        raise SpotError(f"the line {line!r} ends in a fold")
    if tree.kind[node] != NodeKind.DECISION:
        raise SpotError(f"after the line {line!r} there is nothing left to decide")
    if tree.action[node] != ActionKind.DEAL:
        raise SpotError(
            f"the line {line!r} ends within the betting of the {STREETS[street]}: call, or check, to end it"
        )
    if street != len(board) - 2:
        raise SpotError(f"the line {line!r} leads to the {STREETS[street]}, {street + 2} cards; {cards}")


def bucket_probabilities(table: BlueprintTable, node: int, buckets: NDArray[np.uint16]) -> NDArray[np.float64]:
    """Returns float64 (1326, actions): probabilities of each combo at a decision; 0 for combos that hit the board."""
    rows = dequantize_rows(table.block(node)).astype(np.float64)
    live = buckets != BLOCKED
    found = np.zeros((NUM_COMBOS, rows.shape[1]))
    found[live] = rows[buckets[live]]
    return found


def format_spot(spot: BlueprintSpot, blueprint: str, origin: str = "", bets: Sequence[str] = ()) -> str:
    """Returns the text of a spot file (:mod:`hedgehog.solver.postflop.spot`) with few enough bet sizes to be solved.

    :param blueprint: name of the blueprint, for a comment in the file.
    :param origin: sentence on the depth that the ranges come from, for another comment; may be empty.
    :param bets: betting lines that the spot has instead of bet sizes.
    :raises InputError: if a range is empty after its weights are rounded.
    """
    street = len(spot.board) - 2
    oop, ip = (format_range(round_weights(weights)) for weights in spot.ranges)
    lines = [
        f"# What the blueprint {blueprint} holds after {spot.betting}: it plays there with "
        f"{spot.probability:.3g} of all",
        f"# hands that miss the board. Weights below {MIN_WEIGHT} are left out. "
        f"{'The lines are its own.' if bets else 'Change the bet sizes as you like.'}",
        *([f"# {origin}"] if origin else []),
        f'spot: "{spot.betting} {format_cards(spot.board, " ")}"',
        f"board: {format_cards(spot.board, ' ')}",
        f"pot: {spot.pot}",
        f"stack: {spot.stack}",
        "range:",
        f'  oop: "{oop}"',
        f'  ip: "{ip}"',
    ]
    if bets:
        return "\n".join([*lines, "lines:", *(f'  - "{bet}"' for bet in bets), ""])
    lines.append("sizes:")
    for name, sizes in zip(STREETS[street:], _SIZES[street], strict=True):
        lines.append(f'  {name}: {{oop: "{sizes}", ip: "{sizes}"}}')
    return "\n".join([*lines, "add_allin_threshold: 1.0", "force_allin_threshold: 0.2", ""])
