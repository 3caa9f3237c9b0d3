"""``hedgehog play-here``: a person against any player, in the terminal."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console

from hedgehog.agent.play_record import PlayRecord
from hedgehog.agent.player import ExplainsStrategy, Player, ValuesActions
from hedgehog.agent.specs import PlayerSpec, make_player, parse_entrant, parse_player_spec, start_player
from hedgehog.agent.time_manager import HandTime
from hedgehog.arena.freeze_out.game import MOST_HANDS as MOST_FREEZE_OUT_HANDS
from hedgehog.arena.freeze_out.game import PlayedHand, play_game
from hedgehog.arena.freeze_out.logs import log_line
from hedgehog.arena.freeze_out.players import (
    make_freeze_out_player,
    verify_freeze_out_players,
)
from hedgehog.arena.freeze_out.rules import FreezeOutRules, parse_levels
from hedgehog.arena.in_process import Seat, play_seating
from hedgehog.arena.launch import read_match_game
from hedgehog.arena.match import player_seed
from hedgehog.arena.table_process import verify_in_process
from hedgehog.cli.console import output_console
from hedgehog.cli.first_launch import prepare_first_launch
from hedgehog.cli.given import refuse_options
from hedgehog.cli.outputs import claim_outputs
from hedgehog.cli.player_options import (
    game_option,
    levels_option,
    player_threads_option,
    think_hand_option,
    think_option,
)
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.table.table_keys import KEYS_HELP
from hedgehog.cli.termination import ending_signals, handling, unmoved_by_signals
from hedgehog.cli.tools.completion import complete_entrants
from hedgehog.dealer.journal import encode
from hedgehog.poker.acpc.chosen_game import MOST_CHIPS
from hedgehog.poker.acpc.gamedef import GameDef, find_gamedef, load_gamedef
from hedgehog.poker.acpc.handlog import LoggedHand, LogHeader
from hedgehog.poker.acpc.matchstate import MatchState, parse_betting
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.runtime.errors import HedgehogError, InputError, ResourceError
from hedgehog.runtime.files import real_path
from hedgehog.runtime.outputs import STDOUT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hedgehog.arena.seatings.session_log import SessionLog
    from hedgehog.cli.table.human_player import Adviser, Grader
    from hedgehog.cli.table.table_screen import TableScreen

MOST_HANDS: Final = 1_000_000
"""Number of hands of a match without ``--hands``, more than anybody plays."""
_NAME: Final = "you"


@click.command("play-here")
@click.option(
    "--against",
    "spec_text",
    metavar="SPEC",
    default="default",
    show_default=True,
    help="The opponent: any player that is not a program of its own, also NAME=SPEC; see match --help.",
    shell_complete=complete_entrants,
)
@click.option("--hands", type=click.IntRange(1, MOST_HANDS), help="Hands to play.  [default: until you quit]")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), help="Seed of the cards.  [default: random]")
@game_option
@click.option("--freezeout", is_flag=True, help="Play one freeze-out: stacks go on, and the winner takes all chips.")
@levels_option
@think_option
@think_hand_option
@player_threads_option
@click.option("--hints", is_flag=True, help="Show at every decision what our player would do, and why.")
@click.option("--grades", is_flag=True, help="Tell after every hand what each of your decisions cost.")
@click.option(
    "--log",
    "log_file",
    type=click.Path(path_type=Path),
    help="Write an ACPC log of all finished hands to this new file.  [default: runs/play-here-<date and time>.log]",
)
def play_here(
    spec_text: str,
    hands: int | None,
    seed: int | None,
    game: str,
    freezeout: bool,
    levels: str | None,
    think_ms: int,
    think_hand_ms: int,
    threads: int | None,
    hints: bool,
    grades: bool,
    log_file: Path | None,
) -> None:
    """Play against our player or a bot, in this terminal.

    Every hand starts with full stacks, and the button changes from hand to hand. With --freezeout the stacks go on
    from hand to hand until one player has all chips, and --levels raises the blinds. All sizes on the screen are
    totals on the street; the log has totals over the hand, as ACPC logs do. The opponent's cards are shown at a
    showdown only (the log has them all).

    Keys: f fold, c call or check, r 300 bet or raise to 300, h half the pot, p the pot, a all-in, ? what our player
    would do and why, l the last hands, q quit. Only finished hands are in the log.

    What is typed before a question is on the screen is discarded, so that no key acts on cards not yet seen. Lines from
    a pipe or a file are all read, one for each question.
    """
    _verify_options(freezeout=freezeout)
    spec = parse_entrant(spec_text)
    verify_in_process(spec)
    game_file = find_gamedef(game)
    gamedef = read_match_game(game_file)
    if gamedef.num_players != 2:
        raise InputError(f"expected a game for two players, got {gamedef.num_players}", source=str(game_file))
    rules = _freeze_out_rules(gamedef, levels, str(game_file)) if freezeout else None
    if rules is not None:
        verify_freeze_out_players([spec], rules)
    if log_file == STDOUT:
        raise InputError("--log needs a file: standard output is for the table")
    claim_outputs(log_file, inputs=[game_file], hold=False)
    log_path = log_file or _new_log_path()
    claim_outputs(log_path, hold=False)
    seed = int.from_bytes(os.urandom(4), "little") if seed is None else seed

    compiles = hints or grades or spec.for_game(gamedef).compiles
    if compiles:
        prepare_first_launch()
    _prepare_scoring(gamedef, announced=compiles)
    opponent_seed = player_seed(seed, 1, 1)
    hand_time = HandTime(average_ms=think_hand_ms)
    opponent = _make_opponent(spec, gamedef, rules, opponent_seed, think_ms, threads, hand_time)
    start_player(opponent, gamedef, opponent_seed)
    adviser = _adviser(opponent, gamedef, think_ms, threads)
    if hints:
        adviser(gamedef)
    name = spec.name or spec.label
    names = [_NAME, name if name.lower() != _NAME.lower() else f"{_NAME}_2"]

    from hedgehog.arena.seatings.session_log import SessionLog
    from hedgehog.cli.table.freeze_out_screen import FreezeOutScreen
    from hedgehog.cli.table.human_player import (  # imports numba, which can wait until the input is checked
        HumanPlayer,
        LeftTable,
    )
    from hedgehog.cli.table.table_screen import TableScreen

    console = output_console()
    screen = TableScreen(console, names[1]) if rules is None else FreezeOutScreen(console, names[1], rules)
    human = HumanPlayer(
        screen, _line_reader(console), adviser, hints=hints, grader=_grader(names, opponent) if grades else None
    )
    most = hands or (MOST_HANDS if rules is None else MOST_FREEZE_OUT_HANDS)
    game_name = str(real_path(game_file)) if rules is None else rules.game_name(0, rules.stacks)
    log = SessionLog(log_path, LogHeader("play-here", game_name, most, seed))
    console.print(f"You against {names[1]}, {_what_is_played(gamedef, rules)}, seed {seed}.", markup=False)
    console.print(f"Keys: {KEYS_HELP}")
    received: list[int] = []
    try:
        with _leaving_on_signals(received):
            _play(gamedef, rules, [Seat(human, PlayRecord()), Seat(opponent, PlayRecord())], names, most, seed, log)
    except LeftTable as left:
        if isinstance(left.cause, OSError):
            raise ResourceError(f"the terminal cannot be used any more: {left.cause.strerror}") from left.cause
        if left.cause is not None:
            raise left.cause from None
        if received:
            sys.exit(128 + received[0])
    finally:
        with unmoved_by_signals():
            log.finish(names)
        with contextlib.suppress(OSError):  # the terminal may have gone
            _print_end(screen, log, gamedef, names)


def _freeze_out_rules(gamedef: GameDef, levels: str | None, source: str) -> FreezeOutRules:
    """Returns the rules of a freeze-out with the stacks of a game.

    :param levels: blind levels as on the command line; None for the blinds of the game.
    :param source: the game definition, for the message.
    :raises InputError: if the levels are malformed, or the game is no heads-up no-limit hold'em.
    """
    earlier, last = ((), (min(gamedef.blinds), gamedef.big_blind)) if levels is None else parse_levels(levels)
    stacks = (gamedef.stacks[0], gamedef.stacks[1])
    if last[0] > 0 and max(stacks) <= MOST_CHIPS:
        rules = FreezeOutRules(stacks, last, earlier)
        if rules.game(0, stacks) == gamedef:
            return rules
    raise InputError("a freeze-out is heads-up no-limit hold'em with two blinds, expected such a game", source=source)


def _verify_options(*, freezeout: bool) -> None:
    """Checks which options are given together.

    :raises click.UsageError: if one would do nothing.
    """
    if freezeout:
        refuse_options("does not go with --freezeout, which ends when one player has all chips", "hands")
    else:
        refuse_options("goes with --freezeout", "levels")


def _what_is_played(gamedef: GameDef, rules: FreezeOutRules | None) -> str:
    if rules is None:
        return f"blinds {'/'.join(map(str, sorted(gamedef.blinds)))}"
    return f"a freeze-out, {'levels' if rules.earlier else 'blinds'} {rules.levels_text}"


def _make_opponent(
    spec: PlayerSpec,
    gamedef: GameDef,
    rules: FreezeOutRules | None,
    seed: int,
    think_ms: int,
    threads: int | None,
    hand_time: HandTime,
) -> Player:
    """Returns the opponent, which is not loaded yet."""
    if rules is None:
        player = make_player(spec, gamedef, seed=seed, think_ms=think_ms, threads=threads, hand_time=hand_time)
        if isinstance(player, ValuesActions):
            player.keep_values()
        return player
    from hedgehog.analysis.games.freeze_outs import freeze_out_tables  # imports numba

    with terminal_watch() as watch:
        tables = freeze_out_tables([spec], rules, watch)
    return make_freeze_out_player(
        spec, rules, tables, seed=seed, think_ms=think_ms, threads=threads, hand_time=hand_time
    )


def _play(
    gamedef: GameDef,
    rules: FreezeOutRules | None,
    seats: Sequence[Seat],
    names: Sequence[str],
    most_hands: int,
    seed: int,
    log: SessionLog,
) -> None:
    """Plays a match, or a freeze-out in which the person has the first big blind, and writes its log."""
    if rules is None:
        play_seating(gamedef, seats, names, num_hands=most_hands, seed=seed, log=log)
        return

    def on_hand(hand: PlayedHand) -> None:
        log.change_game(rules.game_name(hand.number, hand.state.gamedef.stacks))
        log.write(encode(log_line(hand, names) + "\n"))

    play_game(rules, seats, button=1, cards=seed, seeds=(0, player_seed(seed, 1, 1)), on_hand=on_hand)


@contextmanager
def _leaving_on_signals(received: list[int]) -> Iterator[None]:
    """Makes SIGTERM and SIGHUP, which a closed terminal sends, end the match as leaving the table does.

    :param received: list to which the number of the signal is added.
    """
    from hedgehog.cli.table.human_player import LeftTable

    def leave(number: int) -> None:
        received.append(number)
        raise LeftTable

    with handling(ending_signals(), leave):
        yield


def _print_end(screen: TableScreen, log: SessionLog, gamedef: GameDef, names: list[str]) -> None:
    """Prints the result of the match and where its log is."""
    if not log.num_hands:
        screen.console.print("\nNo hand was finished, so there is no log.")
        return
    screen.console.print(f"\nYou against {names[1]}: {screen.result_text(gamedef)}.")
    screen.console.print(f"Log: {log.path}", soft_wrap=True)


def _new_log_path() -> Path:
    """Returns the path of a log that does not exist yet."""
    start = f"play-here-{time.strftime('%Y%m%d-%H%M%S')}"
    path, number = Path("runs") / f"{start}.log", 1
    while path.exists():
        number += 1
        path = Path("runs") / f"{start}-{number}.log"
    return path


def _prepare_scoring(gamedef: GameDef, *, announced: bool) -> None:
    """Compiles the kernels that score showdowns and all-ins if they are not compiled yet, so that no showdown waits.

    :param announced: a message has already said that the start takes its time.
    """
    from hedgehog.runtime.jit import cache_is_cold

    if gamedef != load_gamedef() or not cache_is_cold():
        return
    if not announced:
        click.echo("first launch on this machine: compiling the hand evaluator takes some seconds", err=True)
    from hedgehog.poker.evaluation.allin import expected_payoffs
    from hedgehog.poker.evaluation.evaluator import rank_hand

    board = (8, 13, 22, 31, 40)
    rank_hand([0, 5, *board])
    for betting in ("r20000c///", "cc/r20000c//"):
        expected_payoffs(parse_betting(betting, gamedef), ((0, 5), (10, 15)), board)


def _adviser(opponent: Player, gamedef: GameDef, think_ms: int, threads: int | None) -> Adviser:
    """Returns a function that returns who gives hints: the opponent if it explains itself, otherwise our player."""

    current = gamedef

    @cache
    def load() -> ExplainsStrategy | HedgehogError:
        prepare_first_launch()
        ours = make_player(parse_player_spec("default"), gamedef, seed=0, think_ms=think_ms, threads=threads)
        if not isinstance(ours, ExplainsStrategy):
            return InputError("our player explains its strategy in heads-up no-limit hold'em alone")
        if isinstance(ours, ValuesActions):
            ours.keep_values()
        try:
            start_player(ours, gamedef, 0)
        except HedgehogError as error:
            return error
        return ours

    def adviser(played: GameDef) -> ExplainsStrategy:
        nonlocal current
        if isinstance(opponent, ExplainsStrategy):
            return opponent
        found = load()
        if isinstance(found, HedgehogError):
            raise found
        if played != current and isinstance(found, Player):
            found.new_match(played, 0)
            current = played
        return found

    return adviser


def _grader(names: Sequence[str], opponent: Player) -> Grader:
    """Returns a function that tells what the decisions of a finished hand cost, against our player.

    If it is the opponent, its ranges are those of its solves at the table.
    """
    from hedgehog.agent.pack_player import PackPlayer
    from hedgehog.analysis.drills.played_hand import PlayedHandGrader, grade_lines

    grader = PlayedHandGrader(player=opponent if isinstance(opponent, PackPlayer) else None)

    def grade(matchstate: MatchState) -> Iterator[str]:
        position, hand_id, hole_cards, board, state = matchstate
        values = tuple(f"{value:g}" for value in payoffs(state, hole_cards, board))
        seats = (names[0], names[1]) if position == 0 else (names[1], names[0])
        hand = LoggedHand(hand_id, state, hole_cards, board, values, "|".join(seats))
        return grade_lines(grader.grade(hand, position))

    return grade


def _line_reader(console: Console) -> Callable[[str], str]:
    """Returns a function that prompts for a line on standard input; bytes that are no text become U+FFFD.

    In a terminal, what was typed before the prompt is discarded: it was meant for another question. Lines of a pipe or
    a file are all read.
    """
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    typed = sys.stdin.isatty()

    def read_line(prompt: str) -> str:
        console.file.flush()
        if typed:
            with contextlib.suppress(termios.error):  # a terminal that is gone is noticed when it is read
                termios.tcflush(sys.stdin, termios.TCIFLUSH)
        line = input(prompt)
        if not typed:
            console.print(line, markup=False)  # a terminal shows what is typed; a transcript should, too
        return line

    return read_line
