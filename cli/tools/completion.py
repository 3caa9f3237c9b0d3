"""``hedgehog completion``, and the completions of players and games that a shell offers when TAB is pressed."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    ZshComplete,
    add_completion_class,
    get_completion_class,
    split_arg_string,
)

COMPLETION_VARIABLE: Final = "_HEDGEHOG_COMPLETE"
"""Environment variable that our scripts set when a shell asks for completions; click makes its name."""
_PREFIXES: Final = ("pack:", "cmd:", "py:", "openspiel:")
_SHELLS: Final = ("bash", "zsh", "fish")
_BASH: Final = """\
%(complete_func)s() {
    local IFS=$'\\n' item type value
    COMPREPLY=()
    for item in $(env COMP_LINE="${COMP_LINE:0:$COMP_POINT}" COMP_WORDBREAKS="$COMP_WORDBREAKS" \\
            %(complete_var)s=bash_complete "$1"); do
        IFS=',' read -r type value <<< "$item"
        if [[ $type == dir ]]; then
            compopt -o dirnames
        elif [[ $type == file ]]; then
            compopt -o default
        elif [[ $type == plain ]]; then
            COMPREPLY+=("$value")
            [[ $value == *[:/=] ]] && compopt -o nospace
        fi
    done
    return 0
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""
_ZSH: Final = """\
#compdef %(prog_name)s
%(complete_func)s() {
    local -a response plain unfinished described
    local type key descr
    response=("${(@f)$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT-1)) \
        %(complete_var)s=zsh_complete ${words[1]})}")
    for type key descr in ${response}; do
        if [[ "$type" == plain ]]; then
            if [[ "$descr" != _ ]]; then
                described+=("$key":"$descr")
            elif [[ "$key" == *[:=/] ]]; then
                unfinished+=("$key")
            else
                plain+=("$key")
            fi
        elif [[ "$type" == dir ]]; then
            _path_files -/
        elif [[ "$type" == file ]]; then
            _path_files -f
        fi
    done
    (( $#described )) && _describe -V unsorted described -U
    (( $#plain )) && compadd -U -V unsorted -a plain
    (( $#unfinished )) && compadd -U -V unsorted -S '' -a unfinished
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""


class _Bash(BashComplete):
    """click's completion for bash, where ``:`` and ``=`` end a word: what stands before them must not be repeated."""

    source_template = _BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ.get("COMP_LINE", "")
        words = split_arg_string(line)
        at_new_word = not line or line[-1].isspace()
        incomplete = "" if at_new_word else words.pop()
        quoted = not at_new_word and re.search(r"(?:^|\s)[\"'][^\s]*$", line) is not None
        breaks = "" if quoted else "".join(set(":=") & set(os.environ.get("COMP_WORDBREAKS", ":=")))
        cut = [incomplete.rfind(character) for character in breaks]
        self._done = incomplete[: max(cut, default=-1) + 1]
        return words[1:], incomplete

    def format_completion(self, item: CompletionItem) -> str:
        return f"{item.type},{str(item.value).removeprefix(self._done)}"


class _Zsh(ZshComplete):
    """click's completion for zsh, without a blank after a completion that is only the beginning of a word."""

    source_template = _ZSH


def register_shells() -> None:
    """Gives click the scripts of this module in place of its own."""
    add_completion_class(_Bash)
    add_completion_class(_Zsh)


@click.command()
@click.argument("shell", type=click.Choice(_SHELLS))
def completion(shell: str) -> None:
    """Print the script that completes commands, options, players, games and files in a shell.

    \b
    bash   eval "$(hedgehog completion bash)"           in ~/.bashrc
    zsh    eval "$(hedgehog completion zsh)"            in ~/.zshrc, after compinit
    fish   hedgehog completion fish | source            in ~/.config/fish/config.fish

    The command hedgehog must be on the PATH, as it is after: source .venv/bin/activate
    """
    register_shells()
    made = get_completion_class(shell)
    assert made is not None
    root = click.get_current_context().find_root().command
    click.echo(made(root, {}, "hedgehog", COMPLETION_VARIABLE).source(), nl=False)


def complete_games(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Returns completions: the shipped games whose names start as typed, or files if there are none."""
    from hedgehog.poker.acpc.gamedef import shipped_gamedefs  # most commands load this module without the game files

    found = [CompletionItem(name) for name in shipped_gamedefs() if name.startswith(incomplete)]
    return found or [CompletionItem(incomplete, type="file")]


def complete_players(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Returns completions: player specifications that start as typed, with folders, files and classes in them."""
    return [CompletionItem(text) for text in _players(incomplete)]


def complete_entrants(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Returns completions of ``SPEC`` and ``NAME=SPEC``; the name stays as typed."""
    name, equals, spec = incomplete.partition("=")
    if not equals or name.startswith(_PREFIXES):
        return complete_players(context, parameter, incomplete)
    return [CompletionItem(f"{name}={text}") for text in _players(spec)]


def _players(incomplete: str) -> Iterator[str]:
    from hedgehog.agent.specs import all_names

    for text in ("default", *all_names(), *_PREFIXES):
        if text.startswith(incomplete):
            yield text
    kind, colon, rest = incomplete.partition(":")
    if colon and kind in {"pack", "cmd"}:
        yield from (f"{kind}:{path}" for path in _paths(rest, "" if kind == "cmd" else None))
    elif colon and kind == "py":
        yield from (f"py:{source}" for source in _sources(rest))


def _sources(incomplete: str) -> Iterator[str]:
    """Yields Python modules and files as ``MODULE:`` and ``FILE.py:``; after a colon, the classes in them."""
    source, colon, name = incomplete.rpartition(":")
    if colon:
        file = Path(source if source.endswith(".py") else f"{source.replace('.', '/')}.py")
        yield from (f"{source}:{found}" for found in _classes(file) if found.startswith(name))
    else:
        for path in _paths(incomplete, ".py"):
            module = path if "/" in incomplete else path.removesuffix(".py")
            yield path if path.endswith("/") else f"{module}:"


def _classes(file: Path) -> list[str]:
    """Returns the classes that a Python file defines, without importing it."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return []
    return [node.name for node in tree.body if isinstance(node, ast.ClassDef)]


def _paths(incomplete: str, ending: str | None) -> Iterator[str]:
    """Yields the folders that start as typed, with a slash, and the files with an ending (None: no files)."""
    folder, slash, start = incomplete.rpartition("/")
    try:
        entries = sorted(os.scandir(folder or slash or "."), key=lambda entry: entry.name)
    except (OSError, ValueError):
        return
    for entry in entries:
        if not entry.name.startswith(start) or (entry.name.startswith((".", "__")) and not start):
            continue
        if entry.is_dir():
            yield f"{folder}{slash}{entry.name}/"
        elif ending is not None and entry.name.endswith(ending):
            yield f"{folder}{slash}{entry.name}"
