"""``hedgehog study tree``: one betting tree with the hands and sizes at every node."""

from __future__ import annotations

from pathlib import Path

import click

from hedgehog.cli.given import refuse_options
from hedgehog.cli.outputs import OutputCommand, Outputs, output_options
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.study.reading import given_input, hand_options, report_problems


@click.command(cls=OutputCommand, short_help="Show a betting tree with hands and sizes at every node.")
@click.argument("what", metavar="[R-A-T|FOLDER]", required=False)
@click.option(
    "--hands",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Count these hands at the nodes. May be given again.",
)
@hand_options
@click.option("--line", default="", metavar="ACTIONS", help="Start at this node: f, c and r, as in rc/cr.")
@click.option("--depth", type=click.IntRange(1, 20), default=2, show_default=True, help="Actions to show below it.")
@click.option("--histogram", is_flag=True, help="Also show how often each size of the bet after --line occurs.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FOLDER", help="Write the tree to this folder.")
@output_options(jsonl="the nodes as JSON lines (at most 100,000)")
def tree(
    what: str | None,
    files: tuple[Path, ...],
    store: Path | None,
    game: str | None,
    jobs: int,
    dask: str | None,
    only: tuple[str, ...],
    without: tuple[str, ...],
    line: str,
    depth: int,
    histogram: bool,
    out: Path | None,
    outputs: Outputs,
) -> None:
    """Show a betting tree with the hands and the bet sizes at every node.

    R-A-T is the whole tree of R rounds with at most A raises in a round and T in a hand. FOLDER is a tree that --out
    has written. Without both, the tree has the sequences that occur in the hands.
    """
    from hedgehog.analysis.study.runs import study_tree
    from hedgehog.analysis.study.study import ActorFilter
    from hedgehog.analysis.study.trees.betting_tree import StudyTree
    from hedgehog.analysis.study.trees.files import is_tree_folder, read_tree, tree_lines, write_tree
    from hedgehog.analysis.study.trees.kinds import parse_shape
    from hedgehog.analysis.study.trees.text import histogram_text, tree_text
    from hedgehog.strategies.pack import verify_pack_output

    has_hands = bool(files) or store is not None
    if not has_hands:
        refuse_options("goes with --hands or --store", "game", "jobs", "dask", "only", "without")
    outputs.claim(*files)
    if out is not None:
        verify_pack_output(out, overwrite=outputs.overwrite)
    if what is not None and is_tree_folder(Path(what)):
        if has_hands:
            raise click.UsageError("a tree from a folder has its hands: leave out --hands and --store")
        found = read_tree(Path(what))
    else:
        if what is None and not has_hands:
            raise click.UsageError("expected a tree R-A-T, a FOLDER or --hands")
        found = StudyTree(parse_shape(what) if what is not None else None)
    if has_hands:
        source = given_input(files, store, game, jobs, dask)
        with terminal_watch() as watch:
            study_tree(source, found, ActorFilter(frozenset(only), frozenset(without)), watch)
        report_problems(source.tally, outputs)
    outputs.write("jsonl", lambda: "".join(f"{text}\n" for text in tree_lines(found)))
    if out is not None:
        write_tree(out, found, overwrite=outputs.overwrite)
    for text in tree_text(found, line, depth):
        click.echo(text)
    for text in histogram_text(found, line) if histogram else ():
        click.echo(text)
