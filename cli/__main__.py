"""``python -m cli`` is the same as ``hedgehog``."""

from cli.main import main

main()
