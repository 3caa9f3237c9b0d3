"""Player specifications: the ``SPEC`` arguments of ``hedgehog play`` and ``hedgehog match``.

===================  ==================================================================
``fold``             folds whenever it may, else checks
``call``             always calls or checks
``raise``            always raises the pot, or calls when no raise is left
``allin``            always raises all-in, or calls when no raise is left
``random``           folds, calls or raises at random (6 %, 47 %, 47 %)
``checkraise``       raises every bet on the flop by the pot, else checks and calls
``minbet``           always bets and raises the least it may, at most 4 times in a betting round
``offtree``          bets and raises 0.05 * 1.15^k pots with k drawn from 0 .. 55, else calls and folds
``limit``            Hedgehog's player of limit hold'em for two or three players, with the shipped limit packs
``limit:PATH``       the same with the limit packs under PATH
``potodds``          hold'em: calls where its chance to win pays for the call, raises with more than its share
``mcsim``            limit hold'em: weighs the opponents' hands by their actions and simulates the rest of the hand
``limit3p:WAY``      three-player limit hold'em from a two-player strategy, by the ways ``hbb1`` to ``hbb5``
                     (:mod:`hedgehog.agent.limit.options` has its options)
``hybrid``           ``limit3p:hbb2?mode=one_folded&base=mcsim``
``limit3``           ``limit3p:hbb2?mode=one_folded&base=cfr3``
``jamfold``          goes all-in or folds before the flop, in equilibrium; at most 15 big blinds deep
``solved``           small limit games such as Kuhn poker and Leduc hold'em: plays an equilibrium
``pack:PATH``        Hedgehog's player of heads-up no-limit hold'em with the strategy packs under PATH
``default``          Hedgehog's player of the game at the table: with the shipped packs of the nearest stack depth in
                     heads-up no-limit hold'em, as ``limit`` in limit hold'em, as ``solved`` in small games
``cmd:COMMAND``      an external ACPC client; HOST and PORT are appended to its arguments
``openspiel:NAME``   a bot of OpenSpiel (:mod:`hedgehog.agent.openspiel.player`), or what ``MODULE:FUNCTION`` returns
``py:MODULE:CLASS``  a class of the user's, derived from :class:`hedgehog.agent.player.Player`, or of ``FILE.py``
a further name       a class that another package gives (:mod:`hedgehog.agent.registered`)
===================  ==================================================================

The player reads bets that its packs lack by the mapping NAME with ``pack:PATH?translation=NAME`` or
``default?translation=NAME``: ``harmonic`` (its own choice), ``geometric`` or ``nearest``. ``?resolve=NAME`` says how
it solves turns and rivers at the table: ``unsafe`` (its own choice), ``safe`` or ``estimate``
(:mod:`hedgehog.agent.strategy.resolving`). ``?abstraction=NAME`` solves them on groups of hands
(:mod:`hedgehog.solver.abstraction`), only with ``resolve=unsafe``. ``?tremble=SHARE`` lets opponents tremble in these
solves with a probability of 0.0001, 0.001 or 0.01 (:mod:`hedgehog.solver.cfr.trembles`); without it they do so on
turns, with 0.001. ``?folds=packs`` leaves out the limit on folds of the packs
(:mod:`hedgehog.agent.strategy.fold_limit`). ``?think_ms=N`` is the time to think per decision in place of what the
command gives all players.
``&`` joins options: ``default?translation=nearest&resolve=safe``.

``limit?heads-up=PATH`` changes to the two-player pack at PATH from the first street on that two of three players start;
``limit?heads-up`` to the shipped one.

Commands in which players have names also accept ``NAME=SPEC`` (:func:`parse_entrant`).
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from hedgehog.agent.limit.options import KIND as LIMIT3P
from hedgehog.agent.limit.options import WAYS, LimitOptions, parse_limit_options
from hedgehog.agent.play_record import starting
from hedgehog.agent.player import Player
from hedgehog.agent.plugins import load_player_class, make_plugin, split_source
from hedgehog.agent.registered import ALL_BOTS, JAM_FOLD, LIMIT_BOTS, PLAYERS, SIMULATION, SOLVED
from hedgehog.agent.strategy.folds import DEFAULT_FOLDS, Folds
from hedgehog.agent.strategy.resolving import DEFAULT_RESOLVING, Resolving
from hedgehog.agent.time_manager import HandTime
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.names import verify_player_names
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import real_path
from hedgehog.strategies.translation import DEFAULT_MAPPING, TRANSLATIONS, Translation, find_mapping

SHORT_NAMES: Final = {
    "hybrid": f"{LIMIT3P}:hbb2?mode=one_folded&base={SIMULATION}",
    "limit3": f"{LIMIT3P}:hbb2?mode=one_folded&base=cfr3",
}
"""Specifications that have a short name."""
TRAINED: Final = "cfr3"
"""The base player that plays a three-player limit pack."""
_BASES: Final = (*ALL_BOTS, *LIMIT_BOTS, TRAINED)
OPENSPIEL: Final = "openspiel"
"""The player of :mod:`hedgehog.agent.openspiel.player`."""
_KINDS_WITH_ARGUMENT: Final = ("pack", "limit", "cmd", "py", OPENSPIEL, LIMIT3P)
_HEADS_UP: Final = "heads-up"
_PACK_KINDS: Final = ("pack", "default", "limit")
MAX_LENGTH: Final = 10_000
"""Largest number of characters of a specification."""
_OPTION: Final = r"(translation|resolve|abstraction|tremble|folds|think_ms)=[^&]*"
_OPTIONS: Final = re.compile(f"{_OPTION}(&{_OPTION})*")
_TREMBLES: Final = ("0.0001", "0.001", "0.01")
_LONGEST_THINK_MS: Final = 3_600_000
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_.+-]+")


def all_names() -> tuple[str, ...]:
    """Returns the specifications without an argument, ``default`` aside; players of other packages are the last."""
    return (*PLAYERS.own_names, *SHORT_NAMES, *PLAYERS.foreign_names())


@dataclass(frozen=True, slots=True)
class PlayerSpec:
    """What a player specification such as ``pack:DIR?think_ms=50`` says, taken apart."""

    text: str
    """The specification as given."""
    kind: str
    """The part before the colon: a bot's name, ``pack``, ``default``, ``limit``, ``cmd`` or ``py``."""
    argument: str
    """The part after the colon: a path, a command, a module and class; empty for the other kinds."""
    name: str = ""
    """The name given with ``NAME=SPEC``; it is not part of ``text``."""
    mapping: Translation = DEFAULT_MAPPING
    """How the packs read bets between two of their sizes."""
    resolving: Resolving = DEFAULT_RESOLVING
    """How turns and rivers are solved at the table."""
    abstraction: str = ""
    """Name of the hand abstraction on which they are solved; empty: every hand for itself."""
    tremble: float = 0.0
    """How often opponents tremble in these solves (:mod:`hedgehog.solver.cfr.trembles`); 0: the player's own choice."""
    folds: Folds = DEFAULT_FOLDS
    """Which hands fold to bets on the river from the packs alone."""
    think_ms: int | None = None
    """Milliseconds to think per decision; None: what the command gives all players."""
    carried: LimitOptions | None = None
    """How a two-player strategy comes to the three-player table; None for other players."""
    heads_up: str | None = None
    """Path of the two-player limit pack to change to; empty for the shipped one, None for no change."""

    @property
    def external(self) -> bool:
        """True for an external program (``cmd:COMMAND``)."""
        return self.kind == "cmd"

    @property
    def forgets(self) -> bool:
        """True for a player that remembers nothing from hand to hand, so that it may join a match late."""
        if self.carried is not None:
            return self.carried.mode == "always" or self.carried.base != SIMULATION
        return self.kind in ALL_BOTS or self.kind in {*_PACK_KINDS, "potodds", JAM_FOLD, SOLVED}

    @property
    def compiles(self) -> bool:
        """True for Hedgehog's no-limit player, whose kernels must be compiled at the first start on a machine."""
        return self.kind in {"pack", "default"}

    def thinking(self, think_ms: int) -> int:
        """Returns the milliseconds to think per decision, of a command that gives all players ``think_ms``."""
        return think_ms if self.think_ms is None else self.think_ms

    def solves(self, think_ms: int) -> bool:
        """Tells whether it is Hedgehog's no-limit player with time to solve, so that it does not play the same twice.

        :param think_ms: milliseconds to think per decision that the command gives all players.
        """
        return self.compiles and self.thinking(think_ms) > 0

    def for_game(self, gamedef: GameDef) -> PlayerSpec:
        """Returns the player that ``default`` is in a game; any other player is itself.

        :raises InputError: if an option of the specification is for no-limit hold'em, and the game is another one.
        """
        if self.kind != "default" or gamedef.no_limit:
            return self
        if self.label != self.kind:
            raise InputError(f"the options of {self.text!r} are for no-limit hold'em, and the game has limit betting")
        return replace(self, kind="limit" if gamedef.is_holdem else SOLVED)

    @property
    def label(self) -> str:
        """A short name without ``:`` and ``|``, which separate fields in ACPC logs."""
        mapping = "" if self.mapping == DEFAULT_MAPPING else f"_{self.mapping.name.lower()}"
        options = mapping + ("" if self.resolving == DEFAULT_RESOLVING else f"_{self.resolving}")
        options += f"_{self.abstraction}" if self.abstraction else ""
        options += f"_tremble_{self.tremble:g}" if self.tremble else ""
        options += "" if self.folds == DEFAULT_FOLDS else f"_folds_{self.folds}"
        options += "" if self.think_ms is None else f"_{self.think_ms}ms"
        options += "" if self.heads_up is None else "_heads_up"
        if self.kind in _PACK_KINDS and not self.argument:
            return self.kind + options
        if self.kind in _PACK_KINDS:
            return f"{self.kind}_" + _NOT_IN_A_NAME.sub("_", real_path(self.argument).name) + options
        if self.external:
            return "cmd_" + _NOT_IN_A_NAME.sub("_", Path(shlex.split(self.argument)[0]).name)
        if self.carried is not None:
            return self.text if self.text in SHORT_NAMES else self.carried.label
        if self.kind in ("py", OPENSPIEL):
            return f"{self.kind}_" + _NOT_IN_A_NAME.sub("_", self.argument.rpartition(":")[2])
        return self.kind


def parse_player_spec(text: str) -> PlayerSpec:
    """Parses a player specification such as ``call``, ``pack:PATH`` or ``py:MODULE:CLASS``.

    :raises InputError: if the text has none of the forms in the module's description.
    """
    whole, (text, tuning) = text, _split_options(text)
    text, heads_up = _split_heads_up(text)
    kind, colon, argument = text.partition(":")
    if len(text) > MAX_LENGTH:
        raise InputError(f"a player has at most {MAX_LENGTH} characters, got {len(text)}")
    try:
        if b"\0" in os.fsencode(argument):
            raise InputError(f"a player cannot contain a NUL character, got {text!r}")
    except UnicodeEncodeError:
        raise InputError(f"no file or command can have this name: {text!r}") from None
    if whole in SHORT_NAMES or (colon and kind == LIMIT3P):
        argument = SHORT_NAMES.get(whole, whole).partition(":")[2]
        return PlayerSpec(whole, LIMIT3P, argument, carried=parse_limit_options(argument, _BASES))
    if not colon and (kind in PLAYERS or kind == "default"):
        return replace(tuning, text=whole, kind=kind)
    if kind == "limit" and bool(colon) == bool(argument):
        return PlayerSpec(whole, kind, argument, heads_up=heads_up)
    if colon and kind == "pack" and argument:
        return replace(tuning, text=whole, kind=kind, argument=argument)
    if colon and kind == "cmd":
        try:
            words = shlex.split(argument)
        except ValueError as error:
            raise InputError(f"cannot split the command of player {text!r}: {error}") from error
        if words:
            return PlayerSpec(text, kind, argument)
    if colon and kind == "py":
        if split_source(argument) is None:
            raise InputError(f"expected py:MODULE:CLASS or py:FILE.py:CLASS, got {text!r}")
        return PlayerSpec(text, kind, argument)
    if kind == OPENSPIEL and argument:
        return PlayerSpec(text, kind, argument)
    raise InputError(f"unknown player {text!r}{_suggest_player(text)}")


def _suggest_player(text: str) -> str:
    """Returns text to append to a message about an unknown player: what is probably meant, or what there is."""
    if os.path.isdir(text):
        return f": did you mean pack:{text}?"
    if os.path.exists(text) or os.sep in text:
        if text.endswith(".py"):
            return f": did you mean py:{text}:CLASS, or cmd:{text} for a program of its own?"
        return f": did you mean cmd:{shlex.quote(text) if os.path.exists(text) else text}?"
    names = (*all_names(), *(f"{LIMIT3P}:{way}" for way in WAYS))
    forms = "default, pack:PATH, limit, limit:PATH, cmd:COMMAND, openspiel:NAME or py:MODULE:CLASS"
    known = f"expected {', '.join(names)}, {forms}"
    similar = difflib.get_close_matches(text.lower(), (*names, "default", "limit"), n=1)
    return f": did you mean {similar[0]}? ({known})" if similar else f": {known}"


def _split_options(text: str) -> tuple[str, PlayerSpec]:
    """Returns a specification without its options such as ``?translation=NAME``, and one with these options alone.

    :raises InputError: if an option has no such value or is given twice, or two do not go together.
    """
    spec, mark, options = text.rpartition("?")
    tuning = PlayerSpec("", "", "")
    if not mark or not (spec == "default" or spec.startswith("pack:")) or not _OPTIONS.fullmatch(options):
        return text, tuning
    from hedgehog.solver.postflop.spot import ABSTRACTIONS  # imports more than the other players need

    choices = {
        "translation": tuple(TRANSLATIONS),
        "resolve": tuple(str(way) for way in Resolving),
        "abstraction": tuple(ABSTRACTIONS),
        "tremble": _TREMBLES,
        "folds": tuple(str(way) for way in Folds),
    }
    pairs = [option.partition("=")[::2] for option in options.split("&")]
    for key, name in pairs:
        if [key for key, _ in pairs].count(key) > 1:
            raise InputError(f"the option {key!r} is given twice: {text!r}")
        if key == "think_ms" and not (re.fullmatch("[0-9]{1,7}", name) and int(name) <= _LONGEST_THINK_MS):
            raise InputError(f"expected think_ms from 0 to {_LONGEST_THINK_MS}, got {name!r}")
        if key != "think_ms" and name not in choices[key]:
            raise InputError(f"unknown {key} {name!r}: expected {', '.join(choices[key])}")
    given = dict(pairs)
    tuning = replace(
        tuning,
        mapping=find_mapping(given["translation"]) if "translation" in given else DEFAULT_MAPPING,
        resolving=Resolving(given.get("resolve", DEFAULT_RESOLVING)),
        abstraction=given.get("abstraction", ""),
        tremble=float(given.get("tremble", 0)),
        folds=Folds(given.get("folds", DEFAULT_FOLDS)),
        think_ms=int(given["think_ms"]) if "think_ms" in given else None,
    )
    if tuning.abstraction and tuning.tremble:
        raise InputError(f"groups of hands do not tremble: {text!r}")
    if tuning.abstraction and tuning.resolving != Resolving.UNSAFE:
        raise InputError(f"an abstraction needs resolve=unsafe: {text!r}")
    return spec, tuning


def _split_heads_up(text: str) -> tuple[str, str | None]:
    """Returns a specification without its option ``?heads-up=PATH``, and the path; None if it has no such option."""
    spec, mark, option = text.rpartition("?")
    name, _, path = option.partition("=")
    if mark and name == _HEADS_UP and (spec == "limit" or spec.startswith("limit:")):
        return spec, path
    return text, None


def parse_entrant(text: str) -> PlayerSpec:
    """Parses a player specification with an optional name, ``SPEC`` or ``NAME=SPEC``.

    A ``=`` inside a path, a command or a module does not separate a name.

    :raises InputError: if the specification or the name is malformed.
    """
    name, equals, spec = text.partition("=")
    if not equals or name.partition(":")[0] in _KINDS_WITH_ARGUMENT or name.startswith(("default?", "limit?")):
        return parse_player_spec(text)
    verify_player_names([name])
    return replace(parse_player_spec(spec), name=name)


def unique_names(specs: Sequence[PlayerSpec]) -> list[str]:
    """Returns a different name for each of several players, in order.

    The name is the one given with ``NAME=SPEC``, else the label of the specification. A number makes a repeated label
    unique: the players ``call``, ``me=call``, ``call`` get the names ``call``, ``me``, ``call_2``.

    :raises InputError: if a name given with ``NAME=SPEC`` is repeated.
    """
    given = [spec.name for spec in specs if spec.name]
    verify_player_names(given)
    taken = {name.lower() for name in given}
    counts: dict[str, int] = {}
    names: list[str] = []
    for spec in specs:
        name = spec.name or spec.label
        while not spec.name and name.lower() in taken:
            counts[spec.label] = counts.get(spec.label, 1) + 1
            name = f"{spec.label}_{counts[spec.label]}"
        taken.add(name.lower())
        names.append(name)
    return names


def verify_loadable(spec: PlayerSpec) -> None:
    """Checks that what a ``py:`` or ``openspiel:`` player or one of another package names can be imported.

    :raises InputError: if it cannot be imported, or is not a player or function.
    """
    if spec.kind == OPENSPIEL:
        from hedgehog.agent.openspiel.player import verify_spiel_source

        verify_spiel_source(spec.argument)
    if spec.kind == "py":
        load_player_class(spec.argument)
    if spec.kind in PLAYERS:
        PLAYERS.verify(spec.kind)


def make_player(
    spec: PlayerSpec | str,
    gamedef: GameDef | None = None,
    *,
    seed: int = 0,
    think_ms: int = 0,
    threads: int | None = None,
    hand_time: HandTime | None = None,
) -> Player:
    """Returns a new player of a specification; its ``warm_up`` loads and compiles what it needs.

    :param spec: the specification, parsed or as text.
    :param gamedef: the game that is to be played first; None for the default game.
    :param seed: seed of the player's random numbers.
    :param think_ms: thinking time per decision in milliseconds, for Hedgehog's player and ``py:`` players. With 0,
        Hedgehog's player plays from packs alone. The specification may have its own; benchmark bots ignore it.
    :param threads: number of threads that Hedgehog's player may use; None for its default.
    :param hand_time: limits of the thinking time of Hedgehog's player in its hands; None: no such limits.
    :raises InputError: if the specification names an external command, which is not a player object, or a class that
        cannot be imported or created, or a file with a bias that cannot be read.
    """
    spec = parse_player_spec(spec) if isinstance(spec, str) else spec
    spec = spec if gamedef is None else spec.for_game(gamedef)
    if spec.external:
        raise InputError(f"{spec.text!r} is a program of its own: start it directly, or use it in a match")
    if spec.kind in PLAYERS.own_names:
        return PLAYERS[spec.kind]()
    if spec.kind in PLAYERS or spec.kind in ("py", OPENSPIEL):
        return _make_user_player(spec, seed, think_ms)
    if spec.carried is not None:
        from hedgehog.agent.limit.players import make_limit_player  # imports numba

        base = None if spec.carried.mode == "always" else make_player(_base(spec), seed=seed)
        return make_limit_player(spec.carried, base, spec.label)
    if spec.kind == "limit":
        from hedgehog.agent.limit.player import LimitPlayer
        from hedgehog.strategies.pack import default_packs

        heads_up = None if spec.heads_up is None else Path(spec.heads_up or default_packs())
        return LimitPlayer(Path(spec.argument or default_packs()), heads_up, seed=seed)
    from hedgehog.agent.pack_player import PackPlayer  # imports numba, which the benchmark bots do not need

    paths = [Path(spec.argument)] if spec.kind == "pack" else None
    return PackPlayer(
        paths,
        game=gamedef,
        seed=seed,
        think_ms=spec.thinking(think_ms),
        threads=threads,
        hand_time=hand_time,
        mapping=spec.mapping,
        resolving=spec.resolving,
        abstraction=spec.abstraction,
        tremble=spec.tremble,
        folds=spec.folds,
    )


def _make_user_player(spec: PlayerSpec, seed: int, think_ms: int) -> Player:
    label = spec.name or spec.label
    if spec.kind != OPENSPIEL:
        made = load_player_class(spec.argument) if spec.kind == "py" else PLAYERS[spec.kind]
        return make_plugin(made, label, seed=seed, think_ms=think_ms)
    from hedgehog.agent.openspiel.player import SpielPlayer

    return SpielPlayer(spec.argument, label)


def _base(spec: PlayerSpec) -> str:
    """Returns the specification of the base player of a player that carries a two-player strategy."""
    assert spec.carried is not None
    if spec.carried.base != TRAINED:
        return spec.carried.base
    return f"limit:{spec.carried.pack}" if spec.carried.pack else "limit"


def ready_player(
    spec: PlayerSpec | str,
    gamedef: GameDef,
    *,
    seed: int = 0,
    think_ms: int = 0,
    threads: int | None = None,
    hand_time: HandTime | None = None,
) -> Player:
    """Returns a new player of a specification, loaded and compiled, at the beginning of a match.

    :param spec: the specification, parsed or as text.
    :param gamedef: the game of the match.
    :param seed: seed of the player's random numbers.
    :param think_ms: thinking time per decision in milliseconds, for Hedgehog's player and ``py:`` players. With 0,
        Hedgehog's player plays from packs alone. The specification may have its own; benchmark bots ignore it.
    :param threads: number of threads that Hedgehog's player may use; None for its default.
    :param hand_time: limits of the thinking time of Hedgehog's player in its hands; None: no such limits.
    :raises PackError: if a strategy pack of the player is missing or damaged.
    :raises InputError: if the specification names an external command or a class that cannot be imported or created,
        or if the player cannot play the game.
    :raises MatchError: if a class of the user fails; the message names its file and line.
    """
    player = make_player(spec, gamedef, seed=seed, think_ms=think_ms, threads=threads, hand_time=hand_time)
    start_player(player, gamedef, seed)
    return player


def start_player(player: Player, gamedef: GameDef, seed: int) -> None:
    """Loads and compiles what a player needs, and tells it of a match.

    :param seed: seed of the player's random numbers.
    :raises PackError: if a strategy pack of the player is missing or damaged.
    :raises InputError: if the player cannot play the game.
    :raises MatchError: if a class of the user fails; the message names its file and line.
    """
    with starting():
        player.warm_up()
        player.new_match(gamedef, seed)
