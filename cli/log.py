"""``hedgehog log``: hand-history files (ACPC logs, logs of local best response, PHH)."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

import click
from rich.console import Console

from analysis.hand_files import (
    ACPC,
    FORMATS,
    LBR,
    PHH,
    Converter,
    FileHand,
    HandFile,
    Remark,
    open_hand_file,
    verify_phh,
)
from cli.log_view import stats_tables
from cli.progress import track
from poker.errors import GamedefError, InputError, LogError
from poker.files import replacing, write_text_file
from poker.gamedef import GameDef, find_gamedef, format_gamedef, read_gamedef
from poker.handlog import DEFAULT_GAME, LogReport, find_log_gamedef, verify_log_lines
from poker.lbr_log import verify_lbr_lines

_T = TypeVar("_T")
_STDOUT: Final = Path("-")

_files = click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
_game = click.option("--game", metavar="GAMEDEF", help="Game definition, if not the one the file names.")
_from = click.option(
    "--from", "source", type=click.Choice(["auto", *FORMATS]), default="auto", show_default=True, help="Input format."
)


@click.group()
def log() -> None:
    """Work with hand histories: ACPC logs, logs of local best response (LBR), PHH.

    The format of a file is told by its content; files may be gzipped. An ACPC log without header is taken as heads-up
    no-limit hold'em (reverse blinds) unless --game says otherwise. PHH needs the optional package pokerkit.
    """


@log.command()
@_files
@_game
def verify(files: tuple[Path, ...], game: str | None) -> int:
    """Parse, replay and re-score hand histories; exit status 1 if a fault is found."""
    gamedef = _read_game(game)
    hands = faults = 0
    for path in files:
        report = _verify(open_hand_file(path, gamedef=gamedef))
        hands += report.hands
        faults += len(report.faults)
        for fault in report.faults:
            click.echo(f"{path}:{fault.line}: {fault.message}")
    click.echo(f"{hands} hands, {faults} faults")
    return 1 if faults else 0


def _verify(file: HandFile) -> LogReport:
    if file.format == LBR:
        return verify_lbr_lines(file.lines, str(file.path))
    if file.format == PHH:
        return verify_phh(file, lambda entries: _with_progress(file, entries))
    assert file.gamedef is not None
    return verify_log_lines(_with_progress(file, file.lines), file.gamedef)


@log.command()
@_files
@click.option("--to", "target", type=click.Choice([ACPC, PHH]), required=True, help="Output format.")
@_from
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=_STDOUT,
    help="File to write, or folder for several inputs (one file each); default: standard output.",
)
@click.option("--split", is_flag=True, help="PHH: one .phh file per hand, in the folder given with --out.")
@click.option("--skip", is_flag=True, help="Leave out hands the output format cannot express, and name them.")
@_game
def convert(
    files: tuple[Path, ...], target: str, source: str, out: Path, split: bool, skip: bool, game: str | None
) -> None:
    """Convert hand histories to ACPC logs or PHH.

    ACPC logs become PHH and come back without loss; header, comments and score travel as comments of the PHH file.
    PHH is always .phhs (any number of hands) unless --split asks for one .phh file per hand.
    """
    gamedef = _read_game(game)
    folder = split or len(files) > 1 or out.is_dir()
    if folder and out == _STDOUT:
        raise click.UsageError("several output files need a folder: give it with --out")
    if split and target != PHH:
        raise click.UsageError("--split is for --to phh")
    hands = skipped = 0
    for path in files:
        file = open_hand_file(path, None if source == "auto" else source, gamedef)
        job = _Conversion(file, target, skip)
        if split:
            job.write_hand_files(out)
        else:
            suffix = ".log" if target == ACPC else ".phhs"
            job.write(out / (file.stem + suffix) if folder else out)
        hands += job.hands
        skipped += job.skipped
    if out != _STDOUT or skipped:
        click.echo(f"{hands} hands converted" + (f", {skipped} left out" if skip else ""), err=True)


class _Conversion:
    """Converts one file."""

    def __init__(self, file: HandFile, target: str, skip: bool) -> None:
        self._file = file
        self._target = target
        self._skip = skip
        self.hands = 0
        self.skipped = 0

    def write(self, out: Path) -> None:
        """Writes one file, or standard output."""
        if out != _STDOUT and out.exists() and out.samefile(self._file.path):
            raise InputError("expected another output file than the input", source=str(out))
        converter = Converter(self._target)
        with _open_output(out) as stream:
            for _, text in self._texts(converter):
                stream.write(text.encode())
        self.hands = converter.hands
        if self._target == ACPC and out != _STDOUT:
            _write_game_file(converter, out)

    def write_hand_files(self, folder: Path) -> None:
        """Writes one ``.phh`` file per hand, named after the input and its running number."""
        converter = Converter(self._target, one_hand=True)
        for entry, text in self._texts(converter):
            if isinstance(entry, FileHand):
                with replacing(folder / f"{self._file.stem}-{converter.hands}.phh", make_folder=True) as stream:
                    stream.write(text.encode())
        self.hands = converter.hands

    def _texts(self, converter: Converter) -> Iterator[tuple[FileHand | Remark, str]]:
        for entry in _with_progress(self._file, self._file.entries(self._on_error if self._skip else None)):
            try:
                text = converter.convert(entry)
            except LogError as error:
                located = LogError(error.message, source=str(self._file.path), line=entry.line)
                if not self._skip:
                    raise located from error
                self._on_error(located)
            except GamedefError as error:
                raise GamedefError(error.message, source=str(self._file.path)) from error
            else:
                yield entry, text

    def _on_error(self, error: LogError) -> None:
        self.skipped += 1
        click.echo(f"left out: {error}", err=True)


def _write_game_file(converter: Converter, out: Path) -> None:
    """Puts the game definition beside an ACPC log whose game a reader of the log would not find."""
    if converter.gamedef is None:
        return
    if converter.header is None:
        if converter.gamedef == read_gamedef(find_gamedef(DEFAULT_GAME)):
            return
        name = f"{out.stem}.game"
    else:
        try:
            find_log_gamedef([f"# name/game/hands/seed m {converter.header.game} 1 1"], out)
            return
        except LogError:
            name = Path(converter.header.game).name
    write_text_file(out.with_name(name), format_gamedef(converter.gamedef))
    click.echo(f"game definition written to {out.with_name(name)}", err=True)


@contextmanager
def _open_output(out: Path) -> Iterator[BinaryIO]:
    if out == _STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    else:
        with replacing(out, make_folder=True) as stream:
            yield stream


@log.command()
@_files
@_from
@_game
@click.option("--player", metavar="NAME", help="Show only this player.")
@click.option("--pairs", is_flag=True, help="Count complete duplicate pairs only, each as one observation.")
@click.option("--first", type=click.IntRange(min=1), metavar="N", help="First N hands between the same players only.")
@click.option("--all-in-ev", is_flag=True, help="Also score all-ins by their expectation over the missing cards.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Also write the numbers to this file.")
def stats(
    files: tuple[Path, ...],
    source: str,
    game: str | None,
    player: str | None,
    pairs: bool,
    first: int | None,
    all_in_ev: bool,
    json_path: Path | None,
) -> None:
    """Show what every player has won, with 95 % confidence intervals.

    Winnings are in milli-big-blinds per hand (mbb/h). Logs of local best response are scored per agent and setting,
    and also by their imaginary-observation values. Duplicate groups (--pairs) are hands with the same cards, seed,
    number and players in all seatings, in whichever files they are.
    """
    from analysis.log_stats import LogStatistics
    from poker.allin import expected_values

    gamedef = _read_game(game)
    statistics = LogStatistics(pairs=pairs, first=first, adjust=expected_values if all_in_ev else None)
    for path in files:
        file = open_hand_file(path, None if source == "auto" else source, gamedef)
        for entry in _with_progress(file, file.hands()):
            statistics.add(file, entry)
    matches = statistics.results()
    if player is not None and not any(player == one.name for match in matches for one in match.players):
        names = sorted({one.name for match in matches for one in match.players})
        raise InputError(f"expected one of the players {', '.join(names)}, got {player!r}")
    console = Console(width=None if sys.stdout.isatty() else 120)
    for table in stats_tables(matches, player, "all-in" if all_in_ev else "imaginary"):
        console.print(table)
    if json_path is not None:
        write_text_file(json_path, json.dumps(_without_infinities([asdict(match) for match in matches])) + "\n")


def _without_infinities(value: Any) -> Any:
    """Replaces NaN and infinities, which JSON does not have, by null."""
    if isinstance(value, dict):
        return {key: _without_infinities(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_infinities(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


@log.command()
@_files
@_game
@click.option(
    "--player",
    "players",
    metavar="NAME=SPEC",
    multiple=True,
    required=True,
    help="Who the player NAME of the log was: default, pack:PATH or a bot (not random). May be given twice.",
)
@click.option("--pairs", is_flag=True, help="Count complete duplicate pairs only, each as one observation.")
@click.option("--first", type=click.IntRange(min=1), metavar="N", help="First N hands between the same players only.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Also write the numbers to this file.")
def aivat(
    files: tuple[Path, ...],
    game: str | None,
    players: tuple[str, ...],
    pairs: bool,
    first: int | None,
    json_path: Path | None,
) -> None:
    """Score heads-up hold'em logs by AIVAT: the same mean, most of the luck gone.

    The strategy of at least one player must be known, and be the one it really played: bots, and our player with the
    same packs and --think-ms 0. (With time to think our player depends on the clock.) Every hand is replayed with it.
    """
    from analysis.aivat_match import MatchAivat, strategies_of
    from analysis.log_stats import LogStatistics
    from cli.aivat_view import aivat_tables, known_specs

    gamedef = _read_game(game)
    known = known_specs(players)
    opened = [open_hand_file(path, ACPC, gamedef) for path in files]
    games = {file.gamedef for file in opened if file.gamedef is not None}
    if len(games) != 1:
        raise InputError("expected logs of one game")
    played = games.pop()
    scorer = MatchAivat(strategies_of(known, played), played)
    statistics = LogStatistics(pairs=pairs, first=first, adjust=scorer.score)
    for file in opened:
        for entry in _with_progress(file, file.hands()):
            try:
                statistics.add(file, entry)
            except LogError:
                raise
            except InputError as error:
                raise LogError(error.message, source=str(file.path), line=entry.line) from error
    matches = statistics.results()
    console = Console(width=None if sys.stdout.isatty() else 120)
    for table in aivat_tables(matches, known):
        console.print(table)
    if json_path is not None:
        write_text_file(json_path, json.dumps(_without_infinities([asdict(match) for match in matches])) + "\n")


@log.command("all-in-ev")
@click.argument("file", type=click.Path(path_type=Path))
@_from
@_game
@click.option("--out", type=click.Path(path_type=Path), default=_STDOUT, help="File to write.")
def all_in_ev(file: Path, source: str, game: str | None, out: Path) -> None:
    """Replace the values of all-in hands by their average over all boards.

    Writes the STATE lines of an ACPC log as the official tool all_in_expectation does: hands that came to a showdown
    with board cards missing when the betting was over get their expectation with six decimals, the others are copied.
    """
    from poker.allin import rewrite_all_in

    opened = open_hand_file(file, None if source == "auto" else source, _read_game(game))
    if opened.format != ACPC:
        raise InputError(f"expected an ACPC log, got {opened.format}: convert it first", source=str(file))
    assert opened.gamedef is not None
    with _open_output(out) as stream:
        try:
            for line in rewrite_all_in(_with_progress(opened, opened.lines), opened.gamedef):
                stream.write(f"{line}\n".encode())
        except LogError as error:
            raise LogError(error.message, source=str(file), line=error.line) from error


def _read_game(game: str | None) -> GameDef | None:
    return read_gamedef(find_gamedef(game)) if game else None


def _with_progress(file: HandFile, items: Iterable[_T]) -> Iterator[_T]:
    """Passes items on while showing how many there were."""
    return track(items, file.num_hands, file.path.name, "hands")
