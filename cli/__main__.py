"""Runs the ``hedgehog`` command as ``python -m hedgehog.cli``."""

from hedgehog.cli.main import main

main()
