"""Entry point of the ``hedgehog`` command. Subcommands live in one module per group and are imported lazily,
so that ``hedgehog --help`` does not pay for numba."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import click
from click.shell_completion import CompletionItem

from hedgehog.cli.exit_codes import EXIT_FAULT, EXIT_INTERRUPTED, EXIT_USAGE
from hedgehog.cli.standard_streams import lasting_streams
from hedgehog.cli.termination import ended_as_by_ctrl_c
from hedgehog.cli.tools.completion import COMPLETION_VARIABLE, register_shells
from hedgehog.runtime.errors import HedgehogError, MatchError, StoppedError, one_line

# command name -> (module, attribute, one-line help shown without importing the module)
_COMMANDS: dict[str, tuple[str, str, str]] = {
    "dealer": ("hedgehog.cli.arena.dealer", "dealer", "Run the ACPC dealer (official arguments and flags)."),
    "play": ("hedgehog.cli.arena.play", "play", "Connect a player to an ACPC dealer."),
    "serve": ("hedgehog.cli.online.serve", "serve", "Let Slumbot and benchmark clients play against our player."),
    "play-here": ("hedgehog.cli.table.play_here", "play_here", "Play yourself, in the terminal, against any player."),
    "ask": ("hedgehog.cli.table.ask", "ask", "Show what our player would do with a hand, and why."),
    "drill": ("hedgehog.cli.table.drill", "drill", "Practise decisions: own faults, a solve, or random hands."),
    "match": ("hedgehog.cli.arena.match", "match", "Play a duplicate match between players."),
    "tournament": ("hedgehog.cli.arena.tournament", "tournament", "Play round robins and report their results."),
    "audit": ("hedgehog.cli.tools.audit", "audit", "Audit how often a player folds to bets of every size."),
    "solve": ("hedgehog.cli.solves.solve", "solve", "Solve one postflop spot file."),
    "query": ("hedgehog.cli.solves.query", "query", "Show strategy and EV at any line of a saved solve."),
    "convert": ("hedgehog.cli.solves.convert", "convert", "Turn other solvers' configurations into spots, and back."),
    "upi": ("hedgehog.cli.upi.upi", "upi", "Speak PioSOLVER's line protocol with scripts made for it."),
    "explore": ("hedgehog.cli.explore.explore", "explore", "Show strategies in the browser."),
    "simulate": ("hedgehog.cli.solves.simulate", "simulate", "Play hands of a solved spot at random; check its EVs."),
    "versus": ("hedgehog.cli.solves.versus", "versus", "Let two strategies for a spot play against each other."),
    "pack": ("hedgehog.cli.packs.pack", "pack", "List, show, verify and build strategy packs."),
    "lbr": ("hedgehog.cli.tools.lbr", "lbr", "Measure what local best response wins from a player."),
    "endgame": ("hedgehog.cli.tools.endgame", "endgame", "Measure what perfect play wins on turn and river."),
    "log": ("hedgehog.cli.log", "log", "Show, verify, convert and score hand histories (ACPC, PHH, LBR)."),
    "study": ("hedgehog.cli.study", "study", "Study real hands: bet sizes, menus, betting trees, players."),
    "grade": ("hedgehog.cli.log.grade", "grade", "Tell what every decision of a player cost."),
    "judge": ("hedgehog.cli.log.judge", "judge", "Tell luck from skill in the hands of a log."),
    "game": ("hedgehog.cli.games.group", "game", "Solve small games, and jam or fold."),
    "eval": ("hedgehog.cli.tools.evaluate", "evaluate", "Evaluate a hand on a board."),
    "equity": ("hedgehog.cli.tools.evaluate", "equity", "Compute the equity of two ranges."),
    "range": ("hedgehog.cli.tools.ranges", "convert_range", "Convert a range for PioSOLVER, GTO+ or GTO Wizard."),
    "status": ("hedgehog.cli.tools.status", "status", "Show how far a long task is, from another shell."),
    "completion": (
        "hedgehog.cli.tools.completion",
        "completion",
        "Print the script that completes commands in your shell.",
    ),
    "lab": ("hedgehog.cli.lab", "lab", "Measure what hand abstractions cost in the real game."),
    "bench": ("hedgehog.cli.bench.group", "bench", "Measure the speed of Hedgehog on this machine."),
}


class LazyGroup(click.Group):
    """A click group that imports a subcommand's module only when that subcommand runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, attribute, _ = _COMMANDS[cmd_name]
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        found = [CompletionItem(name, help=entry[2]) for name, entry in _COMMANDS.items()]
        found = [item for item in found if item.value.startswith(incomplete)]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry[2]) for name, entry in _COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="hedgehog-poker", prog_name="hedgehog")
def cli() -> None:
    """Hedgehog: solve heads-up poker, pack the strategies, play them over the ACPC protocol."""


def main(argv: list[str] | None = None, command: click.Command = cli, name: str | None = "hedgehog") -> Any:
    """Runs the command line and ends the process: exit code 0 done, 1 fault, 2 bad input, 130 interrupted.

    :param command: what to run; ``benchmarks/`` has commands of its own.
    :param name: name of the program in its messages; None for the name by which it was started.
    """
    if COMPLETION_VARIABLE in os.environ:
        register_shells()
    with lasting_streams() as output_failure, ended_as_by_ctrl_c():
        code = _run(argv, command, name)
        failure = output_failure()
        if failure is not None:
            code = _say(f"error: cannot write our output: {failure}", code or EXIT_USAGE)
    sys.exit(code)


def _run(argv: list[str] | None, command: click.Command, name: str | None) -> Any:
    """Runs the command line; returns the exit code after a message for what a command does not handle itself."""
    try:
        code = command.main(args=argv, prog_name=name, standalone_mode=False)
    except SystemExit as ended:
        return ended.code
    except (click.exceptions.Abort, KeyboardInterrupt, StoppedError):
        return _say("interrupted", EXIT_INTERRUPTED)
    except click.ClickException as error:
        error.show()
        return EXIT_USAGE
    except MatchError as error:
        return _say(f"error: {error}", EXIT_FAULT)
    except HedgehogError as error:
        return _say(f"error: {error}", EXIT_USAGE)
    except MemoryError:
        return _say("error: not enough memory", EXIT_USAGE)
    except OSError as error:
        words = [str(part) for part in (error.filename, error.strerror or error) if part is not None]
        return _say(one_line(f"error: {': '.join(words)}"), EXIT_USAGE)
    return code if isinstance(code, int) else 0


def _say(message: str, code: Any) -> Any:
    """Prints a message on standard error and returns the exit code."""
    click.echo(message, err=True)
    return code


if __name__ == "__main__":
    main()
