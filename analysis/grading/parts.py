"""Grades hands part by part, on any engine, and keeps finished parts on disk."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from hedgehog.agent.pack_player import PackPlayer
from hedgehog.analysis.grading.decision import Decision
from hedgehog.analysis.grading.graded import GradedHands
from hedgehog.analysis.grading.hand import GradedHand, HandGrader, HandToGrade
from hedgehog.analysis.grading.options import PASSES, GradeOptions
from hedgehog.analysis.grading.store_files import ANSWERS, PARTS, SETTINGS
from hedgehog.analysis.grading.terms import Terms
from hedgehog.analysis.parts import Part
from hedgehog.analysis.parts import parse_part as parse_share
from hedgehog.poker.streets import FLOP, PREFLOP
from hedgehog.runtime.documents import finite
from hedgehog.runtime.engines.jobs import STATUS_FILE
from hedgehog.runtime.engines.opening import open_engine
from hedgehog.runtime.engines.pieces import Piece, Pieces, do_pieces
from hedgehog.runtime.engines.status import status_file
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import write_text_file
from hedgehog.runtime.outputs import FolderKind, make_folder, remove_contents, verify_output_folder
from hedgehog.strategies.manifest import read_manifest
from hedgehog.strategies.pack import default_packs, find_packs

HANDS_PER_PART: Final = 10
"""So many hands are lost at most if a process is killed, in every process."""
HANDS_PER_QUICK_PART: Final = 1000
"""The same where nothing is solved, so that a hand takes a millisecond."""
VERSION: Final = 5
"""Grows when the same hands would be graded otherwise."""
_DAMAGE: Final = (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
"""What reading damaged files raises."""
_LATER: Final = ("spot", "borrow_ranges", "worst_flops", "hand_s")
"""Options that are in a digest only if they are used, so that it is that of older stores if not."""
KIND: Final = FolderKind("graded hands", (SETTINGS, PARTS, ANSWERS, f"{ANSWERS}.lock", STATUS_FILE))


@lru_cache(maxsize=1)
def open_our_player(packs: Path | None, think_ms: int = 0) -> PackPlayer:
    """Returns our player, ready to be asked; the same one for the same packs and thinking time.

    :param think_ms: milliseconds per decision; 0: it plays from the packs alone.
    :raises PackError: if there is no blueprint, or a pack is damaged.
    """
    player = PackPlayer(None if packs is None else [packs], think_ms=think_ms)
    player.warm_up()
    return player


def grader_of(options: GradeOptions, player: PackPlayer | None = None) -> HandGrader:
    """Returns what grades hands with the given options.

    :param player: the player against whom is graded, warmed up; None: the one of the options.
    """
    found = dict(PASSES[options.depth])
    if options.worst_flops is not None:
        found[FLOP] = PASSES["full"][FLOP]
    passes = {street: ways for street, ways in found.items() if street in options.streets}
    player = player or open_our_player(options.packs, options.think_ms)
    return HandGrader(
        player,
        passes,
        preflop=PREFLOP in options.streets,
        rake=options.rake,
        spot=options.spot,
        hand_s=options.hand_s,
    )


def packs_digest(packs: Path | None) -> str:
    """Returns what tells apart packs, by the checksums in their manifests.

    :param packs: packs, or a folder of packs; None: the shipped ones.
    """
    folders = find_packs(default_packs() if packs is None else packs)
    return "".join(f"{folder.name}:{read_manifest(folder).arrays}" for folder in sorted(folders))


def digest_of(hands: Sequence[HandToGrade], options: GradeOptions) -> str:
    """Returns what tells apart stores whose parts do not go together."""
    found = hashlib.sha256()
    ways = repr(PASSES[options.depth])
    settings = (
        options.player,
        options.depth,
        options.streets,
        packs_digest(options.packs),
        options.think_ms,
        options.rake,
        ways,
    )
    later = {name: getattr(options, name) for name in _LATER if getattr(options, name)}
    found.update(repr((VERSION, *settings, *later.items())).encode())
    for given in hands:
        hand = given.hand
        values = (given.source, given.line, hand.state.betting_string(), hand.hole_cards, hand.board, hand.values)
        found.update(repr((*values, given.date) if given.date else values).encode("utf-8", "surrogatepass"))
    return found.hexdigest()


def grade_parts(
    hands: Sequence[HandToGrade],
    options: GradeOptions,
    tell: Callable[[list[GradedHand]], None],
    note: Callable[[str], None] = lambda _: None,
) -> list[GradedHand]:
    """Returns all hands of the part that the options name, graded, in their order.

    :param hands: the hands of all parts.
    :param tell: called with the hands of every part as they are done, in any order; what it raises ends the work.
    :param note: called with what a user wants to know of the workers.
    :raises InputError: if the store holds parts of other hands or settings.
    """
    size = HANDS_PER_QUICK_PART if set(options.streets) <= {PREFLOP} else HANDS_PER_PART
    mine = hands if options.part is None else options.part.pick(hands)
    parts = [tuple(mine[at : at + size]) for at in range(0, len(mine), size)]
    done: dict[int, list[GradedHand]] = {}
    store = options.store
    if store is not None:
        settings = _settings_of(hands, options, len(mine), size)
        open_store(store, settings, overwrite=options.overwrite)
        for number in range(len(parts)):
            path = part_path(store, number)
            if path.exists():
                done[number] = parse_part(path)
                tell(done[number])
    wanted = [number for number in range(len(parts)) if number not in done]
    with closing(_graded(parts, wanted, options, note)) as results:
        for number, graded in results:
            done[number] = graded
            if store is not None:
                write_text_file(part_path(store, number), part_text(graded))
            tell(graded)
    return [hand for number in sorted(done) for hand in done[number]]


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """What a store says of itself."""

    digest: str
    """What tells apart stores whose hands do not go together; the parts of one grading have the same."""
    player: str
    depth: str
    hands: int
    """Number of hands that it holds when it is finished."""
    spot: str = ""
    since: date | None = None
    part: Part | None = None
    """The part of the hands that it holds; None: all hands."""
    of: int = 0
    """Number of hands in all parts; 0 if it holds all hands."""
    size: int = 0
    """Most hands in a file of the store that holds all hands; 0 if it is this one."""
    version: int = VERSION
    """The :data:`VERSION` that graded."""

    def text(self) -> str:
        """Returns the content of the file that says it."""
        settings = {name: getattr(self, name) for name in ("version", "digest", "player", "depth", "hands")}
        chosen = {"spot": self.spot, "since": None if self.since is None else self.since.isoformat()}
        shown = {"format": "hedgehog.graded-hands", **settings, **{k: v for k, v in chosen.items() if v}}
        if self.part is not None:
            shown["part"] = {"part": str(self.part), "of": self.of, "size": self.size}
        return json.dumps(shown, indent=2) + "\n"


def _settings_of(hands: Sequence[HandToGrade], options: GradeOptions, num_mine: int, size: int) -> StoreSettings:
    settings = StoreSettings(
        digest_of(hands, options), options.player, options.depth, num_mine, options.spot, options.since
    )
    if options.part is None:
        return settings
    return dataclasses.replace(settings, part=options.part, of=len(hands), size=size)


def open_store(store: Path, settings: StoreSettings, *, overwrite: bool) -> None:
    """Makes a store, unless it is there already.

    :param overwrite: a store of other hands, settings or parts is emptied.
    :raises InputError: if there is one that may not be emptied, or the folder holds other files.
    """
    verify_output_folder(store, KIND, proceed=True)
    path = store / SETTINGS
    if path.exists():
        try:
            kept = read_settings(store)
        except InputError:
            kept = None
        if kept is not None and (kept.digest, kept.part) == (settings.digest, settings.part):
            return
        if not overwrite:
            held = "parts of other hands, settings or packs"
            if kept is not None and kept.digest == settings.digest:
                held = "all of these hands" if kept.part is None else f"part {kept.part} of these hands alone"
            raise InputError(f"holds {held}: expected another folder, or --overwrite", source=str(store))
        remove_contents(store, FolderKind(KIND.name, (SETTINGS, PARTS)))  # the user's answers stay
    make_folder(store)
    write_text_file(path, settings.text())


def part_line(part: Part, hands: int, total: int) -> str:
    """Returns the line that says that other parts are missing.

    :param hands: number of hands in this part.
    """
    return f"part {part}: {hands:,} of {total:,} hands"


def read_settings(store: Path) -> StoreSettings:
    """Returns what a store says of itself.

    :raises InputError: if it is no store, or is damaged.
    """
    path = store / SETTINGS
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
        digest, player, depth = (str(settings[name]) for name in ("digest", "player", "depth"))
        hands, spot, day = int(settings.get("hands", 0)), str(settings.get("spot", "")), settings.get("since")
        since, version = None if day is None else date.fromisoformat(day), int(settings.get("version", VERSION))
        found = StoreSettings(digest, player, depth, hands, spot, since, version=version)
        if "part" not in settings:
            return found
        said = settings["part"]
        part, of, size = parse_share(str(said["part"])), int(said["of"]), int(said["size"])
        if of < 0 or size < 1 or hands != len(part.of(of)):
            raise ValueError
        return dataclasses.replace(found, part=part, of=of, size=size)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(
            f"expected a store of hedgehog grade --store, with a file {SETTINGS}", source=str(store)
        ) from None
    except (*_DAMAGE, InputError) as error:
        raise InputError("is damaged: expected the settings of graded hands", source=str(path)) from error


def stored_hands(store: Path) -> tuple[GradedHand, ...]:
    """Returns the hands of a store as far as they are graded.

    :raises InputError: if one of its files is damaged.
    """
    return tuple(hand for part in sorted(store.glob(PARTS)) for hand in parse_part(part))


def read_store(store: Path) -> tuple[GradedHands, str]:
    """Returns the hands of a store as far as they are graded, and what tells it apart from others.

    :raises InputError: if it is no store, is damaged, or holds no hands yet.
    """
    settings = read_settings(store)
    hands = stored_hands(store)
    if not hands:
        raise InputError("holds no graded hands yet", source=str(store))
    left_out = [] if settings.part is None else [part_line(settings.part, settings.hands, settings.of)]
    if settings.hands > len(hands):
        left_out.append(f"{settings.hands - len(hands):,} hands are still to be graded")
    options = GradeOptions(settings.player, settings.depth, spot=settings.spot, since=settings.since)
    return GradedHands(options, hands, tuple(left_out)), settings.digest


def part_path(store: Path, number: int) -> Path:
    """Returns the file of a store that holds a number of its hands, the first ones in number 0."""
    return store / f"part-{number:06}.json"


def part_text(hands: Sequence[GradedHand]) -> str:
    """Returns graded hands as text, one per line."""
    return "".join(json.dumps(finite(_document(hand)), separators=(",", ":")) + "\n" for hand in hands)


def _document(hand: GradedHand) -> dict[str, Any]:
    shown = {f.name: getattr(hand, f.name) for f in dataclasses.fields(hand)}
    return {**shown, "terms": asdict(hand.terms), "decisions": [decision.document() for decision in hand.decisions]}


def parse_part(path: Path) -> list[GradedHand]:
    """Returns the hands of a finished part.

    :raises InputError: if it is damaged.
    """
    try:
        return [_hand(json.loads(line)) for line in path.read_text().splitlines()]
    except _DAMAGE as error:
        raise InputError("is damaged: delete it, and it is graded again", source=str(path)) from error


def _hand(document: dict[str, Any]) -> GradedHand:
    decisions = [
        Decision(**{**one, "actions": {name: tuple(pair) for name, pair in one["actions"].items()}})
        for one in document["decisions"]
    ]
    return GradedHand(**{**document, "terms": Terms(**document["terms"]), "decisions": decisions})


def _graded(
    parts: Sequence[tuple[HandToGrade, ...]],
    wanted: Sequence[int],
    options: GradeOptions,
    note: Callable[[str], None],
) -> Generator[tuple[int, list[GradedHand]], None, None]:
    if not wanted:
        return
    pieces = tuple(Piece(number, f"part {number}", cost=float(len(parts[number]))) for number in wanted)
    arguments = options, {number: parts[number] for number in wanted}
    work = Pieces(pieces, _open_parts, _files_digest, arguments, "part")
    status = None if options.store is None else status_file(options.store)
    with open_engine(options.jobs, options.dask, in_process=True) as engine:
        yield from do_pieces(work, engine, note, status=status, before=len(parts) - len(wanted))


def _open_parts(
    options: GradeOptions, parts: Mapping[int, tuple[HandToGrade, ...]]
) -> Callable[[int], tuple[int, list[GradedHand]]]:
    grader = grader_of(options)
    return lambda number: (number, _grade_part(grader, parts[number], options.player))


def _files_digest(options: GradeOptions, _: object) -> str:
    return packs_digest(options.packs)


def _grade_part(grader: HandGrader, part: Sequence[HandToGrade], player: str) -> list[GradedHand]:
    found = []
    for given in part:
        names = given.hand.names.split("|")
        found.append(grader.grade(given, player, names[1 - given.position]))
    return found
