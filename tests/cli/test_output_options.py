"""hedgehog.cli.outputs: options that write files are declared once, and a command gets them as one object."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from hedgehog.cli.main import main
from hedgehog.cli.outputs import Outputs, output_options


@pytest.fixture
def command() -> click.Command:
    """A command that tells which of its outputs it makes."""

    def made(name: str) -> str:
        click.echo(f"making {name}", err=True)
        return f"{name}\n"

    @click.command()
    @click.argument("source", type=click.Path(path_type=Path))
    @output_options(json="the list", lines_csv="the lines", picture=click.option("--draw", "picture_file", type=Path))
    def report(source: Path, outputs: Outputs) -> None:
        outputs.claim(source)
        click.echo("a table")
        outputs.write_json(lambda: {"text": made("json"), "number": float("nan")})
        outputs.write_csv([{"a": 1}, {"a": None, "b": 2}], "lines_csv")
        outputs.write("picture", lambda: made("picture").encode())

    return report


def run(command: click.Command, *arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments], command)
    return int(ended.value.code or 0)


def test_options_stand_in_their_order_with_overwrite_behind_them(command: click.Command) -> None:
    names = [option.opts[0] for option in command.params]
    assert names == ["source", "--json", "--lines-csv", "--draw", "--overwrite"]
    text = command.get_help(click.Context(command, terminal_width=120))
    assert "Write the list as JSON to FILE, or to standard output." in text
    assert "Write the lines to FILE, or to standard output." in text


def test_only_the_wanted_outputs_are_made(
    command: click.Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(command, tmp_path / "in", "--lines-csv", tmp_path / "lines", "--draw", tmp_path / "picture") == 0
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("a table\n", "making picture\n")
    assert (tmp_path / "lines").read_text() == "a,b\n1,\n,2\n"
    assert (tmp_path / "picture").read_bytes() == b"picture\n"


def test_standard_output_has_the_document_alone(command: click.Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(command, "in", "--json=-") == 0
    captured = capsys.readouterr()
    assert captured.out == '{\n  "text": "json\\n",\n  "number": null\n}\n'
    assert captured.err == "a table\nmaking json\n"


def test_all_outputs_are_claimed_before_the_work(
    command: click.Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "picture").write_text("mine")
    assert run(command, tmp_path / "in", "--draw", tmp_path / "picture") == 2
    assert "a table" not in capsys.readouterr().out
    assert run(command, tmp_path / "in", "--json", tmp_path / "in") == 0
    assert run(command, tmp_path / "in", "--json", tmp_path / "in", "--overwrite") == 2  # it is the input
    assert run(command, tmp_path / "in", "--draw", tmp_path / "picture", "--overwrite") == 0
    assert (tmp_path / "picture").read_text() == "picture\n"
