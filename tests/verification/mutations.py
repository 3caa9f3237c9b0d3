"""Hostile input for parsers: noise, and valid examples that were damaged in the ways files and streams get damaged."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from hypothesis import strategies as st

_NUMBER = re.compile(r"[0-9]+")
NUMBERS = (
    *("0", "-0", "-1", "+1", "00", "007", ".5", "1.", "1e5", "1e400", "-1e400", "nan", "inf", "0x10", "1_000"),
    *("127", "128", "255", "256", "257", "2147483647", "2147483648", "-2147483649", "4294967295", "4294967296"),
    *("9223372036854775807", "18446744073709551616", "9" * 30, "9" * 400, "9" * 5000, "0" * 400 + "1"),
    *("\u0661", "\uff11\uff12", "\u00b2", "\u2460", "true", "null", ""),
)
"""What a number may be replaced by: extremes of every width, other notations, digits that are not ASCII."""
TOKENS = (
    *(
        "\0",
        "\n",
        "\r",
        "\r\n",
        "\n\n",
        "\t",
        " ",
        "\u2028",
        "\x85",
        "\ufeff",
        "\u212a",
        "\u0130",
        "\udcff",
        "\U0001f0a1",
    ),
    *(
        ":",
        "::",
        "|",
        "||",
        "/",
        "//",
        ",",
        ";",
        "=",
        "-",
        "+",
        "#",
        "%",
        "&a",
        "*a",
        "!!python/object:os.system",
        "<<",
    ),
    *('"', "'", "\\", "{", "}", "[", "]", "{}", "[]", "()", "- ", "? ", "...", "---", "~", "..", "../", "a" * 300),
    *("[" * 3000, '{"a":' * 3000, "- " * 3000, "(" * 3000, "r" * 3000, "/" * 3000, "A" * 100_000),
)
"""What may be inserted anywhere: separators of every format, control and look-alike characters, depth, length."""


def _edit(draw: st.DrawFn, text: str, corpus: Sequence[str]) -> str:
    at = draw(st.integers(0, len(text)))
    width = draw(st.one_of(st.integers(0, 8), st.integers(0, max(0, len(text) - at))))
    head, cut, tail = text[:at], text[at : at + width], text[at + width :]
    match draw(st.integers(0, 8)):
        case 0:
            return head + tail
        case 1:
            return head + cut + cut + tail
        case 2:
            return head + draw(st.sampled_from(TOKENS)) + cut + tail
        case 3:
            return head + draw(st.text(max_size=8)) + tail
        case 4:
            return head + cut
        case 5:
            return (
                head + "".join(chr(ord(letter) ^ 1 << draw(st.integers(0, 6))) for letter in cut[:4]) + cut[4:] + tail
            )
        case 6:
            other = draw(st.sampled_from(corpus))
            start = draw(st.integers(0, len(other)))
            return head + other[start : start + draw(st.integers(0, 60))] + tail
        case 7:
            numbers = list(_NUMBER.finditer(text))
            if not numbers:
                return head + draw(st.sampled_from(NUMBERS)) + tail
            number = draw(st.sampled_from(numbers))
            return text[: number.start()] + draw(st.sampled_from(NUMBERS)) + text[number.end() :]
        case _:
            lines = text.split("\n")
            first, second = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
            lines[first], lines[second] = lines[second], lines[first]
            return "\n".join(lines)


@st.composite
def damaged(draw: st.DrawFn, corpus: Sequence[str]) -> str:
    """A hypothesis strategy that draws a valid example after one to four edits."""
    text = draw(st.sampled_from(corpus))
    for _ in range(draw(st.integers(1, 4))):
        text = _edit(draw, text, corpus)
    return text


def hostile_texts(corpus: Sequence[str]) -> st.SearchStrategy[str]:
    """Returns a strategy that draws mostly damaged examples, else any text or bytes as surrogate escapes."""
    noise: Callable[[bytes], str] = lambda data: data.decode("utf-8", "surrogateescape")  # noqa: E731
    edits = damaged(corpus)
    return st.one_of(
        edits, edits, edits, st.sampled_from(corpus), st.text(max_size=80), st.binary(max_size=80).map(noise)
    )
