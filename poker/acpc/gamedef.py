"""ACPC game definitions: the text format of ``*.game`` files and the frozen :class:`GameDef` made from it.

The reader follows the official dealer (protocol 2.0.0) exactly. Keywords are matched at the start of a line, numbers
may be separated by blanks and ``=``, unknown lines are ignored, and small fields wrap at 8 bits. The checks run in the
official order and have the official error texts. Three further checks refuse games on which the official dealer crashes
or hangs.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from types import SimpleNamespace
from typing import Final

from hedgehog.poker.acpc.chosen_game import name_of_stacks, text_of_chosen_game
from hedgehog.poker.acpc.scanf import scan_integer
from hedgehog.runtime.errors import GamedefError, InputError
from hedgehog.runtime.input_files import read_input
from hedgehog.runtime.text_files import plain_text

DEFAULT_GAME: Final = "holdem.nolimit.2p.reverse_blinds"
"""Name of the default game, which is shipped: heads-up no-limit hold'em, 200 big blinds deep."""
MAX_PLAYERS: Final = 10
MAX_ROUNDS: Final = 4
MAX_HOLE_CARDS: Final = 3
MAX_BOARD_CARDS: Final = 7
MAX_LINE_LENGTH: Final = 4095
"""Most characters of a line in game definitions and in the protocol; the rest of a longer line counts as a new line."""
UNLIMITED_STACK: Final = 2**31 - 1
"""Stack of a position in a game without a ``stack`` line."""
UNLIMITED_RAISES: Final = 255
"""``maxRaises`` of a round in a game without a ``maxRaises`` line."""

_STACKS_WITHOUT_LINE = 4
_BLANKS = frozenset(" \t\n\v\f\r=")


@cache
def _deck(num_suits: int, num_ranks: int) -> tuple[int, ...]:
    return tuple(4 * rank + suit for suit in range(4 - num_suits, 4) for rank in range(13 - num_ranks, 13))


@cache
def _deck_set(num_suits: int, num_ranks: int) -> frozenset[int]:
    return frozenset(_deck(num_suits, num_ranks))


@dataclass(frozen=True, slots=True, kw_only=True)
class GameDef:
    """One poker game: betting structure and deck. All chip amounts are whole chips. Fields that need not be given are
    those of no-limit hold'em."""

    num_players: int
    """Number of players, 2..10."""
    num_rounds: int = 4
    """Number of betting rounds, 1..4."""
    no_limit: bool = True
    """True if raises have a free size; otherwise every raise of a round has the size ``raise_sizes[round]``."""
    stacks: tuple[int, ...]
    """Chips per position at the start of every hand; :data:`UNLIMITED_STACK` if the game does not say."""
    blinds: tuple[int, ...]
    """Forced bet per position, in chips."""
    raise_sizes: tuple[int, ...] = ()
    """Chips per raise in each round; empty in no-limit games."""
    first_positions: tuple[int, ...]
    """Position (0-based) with which the search for the first actor of each round starts."""
    max_raises: tuple[int, ...] = (UNLIMITED_RAISES,) * MAX_ROUNDS
    """Largest number of raises per round; blinds do not count."""
    num_suits: int = 4
    """Number of suits in the deck, 1..4: the last ones of ``c d h s``."""
    num_ranks: int = 13
    """Number of ranks in the deck, 1..13: the highest ones."""
    num_hole_cards: int = 2
    """Number of hole cards per player, 1..3."""
    num_board_cards: tuple[int, ...] = (0, 3, 1, 1)
    """Number of board cards newly dealt in each round."""

    @property
    def is_holdem(self) -> bool:
        """True for hold'em: two hole cards from the full deck, a flop of three cards, a turn and a river."""
        cards = (self.num_suits, self.num_ranks, self.num_hole_cards)
        return cards == (4, 13, 2) and self.num_board_cards == (0, 3, 1, 1)

    @property
    def big_blind(self) -> int:
        """The largest blind, in chips."""
        return max(self.blinds)

    @property
    def total_board_cards(self) -> int:
        """Number of board cards of a hand that is played to the end."""
        return sum(self.num_board_cards)

    def board_cards_by(self, round_index: int) -> int:
        """Returns the number of board cards on the table in round ``round_index`` (0-based)."""
        return sum(self.num_board_cards[: round_index + 1])

    def deck(self) -> list[int]:
        """Returns the card ids of the deck, suit by suit, ranks ascending (the official dealing order)."""
        return list(_deck(self.num_suits, self.num_ranks))

    @property
    def deck_set(self) -> frozenset[int]:
        """The card ids of the deck."""
        return _deck_set(self.num_suits, self.num_ranks)


# keyword -> how many values are kept, bits of one value (32: signed), defaults, whether missing values keep theirs.
# No keyword is a prefix of another one, so their order does not matter.
_LISTS: Final[dict[str, tuple[int, int, tuple[int, ...], bool]]] = {
    "stack": (MAX_PLAYERS, 32, (UNLIMITED_STACK,) * _STACKS_WITHOUT_LINE, False),
    "blind": (MAX_PLAYERS, 32, (), False),
    "raisesize": (MAX_ROUNDS, 32, (), False),
    "numplayers": (1, 8, (0,), True),
    "numrounds": (1, 8, (0,), True),
    "firstplayer": (MAX_ROUNDS, 8, (1,) * MAX_ROUNDS, True),
    "maxraises": (MAX_ROUNDS, 8, (UNLIMITED_RAISES,) * MAX_ROUNDS, True),
    "numsuits": (1, 8, (0,), True),
    "numranks": (1, 8, (0,), True),
    "numholecards": (1, 8, (0,), True),
    "numboardcards": (MAX_ROUNDS, 8, (), False),
}


def _read_numbers(text: str, count: int, bits: int) -> list[int]:
    numbers: list[int] = []
    at = 0
    while len(numbers) < count:
        while text[at : at + 1] in _BLANKS:
            at += 1
        scanned = scan_integer(text, at, bits, signed=bits == 32)
        if scanned is None:
            break
        number, at = scanned
        numbers.append(number)
    return numbers


def _read_line(fields: SimpleNamespace, line: str) -> None:
    lower = line.lower()
    if lower.startswith(("limit", "nolimit")):
        fields.no_limit = lower.startswith("nolimit")
        return
    for keyword, (count, bits, _, keeps_defaults) in _LISTS.items():
        if lower.startswith(keyword):
            numbers = _read_numbers(line[len(keyword) :], count, bits)
            if keeps_defaults:
                numbers += getattr(fields, keyword)[len(numbers) :]
            setattr(fields, keyword, numbers)
            return


def _check(fields: SimpleNamespace, *, nobody_acts: bool) -> str | None:
    """Returns the first objection of the official reader, in its own words and order.

    :param nobody_acts: allow that the blinds take all chips.
    """
    rounds, players = fields.numrounds[0], fields.numplayers[0]
    if not 1 <= rounds <= MAX_ROUNDS:
        return f"invalid number of rounds: {rounds}"
    if not 2 <= players <= MAX_PLAYERS:
        return f"invalid number of players: {players}"
    if len(fields.stack) < players:
        return f"only read {len(fields.stack)} stack sizes, need {players}"
    if len(fields.blind) < players:
        return f"only read {len(fields.blind)} blinds, need {players}"
    for position in range(players):
        if fields.blind[position] > fields.stack[position]:
            return f"blind for player {position + 1} is greater than stack size"
    if not fields.no_limit and len(fields.raisesize) < rounds:
        return f"only read {len(fields.raisesize)} raise sizes, need {rounds}"
    for index in range(rounds):
        if not 1 <= fields.firstplayer[index] <= players:
            return f"invalid first player {fields.firstplayer[index]} on round {index + 1}"
    suits, ranks, hole_cards = fields.numsuits[0], fields.numranks[0], fields.numholecards[0]
    if not 1 <= suits <= 4:
        return f"invalid number of suits: {suits}"
    if not 1 <= ranks <= 13:
        return f"invalid number of ranks: {ranks}"
    if not 1 <= hole_cards <= MAX_HOLE_CARDS:
        return f"invalid number of hole cards: {hole_cards}"
    if len(fields.numboardcards) < rounds:
        return f"only read {len(fields.numboardcards)} board card numbers, need {rounds}"
    board_cards = sum(fields.numboardcards[:rounds])
    if hole_cards * players + board_cards > suits * ranks:
        return "too many hole and board cards for specified deck"
    # From here on: games that the official dealer accepts and then crashes or hangs on.
    if board_cards > MAX_BOARD_CARDS:
        return f"too many board cards: {board_cards}, at most {MAX_BOARD_CARDS} are possible"
    if min(fields.blind[:players]) < 0:
        return f"invalid blind: {min(fields.blind[:players])}"
    if not nobody_acts and all(fields.blind[position] == fields.stack[position] for position in range(players)):
        return "every player is all-in from the blinds, so that nobody could act"
    return None


def parse_gamedef(text: str, source: str | None = None, *, nobody_acts: bool = False) -> GameDef:
    """Returns the game that the text of a game definition describes.

    :param source: file name for error messages.
    :param nobody_acts: allow that all chips are in the blinds, so that only the cards are dealt: logs of freeze-outs
        have such hands.
    :raises GamedefError: if the text does not define a playable game.
    """
    # The values read so far, at the defaults and widths of the official reader.
    lists = {keyword: list(defaults) for keyword, (_, _, defaults, _) in _LISTS.items()}
    fields = SimpleNamespace(no_limit=False, **lists)
    for long_line in text.split("\n"):
        for start in range(0, max(1, len(long_line)), MAX_LINE_LENGTH):
            line = long_line[start : start + MAX_LINE_LENGTH]
            if line.lower().startswith("end gamedef"):
                break
            if line[:1] not in ("", "#") and not line.lower().startswith("gamedef"):
                _read_line(fields, line)
        else:
            continue
        break
    objection = _check(fields, nobody_acts=nobody_acts)
    if objection is not None:
        raise GamedefError(objection, source=source)
    players, rounds = fields.numplayers[0], fields.numrounds[0]
    return GameDef(
        num_players=players,
        num_rounds=rounds,
        no_limit=fields.no_limit,
        stacks=tuple(fields.stack[:players]),
        blinds=tuple(fields.blind[:players]),
        raise_sizes=() if fields.no_limit else tuple(fields.raisesize[:rounds]),
        first_positions=tuple(first - 1 for first in fields.firstplayer[:rounds]),
        max_raises=tuple(fields.maxraises[:rounds]),
        num_suits=fields.numsuits[0],
        num_ranks=fields.numranks[0],
        num_hole_cards=fields.numholecards[0],
        num_board_cards=tuple(fields.numboardcards[:rounds]),
    )


def format_gamedef(gamedef: GameDef) -> str:
    """Formats a game definition as text that :func:`parse_gamedef` reads back."""
    lines = ["GAMEDEF", "nolimit" if gamedef.no_limit else "limit"]

    def add(keyword: str, *values: int) -> None:
        lines.append(f"{keyword} = {' '.join(str(value) for value in values)}")

    add("numPlayers", gamedef.num_players)
    add("numRounds", gamedef.num_rounds)
    if gamedef.num_players > _STACKS_WITHOUT_LINE or any(stack != UNLIMITED_STACK for stack in gamedef.stacks):
        add("stack", *gamedef.stacks)
    add("blind", *gamedef.blinds)
    if not gamedef.no_limit:
        add("raiseSize", *gamedef.raise_sizes)
    add("firstPlayer", *(position + 1 for position in gamedef.first_positions))
    if any(limit != UNLIMITED_RAISES for limit in gamedef.max_raises):
        add("maxRaises", *gamedef.max_raises)
    add("numSuits", gamedef.num_suits)
    add("numRanks", gamedef.num_ranks)
    add("numHoleCards", gamedef.num_hole_cards)
    add("numBoardCards", *gamedef.num_board_cards)
    lines.append("END GAMEDEF")
    return "\n".join(lines) + "\n"


def read_gamedef(path: str | Path) -> GameDef:
    """Returns the game of a game definition file.

    :raises GamedefError: if the file cannot be read or does not define a playable game.
    """
    return parse_gamedef(read_gamedef_text(path), source=str(path))


def read_gamedef_text(path: str | Path) -> str:
    """Returns the text of a game definition file, or of a game that is known by the name of the file alone.

    :param path: a path that :func:`find_gamedef` has returned, or any other one.
    :raises GamedefError: if there is no such file or game, or the file cannot be read.
    """
    try:
        return plain_text(read_input(path)).decode("latin-1")
    except FileNotFoundError as error:
        found = text_of_chosen_game(Path(path).name)
        if found is None:
            raise GamedefError(f"could not open game definition ({error.strerror})", source=str(path)) from error
        return found
    except OSError as error:
        raise GamedefError(f"could not open game definition ({error.strerror})", source=str(path)) from error
    except InputError as error:
        raise GamedefError(error.message, source=str(path)) from None


def load_gamedef(name_or_path: str | Path = DEFAULT_GAME, *, nobody_acts: bool = False) -> GameDef:
    """Returns a game, given the name of a shipped game or the path of a game definition file.

    :param name_or_path: the name, such as ``holdem.limit.3p``, or the path.
    :param nobody_acts: allow that all chips are in the blinds (:func:`parse_gamedef`).
    :raises GamedefError: if there is neither such a file nor such a shipped game, or the file is malformed.
    """
    path = find_gamedef(name_or_path)
    return parse_gamedef(read_gamedef_text(path), source=str(path), nobody_acts=nobody_acts)


def shipped_gamedefs() -> dict[str, Path]:
    """Returns the files of the game definitions that come with Hedgehog, by name without ``.game``."""
    return {path.name.removesuffix(".game"): path for path in sorted(_shipped_folder().glob("*.game"))}


@cache
def _shipped_folder() -> Path:
    return Path(str(resources.files("hedgehog.poker"))).resolve() / "games"


@cache
def shipped_name(gamedef: GameDef) -> str | None:
    """Returns the name of the shipped game definition that equals ``gamedef``; None if there is none."""
    return next((name for name, path in shipped_gamedefs().items() if read_gamedef(path) == gamedef), None)


def chosen_name(gamedef: GameDef) -> str | None:
    """Returns the name of heads-up no-limit hold'em with a chosen stack and blinds; None if a game is another one.

    It is also None if the blinds are all chips, so that nobody can act. :func:`find_gamedef` knows the name
    (:mod:`hedgehog.poker.acpc.chosen_game`).
    """
    if gamedef.num_players != 2 or gamedef.stacks == gamedef.blinds:
        return None
    name = name_of_stacks(gamedef.blinds[1], gamedef.blinds[0], gamedef.stacks)
    text = text_of_chosen_game(name)
    return name if text is not None and parse_gamedef(text) == gamedef else None


def find_gamedef(name_or_path: str | Path) -> Path:
    """Returns the path of a game definition file, for :func:`read_gamedef`.

    A game with a chosen stack and blinds (:mod:`hedgehog.poker.acpc.chosen_game`) has a path without a file.

    :param name_or_path: an existing path, or else the name of a shipped game, with or without ``.game``, or of one with
        a chosen stack and blinds.
    :raises GamedefError: if there is neither such a file nor such a shipped game.
    """
    path = Path(name_or_path)
    with suppress(OSError):  # the name is too long for a file, for example
        if path.is_file():
            return path
    name = str(name_or_path).removesuffix(".game")
    if text_of_chosen_game(Path(name).name) is not None:
        return _shipped_folder() / f"{Path(name).name}.game"
    shipped = shipped_gamedefs()
    found = shipped.get(name)
    if found is None:
        raise GamedefError(
            f"no such game definition file {str(name_or_path)!r}; shipped games are {', '.join(shipped)}"
        )
    return found
