"""Builds the wheel and the sdist, installs each in an empty environment, and runs the first hour from both.

    python -m benchmarks.release.check

A dirty tree, a changelog without a section for the version, or a figure that is older than its packs ends the check
before anything is built. Written is the folder ``build/release``: ``dist`` with both archives, and the environments.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import click

from benchmarks.common import run
from benchmarks.release.refusals import refusals
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.packages import ROOT

OUT = ROOT / "build" / "release"


def install(environment: Path, *what: str) -> None:
    """Makes an empty environment and installs packages in it, of the versions in ``constraints.txt``."""
    venv.create(environment, clear=True, with_pip=True)
    pip = [environment / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*map(str, pip), "-c", str(ROOT / "constraints.txt"), *what], check=True, cwd=environment)


def build(out: Path) -> list[Path]:
    """Builds the sdist and the wheel, and returns their files."""
    install(out / "tools", "hatchling")
    command = [str(out / "tools" / "bin" / "hatchling"), "build", "-d", str(out / "dist")]
    subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    return sorted((out / "dist").iterdir())


def first_hour(environment: Path) -> None:
    """Runs tests/cli/test_first_hour.py with the ``hedgehog`` of an environment in place of the checkout's."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "tests/cli/test_first_hour.py"]
    hedgehog = str(environment / "bin" / "hedgehog")
    subprocess.run(command, check=True, cwd=ROOT, env=os.environ | {"HEDGEHOG_COMMAND": hedgehog})


@click.command()
@click.option("--anyway", is_flag=True, help="Build and run also if the checkout is not ready, and refuse at the end.")
def main(anyway: bool) -> None:
    """Check that this checkout can be released."""
    reasons = refusals(ROOT)
    for reason in reasons:
        click.echo(reason)
    if reasons and not anyway:
        raise InputError(f"not ready to be released, for {len(reasons)} reasons")
    shutil.rmtree(OUT, ignore_errors=True)
    for archive in build(OUT):
        click.echo(f"{archive.name}: {archive.stat().st_size:,} bytes")
        environment = OUT / ("sdist" if archive.name.endswith(".tar.gz") else "wheel")
        install(environment, str(archive))
        first_hour(environment)
    if reasons:
        raise InputError(f"not ready to be released, for {len(reasons)} reasons")
    click.echo("ready to be released")


if __name__ == "__main__":
    run(main)
