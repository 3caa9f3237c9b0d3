"""Plays a seating of a match plan inside this process. It leaves the same files as a seating over TCP."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hedgehog.agent.acpc.catch_up import catch_up
from hedgehog.agent.play_record import starting
from hedgehog.arena.in_process import PlayerFaultError, ProgressCallback, Seat, play_seating
from hedgehog.arena.match import MatchPlan, PlayedSeating, player_seed
from hedgehog.dealer.clock import HAND_MS, PER_HAND_MS, RESPONSE_MS, time_limits
from hedgehog.dealer.journal import LineFile, encode
from hedgehog.dealer.resume import read_logged_hands
from hedgehog.poker.acpc.gamedef import read_gamedef
from hedgehog.poker.acpc.handlog import LogHeader, format_log_head
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import HedgehogError, InputError, MatchError, ResourceError
from hedgehog.runtime.files import real_path, write_text_file

if TYPE_CHECKING:
    from hedgehog.agent.decision_record import RecordWriter
    from hedgehog.agent.recorded_player import RecordedPlayer

_DEFAULT_LIMITS_MS: Final = {"--t_response": RESPONSE_MS, "--t_hand": HAND_MS, "--t_per_hand": PER_HAND_MS}


@dataclass(frozen=True, slots=True)
class LocalEntrant:
    """A participant of a match that plays inside this process."""

    seat: Callable[[int], Seat]
    """Returns for a seed a player that is ready for a new match, with an empty record. Called once per seating."""
    bot: str = ""
    """Name in :data:`hedgehog.arena.bot_table.BOT_KINDS` if the player is a benchmark bot; empty for other players."""
    recorder: Callable[[Path, int, bool], RecordWriter] | None = None
    """Opens the record of the player's decisions, from the path, the player's seed and whether to go on with the file.
    None: the decisions are not recorded."""


def _read_options(words: Sequence[str]) -> tuple[tuple[int, int, int], bool]:
    """Returns the times that dealer options set, in the order of the log's header, and whether seats are fixed.

    :raises InputError: if there is one that a match without a dealer process cannot follow.
    """
    limits_ms = dict(_DEFAULT_LIMITS_MS)
    fixed_seats = False
    rest = iter(words)
    for word in rest:
        option, equals, value = word.partition("=")
        if option == "-f":
            fixed_seats = True
        elif option in limits_ms or option in ("--start_timeout", "--version_timeout"):
            text = value if equals else next(rest, "")
            if option in limits_ms:
                if not re.fullmatch("[0-9]{1,15}", text):
                    raise InputError(f"expected milliseconds after the dealer option {option}, got {text!r}")
                limits_ms[option] = int(text)
        else:
            raise InputError(f"the dealer option {word!r} has no meaning in a match inside one process")
    response, hand, per_hand = limits_ms.values()
    return (response, hand, per_hand), fixed_seats


def play_plan_seating(
    plan: MatchPlan,
    index: int,
    entrants: Sequence[LocalEntrant],
    on_progress: ProgressCallback | None = None,
    *,
    go_on: bool = False,
) -> PlayedSeating:
    """Plays one seating of a match plan and returns its files, which are the same as those of a seating over TCP.

    The log grows by whole hands. The reports of the players have the same counts as over TCP. They have no decision
    times if all players are benchmark bots, because these are not timed one by one.

    :param plan: the match. The commands in it are not used.
    :param index: number of the seating in ``plan.seatings()``, from 1.
    :param entrants: one participant for each of ``plan.entrants``, in the same order.
    :param on_progress: called now and then with the number of hands played and the chips won so far per seat.
    :param go_on: go on after the last whole hand in the log of the seating.
    :raises MatchError: if the match cannot be completed; the message names the seat that is at fault.
    :raises InputError: if a dealer option of the plan has no meaning without a dealer process, or the log belongs to
        another match.
    :raises ResourceError: if a file cannot be written.
    """
    seating = plan.seatings()[index - 1]
    expected = plan.expected_log(index)
    log_path, reports, records = expected.path, plan.reports(index), plan.records(index)
    for stale in reports if go_on else (log_path, *reports, *records):
        stale.unlink(missing_ok=True)
    limits_ms, fixed_seats = _read_options(plan.dealer_options)
    head = format_log_head(LogHeader(expected.match, str(real_path(plan.game)), plan.hands, plan.seed), *limits_ms)
    logged = read_logged_hands(log_path, head) if go_on else []
    seated = [entrants[entrant] for entrant in seating]
    seeds = [player_seed(plan.seed, entrant, index, plan.first_hand) for entrant in seating]
    names = expected.names
    seats = []
    recorded: list[RecordedPlayer] = []
    for number, (entrant, seed) in enumerate(zip(seated, seeds, strict=True), 1):
        try:
            with starting():
                seat = entrant.seat(seed)
            if entrant.recorder is not None:
                from hedgehog.agent.recorded_player import (  # numpy, which bots do not need
                    RecordedPlayer,
                    verify_recordable,
                )

                verify_recordable(seat.player)
                writer = entrant.recorder(records[seating[number - 1]], seed, go_on)
                recorded.append(RecordedPlayer(seat.player, writer))
                seat = Seat(recorded[-1], seat.record)
            seats.append(seat)
        except HedgehogError as error:
            raise _fault(number, names, str(error)) from error
    bots = [entrant.bot for entrant in seated]
    gamedef = read_gamedef(plan.game)
    with ExitStack() as stack:
        for player in recorded:
            stack.callback(player.close)
        log = stack.enter_context(_append(log_path))
        if not go_on:
            log.write(encode(head))
        common: dict[str, Any] = {
            "num_hands": plan.hands, "seed": plan.seed, "log": log, "fixed_seats": fixed_seats,
            "on_progress": on_progress, "logged": logged, "first_hand": plan.first_hand,
        }  # fmt: skip
        if all(bots):
            from hedgehog.arena.bot_table import play_bots  # imports numba, which Python players may not need

            played = play_bots(gamedef, bots, bot_seeds=seeds, names=names, **common)
            for seat, decisions in zip(seats, played.decisions.sum(axis=1), strict=True):
                seat.record.hands += plan.hands
                seat.record.decisions += int(decisions)
        else:
            for seat, name in zip(seats, names, strict=True):
                catch_up(seat.player, logged, name, gamedef)
            try:
                limits = time_limits(*limits_ms, plan.hands - len(logged))
                play_seating(gamedef, seats, names, limits=limits, **common)
            except PlayerFaultError as error:
                raise _fault(1 + seats.index(error.seat), names, str(error)) from error
    for entrant_index, seat, seed in zip(seating, seats, seeds, strict=True):
        found = seat.report()
        about = json_document("play", game=plan.game.stem, seed=seed, players=[str(found["name"])])
        write_text_file(reports[entrant_index], json.dumps({**about, **found}, indent=2) + "\n")
    return PlayedSeating(log_path, reports)


def _fault(seat: int, names: Sequence[str], cause: str) -> MatchError:
    """Returns the error that names the player at fault.

    :param seat: number of its seat, from 1.
    """
    return MatchError(f"seat {seat}: player {names[seat - 1]}: {cause}")


@contextmanager
def _append(path: Path) -> Iterator[LineFile]:
    """Opens a log without a buffer, so that a killed process leaves all hands that it has written.

    :raises ResourceError: if it cannot be opened.
    """
    try:
        file = path.open("ab", buffering=0)
    except OSError as error:
        raise ResourceError(f"cannot write {path}: {error.strerror or error}") from error
    with file:
        log = LineFile(file, str(path))
        yield log
        log.sync()
