"""Errors in code of the user, such as a player or a rule of theirs, told in one line."""

from __future__ import annotations

import importlib
import sysconfig
import traceback
from typing import Final

from hedgehog.runtime.errors import InputError

_IMPORT_MACHINERY: Final = ("<frozen ", importlib.__file__)
_LIBRARIES: Final = tuple(sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib"))
_PASSED_ON: Final = ("/hedgehog/agent/plugins.py", "/hedgehog/runtime/extending/registry.py")
"""Files of ours that stand between the command and the code of the user."""


def user_code_error(what: str, error: BaseException, where: str | None) -> InputError:
    """Returns the error that says in one line what failed in the user's code, and where."""
    line = None
    if isinstance(error, SyntaxError) and error.filename is not None:
        where, line = error.filename, error.lineno
    else:
        frames = traceback.extract_tb(error.__traceback__)
        theirs = [frame for frame in frames if not frame.filename.startswith(_IMPORT_MACHINERY)]
        theirs = [frame for frame in theirs if not frame.filename.endswith(_PASSED_ON)]
        theirs = [frame for frame in theirs if not frame.filename.startswith(_LIBRARIES)] or theirs
        if theirs:
            where, line = theirs[-1].filename, theirs[-1].lineno
    text = error.msg if isinstance(error, SyntaxError) else " ".join(str(error).split())
    return InputError(f"{what}: {type(error).__name__}" + (f": {text}" if text else ""), source=where, line=line)
