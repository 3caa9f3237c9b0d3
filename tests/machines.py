"""Text files as other machines write them."""

from __future__ import annotations

import codecs
from typing import Final

MACHINES: Final = ("LF", "CRLF", "CR", "BOM", "BOM CRLF", "UTF-16 LE", "UTF-16 BE", "UTF-16 LE CRLF")


def written_on(machine: str, text: str) -> bytes:
    """Returns a text as a machine of :data:`MACHINES` writes it."""
    end = "\r\n" if "CRLF" in machine else "\r" if "CR" in machine else "\n"
    text = text.replace("\n", end)
    if "LE" in machine:
        return codecs.BOM_UTF16_LE + text.encode("utf-16-le")
    if "BE" in machine:
        return codecs.BOM_UTF16_BE + text.encode("utf-16-be")
    return (codecs.BOM_UTF8 if "BOM" in machine else b"") + text.encode()
