"""hedgehog.agent.specs: the SPEC grammar, names for logs, launch commands."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from hedgehog.agent.pack_player import PackPlayer
from hedgehog.agent.registered import ALL_BOTS
from hedgehog.agent.specs import make_player, parse_entrant, parse_player_spec, unique_names
from hedgehog.agent.strategy.folds import Folds
from hedgehog.agent.strategy.resolving import Resolving
from hedgehog.runtime.errors import InputError
from hedgehog.strategies.translation import SizeMapping


@pytest.mark.parametrize(
    ("text", "kind", "argument", "label"),
    [
        ("fold", "fold", "", "fold"),
        ("call", "call", "", "call"),
        ("raise", "raise", "", "raise"),
        ("allin", "allin", "", "allin"),
        ("random", "random", "", "random"),
        ("checkraise", "checkraise", "", "checkraise"),
        ("minbet", "minbet", "", "minbet"),
        ("offtree", "offtree", "", "offtree"),
        ("jamfold", "jamfold", "", "jamfold"),
        ("default", "default", "", "default"),
        ("potodds", "potodds", "", "potodds"),
        ("mcsim", "mcsim", "", "mcsim"),
        ("limit3p:hbb1", "limit3p", "hbb1", "hbb1"),
        ("limit3p:hbb4?x=5&weights=d&argmax", "limit3p", "hbb4?x=5&weights=d&argmax", "hbb4_x5_d_argmax"),
        ("limit3p:hbb5?mode=one_folded&base=call", "limit3p", "hbb5?mode=one_folded&base=call", "hbb5_one_folded_call"),
        ("hybrid", "limit3p", "hbb2?mode=one_folded&base=mcsim", "hybrid"),
        ("limit3", "limit3p", "hbb2?mode=one_folded&base=cfr3", "limit3"),
        ("pack:packs/a b:c|d/", "pack", "packs/a b:c|d/", "pack_a_b_c_d"),
        ("cmd:./my bot.sh", "cmd", "./my bot.sh", "cmd_my"),
        ("cmd:python3 -c 'x:y|z'", "cmd", "python3 -c 'x:y|z'", "cmd_python3"),
        ("py:mybot:Bot", "py", "mybot:Bot", "py_Bot"),
        ("openspiel:uniform_random", "openspiel", "uniform_random", "openspiel_uniform_random"),
        ("openspiel:bots/my.py:make", "openspiel", "bots/my.py:make", "openspiel_make"),
        ("py:a b/my.py:Größe", "py", "a b/my.py:Größe", "py_Gr_e"),
    ],
)
def test_every_form(text: str, kind: str, argument: str, label: str) -> None:
    spec = parse_player_spec(text)
    assert (spec.text, spec.kind, spec.argument, spec.label) == (text, kind, argument, label)


@pytest.mark.parametrize(
    "text", ["", "Call", "call:", "fold:x", "pack", "pack:", "cmd", "cmd:", "cmd: ", "default:x", "openspiel:"]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(
        InputError,
        match=r"expected fold, .*, offtree, jamfold, .*, default, pack:PATH, .*, cmd:COMMAND, openspiel:NAME or py:",
    ):
        parse_player_spec(text)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("hbb6", "unknown player 'limit3p:hbb6': expected limit3p:hbb1"),
        ("hbb2?x=0", "expected x from 1 to 1000, got '0'"),
        ("hbb2?x=1&x=2", "the option 'x' is given twice"),
        ("hbb2?y=1", "unknown option 'y=1' of limit3p"),
        ("hbb2?argmax=1", "unknown option 'argmax=1' of limit3p"),
        ("hbb2?x", "unknown option 'x' of limit3p"),
        ("hbb2?mode=some", "unknown mode 'some': expected always"),
        ("hbb2?base=default", "unknown base 'default': expected fold"),
        ("hbb2?bias=", "expected a path after bias="),
    ],
)
def test_options_of_limit_players_are_checked(options: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        parse_player_spec(f"limit3p:{options}")


def test_limit_players_that_remember_say_so() -> None:
    forgets = {text: parse_player_spec(text).forgets for text in ("limit3p:hbb2", "limit3", "mcsim", "hybrid")}
    assert forgets == {"limit3p:hbb2": True, "limit3": True, "mcsim": False, "hybrid": False}
    assert parse_entrant("h=limit3p:hbb2?x=5").name == "h"
    assert parse_entrant("limit3p:hbb2?x=5").name == ""


@pytest.mark.parametrize("text", ["py:", "py:x", "py::y", "py:x:y z", "py:x/y:z"])
def test_classes_need_a_module_and_a_name(text: str) -> None:
    with pytest.raises(InputError, match=r"expected py:MODULE:CLASS or py:FILE\.py:CLASS"):
        parse_player_spec(text)


def test_an_unfinished_quote_is_refused() -> None:
    with pytest.raises(InputError, match=r"cannot split the command.*No closing quotation"):
        parse_player_spec("cmd:bot 'x")


def test_names_are_made_unique() -> None:
    specs = [parse_player_spec(text) for text in ("call", "cmd:call_2", "call", "cmd:call_2", "call")]
    assert unique_names(specs) == ["call", "cmd_call_2", "call_2", "cmd_call_2_2", "call_3"]


def test_bots_are_made_without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)  # an import of it would fail
    for name, bot in ALL_BOTS.items():
        assert type(make_player(parse_player_spec(name), seed=0, think_ms=0, threads=None)) is bot


def test_an_external_command_is_no_player() -> None:
    with pytest.raises(InputError, match="start it directly"):
        make_player(parse_player_spec("cmd:bot"), seed=0, think_ms=0, threads=None)


@pytest.mark.parametrize(
    ("text", "name", "spec"),
    [
        ("me=call", "me", "call"),
        ("me.2+x=pack:a=b", "me.2+x", "pack:a=b"),
        ("me=cmd:./bot --x=1", "me", "cmd:./bot --x=1"),
        ("cmd:./bot --x=1", "", "cmd:./bot --x=1"),
        ("pack:a=b", "", "pack:a=b"),
        ("py:a=b.py:Bot", "", "py:a=b.py:Bot"),
        ("default", "", "default"),
    ],
)
def test_names_of_entrants(text: str, name: str, spec: str) -> None:
    entrant = parse_entrant(text)
    assert (entrant.name, entrant.text) == (name, spec)


@pytest.mark.parametrize("name", ["", "a b", "a|b", "a:b", "a/b", ".a", "\u00e4", "x" * 65])
def test_bad_names_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="expected a player name of up to 64 letters"):
        parse_entrant(f"{name}=call")


def test_given_names_are_kept_and_differ() -> None:
    specs = [parse_entrant(text) for text in ("call", "Call=fold", "call_2=fold", "call")]
    assert unique_names(specs) == ["call_3", "Call", "call_2", "call_4"]
    with pytest.raises(InputError, match="the player name 'ME' is repeated"):
        unique_names([parse_entrant("me=call"), parse_entrant("ME=fold")])


def test_a_player_may_name_its_translation() -> None:
    plain, nearest = parse_entrant("default"), parse_entrant("default?translation=nearest")
    named = parse_entrant("soft=pack:my-packs?translation=geometric")
    assert (plain.mapping, nearest.mapping, named.mapping) == (
        SizeMapping.HARMONIC,
        SizeMapping.NEAREST,
        SizeMapping.GEOMETRIC,
    )
    assert (nearest.kind, nearest.argument, nearest.label) == ("default", "", "default_nearest")
    assert (named.name, named.argument, named.label) == ("soft", "my-packs", "pack_my-packs_geometric")
    assert parse_player_spec(nearest.text) == nearest
    with pytest.raises(InputError, match="unknown translation 'best': expected harmonic, geometric, nearest"):
        parse_player_spec("default?translation=best")


def test_a_player_may_name_how_it_solves_streets() -> None:
    plain, safe = parse_entrant("default"), parse_entrant("default?resolve=safe")
    both = parse_entrant("me=pack:my?packs?translation=nearest&resolve=estimate")
    assert (plain.resolving, safe.resolving, both.resolving) == (
        Resolving.UNSAFE,
        Resolving.SAFE,
        Resolving.ESTIMATE,
    )
    assert parse_entrant("default?resolve=unsafe").label == plain.label == "default"
    assert (safe.kind, safe.argument, safe.label, safe.mapping) == ("default", "", "default_safe", SizeMapping.HARMONIC)
    assert (both.name, both.argument, both.label) == ("me", "my?packs", "pack_my_packs_nearest_estimate")
    assert both.mapping == SizeMapping.NEAREST
    assert parse_player_spec(both.text) == replace(both, name="")


def test_a_player_may_solve_on_groups_of_hands() -> None:
    grouped = parse_entrant("default?abstraction=strength-river")
    assert (grouped.kind, grouped.abstraction, grouped.label) == (
        "default",
        "strength-river",
        "default_strength-river",
    )
    assert parse_entrant("default?abstraction=opp-global&resolve=unsafe").abstraction == "opp-global"


def test_opponents_may_tremble() -> None:
    found = parse_entrant("default?tremble=0.001&resolve=safe")
    assert (found.kind, found.tremble, found.label) == ("default", 0.001, "default_safe_tremble_0.001")
    assert parse_entrant("default").tremble == 0


def test_the_packs_may_fold_without_a_limit() -> None:
    found = parse_entrant("default?folds=packs&think_ms=0")
    assert (found.kind, found.folds, found.label) == ("default", Folds.PACKS, "default_folds_packs_0ms")
    plain = parse_entrant("default?folds=limited")
    assert (plain.folds, plain.label) == (parse_entrant("default").folds, "default")


def test_a_player_has_a_time_of_its_own() -> None:
    found = parse_entrant("fast=default?think_ms=300&translation=nearest")
    assert (found.name, found.think_ms, found.label) == ("fast", 300, "default_nearest_300ms")
    assert (found.thinking(1500), parse_entrant("default").thinking(1500)) == (300, 1500)
    player = make_player(found, think_ms=1500)
    assert isinstance(player, PackPlayer)
    assert player.think_ms == 300


@pytest.mark.parametrize(
    ("text", "own", "solves"),
    [
        ("default", 0, False),
        ("default", 1, True),
        ("default?think_ms=0", 1500, False),
        ("pack:x?think_ms=5", 0, True),
        ("call", 5, False),
    ],
)
def test_who_solves(text: str, own: int, solves: bool) -> None:
    assert parse_entrant(text).solves(own) == solves


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("default?think_ms=", "expected think_ms from 0 to 3600000, got ''"),
        ("default?think_ms=-1", "expected think_ms from 0 to 3600000, got '-1'"),
        ("default?think_ms=3600001", "expected think_ms from 0 to 3600000"),
        ("default?think_ms=1&think_ms=1", "the option 'think_ms' is given twice"),
        ("default?abstraction=suits", "unknown abstraction 'suits': expected rank-river"),
        ("default?abstraction=rank-river&resolve=safe", "an abstraction needs resolve=unsafe"),
        ("default?tremble=0.5", "unknown tremble '0.5': expected 0.0001, 0.001, 0.01"),
        ("default?tremble=0.001&abstraction=rank-river", "groups of hands do not tremble"),
        ("default?resolve=maybe", "unknown resolve 'maybe': expected unsafe, safe, estimate"),
        ("default?folds=none", "unknown folds 'none': expected limited, packs"),
        ("default?resolve=", "unknown resolve '': expected unsafe, safe, estimate"),
        ("default?resolve=safe&resolve=safe", "the option 'resolve' is given twice"),
        ("default?resolve=safe&translation=best", "unknown translation 'best': expected harmonic"),
        ("default?solve=safe", "unknown player"),
        ("call?resolve=safe", "expected a player name"),
    ],
)
def test_wrong_options_are_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        parse_entrant(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("./bot", "cmd:./bot?"),
        ("me=./bot", "cmd:./bot?"),
        ("./bot --fast", "cmd:./bot --fast?"),
        ("my bot", "cmd:'my bot'?"),
        ("my.py", "py:my.py:CLASS"),
        ("packs", "pack:packs?"),
        ("defualt", "default?"),
        ("Call", "call?"),
    ],
)
def test_what_was_probably_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, meant: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "packs").mkdir()
    for name in ("my bot", "my.py"):
        (tmp_path / name).touch()
    with pytest.raises(InputError, match=f"unknown player .*: did you mean {re.escape(meant)}"):
        parse_entrant(text)
