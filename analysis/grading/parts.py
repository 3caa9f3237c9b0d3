"""Grades hands part by part, on any engine, and keeps finished parts on disk."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
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
    """Returns all hands graded, in their order.

    :param tell: called with the hands of every part as they are done, in any order; what it raises ends the work.
    :param note: called with what a user wants to know of the workers.
    :raises InputError: if the store holds parts of other hands or settings.
    """
    size = HANDS_PER_QUICK_PART if set(options.streets) <= {PREFLOP} else HANDS_PER_PART
    parts = [tuple(hands[at : at + size]) for at in range(0, len(hands), size)]
    done: dict[int, list[GradedHand]] = {}
    store = options.store
    if store is not None:
        _open_store(store, digest_of(hands, options), options, len(hands))
        for number in range(len(parts)):
            path = _part_path(store, number)
            if path.exists():
                done[number] = parse_part(path)
                tell(done[number])
    wanted = [number for number in range(len(parts)) if number not in done]
    with closing(_graded(parts, wanted, options, note)) as results:
        for number, graded in results:
            done[number] = graded
            if store is not None:
                write_text_file(_part_path(store, number), part_text(graded))
            tell(graded)
    return [hand for number in sorted(done) for hand in done[number]]


def _open_store(store: Path, digest: str, options: GradeOptions, num_hands: int) -> None:
    verify_output_folder(store, KIND, proceed=True)
    path = store / SETTINGS
    if path.exists():
        try:
            kept = json.loads(path.read_text())["digest"]
        except (OSError, ValueError, KeyError, TypeError):
            kept = None
        if kept == digest:
            return
        if not options.overwrite:
            raise InputError(
                "holds parts of other hands, settings or packs: expected another folder, or --overwrite",
                source=str(store),
            )
        remove_contents(store, FolderKind(KIND.name, (SETTINGS, PARTS)))  # the user's answers stay
    make_folder(store)
    settings = {"format": "hedgehog.graded-hands", "version": VERSION, "digest": digest, "player": options.player}
    chosen = {"spot": options.spot, "since": None if options.since is None else options.since.isoformat()}
    shown = {**settings, "depth": options.depth, "hands": num_hands, **{k: v for k, v in chosen.items() if v}}
    write_text_file(path, json.dumps(shown, indent=2) + "\n")


def read_store(store: Path) -> tuple[GradedHands, str]:
    """Returns the hands of a store as far as they are graded, and what tells it apart from others.

    :raises InputError: if it is no store, is damaged, or holds no hands yet.
    """
    path = store / SETTINGS
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
        player, depth, digest = (str(settings[name]) for name in ("player", "depth", "digest"))
        num_hands, spot, day = int(settings.get("hands", 0)), str(settings.get("spot", "")), settings.get("since")
        since = None if day is None else date.fromisoformat(day)
    except FileNotFoundError:
        raise InputError(
            f"expected a store of hedgehog grade --store, with a file {SETTINGS}", source=str(store)
        ) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError("is damaged: expected the settings of graded hands", source=str(path)) from error
    hands = tuple(hand for part in sorted(store.glob(PARTS)) for hand in parse_part(part))
    if not hands:
        raise InputError("holds no graded hands yet", source=str(store))
    left_out = (f"{num_hands - len(hands):,} hands are still to be graded",) if num_hands > len(hands) else ()
    return GradedHands(GradeOptions(player, depth, spot=spot, since=since), hands, left_out), digest


def _part_path(store: Path, number: int) -> Path:
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
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
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
