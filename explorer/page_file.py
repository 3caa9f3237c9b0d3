"""The file through which the browser learns the address of the page.

The address holds the secret token, and every user of a machine can read the arguments of every process. So the browser
is started with the name of a file that its owner alone can read, and the file leads to the address.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Final

_PAGE: Final = """\
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<title>Hedgehog explorer</title>
<p><a href="{address}">Open the explorer</a></p>
</html>
"""


@contextmanager
def page_file(address: str) -> Iterator[Path]:
    """Yields an HTML file that leads to an address. It stands in a folder of its own; both are the owner's alone.

    The file and the folder are removed at the end.

    :raises OSError: if there is no folder for temporary files.
    """
    with tempfile.TemporaryDirectory(prefix="hedgehog-explorer-") as folder:
        path = Path(folder) / "explorer.html"
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(_PAGE.format(address=escape(address)))
        yield path
