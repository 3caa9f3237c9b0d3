"""Fold-frequency audit: compares how often a player's whole range folds to a bet with what the pot odds allow.

A bluff that risks ``risk`` chips to win a pot of ``pot`` chips makes money at once if the opponent folds more often
than ``alpha = risk / (pot + risk)``. One minus alpha is the minimum defence frequency. The audit walks a set of betting
lines. On every line it follows the player's range, with the strategy that the player reports for all 1,326 combos, and
compares the share of the range that folds with alpha. A player who folds too much on one line loses to everybody who
finds the line: in 2017 an opponent that check-raised flops won 763 mbb per hand from one of the strongest programs of
its time.

The *prober* is the opponent who bets. Its cards play no part. Folding more than alpha need not be an error before the
river, because a hand that calls still faces cards and bets, and a bluff may still improve.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.player import Player, ReportsStrategy
from hedgehog.agent.reported_strategy import reported_strategy
from hedgehog.agent.spec_files import spec_digest
from hedgehog.agent.specs import PlayerSpec, make_player, start_player
from hedgehog.analysis.audit_bets import AuditJob, BetSample, BoardSamples, ProbeBet
from hedgehog.analysis.parts import WHOLE, Part
from hedgehog.analysis.stats.number_text import format_error
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.cards import NUM_CARDS, NUM_COMBOS, combo_mask
from hedgehog.poker.state import CALL, Action, HandState
from hedgehog.poker.streets import BOARD_CARDS, STREETS
from hedgehog.runtime.engines.local import Engine
from hedgehog.runtime.engines.pieces import Piece, Pieces, do_pieces
from hedgehog.runtime.engines.status import status_file
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.table import Column, Table
from hedgehog.runtime.watch import SILENT, Watch, watched

if TYPE_CHECKING:
    from hedgehog.analysis.audit_results import AuditResults

BIG_BLIND_SEAT: Final = 0
"""Position of the big blind in heads-up games with reversed blinds. It acts last before the flop and first after it."""
BUTTON: Final = 1

CALL_MOVE: Final = "c"
OWN_BET: Final = "B"
"""Move of the audited player: the bet or raise, other than all-in, that its range makes most often."""
LEAST: Final = "min"
ALL_IN: Final = "all-in"

BETS: Final = ("0.25", "0.5", "0.75", "1", "1.5", "3", ALL_IN)
"""First bets of the prober, as multiples of the pot. Half of them lie between the sizes of common betting trees."""
RAISES: Final = (LEAST, "0.5", "1", "2", ALL_IN)
"""Raises of the prober, as multiples of the pot after calling."""

_OPENS: Final = ("r200", "r250", "r300", "r400", "r700", ALL_IN)
_FLOPS: Final = {
    BIG_BLIND_SEAT: ("c c", "r250 c", "r300 c", "c B c", "r250 B c", "r250 B r2125 c"),
    BUTTON: ("c c", "c 1 c", "B c", "B r850 c", "B r1100 c"),
}
"""Lines up to the flop, by the position of the audited player."""
_STREETS_BEFORE: Final = {
    BIG_BLIND_SEAT: ("c c", "c 0.75 c", "B c"),
    BUTTON: ("c c", "0.75 c", "c B c"),
}
"""Moves of one earlier street: both checked, the audited player called a bet, or its bet was called."""
_BET_AFTER: Final = {BIG_BLIND_SEAT: "c ", BUTTON: ""}
_RAISE_AFTER: Final = {BIG_BLIND_SEAT: "B ", BUTTON: "c B "}
"""Moves on the street of the prober's bet before it: without, and with, a bet of the audited player."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A line that ends with a bet or raise of the prober."""

    position: int
    """Position of the audited player."""
    moves: tuple[str, ...]
    """Moves of both players: ``c``, ``B`` (:data:`OWN_BET`), ``min``, ``all-in``, ``r850`` (a raise to a total over the
    hand) or a number (a bet or raise as a multiple of the pot)."""


def default_probes() -> list[Probe]:
    """Returns about 900 lines: opens and re-raises before the flop, bets and check-raises of many sizes after it."""
    texts = [(BIG_BLIND_SEAT, size) for size in _OPENS]
    texts += [(BIG_BLIND_SEAT, f"r250 B {size}") for size in ("r1300", "r2125", "r3000", ALL_IN)]
    texts += [(BIG_BLIND_SEAT, f"c B {size}") for size in RAISES]
    texts += [(BUTTON, f"{start} {size}") for start in ("c", "B") for size in RAISES]
    for position, lines in _FLOPS.items():
        before = _STREETS_BEFORE[position]
        histories = ["", *before, *(f"{street} {street}" for street in before)]
        endings = [_BET_AFTER[position] + size for size in BETS] + [_RAISE_AFTER[position] + size for size in RAISES]
        texts += [
            (position, f"{line} {history} {ending}") for line, history, ending in product(lines, histories, endings)
        ]
    return [Probe(position, tuple(text.split())) for position, text in texts]


@dataclass(frozen=True, slots=True)
class AuditedBet:
    """How a player answers one bet, averaged over the boards on which the line exists."""

    position: int
    line: str
    """Moves before the bet, with ``/`` between streets."""
    bet: str
    """The prober's bet or raise, written as in :attr:`Probe.moves`."""
    is_raise: bool
    street: int
    boards: int
    """Number of boards on which the line exists."""
    reach: float
    """Probability, 0 to 1, that the audited player plays its part of the line if the prober plays its own."""
    fold: float
    """Share of the audited player's range that folds to the bet."""
    alpha: float
    """Share of folds above which a bluff with a worthless hand makes money at once."""
    profit_mbb: float
    """What a bluff with a worthless hand wins at once per bet, in thousandths of a big blind; negative below alpha."""
    standard_error_mbb: float
    """Standard error of the profit, from the choice of the boards; 0 before the flop."""

    @property
    def street_name(self) -> str:
        """Returns the name of the street, for example ``flop``."""
        return STREETS[self.street]

    @property
    def sure_profit_mbb(self) -> float:
        """Returns the profit less two standard errors."""
        return self.profit_mbb - 2 * self.standard_error_mbb

    @property
    def leak_mbb_per_hand(self) -> float:
        """Returns what the prober wins at once per hand, in mbb, if it always takes the line; 0 if the bluff loses."""
        return max(self.profit_mbb, 0.0) * self.reach


def audit_folds(
    player: ReportsStrategy,
    gamedef: GameDef,
    *,
    boards: int,
    seed: int,
    probes: Sequence[Probe] | None = None,
    watch: Watch = SILENT,
) -> list[AuditedBet]:
    """Audits a player and returns one entry per probe, the largest profit of the bluff first.

    A probe that is impossible on all boards is left out: the player never plays its part of the line, or a size is not
    legal.

    :param player: the player, warmed up and with a new match started.
    :param gamedef: the game.
    :param boards: number of random boards for the lines that see a flop.
    :param seed: seed from which the boards are drawn.
    :param probes: the lines to audit; by default those of :func:`default_probes`.
    :param watch: hears of boards.
    :raises InputError: if the game is not heads-up no-limit hold'em with reversed blinds.
    """
    _verify_game(gamedef)
    lines = _Lines(gamedef, probes)
    cards = enumerate(_drawn_boards(boards, seed))
    found = [lines.on_board(player, *one) for one in watched(watch, cards, boards, "audit", "boards")]
    return _summaries(found, gamedef)


def audit_player(
    job: AuditJob,
    boards: int,
    *,
    engine: Engine | None = None,
    part: Part = WHOLE,
    kept: AuditResults | None = None,
    watch: Watch = SILENT,
) -> list[AuditedBet]:
    """Does what :func:`audit_folds` does with the lines of :func:`default_probes`, board by board on any engine.

    No value depends on the engine or on the number of its workers, unless the player thinks.

    :param job: the audit.
    :param boards: number of random boards for the lines that see a flop.
    :param engine: audits boards and stays open; None for this process.
    :param part: the part of the boards that is audited here.
    :param kept: file with results, to which new ones are added; its boards are not audited again.
    :param watch: hears of boards.
    :returns: as :func:`audit_folds`; the averages are over the boards that are known, of which a part may have none.
    :raises InputError: if the game is another one, or the player does not report its strategy.
    :raises PackError: if the packs of the player are missing or damaged.
    :raises ResourceError: if workers keep dying or cannot be reached.
    """
    _verify_game(job.gamedef)
    found = {} if kept is None else {number: one for number, one in kept.boards.items() if number < boards}
    pieces = tuple(
        Piece((number, board), f"board {number}")
        for number, board in enumerate(_drawn_boards(boards, job.seed))
        if number in part.of(boards) and number not in found
    )
    work = Pieces(pieces, _open_audit, _player_digest, (job,), "board")
    status = None if kept is None else status_file(kept.path)
    watch.begin("audit", len(found) + len(pieces), "boards")
    watch.update(len(found))
    try:
        for number, samples in do_pieces(work, engine, watch.warn, status=status, before=len(found)):
            found[number] = samples
            if kept is not None:
                kept.add(number, samples)
            watch.update(len(found))
    finally:
        if kept is not None:
            kept.settle()
    return _summaries([found[number] for number in sorted(found)], job.gamedef)


def _open_audit(job: AuditJob) -> Callable[[tuple[int, tuple[int, ...]]], tuple[int, BoardSamples]]:
    player = make_audited(job.spec, job.think_ms)
    assert isinstance(player, ReportsStrategy)
    start_player(player, job.gamedef, 0)
    lines = _Lines(job.gamedef, None)
    return lambda piece: (piece[0], lines.on_board(player, *piece))


def _player_digest(job: AuditJob) -> str:
    return spec_digest(job.spec.for_game(job.gamedef))


def make_audited(spec: PlayerSpec, think_ms: int) -> Player:
    """Returns a player that can be audited, before it has loaded anything.

    :param think_ms: milliseconds that our player may think per decision.
    :raises InputError: if the player does not report its strategy.
    """
    player = make_player(spec, seed=0, think_ms=think_ms, threads=None)
    if not isinstance(player, ReportsStrategy):
        raise InputError(f"the player {spec.text!r} does not report its strategy")
    return player


def _drawn_boards(boards: int, seed: int) -> list[tuple[int, ...]]:
    deals = random.Random(seed)
    return [tuple(deals.sample(range(NUM_CARDS), 5)) for _ in range(boards)]


def _summaries(boards: Sequence[BoardSamples], gamedef: GameDef) -> list[AuditedBet]:
    """Returns the bets with their averages over boards, in order of their profit."""
    samples: dict[ProbeBet, list[BetSample]] = {}
    for found in boards:
        for bet, sample in found:
            samples.setdefault(bet, []).append(sample)
    return sorted(
        (_summary(bet, found, gamedef.big_blind, len(boards)) for bet, found in samples.items()),
        key=lambda bet: -bet.profit_mbb,
    )


class _Lines:
    """The lines of an audit."""

    def __init__(self, gamedef: GameDef, probes: Sequence[Probe] | None) -> None:
        self._gamedef = gamedef
        self._tries: dict[int, _Trie] = {BIG_BLIND_SEAT: {}, BUTTON: {}}
        for probe in probes if probes is not None else default_probes():
            branch = self._tries[probe.position]
            for move in probe.moves:
                branch = branch.setdefault(move, {})
            branch[_END] = {}

    def on_board(self, player: ReportsStrategy, number: int, board: tuple[int, ...]) -> BoardSamples:
        """Returns the bets on a board and the answers to them; before the flop those of board 0 alone."""
        found: BoardSamples = []
        for position, branch in self._tries.items():
            walk = _Walk(player, position, board)
            for bet, sample in walk.bets(HandState(self._gamedef), np.ones(NUM_COMBOS), branch, ""):
                if bet.street or not number:  # before the flop all boards are the same
                    found.append((bet, sample))
        return found


_Trie = dict[str, "_Trie"]
"""Move -> continuations of a set of probes. The key :data:`_END` says that a probe ends here."""
_END: Final = ""


def _verify_game(gamedef: GameDef) -> None:
    heads_up = gamedef.is_holdem and gamedef.num_players == 2
    if not (heads_up and gamedef.no_limit and gamedef.first_positions[:2] == (BUTTON, BIG_BLIND_SEAT)):
        raise InputError("the audit is for heads-up no-limit hold'em with reversed blinds")


class _Walk:
    """All probes against one position on one board."""

    def __init__(self, player: ReportsStrategy, position: int, board: tuple[int, ...]) -> None:
        self._player = player
        self._position = position
        self._board = board

    def bets(
        self, state: HandState, reach: NDArray[np.float64], branch: _Trie, line: str
    ) -> Iterator[tuple[ProbeBet, BetSample]]:
        """Yields every bet of the prober below a state, and the answer to it.

        :param reach: (1326,) probability of the player's part of the line for every combo; 0 where the board blocks.
        """
        if state.finished:
            return
        own_turn = state.acting_position == self._position
        board = self._board[: BOARD_CARDS[state.round]]
        if own_turn:
            options = reported_strategy(self._player, MatchState(self._position, 0, ((), ()), board, state.copy()))
        for move, rest in branch.items():
            if move == _END:
                continue
            following = reach
            if own_turn:
                weights = options.probabilities @ reach
                action = _own_action(move, options.actions, weights, state)
                if action not in options.actions:
                    continue
                following = reach * options.probabilities[options.actions.index(action)]
                if following.sum() <= 0:
                    continue
            else:
                action = probing_action(move, state)
            if action is None:
                continue
            after = state.after(action)
            if _END in rest and not after.finished:
                is_raise = state.can_fold() or state.round == 0  # the blinds are bets
                bet = ProbeBet(self._position, line.strip(), move, is_raise, state.round)
                yield bet, self._answer(state, after, following, board)
            new_street = after.round != state.round
            if new_street and not after.finished:
                following = following * combo_mask(self._board[: BOARD_CARDS[after.round]])
            yield from self.bets(after, following, rest, f"{line}{move}{'/' if new_street else ' '}")

    def _answer(
        self, before: HandState, after: HandState, reach: NDArray[np.float64], board: tuple[int, ...]
    ) -> BetSample:
        options = reported_strategy(self._player, MatchState(self._position, 0, ((), ()), board, after))
        folds = [index for index, action in enumerate(options.actions) if action.kind == "f"]
        mass = float(reach.sum())
        prober = before.acting_position
        return BetSample(
            reach=mass / int(combo_mask(board).sum()),
            fold=float((options.probabilities[folds] @ reach).sum()) / mass,
            risk=after.spent[prober] - before.spent[prober],
            pot=sum(before.spent),
        )


def probing_action(move: str, state: HandState) -> Action | None:
    """Returns the prober's action for a move of a probe, or None if the rules do not allow exactly this size."""
    if move == CALL_MOVE:
        return CALL
    limits = state.raise_range()
    if limits is None:
        return None
    low, high = limits
    if move == ALL_IN:
        return Action("r", high)
    if move == LEAST:
        size = low
    elif move.startswith("r"):
        size = int(move[1:])
    else:
        to_call = state.max_spent - state.spent[state.acting_position]
        size = state.max_spent + round(float(move) * (sum(state.spent) + to_call))
    return Action("r", size) if low <= size < high else None


def _own_action(move: str, actions: Sequence[Action], weights: NDArray[np.float64], state: HandState) -> Action | None:
    """Returns the audited player's action for a move of a probe, or None if the player has no such action."""
    if move == CALL_MOVE:
        return CALL
    limits = state.raise_range()
    if move != OWN_BET or limits is None:
        return None
    sized = [
        (weight, action)
        for action, weight in zip(actions, weights, strict=True)
        if action.kind == "r" and action.size < limits[1]
    ]
    return max(sized)[1] if sized else None


def _summary(bet: ProbeBet, samples: Sequence[BetSample], big_blind: int, boards: int) -> AuditedBet:
    """Averages over boards, each weighted with the reach of the line on it."""
    reach, fold, risk, pot = np.array(list(zip(*samples, strict=True)), dtype=np.float64)
    weights = reach / reach.sum()
    profits = 1000 / big_blind * (fold * pot - (1 - fold) * risk)
    profit = float(weights @ profits)
    count = len(samples)
    if bet.street == 0:
        error = 0.0
    elif count == 1:
        error = math.inf
    else:  # standard error of a ratio of two means, by linearisation
        error = math.sqrt(float(((weights * (profits - profit)) ** 2).sum()) * count / (count - 1))
    return AuditedBet(
        **bet._asdict(),
        boards=count,
        reach=float(reach.sum()) / (boards if bet.street else 1),
        fold=float(weights @ fold),
        alpha=float(weights @ (risk / (risk + pot))),
        profit_mbb=profit,
        standard_error_mbb=error,
    )


def bet_table(bets: Sequence[AuditedBet]) -> Table:
    """Returns the audit as a table, one row per bet.

    A standard error that the boards cannot give is None; before the flop nothing is sampled and it is 0.
    """
    columns = (
        Column("position", "player", lambda position: "BTN" if position == BUTTON else "BB", left=True),
        Column("line", left=True),
        Column("bet", shown=False),
        Column("is_raise", shown=False),
        Column("street", shown=False),
        Column("bet text", "bet", data=False, left=True),
        Column("boards", text=str),
        *(Column(name, text="{:.1%}".format) for name in ("reach", "fold", "alpha")),
        Column("profit_mbb", shown=False),
        Column("standard_error_mbb", shown=False),
        Column("profit text", "mbb per bet", data=False, left=False),
        Column("leak_mbb_per_hand", "per hand", "{:,.0f}".format),
    )
    rows = [
        (
            bet.position,
            bet.line,
            bet.bet,
            bet.is_raise,
            bet.street_name,
            f"{'raise ' if bet.is_raise else ''}{bet.bet}",
            bet.boards,
            bet.reach,
            bet.fold,
            bet.alpha,
            bet.profit_mbb,
            bet.standard_error_mbb if bet.street == 0 or 0 < bet.standard_error_mbb < math.inf else None,
            f"{bet.profit_mbb:+,.0f}" + (f" {format_error(bet.standard_error_mbb, 0)}" if bet.street else ""),
            bet.leak_mbb_per_hand,
        )
        for bet in bets
    ]
    return Table("bets", "", columns, tuple(rows))


def street_table(bets: Sequence[AuditedBet]) -> Table:
    """Returns how often a player folds to bets and to raises on each street, weighted with the reach."""
    rows = []
    for key in sorted({(bet.street, bet.is_raise) for bet in bets}):
        group = [bet for bet in bets if (bet.street, bet.is_raise) == key]
        reach = sum(bet.reach for bet in group)
        rows.append(
            (
                group[0].street_name,
                "raises" if key[1] else "bets",
                len(group),
                sum(bet.fold > bet.alpha for bet in group),
                sum(bet.reach * bet.fold for bet in group) / reach,
                sum(bet.reach * bet.alpha for bet in group) / reach,
                max(bet.leak_mbb_per_hand for bet in group),
            )
        )
    return Table(
        "streets",
        "Folding",
        (
            Column("street", left=True),
            Column("prober", "the prober", left=True),
            "lines",
            "over alpha",
            *(Column(name, text="{:.1%}".format) for name in ("fold", "alpha")),
            Column("leak_mbb_per_hand", "mbb per hand", "{:.0f}".format),
        ),
        tuple(rows),
        "fold and alpha: mean, weighted with the reach; mbb per hand: of the line that pays a bluff most",
    )
