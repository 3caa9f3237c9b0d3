"""Parsers of players, plans and records of matches."""

from __future__ import annotations

import json

from hedgehog.agent.limit.line_bias import read_any_bias, read_line_bias
from hedgehog.agent.limit.options import parse_limit_options
from hedgehog.agent.limit.preflop_bias import read_bias
from hedgehog.agent.limit.situation import read_situation
from hedgehog.agent.specs import PlayerSpec, parse_entrant, parse_player_spec, unique_names
from hedgehog.analysis.aivat.results import read_aivat_results
from hedgehog.analysis.audit_results import read_audit_results
from hedgehog.analysis.endgame.results import read_endgame_results
from hedgehog.analysis.lbr.results import read_lbr_results
from hedgehog.analysis.lbr.settings import parse_lbr_setting
from hedgehog.analysis.parts import Part, parse_part
from hedgehog.analysis.stats.play_statistics import PlayStatistics, add_report
from hedgehog.arena.plans import read_json_object
from hedgehog.arena.records import MATCH_FILE, TOURNAMENT_FILE, read_match_record, read_tournament_record
from hedgehog.arena.tournament import read_progress
from hedgehog.arena.tournament_file import read_tournament
from hedgehog.poker.acpc.names import verify_player_names
from hedgehog.runtime.errors import InputError, ResourceError
from tests.verification.parsers.entry import Parser, in_file, in_folder

BIAS = '{"bias": {"AA": 0.0, "72o": -0.25, "AKs": 1}}'
LINES = json.dumps({"lines": {"rcc/r": [0.2, -0.1, -0.1], "": [0, 0, 0]}})
LBR_RESULTS = "\n".join(
    (
        '{"player": "default", "game": "holdem.nolimit.2p", "seed": 1, "think_ms": 300, "threads": null}',
        '{"setting": "fcpa", "first": 0, "pairs": [[[1, -2.5, 3e2], [4, 5, 6]]], "cpu_seconds": 0.5}',
        '{"setting": "fcpa", "first": 1, "pairs": [[[1, 2, 3], [4, 5, 6]], [[0, 0, 0], [0, 0, 0]]], "cpu_seconds": 2}',
        "",
    )
)
AIVAT_RESULTS = "\n".join(
    (
        '{"aivat_of": 3, "hands": "ab", "players": {"me": "call"}, "packs": {"me": "cd"}, "records": "ef"}',
        '{"first": 0, "chips": [1.5, -2], "missing": {"0": {"me": 2}}}',
        '{"first": 2, "chips": [3e2]}',
        "",
    )
)
AUDIT_RESULTS = "\n".join(
    (
        '{"audit_of": "call", "packs": "ab", "seed": 1, "think_ms": 0}',
        '{"board": 3, "bets": [[0, "c c/c", "0.5", false, 1, 1.0, 0.25, 100, 200], [1, "c", "all-in", true, 0, 0.5, 0, '
        "19900, 300]]}",
        "",
    )
)
ENDGAME_RESULTS = "\n".join(
    (
        '{"endgames_of": "default", "game": "holdem.nolimit.2p", "seed": 1, "think_ms": 300, "threads": null, '
        '"turn_sizes": "33%,a", "river_sizes": "a/", "value_iterations": 0}',
        '{"hand": 7, "betting": "cc/cc/", "board": [8, 11, 5, 33], "pot": 200, "seats": [{"gain": 1.5, "loss": null, '
        '"lines": {"X B100": 1.5}}, {"gain": 0, "loss": null, "lines": {}}], "bracket": null, "questions": 9, '
        '"cpu_seconds": 0.5}',
        "",
    )
)
REPORT = json.dumps(
    {
        "hands": 2,
        "decisions": 3,
        "player_errors": 0,
        "illegal_actions": 1,
        "late_actions": 0,
        "player": {"layers": {"blueprint": 3}},
        "decision_ms": {"flop": {"n": 2, "p50": 1.5, "p99": 2.0, "histogram": {"3": 1, "-2": 1}}},
    }
)
TOURNAMENT_RECORD = json.dumps(
    {
        "format": 1,
        "name": "t",
        "game": "kuhn.limit.2p",
        "hands": 10,
        "duplicate": True,
        "seed": 1,
        "agents": [{"name": "a", "spec": "call"}, {"name": "b", "spec": "raise"}],
        "matches": [{"folder": "001_a_vs_b", "players": ["a", "b"], "seed": 5}],
        "settings": {"think_ms": 200, "in_process": False},
    }
)
MATCH_RECORD = json.dumps({"format": 1, "logs": ["seating_1.log"], "failure": "", "culprits": ["a"], "seconds": 2.5})
TOURNAMENT_YAML = "name: t\ngame: kuhn.limit.2p\nhands: 500\nseed: 1\nduplicate: true\nagents:\n  - call\n" + (
    '  - {name: mine, player: "cmd:true --fast"}\n'
)


def check_entrant(text: str, spec: PlayerSpec) -> None:
    assert (f"{spec.name}={spec.text}" if spec.name else spec.text) == text
    verify_player_names(unique_names([spec]) if spec.name else [])


def check_player_spec(text: str, spec: PlayerSpec) -> None:
    assert parse_player_spec(spec.text) == spec
    assert spec.text == text
    assert spec.label
    assert not set(spec.label) & set(":|\n ")


def check_part(_: str, part: Part) -> None:
    """The parts have every thing once."""
    if part.parts < 100:
        found = [thing for number in range(1, part.parts + 1) for thing in Part(number, part.parts).of(7)]
        assert found == list(range(7))


PARSERS = (
    Parser(
        "hedgehog.arena.plans.read_json_object",
        in_file(read_json_object),
        (TOURNAMENT_RECORD, MATCH_RECORD),
        (InputError,),
    ),
    Parser(
        "hedgehog.arena.records.read_tournament_record",
        in_folder(read_tournament_record, TOURNAMENT_FILE),
        (TOURNAMENT_RECORD,),
        (InputError,),
    ),
    Parser(
        "hedgehog.arena.records.read_match_record",
        in_folder(read_match_record, MATCH_FILE),
        (MATCH_RECORD,),
        (InputError,),
    ),
    Parser(
        "hedgehog.arena.tournament.read_progress",
        in_folder(read_progress, TOURNAMENT_FILE),
        (TOURNAMENT_RECORD,),
        (InputError,),
    ),
    Parser(
        "hedgehog.agent.specs.parse_player_spec",
        parse_player_spec,
        ("call", "default", "pack:strategies/packs", "cmd:./bot --fast 'a b'", "py:my.bots:Bot", "py:a b/my.py:Bot"),
        (InputError,),
        check_player_spec,
    ),
    Parser(
        "hedgehog.agent.specs.parse_entrant",
        parse_entrant,
        ("call", "me=default", "me=cmd:./bot --x=1", "cmd:./bot --x=1", "you=py:my.bots:Bot"),
        (InputError,),
        check_entrant,
    ),
    Parser("hedgehog.agent.limit.line_bias.read_any_bias", in_file(read_any_bias), (BIAS, LINES), (InputError,)),
    Parser("hedgehog.agent.limit.line_bias.read_line_bias", in_file(read_line_bias), (LINES,), (InputError,)),
    Parser(
        "hedgehog.agent.limit.options.parse_limit_options",
        lambda text: parse_limit_options(text, ("potodds", "call")),
        ("hbb1", "hbb2?x=5&weights=d&argmax", "hbb5?mode=one_folded&base=call&bias=a/b.json&pack=packs/two"),
        (InputError,),
    ),
    Parser("hedgehog.agent.limit.preflop_bias.read_bias", in_file(read_bias), (BIAS,), (InputError,)),
    Parser(
        "hedgehog.agent.limit.situation.read_situation",
        read_situation,
        ("", "rcc/rr", "ccc/ccc/ccc/crcr", "rfc/f", "cfc/crrrr"),
        (InputError,),
    ),
    Parser(
        "hedgehog.analysis.audit_results.read_audit_results",
        in_file(read_audit_results),
        (AUDIT_RESULTS,),
        (InputError,),
    ),
    Parser(
        "hedgehog.analysis.endgame.results.read_endgame_results",
        in_file(read_endgame_results),
        (ENDGAME_RESULTS,),
        (InputError,),
    ),
    Parser(
        "hedgehog.analysis.aivat.results.read_aivat_results",
        in_file(read_aivat_results),
        (AIVAT_RESULTS,),
        (InputError,),
    ),
    Parser("hedgehog.analysis.parts.parse_part", parse_part, ("1/2", "3/3"), (InputError,), check_part),
    Parser("hedgehog.analysis.lbr.results.read_lbr_results", in_file(read_lbr_results), (LBR_RESULTS,), (InputError,)),
    Parser(
        "hedgehog.analysis.stats.play_statistics.add_report",
        in_file(lambda path: add_report(PlayStatistics(), path)),
        (REPORT,),
        (InputError,),
    ),
    Parser(
        "hedgehog.analysis.lbr.settings.parse_lbr_setting",
        parse_lbr_setting,
        ("fc", "fcpa", "56bets", "2r56bets", "fcpa:2-4", "56bets:3"),
        (InputError,),
    ),
    Parser(
        "hedgehog.arena.tournament_file.read_tournament",
        in_file(read_tournament),
        (TOURNAMENT_YAML,),
        (InputError, ResourceError),  # the logs of so many hands may not fit onto the disk
    ),
)


KEPT: tuple[tuple[str, str], ...] = (
    ("hedgehog.arena.plans.read_json_object", "[" * 100_000),
    ("hedgehog.arena.records.read_tournament_record", TOURNAMENT_RECORD.replace("10", "1e400")),
    ("hedgehog.arena.tournament.read_progress", TOURNAMENT_RECORD.replace('"name": "a"', '"name": "c"')),
    ("hedgehog.arena.tournament_file.read_tournament", TOURNAMENT_YAML.replace("kuhn", "kuhn" * 80)),
    ("hedgehog.agent.specs.parse_player_spec", "pack:\0packs"),
    ("hedgehog.analysis.endgame.results.read_endgame_results", ENDGAME_RESULTS.replace('"hand": 7', '"hand": -7')),
    ("hedgehog.analysis.aivat.results.read_aivat_results", AIVAT_RESULTS.replace('"first": 0', '"first": 3')),
    ("hedgehog.analysis.aivat.results.read_aivat_results", AIVAT_RESULTS.replace('"0"', '"7"')),
    ("hedgehog.analysis.lbr.results.read_lbr_results", LBR_RESULTS.replace('"first": 1', '"first": 0')),
    ("hedgehog.arena.records.read_match_record", '{"a":' * 100_000),
    ("hedgehog.analysis.stats.play_statistics.add_report", "[" * 100_000),
    ("hedgehog.analysis.stats.play_statistics.add_report", REPORT.replace('"3": 1', '"3": 1e400')),
    ("hedgehog.arena.tournament.read_progress", TOURNAMENT_RECORD.replace("001_a_vs_b", "9" * 5000)),
    ("hedgehog.agent.limit.options.parse_limit_options", "hbb2?x=" + "9" * 5000),
    ("hedgehog.arena.tournament.read_progress", TOURNAMENT_RECORD.replace("001_a_vs_b", "../../etc")),
    ("hedgehog.agent.specs.parse_player_spec", "pack:\udb87"),
    ("hedgehog.agent.specs.parse_player_spec", "cmd:\ud800 x"),
    ("hedgehog.arena.tournament_file.read_tournament", TOURNAMENT_YAML + "  - call\n" * 5000),
)
