"""Runs the ``hedgehog`` command as ``python -m cli``."""

from cli.main import main

main()
