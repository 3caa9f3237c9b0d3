"""Postflop spots: board, ranges, betting tree and rake; and the YAML file that describes one.

::

    spot: D4                  # a name
    board: Qh Jh 2c 7d        # 3, 4 or 5 cards; the tree starts on that street, OOP to act
    pot: 4000                 # chips, both halves already in
    stack: 18000              # chips behind, each player
    range: {oop: "22+,A2s+,KTo+:0.5", ip: "random"}                  # poker.ranges
    sizes:                    # per street from the board's street on; poker.betsizes
      turn:  {oop: "50%,a / 100%,a", ip: "50%,a / 100%,a"}
      river: {oop: "50%,a / 100%,a", ip: "50%,a / 100%,a", donk: "50%"}
    add_allin_threshold: 0    # the rest is optional; solver.postflop_tree
    force_allin_threshold: 0
    merging_threshold: 0
    max_bets: 4               # bets and raises per street; absent: no limit
    rake: {rate: 0.05, cap: 300}

``donk`` is OOP's first bet after calling on the street before; without it he uses his normal sizes. Streets before
the board's may be listed and are ignored, so that one menu serves several boards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import numpy as np
import yaml
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from poker.betsizes import parse_bet_sizes, parse_menu
from poker.cards import COMBO_CARDS, NUM_CARDS, NUM_COMBOS, combo_mask, parse_cards
from poker.errors import InputError, SpotError
from poker.ranges import parse_range
from solver.postflop_tree import StreetSizes, TreeConfig

STREETS: Final = ("preflop", "flop", "turn", "river")
PLAYERS: Final = ("oop", "ip")
_MAX_FILE_BYTES: Final = 1 << 20
_MAX_DEPTH: Final = 8
_TAG: Final = "tag:yaml.org,2002:"
_SCALAR_TAGS: Final = {_TAG + name for name in ("str", "int", "float", "bool", "null", "timestamp")}

_T = TypeVar("_T")
_Path = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class PostflopSpot:
    """A postflop game of two players.

    :raises SpotError: if a field is out of range, a range is empty, or the two ranges cannot be dealt together.
    """

    name: str
    board: tuple[int, ...]
    """Three to five card ids; its length decides the street of the root."""
    ranges: tuple[NDArray[np.float32], NDArray[np.float32]]
    """float32[1326] weights in [0, 1] of OOP and IP. Combos that hit the board count for nothing."""
    tree: TreeConfig
    """Pot, stack and bet sizes; its street is the board's."""
    rake_rate: float = 0.0
    """Share of the final pot the house takes, 0 to 1."""
    rake_cap: float = 0.0
    """Most chips the house takes."""

    def __post_init__(self) -> None:
        if not 3 <= len(self.board) <= 5:
            raise SpotError(f"expected a board of 3 to 5 cards, got {len(self.board)}")
        if len(set(self.board)) != len(self.board) or not all(0 <= card < NUM_CARDS for card in self.board):
            raise SpotError(f"expected different card ids from 0 to 51 on the board, got {self.board}")
        if self.tree.street != len(self.board) - 2:
            raise SpotError(
                f"the tree starts on the {STREETS[self.tree.street]}, the board has {len(self.board)} cards"
            )
        if not (0 <= self.rake_rate <= 1 and 0 <= self.rake_cap < math.inf):
            raise SpotError(
                f"expected a rake rate from 0 to 1 and a cap >= 0, got {self.rake_rate} and {self.rake_cap}"
            )
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

    def live_range(self, player: int) -> NDArray[np.float32]:
        """Returns a player's weights with the combos that hit the board set to 0, float32[1326]."""
        return np.where(combo_mask(self.board), self.ranges[player], np.float32(0))


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


_Threshold = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Rake(_Strict):
    rate: Annotated[float, Field(ge=0, le=1)] = 0.0
    cap: _Threshold = 0.0


class _SpotFile(_Strict):
    spot: str
    board: str
    pot: Annotated[int, Field(gt=0)]
    stack: Annotated[int, Field(gt=0)]
    range: _Ranges
    sizes: _Sizes
    add_allin_threshold: _Threshold = 0.0
    force_allin_threshold: _Threshold = 0.0
    merging_threshold: _Threshold = 0.0
    max_bets: Annotated[int, Field(ge=0)] | None = None
    rake: _Rake = _Rake()


def read_spot(path: str | Path) -> PostflopSpot:
    """Reads a spot file.

    :raises SpotError: with file and line, if the file cannot be read or does not describe a spot.
    """
    source = str(path)
    try:
        with open(path, "rb") as file:
            data = file.read(_MAX_FILE_BYTES + 1)
        if len(data) > _MAX_FILE_BYTES:
            raise SpotError(f"a spot file has at most {_MAX_FILE_BYTES} bytes", source=source)
        text = data.decode()
    except OSError as error:
        raise SpotError(f"cannot read the spot file: {error.strerror}", source=source) from None
    except UnicodeDecodeError:
        raise SpotError("the spot file is not UTF-8 text", source=source) from None
    return parse_spot(text, source)


def parse_spot(text: str, source: str | None = None) -> PostflopSpot:
    """Parses the text of a spot file; see the module's description.

    :param source: name of the file for messages.
    :raises SpotError: with the line, if the text does not describe a spot.
    """
    return _Reader(source).read(text)


class _Reader:
    """Turns YAML into a spot and knows the line of every key for messages."""

    def __init__(self, source: str | None) -> None:
        self.source = source
        self.lines: dict[_Path, int] = {(): 1}

    def read(self, text: str) -> PostflopSpot:
        try:
            node = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line = mark.line + 1 if mark is not None else None
            raise SpotError(f"not valid YAML: {error.problem or error}", source=self.source, line=line) from None
        except (yaml.YAMLError, RecursionError) as error:
            raise SpotError(f"not valid YAML: {str(error).splitlines()[0]}", source=self.source) from None
        if not isinstance(node, yaml.MappingNode):
            raise SpotError("expected a spot with keys such as spot, board, pot", source=self.source, line=1)
        try:
            file = _SpotFile.model_validate(self._plain(node, ()))
        except ValidationError as error:
            raise self._first_error(error) from None
        return self._build(file)

    def _plain(self, node: yaml.Node, path: _Path) -> Any:
        """Returns nested dicts of strings, and notes the line of every key.

        Scalars stay text, since YAML would read ``1e-4`` as a string and ``1:30`` as 90; pydantic converts them.
        """
        line = node.start_mark.line + 1
        self.lines.setdefault(path, line)
        if isinstance(node, yaml.ScalarNode) and node.tag in _SCALAR_TAGS:
            return None if node.tag == _TAG + "null" else node.value
        # An alias may lead back to its own anchor; a spot is three levels deep.
        if node.tag != _TAG + "map" or len(path) > _MAX_DEPTH:
            raise SpotError(f"expected text or a number for {_name(path)}", source=self.source, line=line)
        values: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key_line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise SpotError("expected a plain key", source=self.source, line=key_line)
            key = str(key_node.value)
            if key in values:
                raise SpotError(f"the key {_name((*path, key))} is repeated", source=self.source, line=key_line)
            self.lines[*path, key] = key_line
            values[key] = self._plain(value_node, (*path, key))
        return values

    def _first_error(self, error: ValidationError) -> SpotError:
        """Turns the first of pydantic's complaints, in file order, into one message."""
        complaints = []
        for details in error.errors(include_url=False):
            path = tuple(str(part) for part in details["loc"])
            line = self._line(path)
            match details["type"]:
                case "extra_forbidden":
                    message = f"unknown key {_name(path)}"
                case "missing":
                    message = f"the key {_name(path)} is missing"
                case "model_type":
                    message = f"expected keys below {_name(path)}"
                case _:
                    message = f"{_name(path)}: {_lower_first(details['msg'])}, got {details['input']!r}"
            complaints.append((line, message))
        line, message = min(complaints)
        return SpotError(message, source=self.source, line=line)

    def _line(self, path: _Path) -> int:
        """Returns the line of a key, or of the nearest key above it that is in the file."""
        while path not in self.lines:
            path = path[:-1]
        return self.lines[path]

    def _at(self, path: _Path, make: Callable[..., _T], *arguments: Any, prefix: bool = True) -> _T:
        """Calls ``make`` and gives its error the line of ``path``."""
        try:
            return make(*arguments)
        except InputError as error:
            message = f"{_name(path)}: {error.message}" if prefix else error.message
            raise SpotError(message, source=self.source, line=self._line(path)) from None

    def _build(self, file: _SpotFile) -> PostflopSpot:
        board = tuple(self._at(("board",), parse_cards, file.board))
        if not 3 <= len(board) <= 5:
            message = f"expected a board of 3, 4 or 5 cards, got {len(board)}"
            raise SpotError(message, source=self.source, line=self._line(("board",)))
        ranges = [self._range(player, getattr(file.range, player), board) for player in PLAYERS]
        sizes = tuple(self._street_sizes(file.sizes, first_street=len(board) - 2))
        tree = self._at(
            ("pot",),
            TreeConfig,
            len(board) - 2,
            file.pot,
            file.stack,
            sizes,
            file.add_allin_threshold,
            file.force_allin_threshold,
            file.merging_threshold,
            file.max_bets,
            prefix=False,
        )
        rake = file.rake
        # Each field is checked by now; what is left is that the two ranges may exclude each other.
        return self._at(
            ("range",), PostflopSpot, file.spot, board, (ranges[0], ranges[1]), tree, rake.rate, rake.cap, prefix=False
        )

    def _range(self, player: str, text: str, board: tuple[int, ...]) -> NDArray[np.float32]:
        path = ("range", player)
        weights = self._at(path, parse_range, text)
        self._at(path, verify_live, weights, board, player, prefix=False)
        return weights

    def _street_sizes(self, sizes: _Sizes, first_street: int) -> Iterator[StreetSizes]:
        """Yields the sizes from the first street on; those of earlier streets are checked only."""
        for street, name in enumerate(STREETS[1:], start=1):
            entry: _FlopSizes | None = getattr(sizes, name)
            path = ("sizes", name)
            if entry is None:
                if street >= first_street:
                    message = f"the key {_name(path)} is missing"
                    raise SpotError(message, source=self.source, line=self._line(path))
                continue
            oop = self._at((*path, "oop"), parse_bet_sizes, entry.oop)
            ip = self._at((*path, "ip"), parse_bet_sizes, entry.ip)
            donk = None
            if isinstance(entry, _LaterSizes) and entry.donk is not None:
                donk = self._at((*path, "donk"), parse_menu, entry.donk)
            parsed = self._at((*path, "donk"), StreetSizes, oop, ip, donk)
            if street >= first_street:
                yield parsed


def _name(path: _Path) -> str:
    return repr(".".join(path)) if path else "the spot"


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
