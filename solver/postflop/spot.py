"""Postflop spots: board, ranges, betting tree and rake; and the YAML file that describes one.

::

    spot: D4                  # a name
    board: Qh Jh 2c 7d        # 3, 4 or 5 cards; the tree starts on that street, OOP to act
    pot: 4000                 # chips, both halves already in
    stack: 18000              # chips behind, each player
    range: {oop: "22+,A2s+,KTo+:0.5", ip: "random"}                  # hedgehog.poker.ranges
    sizes:                    # per street from the board's street on; hedgehog.poker.betsizes; or FILE.yaml, or NAME
      turn:  {oop: "50%,a / 100%,a", ip: "50%,a / 100%,a"}
      river: {oop: "50%,a / 100%,a", ip: "50%,a / 100%,a", donk: "50%"}
    lines: ["B2000 C X B9000", "X X B500 A18000"]   # instead of sizes: exactly these betting lines
    add_allin_threshold: 0    # the rest is optional; hedgehog.solver.postflop.tree
    force_allin_threshold: 0
    merging_threshold: 0
    max_bets: 4               # bets and raises per street; absent: no limit
    rake: {rate: 0.05, cap: 300}  # without cap: no limit
    abstraction: strength-river   # hands of equal value share a strategy; hedgehog.solver.abstraction; not with locks
    tremble: {share: 0.001, temperature: 5%}  # of the pot; answers off the path; hedgehog.solver.cfr.trembles
    locks:                    # strategies that are given; hedgehog.solver.postflop.locks
      - line: X B9000 C       # actions and dealt cards up to the decision; "" is the root
        hands: "QQ+,AKs"      # absent: all hands
        strategy: {X: 0.25, A9000: 0.75}    # or by hand: {X: "QQ:0.5", A9000: "QQ:0.5,KK+,AKs"}

``lines`` are betting lines without cards. The tree has them and their beginnings, with fold, check and call wherever
they are legal, and no other bet or raise; so the thresholds and ``max_bets`` do not go with them.

``donk`` lists OOP's first bets if it called on the previous street; without the key it uses its normal sizes. Streets
before the board's may be listed and are ignored, so that one menu serves several boards. A comma may end a list of
hands or sizes, and the letters of actions in lines may be small. A lock whose line leaves out a dealt card (``X B9000
C`` above, not ``X B9000 C 5s``) holds on every card that can be dealt. Where several locks name a hand, the first
decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from hedgehog.poker.betsizes import parse_bet_sizes, parse_menu
from hedgehog.poker.cards import (
    COMBO_CARDS,
    NUM_CARDS,
    NUM_COMBOS,
    combo_mask,
    format_cards,
    format_combo,
    parse_cards,
)
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES
from hedgehog.poker.range_view import Range
from hedgehog.poker.ranges import parse_range
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.config_file import ConfigFile, include_file, read_text
from hedgehog.runtime.display.shown import Shown
from hedgehog.runtime.errors import SpotError
from hedgehog.runtime.extending.registry import Registry
from hedgehog.runtime.table import Table
from hedgehog.solver.cfr.trembles import Tremble
from hedgehog.solver.postflop.locks import Lock, Probability, locked_hands, locked_strategy
from hedgehog.solver.postflop.tree import (
    StreetSizes,
    TreeConfig,
    build_postflop_tree,
    parse_action,
    parse_line,
    place_of_line,
)
from hedgehog.strategies.bet_menus import include_menu
from hedgehog.strategies.betting_tree import BettingTree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_RAKE: Final = 0.5
"""Largest share of a pot that a spot file may take as rake. A larger number is meant as percent."""
MOST_POTS: Final = 10.0
"""Largest all-in threshold of a spot file, in pots. A larger number is meant as percent."""
MOST_TREMBLE: Final = 0.1
"""Largest share of trembles of a spot file. A larger number is meant as percent."""
PLAYERS: Final = ("oop", "ip")
"""Names of the players in spot files and messages, by number."""
_LEAST_TEMPERATURE: Final = 0.01


@dataclass(frozen=True, slots=True)
class Identity:
    """A hand abstraction of ours: what makes hands equal, by :mod:`hedgehog.solver.abstraction.identity`."""

    measure: Literal["rank", "strength", "opp"]
    test: Literal["river", "hier", "global"]

    def __str__(self) -> str:
        return f"{self.measure}-{self.test}"


_MEASURES: Final[tuple[Literal["rank", "strength", "opp"], ...]] = ("rank", "strength", "opp")
_TESTS: Final[tuple[Literal["river", "hier", "global"], ...]] = ("river", "hier", "global")
IDENTITIES: Final = {f"{measure}-{test}": Identity(measure, test) for measure in _MEASURES for test in _TESTS}
"""The hand abstractions of ours, by name."""


def _verify_grouping(name: str, part: Any) -> None:
    if not callable(part):
        raise SpotError(f"expected a function of hand values and boards, got {part!r}")


ABSTRACTIONS: Final[Registry[Identity | Callable[..., Any]]] = Registry(
    "hedgehog.abstractions",
    "abstraction",
    IDENTITIES,
    verify=_verify_grouping,
    reserved=("none", "merged", "kmeans"),
    error=SpotError,
)
"""The hand abstractions by name. Those of other packages are functions (``Grouping`` in the room of abstractions)."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PostflopSpot(Shown):
    """A postflop game of two players.

    :raises SpotError: if a field is out of range, a range is empty, or the two ranges cannot be dealt together.
    """

    name: str
    """Name of the spot, for reports."""
    board: tuple[int, ...]
    """Three to five card ids; their number decides the street of the root."""
    ranges: tuple[NDArray[np.float32], NDArray[np.float32]]
    """float32[1326] weights in [0, 1] of OOP and IP. Combos that hit the board are ignored."""
    tree: TreeConfig
    """Street of the root, pot, stack and bet sizes. The street must be the board's."""
    rake_rate: float = 0.0
    """Share of the final pot that the house takes, 0 to 1."""
    rake_cap: float = math.inf
    """Most chips that the house takes from a pot; infinite without a cap."""
    locks: tuple[Lock, ...] = ()
    """Given strategies; only :func:`parse_spot` and the solver check them against the tree."""
    text: str = ""
    """Text of the spot file; empty for a spot made in another way, whose solve cannot be saved."""
    abstraction: str = ""
    """One of :data:`ABSTRACTIONS`; empty for a solve in which every hand has a strategy of its own."""
    tremble: Tremble | None = None
    """How opponents tremble while the other player learns; None if they do not."""

    def __post_init__(self) -> None:
        if not 3 <= len(self.board) <= 5:
            raise SpotError(f"expected a board of 3 to 5 cards, got {len(self.board)}")
        if len(set(self.board)) != len(self.board) or not all(0 <= card < NUM_CARDS for card in self.board):
            raise SpotError(f"expected different card ids from 0 to 51 on the board, got {self.board}")
        if self.tree.street != len(self.board) - 2:
            raise SpotError(
                f"the tree starts on the {STREETS[self.tree.street]}, the board has {len(self.board)} cards"
            )
        if not (0 <= self.rake_rate <= 1 and self.rake_cap >= 0):
            raise SpotError(
                f"expected a rake rate from 0 to 1 and a cap >= 0, got {self.rake_rate} and {self.rake_cap}"
            )
        if self.abstraction:
            verify_abstraction(self.abstraction)
        if self.tremble is not None and not (0 < self.tremble.share < 1 and 0 < self.tremble.temperature < math.inf):
            raise SpotError(f"expected a share of trembles between 0 and 1 and a temperature > 0, got {self.tremble}")
        if self.tremble is not None and self.abstraction:
            raise SpotError("trembles are for single hands: a spot has either trembles or an abstraction")
        for player, weights in zip(PLAYERS, self.ranges, strict=True):
            if weights.shape != (NUM_COMBOS,) or not ((weights >= 0) & (weights <= 1)).all():
                raise SpotError(f"expected {NUM_COMBOS} weights from 0 to 1 as the {player} range")
            verify_live(weights, self.board, player)
        _verify_pairs(self.board, self.ranges)

    @property
    def street(self) -> int:
        """Street of the root: 1 flop, 2 turn, 3 river."""
        return self.tree.street

    @property
    def pot(self) -> int:
        """Chips in the pot at the root."""
        return self.tree.pot

    @property
    def stack(self) -> int:
        """Chips behind at the root, each player."""
        return self.tree.stack

    def range(self, player: int) -> Range:
        """Returns a player's range without the combos that hit the board.

        :param player: 0 is OOP, 1 is IP.
        """
        return Range(self.live_range(player))

    def summary(self) -> str:
        """Returns the name, the street, the board, the pot, the stack, and the combos of both ranges."""
        oop, ip = (self.range(player).combos for player in (0, 1))
        cards = f"{STREETS[self.street]} {format_cards(self.board, ' ')}"
        return f"{self.name}, {cards}, pot {self.pot:,}, stack {self.stack:,}, {oop:,.4g} combos against {ip:,.4g}"

    def table(self) -> Table:
        """Returns a row per combo that a player holds: combo, hand class, and its weight in both ranges."""
        oop, ip = self.live_range(0), self.live_range(1)
        rows = (
            (format_combo(combo), HAND_CLASS_NAMES[HAND_CLASS[combo]], float(oop[combo]), float(ip[combo]))
            for combo in np.flatnonzero((oop > 0) | (ip > 0)).tolist()
        )
        return Table("ranges", self.name, ["combo", "hand", *PLAYERS], tuple(rows))

    def picture(self) -> str:
        """Returns the 13 x 13 grids of both ranges as HTML."""
        grids = (f"<div>{name}{self.range(player).picture()}</div>" for player, name in enumerate(PLAYERS))
        return f'<div style="display:flex;gap:1em;flex-wrap:wrap">{"".join(grids)}</div>'

    def details(self) -> str:
        """Returns nothing: the grids say it all, and a notebook shows no list of combos."""
        return ""

    def plot(self, axes: Axes | None = None, *, player: int = 0) -> Axes:
        """Draws the 13 x 13 grid of a player's range, and returns the axes.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :param player: 0 is OOP, 1 is IP.
        :raises InputError: if matplotlib is not installed.
        """
        return self.range(player).plot(axes)

    def live_range(self, player: int) -> NDArray[np.float32]:
        """Returns float32[1326]: a player's weights, 0 for combos that hit the board."""
        return np.where(combo_mask(self.board), self.ranges[player], np.float32(0))


def verify_abstraction(name: str) -> None:
    """Checks that there is a hand abstraction of this name.

    :raises SpotError: if there is none, and then the message lists the choices, or it cannot be used.
    """
    if name not in ABSTRACTIONS:
        raise SpotError(f"unknown abstraction {name!r}: expected one of {', '.join(ABSTRACTIONS)}")
    ABSTRACTIONS.verify(name)


def verify_live(weights: NDArray[np.float32], board: tuple[int, ...], player: str) -> None:
    """Checks that a range holds a combo that misses the board.

    :raises SpotError: if it does not; the message names ``player``.
    """
    if not (weights[combo_mask(board)] > 0).any():
        raise SpotError(f"the {player} range is empty: no combo with weight misses the board")


def _verify_pairs(board: tuple[int, ...], ranges: tuple[NDArray[np.float32], NDArray[np.float32]]) -> None:
    mask = combo_mask(board)
    oop, ip = (np.flatnonzero((weights > 0) & mask) for weights in ranges)
    # Pairs that share a card: per card, less the pairs of equal combos, which their two cards count twice.
    per_card = [np.bincount(COMBO_CARDS[combos].ravel(), minlength=NUM_CARDS) for combos in (oop, ip)]
    blocked = int(per_card[0] @ per_card[1]) - len(np.intersect1d(oop, ip))
    if blocked == len(oop) * len(ip):
        raise SpotError("the two ranges cannot be dealt together: every pair of hands shares a card")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Ranges(_Strict):
    oop: str
    ip: str


class _FlopSizes(_Strict):
    oop: str
    ip: str


class _LaterSizes(_FlopSizes):
    donk: str | None = None


class _Sizes(_Strict):
    flop: _FlopSizes | None = None
    turn: _LaterSizes | None = None
    river: _LaterSizes | None = None


def _chips(value: Any) -> Any:
    """Refuses an amount that is no whole number, with a word about the unit."""
    try:
        whole = float(value).is_integer()
    except (TypeError, ValueError):
        return value  # pydantic says that it is no number
    if not whole:
        raise ValueError("chips are whole: choose a smaller unit, such as 100 chips for a big blind")
    return value


def _share(value: Any) -> Any:
    """Refuses a share written in percent, and says how to write it."""
    if isinstance(value, str) and value.endswith("%"):
        raise ValueError("expected a number such as 0.05 for 5 %")
    return value


def _probability(value: Any) -> Any:
    """Takes text that is no number as hands with probabilities for weights."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return value
    if not 0 <= number <= 1:
        raise ValueError("expected a probability from 0 to 1")
    return number


_Chips = Annotated[int, BeforeValidator(_chips), Field(gt=0)]
_Number = Annotated[float, BeforeValidator(_share), Field(ge=0, allow_inf_nan=False)]


class _Rake(_Strict):
    rate: _Number = 0.0
    cap: _Number | None = None

    @property
    def parts(self) -> tuple[float, float]:
        """The rate, and the cap in chips."""
        return self.rate, (math.inf if self.rate else 0.0) if self.cap is None else self.cap


class _Tremble(_Strict):
    share: Annotated[float, BeforeValidator(_share), Field(gt=0, le=MOST_TREMBLE, allow_inf_nan=False)]
    temperature: str


class LockEntry(_Strict):
    """A lock in a file (:class:`~hedgehog.solver.postflop.locks.Lock`)."""

    line: str
    strategy: dict[str, Annotated[float | str, BeforeValidator(_probability)]]
    hands: str | None = None


class _SpotFile(_Strict):
    spot: str
    board: str
    pot: _Chips
    stack: _Chips
    range: _Ranges
    sizes: _Sizes | None = None
    lines: tuple[str, ...] | None = None
    add_allin_threshold: _Number = 0.0
    force_allin_threshold: _Number = 0.0
    merging_threshold: _Number = 0.0
    max_bets: Annotated[int, Field(ge=0)] | None = None
    rake: _Rake = _Rake()
    locks: tuple[LockEntry, ...] = ()
    abstraction: str | None = None
    tremble: _Tremble | None = None


def read_spot(path: str | Path) -> PostflopSpot:
    """Returns the spot that a spot file describes.

    A line ``sizes: FILE.yaml`` stands for the key ``sizes`` of that file, such as a menu of ``hedgehog study hands``,
    and ``sizes: NAME`` for those of a bet menu. The text of the spot then holds these sizes.

    :param path: the spot file.
    :raises SpotError: if the file cannot be read or does not describe a spot; the message has file and line.
    """
    text = include_file(read_text(path, SpotError, "a spot"), "sizes", path, SpotError)
    return parse_spot(text, str(path))


def parse_spot(text: str, source: str | None = None, *, solved: bool = False) -> PostflopSpot:
    """Returns the spot that the text of a spot file describes. :mod:`hedgehog.solver.postflop.spot` has the format.

    :param text: the YAML of a spot file.
    :param source: name of the file, for messages.
    :param solved: the spot has been solved already: numbers that are probably meant in another unit are taken.
    :raises SpotError: if the text does not describe a spot; the message has the line.
    """
    text = include_menu(text, source, SpotError)
    config = ConfigFile(text, _SpotFile, SpotError, source, "a spot")
    file = config.model
    if not solved:
        _verify_units(config)
    board = tuple(config.at(("board",), parse_cards, file.board))
    if not 3 <= len(board) <= 5:
        raise config.fail(("board",), f"expected a board of 3, 4 or 5 cards, got {len(board)}")
    oop = _parse_live_range(config, "oop", file.range.oop, board)
    ip = _parse_live_range(config, "ip", file.range.ip, board)
    lines = _parse_betting_lines(config)
    tree = config.at(
        ("pot",),
        TreeConfig,
        len(board) - 2,
        file.pot,
        file.stack,
        tuple(_parse_sizes(config, first_street=len(board) - 2)),
        file.add_allin_threshold,
        file.force_allin_threshold,
        file.merging_threshold,
        file.max_bets,
        lines,
        prefix=False,
    )
    if file.lines is not None:
        config.at(("lines",), build_postflop_tree, tree)
    if file.abstraction is not None:
        config.at(("abstraction",), verify_abstraction, file.abstraction, prefix=False)
        if file.locks:
            raise config.fail(("abstraction",), "locks are for single hands: a spot has either locks or an abstraction")
        if file.tremble is not None:
            raise config.fail(("tremble",), "trembles are for single hands: a spot has either these or an abstraction")
    tremble = None
    if file.tremble is not None:
        share = config.at(("tremble", "temperature"), parse_temperature, file.tremble.temperature)
        tremble = Tremble(file.tremble.share, share * file.pot)
    # Every field has been checked. The two ranges may still exclude each other.
    locks: tuple[Lock, ...] = ()
    if file.locks:
        locks = tuple(parse_locks(config, file.locks, build_postflop_tree(tree), board, (oop, ip)))
    fields = (file.spot, board, (oop, ip), tree, *file.rake.parts, locks, text, file.abstraction or "", tremble)
    return config.at(("range",), PostflopSpot, *fields, prefix=False)


def spot_content(text: str) -> dict[str, Any]:
    """Returns the keys and values of the text of a spot file, without those that have their default.

    :raises SpotError: if the text lacks a key or has one too many; the values are not checked against each other.
    """
    model = ConfigFile(text, _SpotFile, SpotError, None, "a spot").model
    return model.model_dump(mode="json", exclude_defaults=True, exclude_none=True)


def parse_temperature(text: str) -> float:
    """Returns the share of the pot that a temperature such as ``5%`` stands for.

    :raises SpotError: if the text is no percentage above 0 and up to 100.
    """
    number = text.strip().removesuffix("%")
    try:
        value = float(number) if text.strip().endswith("%") else math.nan
    except ValueError:
        value = math.nan
    if not _LEAST_TEMPERATURE <= value <= 100:
        raise SpotError(f"expected a temperature in percent of the pot, such as 5%, from 0.01% to 100%, got {text!r}")
    return value / 100


def verify_pots(value: float) -> None:
    """Checks an all-in threshold of a file.

    :raises SpotError: if it is probably meant as percent.
    """
    _verify_unit(value, MOST_POTS, "in pots: 1.5 for 150 %")


def _verify_unit(value: float, most: float, unit: str) -> None:
    if not 0 <= value <= most:
        raise SpotError(f"expected a number from 0 to {most:g}, {unit}, got {value:g}")


def _verify_units(config: ConfigFile[_SpotFile]) -> None:
    """Refuses numbers that are accepted as they stand, but are probably meant in another unit or do nothing."""
    file, rake = config.model, config.model.rake
    config.at(("add_allin_threshold",), verify_pots, file.add_allin_threshold)
    config.at(("force_allin_threshold",), verify_pots, file.force_allin_threshold)
    config.at(("merging_threshold",), _verify_unit, file.merging_threshold, 1.0, "0.1 for 10 %")
    config.at(("rake", "rate"), _verify_unit, rake.rate, MOST_RAKE, "0.05 for 5 %")
    if rake.cap and not rake.rate:
        raise config.fail(("rake",), "a rake needs its rate: expected {rate: 0.05, cap: 30} for 5 %, at most 30 chips")
    if rake.rate and rake.cap == 0:
        raise config.fail(("rake",), "a cap of 0 chips takes no rake: leave out the cap, or the rake")


def _parse_live_range(
    config: ConfigFile[_SpotFile], player: str, text: str, board: tuple[int, ...]
) -> NDArray[np.float32]:
    weights = config.at(("range", player), parse_range, text)
    config.at(("range", player), verify_live, weights, board, player, prefix=False)
    return weights


def parse_locks(
    config: ConfigFile[Any],
    entries: Sequence[LockEntry],
    tree: BettingTree,
    board: tuple[int, ...],
    ranges: tuple[NDArray[np.float32], NDArray[np.float32]],
) -> Iterator[Lock]:
    """Yields the locks of a file, after checking them against the betting tree.

    :param config: the file, whose key ``locks`` has the entries.
    :param entries: the locks as the file has them.
    :param board: card ids of the root.
    :param ranges: float32[1326] weights of OOP and IP.
    :raises InputError: if a lock does not fit the tree; the message has file and line.
    """
    for index, entry in enumerate(entries):
        path = ("locks", str(index))
        node, dealt = config.at((*path, "line"), place_of_line, tree, board, entry.line)
        weights = ranges[int(tree.player[node])]
        hands = config.at((*path, "hands"), locked_hands, entry.hands, weights, board, dealt)
        strategy = {
            token: config.at((*path, "strategy", token), _probability_of, each)
            for token, each in entry.strategy.items()
        }
        config.at((*path, "strategy"), locked_strategy, strategy, tree, node, hands)
        yield Lock(entry.line, strategy, entry.hands)


def _probability_of(value: float | str) -> Probability:
    return parse_range(value) if isinstance(value, str) else value


def _parse_betting_lines(config: ConfigFile[_SpotFile]) -> tuple[tuple[str, ...], ...]:
    """Returns the action tokens of the key ``lines``, which are not yet checked against the rules."""
    file = config.model
    if file.lines is None:
        return ()
    for key in ("sizes", "add_allin_threshold", "force_allin_threshold", "merging_threshold", "max_bets"):
        if config.has((key,)):
            raise config.fail((key,), f"the key {key!r} does not go with 'lines', which names every bet")
    lines = []
    for index, text in enumerate(file.lines):
        tokens = parse_line(text)
        for token in tokens:
            config.at(("lines", str(index)), parse_action, token)
        lines.append(tuple(tokens))
    return tuple(lines)


def _parse_sizes(config: ConfigFile[_SpotFile], first_street: int) -> Iterator[StreetSizes]:
    """Yields the sizes from the first street on. Sizes of earlier streets are only checked."""
    if config.model.sizes is None:
        if config.model.lines is None:
            raise config.fail((), "the key 'sizes' is missing")
        none = parse_bet_sizes("")
        yield from [StreetSizes(none, none)] * (len(STREETS) - first_street)
        return
    for street, name in enumerate(STREETS[1:], start=1):
        entry: _FlopSizes | None = getattr(config.model.sizes, name)
        path = ("sizes", name)
        if entry is None:
            if street >= first_street:
                raise config.fail(path, f"the key {config.name(path)} is missing")
            continue
        oop = config.at((*path, "oop"), parse_bet_sizes, entry.oop)
        ip = config.at((*path, "ip"), parse_bet_sizes, entry.ip)
        donk = None
        if isinstance(entry, _LaterSizes) and entry.donk is not None:
            donk = config.at((*path, "donk"), parse_menu, entry.donk)
        parsed = config.at((*path, "donk"), StreetSizes, oop, ip, donk)
        if street >= first_street:
            yield parsed
