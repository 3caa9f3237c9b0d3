"""``py:`` players: loading classes of the user's, and one clear line when that fails."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hedgehog.agent.player import Player
from hedgehog.agent.plugins import split_source
from hedgehog.agent.specs import make_player, parse_player_spec, verify_loadable
from hedgehog.runtime.errors import InputError

PLAYER = """\
from hedgehog.agent.player import Player
from hedgehog.poker.state import CALL

class Caller(Player):
    {init}
    def act(self, matchstate, deadline):
        return CALL
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Makes an empty folder the current one; what is imported from it is forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    path, modules = sys.path.copy(), sys.modules.copy()
    yield tmp_path
    sys.path[:] = path
    for name in [name for name in sys.modules if name not in modules]:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def make(spec: str, seed: int = 7, think_ms: int = 20) -> Player:
    return make_player(parse_player_spec(spec), seed=seed, think_ms=think_ms, threads=None)


def complaint(spec: str) -> str:
    with pytest.raises(InputError) as caught:
        verify_loadable(parse_player_spec(spec))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("argument", "parts"),
    [
        ("mybot:Bot", ("mybot", "Bot")),
        ("pkg.mybot:Bot", ("pkg.mybot", "Bot")),
        ("bots/my bot.py:Bot", ("bots/my bot.py", "Bot")),
        ("C:/x.py:Bot", ("C:/x.py", "Bot")),
        ("mybot", None),
        ("mybot:", None),
        (":Bot", None),
        ("my-bot:Bot", None),
        ("mybot:Bot()", None),
        ("bots/mine:Bot", None),
    ],
)
def test_forms(argument: str, parts: tuple[str, str] | None) -> None:
    assert split_source(argument) == parts


def test_from_the_current_folder_and_from_a_file(own_folder: Path) -> None:
    (own_folder / "own_caller.py").write_text(PLAYER.format(init=""))
    (own_folder / "sub").mkdir()
    (own_folder / "sub" / "helper_of_mine.py").write_text("from hedgehog.poker.state import CALL\n")
    (own_folder / "sub" / "other-name.py").write_text("from helper_of_mine import CALL\n" + PLAYER.format(init=""))
    assert type(make("py:own_caller:Caller")).__name__ == "Caller"
    assert type(make("py:sub/other-name.py:Caller")).__name__ == "Caller"


def test_the_current_folder_takes_nobodys_place(own_folder: Path) -> None:
    (own_folder / "wave.py").write_text(PLAYER.format(init=""))  # also a module of the standard library
    assert re.search(r"wave\.py: has no class 'Caller'", complaint("py:wave:Caller"))
    assert type(make("py:wave.py:Caller")).__name__ == "Caller"


@pytest.mark.parametrize(
    ("init", "made_with"),
    [
        ("", {}),
        ("def __init__(self): self.got = {}", {}),
        ("def __init__(self, seed): self.got = {'seed': seed}", {"seed": 7}),
        ("def __init__(self, *, think_ms=0): self.got = {'think_ms': think_ms}", {"think_ms": 20}),
        ("def __init__(self, size=3, **options): self.got = options", {"seed": 7, "think_ms": 20}),
    ],
)
def test_what_a_class_is_made_with(own_folder: Path, init: str, made_with: dict[str, int]) -> None:
    (own_folder / "made.py").write_text(PLAYER.format(init=init))
    player = make("py:made.py:Caller")
    assert getattr(player, "got", {}) == made_with
    assert player.name == "py_Caller"  # its class sets no name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "import nosuchmodule\n",
            r"broken\.py:1: cannot import 'broken\.py': ModuleNotFoundError: No module",
        ),
        ("x = 1\ny = (\n", r"broken\.py:2: cannot import 'broken\.py': SyntaxError: '\(' was never closed"),
        ("x = 1\n\nx.oops\n", r"broken\.py:3: cannot import 'broken\.py': AttributeError: "),
        ("raise SystemExit('no')\n", r"broken\.py:1: cannot import 'broken\.py': SystemExit: no"),
        ("raise ValueError('two\\nlines')\n", r"broken\.py:1: .*ValueError: two lines"),
        ("class Other: pass\n", r"broken\.py: has no class 'Caller'$"),
        (PLAYER.replace("Caller", "Bot").format(init=""), r"broken\.py: has no class 'Caller', but Bot$"),
        ("class Caller: pass\n", r"expected Caller to be a class derived from hedgehog\.agent\.player\.Player"),
        ("Caller = 3\n", r"expected Caller to be a class derived"),
        (
            "from hedgehog.agent.player import Player\nclass Caller(Player): pass\n",
            r"the player Caller does not define act\(\)",
        ),
        (
            PLAYER.format(init="def __init__(self, size): pass"),
            r"Caller needs the argument 'size': expected none, or seed and think_ms",
        ),
    ],
)
def test_what_is_wrong_is_one_line(own_folder: Path, text: str, expected: str) -> None:
    (own_folder / "broken.py").write_text(text)
    assert re.search(expected, complaint("py:broken.py:Caller"))


def test_what_is_not_there() -> None:
    assert complaint("py:nosuch:Bot") == "cannot import 'nosuch': ModuleNotFoundError: No module named 'nosuch'"
    assert complaint("py:nosuch.py:Bot") == "nosuch.py: there is no such file to import"


def test_a_player_that_cannot_be_made(own_folder: Path) -> None:
    (own_folder / "frail.py").write_text(PLAYER.format(init="def __init__(self): self.weights = open('nosuch.bin')"))
    verify_loadable(parse_player_spec("py:frail.py:Caller"))  # nothing is made before the match
    with pytest.raises(InputError, match=r"frail\.py:5: the player Caller cannot be made: FileNotFoundError: "):
        make("py:frail.py:Caller")
