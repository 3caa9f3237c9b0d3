"""A table of every parser: valid examples, the errors that it documents, and a check of its results.

Adding a parser is one entry in :data:`PARSERS`. Input that once broke a parser goes to :data:`KEPT`.
"""

from __future__ import annotations

import gzip
import io
import itertools
import json
import re
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from agent.decision_record import (
    DecisionRecord,
    RecordedDecision,
    RecordedHand,
    RecordHeader,
    RecordWriter,
    parse_hand,
)
from agent.decision_record import format_hand as format_recorded_hand
from agent.protocol import ClientProtocol
from agent.questions import parse_decision
from agent.specs import PlayerSpec, parse_entrant, parse_player_spec, unique_names
from agent.strategy.shadow import Options
from analysis.aivat.published import read_published_table
from analysis.histories.hand_files import detect_format, open_hand_file
from analysis.histories.phh import read_phh
from analysis.lbr.results import read_lbr_results
from analysis.lbr.settings import parse_lbr_setting
from analysis.solves.convergence_files import read_curve
from analysis.stats.match_report import read_winnings
from analysis.stats.play_statistics import PlayStatistics, add_report
from arena.plans import read_json_object
from arena.records import MATCH_FILE, TOURNAMENT_FILE, read_match_record, read_tournament_record
from arena.seating_log import (
    ExpectedLog,
    LogFollower,
    Progress,
    count_unfinished_hands,
    read_finished_log,
    read_hole_cards,
)
from arena.tournament import read_progress
from cli.arena.dealer import _parse_ports
from cli.arena.running import read_match_game
from cli.arena.tournament import _read_plan
from cli.table.table_keys import parse_answer
from dealer.answers import read_answers
from dealer.response import answers, read_action, scan_state
from dealer.resume import count_logged_hands, read_logged_hands, read_transactions
from dealer.server import parse_version
from dealer.transactions import format_transaction, parse_transaction
from poker.acpc.betting_line import format_betting_line, parse_betting_line
from poker.acpc.gamedef import find_gamedef, format_gamedef, parse_gamedef, read_gamedef, shipped_gamedefs
from poker.acpc.handlog import (
    find_log_gamedef,
    format_header,
    parse_header,
    parse_log_line,
    read_log,
    scan_log_line,
    verify_log,
    verify_log_lines,
)
from poker.acpc.lbr_log import (
    format_lbr_betting,
    parse_lbr_betting,
    parse_lbr_hand,
    read_lbr_hands,
    read_lbr_header,
    verify_lbr_lines,
)
from poker.acpc.matchstate import (
    MatchState,
    MatchStateReader,
    format_matchstate,
    parse_betting,
    parse_hand_cards,
    parse_matchstate,
    parse_number,
)
from poker.acpc.names import verify_player_names
from poker.acpc.scanf import scan_integer
from poker.betsizes import (
    format_bet_size,
    format_bet_sizes,
    format_menu,
    parse_bet_size,
    parse_bet_sizes,
    parse_menu,
)
from poker.cards import format_card, format_cards, format_combo, parse_card, parse_cards, parse_combo
from poker.hand_names import parse_hand_filter
from poker.ranges import format_range, parse_range
from poker.showdown import payoffs
from poker.state import CALL, Action, HandState
from runtime.array_files import read_npz
from runtime.errors import (
    CardError,
    GamedefError,
    InputError,
    LogError,
    MatchError,
    MatchStateError,
    PackError,
    RangeError,
    SpotError,
)
from runtime.npy_files import map_npy, read_npz_arrays
from solver.blueprint import tree as blueprint_tree
from solver.blueprint.card_config import CardConfig, parse_card_config
from solver.blueprint.config import parse_sizes, read_blueprint_pack_config
from solver.blueprint.table import FORMAT, load_blueprint
from solver.blueprint.tree import BlueprintMenu, build_blueprint_tree
from solver.cfr.algorithms import parse_algorithm
from solver.packs.exact_flops import read_flop_pack_config
from solver.packs.quick_flops import read_quick_flop_config
from solver.postflop.prepared import prepare
from solver.postflop.solution_files import read_saved_solve, save_solve
from solver.postflop.solver import Exploitability, PostflopSolver
from solver.postflop.spot import parse_spot, read_spot
from solver.postflop.tree import format_line, parse_action, parse_line
from strategies.blueprint_pack import row_offsets
from strategies.manifest import (
    MANIFEST_NAME,
    format_manifest,
    parse_manifest,
    parse_unsealed_manifest,
    read_manifest,
    seal_line,
)
from strategies.pack import find_packs
from tests.golden import HUNL, TRANSCRIPTS, game, read_golden_log, read_transcript
from tests.poker.lbr_fixtures import lbr_log
from tests.strategies.provenance import PROVENANCE

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"


@dataclass(frozen=True)
class Parser:
    """One parser that gets hostile input."""

    name: str
    """Full name of the function, or several names joined by blanks if one call covers them all."""
    parse: Callable[[str], object]
    """Parses text; checks nothing."""
    corpus: tuple[str, ...]
    """Valid input."""
    errors: tuple[type[Exception], ...] = ()
    """The documented exceptions."""
    check: Callable[[str, Any], None] | None = None
    """Checks the result for some input, for example that it formats back to it."""


def as_bytes(text: str) -> bytes:
    """Returns a text as the bytes of a file; surrogates stand for bytes that are not UTF-8."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # surrogates that stand for nothing
        return text.encode("utf-8", "surrogatepass")


def in_file(read: Callable[[Path], object], name: str = "input") -> Callable[[str], object]:
    """Returns a parser of text, from a function that reads a file."""

    def parse(text: str) -> object:
        folder = Path(tempfile.mkdtemp(prefix="hedgehog-fuzz-"))
        try:
            (folder / name).write_bytes(as_bytes(text))
            return read(folder / name)
        finally:
            shutil.rmtree(folder)

    return parse


def in_folder(read: Callable[[Path], object], name: str) -> Callable[[str], object]:
    """Returns a parser of text, from a function that reads the file ``name`` in a given folder."""
    return in_file(lambda path: read(path.parent), name)


def back(parse: Callable[[str], object], format_: Callable[[Any], str]) -> Callable[[str, Any], None]:
    """Returns a check that the result formats to text that parses to an equal result."""

    def check(_: str, result: Any) -> None:
        assert parse(format_(result)) == result

    return check


def same_text(format_: Callable[[Any], str]) -> Callable[[str, Any], None]:
    """Returns a check that the result formats to exactly the text it was parsed from."""

    def check(text: str, result: Any) -> None:
        assert format_(result) == text

    return check


# -- games, states, logs ------------------------------------------------------------------------------------------

GAME_TEXTS = tuple(path.read_text() for path in shipped_gamedefs().values())
GAMES = [game(name) for name in (HUNL, "custom.nolimit.6p.sidepots", "leduc.limit.2p", "custom.limit.4p.shortstacks")]
LOG = read_golden_log("log_hunl2p_s0")
LOG_LINES = tuple(line for line in LOG if line.startswith("STATE:"))[:30]
LOG_TEXTS = ("\n".join(LOG[:12]), "\n".join(LOG[:4]), "\n".join([*LOG[:5], LOG[-1]]) + "\n")
SENT = [(kind, text) for seat in read_transcript(TRANSCRIPTS[2]).seats for kind, text in seat]
STATES = tuple(text for kind, text in SENT if kind == "S")[:60]
HANDS = [list(group) for _, group in itertools.groupby(STATES, lambda line: line.split(":")[2])]
LONG_HAND = max(HANDS, key=len)
RESPONSES = tuple(text for kind, text in SENT if kind == "C" and text.startswith("MATCH"))[:60]
BETTINGS = ("", "cc/", "r300c/cr900", "r20000c///", "cr9352c/r15096r20000f", "rrcc/c", "ccfr45r300cccc/r724ff/", "f")


def parse_any_betting(text: str) -> HandState:
    """Parses a betting string of any game."""
    for gamedef in GAMES[1:]:
        with suppress(MatchStateError):
            return parse_betting(text, gamedef)
    return parse_betting(text, GAMES[0])


def check_betting_line(_: str, state: HandState) -> None:
    again = parse_betting_line(format_betting_line(state), state.gamedef, by_street=True)
    assert again.betting_string() == state.betting_string()


def parse_hunl_state(text: str) -> MatchState:
    return parse_matchstate(text, GAMES[0])


def check_state_line(text: str, result: Any) -> None:
    assert format_matchstate(result) == text.removesuffix("\n").removesuffix("\r")


def _outcome(parse: Callable[[str], Any], line: str) -> str:
    try:
        return format_matchstate(parse(line))
    except MatchStateError:
        return "refused"


def _row_with(text: str) -> list[str]:
    """Returns the lines of a hand up to some point, then ``text``, then the last line of the hand."""
    return [*LONG_HAND[: len(text) % len(LONG_HAND)], text, LONG_HAND[-1]]


def read_by_continuation(text: str) -> object:
    """Reads the lines of a hand as a client does, each as a continuation of the line before."""
    reader = MatchStateReader(GAMES[0])
    return [_outcome(reader.parse, line) for line in _row_with(text)]


def check_continuation(text: str, result: Any) -> None:
    assert result == [_outcome(parse_hunl_state, line) for line in _row_with(text)]


def check_header(text: str, result: Any) -> None:
    assert result is None or parse_header(format_header(result)) == result
    assert result is None or text.startswith("# name/game/hands/seed ")


def check_log_line(text: str, result: Any) -> None:
    values = payoffs(result.state, result.hole_cards, result.board)
    assert len(values) == len(result.values)
    assert text.endswith(f":{'|'.join(result.values)}:{result.names}")
    assert f":{result.state.betting_string()}:" in text


def scan_response(text: str) -> object:
    """Reads the state and the action of a client's line as the dealer does."""
    actions = []
    for gamedef in GAMES:
        echoed = scan_state(text, gamedef)
        state = HandState(gamedef)
        action, _ = read_action(text, echoed.end if echoed else text.rfind(":"), state)
        assert state.can(action)
        actions.append(action)
        if echoed is not None:
            assert 0 <= echoed.position < gamedef.num_players
            answers(echoed, 0, 0, state, ((1,),) * gamedef.num_players, ())
    return actions


def receive_at_once(text: str) -> object:
    """Returns the events of a client's protocol that receives all bytes of a dealer at once."""
    protocol = ClientProtocol(GAMES[0])
    events = protocol.receive(as_bytes(text))
    protocol.end_of_stream()
    return events


def _recorded_hand() -> RecordedHand:
    rows = np.zeros((2, 1326))
    rows[:, :3] = [[1, 0.25, 0.5], [0, 0.75, 0.5]]
    return RecordedHand(3, 1, (51, 44), "r300c/cc", (RecordedDecision(0, Options([CALL, Action("r", 300)], rows)),))


RECORDED_HAND = zlib.decompress(format_recorded_hand(_recorded_hand())).decode("latin-1")


def check_recorded_hand(_: str, result: Any) -> None:
    again = parse_hand(format_recorded_hand(result))
    assert again[:4] == result[:4]
    for one, other in zip(again.decisions, result.decisions, strict=True):
        assert one.options.actions == other.options.actions
        assert np.array_equal(one.options.probabilities, other.options.probabilities)


@cache
def decision_record() -> str:
    """Returns a record of one hand as text; surrogates stand for bytes that are not UTF-8."""
    with tempfile.TemporaryDirectory(prefix="hedgehog-fuzz-") as folder:
        path = Path(folder) / "x.decisions"
        writer = RecordWriter(path, RecordHeader.of(game(HUNL), "default", 7, 300))
        writer.write(_recorded_hand())
        writer.close()
        return path.read_bytes().decode("utf-8", "surrogateescape")


def finished_log(path: Path) -> object:
    return read_finished_log(ExpectedLog(path, "log_s0", Path(f"{HUNL}.game"), 1, 0, ("P1_ex", "P2_ex")))


def unfinished_hands(path: Path) -> object:
    return count_unfinished_hands(ExpectedLog(path, "log_s0", Path(f"{HUNL}.game"), 1, 0, ("P1_ex", "P2_ex")))


def follow_log(path: Path) -> object:
    progress = Progress(chips={"P1_ex": 0.0, "P2_ex": 0.0})
    LogFollower(path, progress).read()
    return progress


TRANSACTION_LINES = (
    "r300 0 1700000000.000001 1700000000.000002",
    "c 0 1700000000.123456 1700000001.000000",
    "f 17 0.000000 0.999999",
)
LBR_LINES = lbr_log(list(LOG_LINES), {"P1_ex": "BR", "P2_ex": "Player"})
LBR_TEXT = "\n".join(LBR_LINES)
LBR_HANDS = tuple(line for line in LBR_LINES if line[:1].isdigit())[:20]
LBR_GAME = read_lbr_header(LBR_LINES).gamedef()


def read_lbr(text: str) -> object:
    lines = text.split("\n")
    return list(read_lbr_hands(lines, read_lbr_header(lines).gamedef()))


PHH_TEXT = """variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [20000, 20000]
actions = ['d dh p1 AhKd', 'd dh p2 ????', 'p2 cbr 300', 'p1 cc', 'd db 2s9dTh', 'p1 cbr 500', 'p2 f']
players = ['Ann', 'Bob']
hand = 7
"""
PHHS_TEXT = f"# name/game/hands/seed m g.game 2 1\n\n[1]\n{PHH_TEXT}\n[2]\n{PHH_TEXT.replace('300', '250')}"


# -- notations and configuration ------------------------------------------------------------------------------------

SPOTS = tuple(path.read_text() for path in sorted((DATA / "solver" / "spots").glob("*.yaml")))
LOCKED_SPOT = """\
spot: locked
board: Td 9d 6h Qc
pot: 100
stack: 50
range: {oop: "AA,KdJd", ip: "QQ,AQs"}
sizes: {turn: {oop: "50%", ip: "50%"}, river: {oop: "a", ip: "a"}}
locks:
  - {line: X A50, hands: "AA", strategy: {F: 0.25, C: 0.75}}
  - {line: X X 7c, strategy: {X: 1}}
"""
CONFIGS = ROOT / "strategies" / "configs"
QUICK_FLOPS_YAML = """\
kind: quick-flops
name: few
blueprint: ../packs/blueprint
classes: [Qh Jh 2c, 7d 7c 7h]
seed: 2
refine: {boards: 10}
lines:
  - betting: r250c
    refine: {boards: 5}
"""
MANIFESTS = tuple(path.read_text() for path in sorted((ROOT / "strategies" / "packs").glob(f"*/{MANIFEST_NAME}")))
BLUEPRINT_YAML = """\
kind: blueprint
name: mine
menu: {preset: small, preflop: 2.5x / 3x, limped: 4x, flop: "33%,e / 100c3r", caps: [4, 3, 2, 2], all_in: yes}
blinds: [10, 20]
stack: 1000
algorithm: external
average_power: 1
stop: {mbb: 20, gate: no}
snapshots: yes
"""
LBR_RESULTS = "\n".join(
    (
        '{"player": "default", "game": "holdem.nolimit.2p", "seed": 1, "think_ms": 300, "threads": null}',
        '{"setting": "fcpa", "first": 0, "pairs": [[[1, -2.5, 3e2], [4, 5, 6]]], "cpu_seconds": 0.5}',
        '{"setting": "fcpa", "first": 1, "pairs": [[[1, 2, 3], [4, 5, 6]], [[0, 0, 0], [0, 0, 0]]], "cpu_seconds": 2}',
        "",
    )
)
ANSWERS = json.dumps(
    {
        "format": "hedgehog.answers",
        "version": 1,
        "hands": 2,
        "slow_ms": 7000,
        "seats": [
            {
                "seat": 1,
                "name": "a",
                "answers": 3,
                "corrected": 1,
                "illegal": 0,
                "ignored": 0,
                "slow": 0,
                "slowest_ms": 2.5,
                "decision_ms": {"river": {"n": 3, "p50": 1.0, "p99": 2.0, "histogram": {"0": 2, "35": 1}}},
            }
        ],
        "warnings": [
            {"seat": 1, "name": "a", "hand": 1, "warning": "raise of 1 increased to 2", "line": "", "action": "c"}
        ],
    }
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
CURVE = json.dumps(
    {
        "algorithm": "dcfr",
        "conditions": {"spot": "D2", "threads": 1},
        "memory_bytes": 1000,
        "looks": [{"iteration": 1, "seconds": 0.5, "exploitability_pct_pot": 20.0}],
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


def npz_text(header: str) -> str:
    """Returns the bytes of a blueprint file with a JSON header, as text with surrogate escapes."""
    file = io.BytesIO()
    np.savez(file, header=np.array(header), rows=np.zeros(BLUEPRINT_ROWS, dtype=np.float32))
    return file.getvalue().decode("utf-8", "surrogateescape")


def npy_text() -> str:
    """Returns the bytes of an array file, as text with surrogate escapes."""
    file = io.BytesIO()
    np.save(file, np.arange(60, dtype="<f4").reshape(3, 20))
    return file.getvalue().decode("utf-8", "surrogateescape")


NPY_TEXT = npy_text()
_MENU = BlueprintMenu(
    opens=(2.5,), isolations=(3.0,), reraises=((3.0,),), bets=((), (), ()), raises=(((),), ((),), ((),))
)
_BUCKETS = CardConfig(1, 1, 1, 1)
BLUEPRINT_ROWS = row_offsets(build_blueprint_tree(_MENU, (50, 100), 400), _BUCKETS.bucket_counts)[1]
BLUEPRINT_HEADER = json.dumps(
    {
        "format": FORMAT,
        "menu": _MENU.to_dict(),
        "cards": _BUCKETS.to_dict(),
        "blinds": [100, 50],
        "stack": 400,
        "training": {},
    }
)


def mapping(parse: Callable[[Any], object]) -> Callable[[str], object]:
    """Returns a parser of JSON text, from a parser of mappings. Text that is no JSON mapping is not passed on."""

    def parse_text(text: str) -> object:
        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            return None
        return parse(values) if isinstance(values, dict) else None

    return parse_text


def check_range(_: str, weights: Any) -> None:
    assert ((weights >= 0) & (weights <= 1)).all()
    assert (parse_range(format_range(weights)) == weights).all()


def check_entrant(text: str, spec: PlayerSpec) -> None:
    assert (f"{spec.name}={spec.text}" if spec.name else spec.text) == text
    verify_player_names(unique_names([spec]) if spec.name else [])


def check_player_spec(text: str, spec: PlayerSpec) -> None:
    assert parse_player_spec(spec.text) == spec
    assert spec.text == text
    assert spec.label
    assert not set(spec.label) & set(":|\n ")


def unsealed(text: str) -> str:
    """Returns the text of a manifest without the line of its digest, if it has one."""
    body, found, rest = text.rpartition("manifest_sha256: ")
    return body if found and "\n" not in rest[:-1] else text


def resealed(text: str) -> str:
    """Returns the text of a manifest with the right digest."""
    body = unsealed(text)
    return body + seal_line(as_bytes(body)).decode()


def check_manifest(_: str, manifest: Any) -> None:
    if manifest is None:  # of today's version, no longer without a digest
        return
    assert in_folder(read_manifest, MANIFEST_NAME)(format_manifest(manifest)) == manifest


def saved_manifest() -> str:
    """Returns the manifest of a saved solve of a river."""
    spot = parse_spot((DATA / "solver" / "spots" / "D2_river.yaml").read_text())
    solver = PostflopSolver(prepare(spot), threads=1)
    made = PROVENANCE
    with tempfile.TemporaryDirectory() as folder:
        nothing = Exploitability(0.0, 0.0, (0.0, 0.0), (0.0, 0.0))
        save_solve(Path(folder), solver, spot, nothing, 0.0, made)
        return (Path(folder) / MANIFEST_NAME).read_text()


def lines_of(parse: Callable[[list[str]], object]) -> Callable[[str], object]:
    return lambda text: parse(text.split("\n"))


def everything(items: Callable[[str], Iterable[object]]) -> Callable[[str], object]:
    return lambda text: list(items(text))


PARSERS = (
    Parser(
        "poker.acpc.gamedef.parse_gamedef",
        parse_gamedef,
        GAME_TEXTS,
        (GamedefError,),
        back(parse_gamedef, format_gamedef),
    ),
    Parser("poker.acpc.gamedef.read_gamedef", in_file(read_gamedef), GAME_TEXTS, (GamedefError,)),
    Parser(
        "poker.acpc.gamedef.find_gamedef",
        find_gamedef,
        (HUNL, "kuhn.limit.2p.game", str(ROOT / "a.game")),
        (GamedefError,),
    ),
    Parser("cli.arena.running.read_match_game", in_file(read_match_game), GAME_TEXTS, (InputError,)),
    Parser("poker.cards.parse_card", parse_card, ("Qh", "2c", "tS"), (CardError,), back(parse_card, format_card)),
    Parser(
        "poker.cards.parse_cards",
        parse_cards,
        ("QhJh2c", "Qh Jh, 2c", "", "AsKsQsJsTs9s8s"),
        (CardError,),
        back(parse_cards, format_cards),
    ),
    Parser("poker.cards.parse_combo", parse_combo, ("AhKh", "2c 2d"), (CardError,), back(parse_combo, format_combo)),
    Parser(
        "poker.acpc.scanf.scan_integer", lambda text: scan_integer(text, 0, 32, signed=True), ("12", " -7x", "+0009")
    ),
    Parser(
        "poker.acpc.matchstate.parse_betting",
        parse_any_betting,
        BETTINGS,
        (MatchStateError,),
        same_text(HandState.betting_string),
    ),
    Parser(
        "poker.acpc.betting_line.parse_betting_line",
        lambda text: parse_betting_line(text, GAMES[0]),
        ("r250c/kr300", "r250c/cr550", "ck/kk/kk/", "r20000c", " r250 c / k r300 c"),
        (MatchStateError,),
        check_betting_line,
    ),
    Parser(
        "agent.questions.parse_decision",
        lambda text: parse_decision(*(text.split("|") + [""] * 3)[:3], gamedef=GAMES[0]),
        ("r250c/kr300|Qs Jh 2h|AhKd", "||2c 2s", "ck/kk/|QsJh2h5c|AsKs", "r250c/cr550c/cc/|Qs,Jh,2h,5c,6d|7c7d"),
        (MatchStateError, CardError),
    ),
    Parser(
        "cli.table.table_keys.parse_answer",
        lambda text: parse_answer(text, parse_betting("r250c/r600", GAMES[0])),
        ("f", "c", "r 900", "raise to 1,000", "900", "p", "?", "all-in"),
        (InputError,),
    ),
    Parser(
        "poker.acpc.matchstate.parse_hand_cards",
        lambda text: parse_hand_cards(text, GAMES[0], text.count("/") % 4),
        ("AsKd|", "|QhJh/2c3c4c", "AsKd|QhJh/2c3c4c/5d/6d"),
        (MatchStateError,),
    ),
    Parser(
        "poker.acpc.matchstate.parse_number",
        lambda text: parse_number(text, "number"),
        ("0", "17", "4294967295"),
        (MatchStateError,),
        same_text(str),
    ),
    Parser("poker.acpc.matchstate.parse_matchstate", parse_hunl_state, STATES, (MatchStateError,), check_state_line),
    Parser(
        "poker.acpc.matchstate.MatchStateReader.parse", read_by_continuation, tuple(LONG_HAND), (), check_continuation
    ),
    Parser("poker.acpc.handlog.parse_header", parse_header, (LOG[0],), (LogError,), check_header),
    Parser(
        "poker.acpc.handlog.parse_log_line",
        lambda text: parse_log_line(text, GAMES[0]),
        LOG_LINES,
        (LogError, MatchStateError),
        check_log_line,
    ),
    Parser("poker.acpc.handlog.scan_log_line", scan_log_line, LOG_LINES, (LogError,)),
    Parser("poker.acpc.handlog.verify_log_lines", lines_of(lambda lines: verify_log_lines(lines, GAMES[0])), LOG_TEXTS),
    Parser("poker.acpc.handlog.read_log", in_file(read_log), LOG_TEXTS, (LogError,)),
    Parser(
        "poker.acpc.handlog.find_log_gamedef",
        lines_of(lambda lines: find_log_gamedef(lines, "x")),
        LOG_TEXTS,
        (LogError,),
    ),
    Parser("poker.acpc.handlog.verify_log", in_file(verify_log), LOG_TEXTS, (LogError,)),
    Parser("poker.acpc.lbr_log.read_lbr_header poker.acpc.lbr_log.read_lbr_hands", read_lbr, (LBR_TEXT,), (LogError,)),
    Parser("poker.acpc.lbr_log.verify_lbr_lines", lines_of(verify_lbr_lines), (LBR_TEXT,), (LogError,)),
    Parser(
        "poker.acpc.lbr_log.parse_lbr_hand",
        lambda text: parse_lbr_hand(text, LBR_GAME),
        LBR_HANDS,
        (LogError, MatchStateError),
    ),
    Parser(
        "poker.acpc.lbr_log.parse_lbr_betting",
        lambda text: parse_lbr_betting(text, LBR_GAME),
        ("cc/r200f", "f", "r100c/cc/cc/cc", "r19900c/cc/cc/cc"),
        (LogError, MatchStateError),
        same_text(format_lbr_betting),
    ),
    Parser(
        "poker.betsizes.parse_bet_size",
        parse_bet_size,
        ("50%", "2.5x", "100c", "20c3r", "e", "2e", "3e200%", "a"),
        (SpotError,),
        back(parse_bet_size, format_bet_size),
    ),
    Parser(
        "poker.betsizes.parse_menu",
        parse_menu,
        ("50%,100c,a", "", "2.5x, e"),
        (SpotError,),
        back(parse_menu, format_menu),
    ),
    Parser(
        "poker.betsizes.parse_bet_sizes",
        parse_bet_sizes,
        ("50%,a / 2.5x,a", "/", "33%,2e / 100% / a"),
        (SpotError,),
        back(parse_bet_sizes, format_bet_sizes),
    ),
    Parser(
        "poker.hand_names.parse_hand_filter",
        parse_hand_filter,
        ("top pair+,flush draw", "set & !nut flush draw, OESD+", "Two-Pair+ & fd , ! high_card"),
        (InputError,),
    ),
    Parser(
        "poker.ranges.parse_range",
        parse_range,
        ("66+,A8s+,KTo+,A5s-A4s,76s:0.5,AhKh", "random", "QQ-77:0.25", "AhKh:0.5,AKs"),
        (RangeError,),
        check_range,
    ),
    Parser(
        "dealer.response.scan_state dealer.response.read_action", scan_response, (*RESPONSES, "MATCHSTATE:0:0::|:c")
    ),
    Parser(
        "agent.protocol.ClientProtocol",
        receive_at_once,
        tuple(map("".join, itertools.accumulate((state,) for state in STATES[:20]))),
        (MatchError,),
    ),
    Parser("dealer.server.parse_version", parse_version, ("VERSION:2.0.0\r\n", "VERSION: 2.0.17 x", "VERSION:1.0.0")),
    Parser(
        "dealer.transactions.parse_transaction",
        parse_transaction,
        TRANSACTION_LINES,
        (MatchError,),
        back(parse_transaction, format_transaction),
    ),
    Parser(
        "dealer.resume.read_transactions",
        in_file(lambda path: list(read_transactions(path))),
        ("\n".join(TRANSACTION_LINES) + "\n", "\n".join(TRANSACTION_LINES)),
        (InputError, MatchError),
    ),
    Parser(
        "dealer.resume.count_logged_hands",
        in_file(lambda path: count_logged_hands(path, LOG[0])),
        LOG_TEXTS,
        (InputError,),
    ),
    Parser(
        "dealer.resume.read_logged_hands",
        in_file(lambda path: read_logged_hands(path, LOG[0] + "\n")),
        ("\n".join([LOG[0], *(line for line in LOG if line.startswith("STATE:"))]) + "\n",),
        (InputError,),
    ),
    Parser("dealer.answers.read_answers", in_file(read_answers), (ANSWERS,), (InputError,)),
    Parser("arena.seating_log.read_finished_log", in_file(finished_log), LOG_TEXTS),
    Parser("arena.seating_log.count_unfinished_hands", in_file(unfinished_hands), LOG_TEXTS),
    Parser("arena.seating_log.LogFollower", in_file(follow_log), LOG_TEXTS, (InputError,)),
    Parser("arena.seating_log.read_hole_cards", in_file(read_hole_cards), LOG_TEXTS, (LogError,)),
    Parser("arena.plans.read_json_object", in_file(read_json_object), (TOURNAMENT_RECORD, MATCH_RECORD), (InputError,)),
    Parser(
        "arena.records.read_tournament_record",
        in_folder(read_tournament_record, TOURNAMENT_FILE),
        (TOURNAMENT_RECORD,),
        (InputError,),
    ),
    Parser("arena.records.read_match_record", in_folder(read_match_record, MATCH_FILE), (MATCH_RECORD,), (InputError,)),
    Parser(
        "arena.tournament.read_progress",
        in_folder(read_progress, TOURNAMENT_FILE),
        (TOURNAMENT_RECORD,),
        (InputError,),
    ),
    Parser(
        "agent.specs.parse_player_spec",
        parse_player_spec,
        ("call", "default", "pack:strategies/packs", "cmd:./bot --fast 'a b'", "py:my.bots:Bot", "py:a b/my.py:Bot"),
        (InputError,),
        check_player_spec,
    ),
    Parser(
        "agent.specs.parse_entrant",
        parse_entrant,
        ("call", "me=default", "me=cmd:./bot --x=1", "cmd:./bot --x=1", "you=py:my.bots:Bot"),
        (InputError,),
        check_entrant,
    ),
    Parser("analysis.lbr.results.read_lbr_results", in_file(read_lbr_results), (LBR_RESULTS,), (InputError,)),
    Parser(
        "analysis.stats.play_statistics.add_report",
        in_file(lambda path: add_report(PlayStatistics(), path)),
        (REPORT,),
        (InputError,),
    ),
    Parser(
        "analysis.stats.match_report.read_winnings",
        in_file(lambda path: read_winnings([path], ("P1_ex", "P2_ex"), GAMES[0])),
        LOG_TEXTS,
        (LogError,),
    ),
    Parser("analysis.solves.convergence_files.read_curve", in_file(read_curve), (CURVE,), (InputError,)),
    Parser("analysis.histories.phh.read_phh", everything(read_phh), (PHH_TEXT, PHHS_TEXT), (LogError,)),
    Parser(
        "analysis.histories.hand_files.open_hand_file",
        in_file(lambda path: list(open_hand_file(path).entries())),
        (*LOG_TEXTS, LBR_TEXT, PHH_TEXT, PHHS_TEXT),
        (LogError,),
    ),
    Parser(
        "analysis.histories.hand_files.detect_format",
        in_file(lambda path: detect_format(path, read_log(path))),
        (*LOG_TEXTS, gzip.compress(LOG_TEXTS[0].encode(), mtime=0).decode("utf-8", "surrogateescape")),
        (LogError,),
    ),
    Parser(
        "solver.cfr.algorithms.parse_algorithm",
        parse_algorithm,
        ("dcfr", "gamma5", "dcfr:alpha=1.5,beta=-0.25,gamma=2,reset=no,forget=no", "gamma5:gamma=4"),
        (SpotError,),
        back(parse_algorithm, str),
    ),
    Parser(
        "analysis.lbr.settings.parse_lbr_setting",
        parse_lbr_setting,
        ("fc", "fcpa", "56bets", "2r56bets", "fcpa:2-4", "56bets:3"),
        (InputError,),
    ),
    Parser("solver.postflop.spot.parse_spot", parse_spot, (*SPOTS, LOCKED_SPOT), (SpotError,)),
    Parser("solver.postflop.spot.read_spot runtime.config_file.read_text", in_file(read_spot), SPOTS, (SpotError,)),
    Parser("solver.postflop.tree.parse_action", parse_action, ("F", "X", "C", "B200", "R800", "A4900"), (SpotError,)),
    Parser("solver.postflop.tree.parse_line", parse_line, ("B200 C X", ""), (), back(parse_line, format_line)),
    Parser(
        "solver.blueprint.tree.parse_menu",
        mapping(blueprint_tree.parse_menu),
        tuple(json.dumps(menu.to_dict()) for menu in blueprint_tree.MENUS.values()),
        (InputError,),
    ),
    Parser(
        "solver.blueprint.card_config.parse_card_config",
        mapping(parse_card_config),
        (
            '{"flop": 200, "turn": 100, "river": 50, "seed": 1}',
            '{"turn": 1000, "turn_features": "potential", "river_features": "ochs"}',
        ),
        (InputError,),
    ),
    Parser(
        "solver.blueprint.config.read_blueprint_pack_config runtime.config_file.read_config",
        in_file(read_blueprint_pack_config),
        ((CONFIGS / "default-blueprint.yaml").read_text(), BLUEPRINT_YAML),
        (InputError,),
    ),
    Parser(
        "solver.blueprint.config.parse_sizes",
        lambda text: [parse_sizes(text, preflop) for preflop in (True, False)],
        ("2.5x,7x / 3.4x / ", "50%,100c3r,a/2e200%"),
        (InputError,),
    ),
    Parser(
        "solver.packs.exact_flops.read_flop_pack_config",
        in_file(read_flop_pack_config),
        ((CONFIGS / "exact-flops.yaml").read_text(),),
        (InputError,),
    ),
    Parser(
        "solver.packs.quick_flops.read_quick_flop_config",
        in_file(read_quick_flop_config),
        ((CONFIGS / "quick-flops.yaml").read_text(), QUICK_FLOPS_YAML),
        (InputError,),
    ),
    Parser(
        "runtime.array_files.read_npz",
        in_file(lambda path: read_npz(path, FORMAT, ("rows",))),
        (npz_text(BLUEPRINT_HEADER),),
        (InputError,),
    ),
    Parser(
        "solver.blueprint.table.load_blueprint", in_file(load_blueprint), (npz_text(BLUEPRINT_HEADER),), (InputError,)
    ),
    Parser(
        "solver.blueprint.table.load_blueprint",
        lambda header: in_file(load_blueprint)(npz_text(header)),
        (BLUEPRINT_HEADER,),
        (InputError,),
    ),
    Parser(
        "runtime.npy_files.read_npy_header runtime.npy_files.read_npz_arrays",
        in_file(lambda path: read_npz_arrays(path, ("rows",))),
        (npz_text(BLUEPRINT_HEADER),),
        (InputError,),
    ),
    Parser("runtime.npy_files.read_npy_header", in_file(map_npy), (NPY_TEXT,), (InputError,)),
    Parser(
        "strategies.manifest.read_manifest strategies.manifest.read_manifest_bytes",
        in_folder(read_manifest, MANIFEST_NAME),
        MANIFESTS,
        (PackError,),
        check_manifest,
    ),
    Parser(  # a digest that is right lets everything through to what parses it
        "strategies.manifest.parse_manifest",
        lambda text: parse_manifest(as_bytes(resealed(text)), MANIFEST_NAME),
        MANIFESTS,
        (PackError,),
        check_manifest,
    ),
    Parser(
        "strategies.manifest.parse_unsealed_manifest",
        lambda text: parse_unsealed_manifest(as_bytes(text), MANIFEST_NAME),
        tuple(unsealed(text).replace("format_version: 2", "format_version: 1") for text in MANIFESTS),
        (PackError,),
        check_manifest,
    ),
    Parser(
        "solver.postflop.solution_files.read_saved_solve",
        in_folder(read_saved_solve, MANIFEST_NAME),
        (saved_manifest(),),
        (PackError,),
    ),
    Parser(
        "solver.postflop.solution_files.read_saved_solve",
        lambda text: in_folder(read_saved_solve, MANIFEST_NAME)(resealed(text)),
        (saved_manifest(),),
        (PackError,),
    ),
    Parser("strategies.pack.find_packs", find_packs, (str(ROOT / "strategies" / "packs"),), (PackError,)),
    Parser(
        "cli.arena.tournament._read_plan",
        in_file(lambda path: _read_plan(path, None)),
        (TOURNAMENT_YAML,),
        (InputError,),
    ),
    Parser(
        "analysis.aivat.published.read_published_table",
        in_file(read_published_table, "results.mike.csv"),
        ("\n".join((DATA / "aivat" / "results.phan.mike.csv").read_text().splitlines()[:4]),),
        (LogError,),
    ),
    Parser(
        "agent.decision_record.parse_hand",
        lambda text: parse_hand(zlib.compress(text.encode("latin-1", "replace"))),
        (RECORDED_HAND,),
        (InputError,),
        check_recorded_hand,
    ),
    Parser(
        "agent.decision_record.DecisionRecord",
        lambda text: in_file(lambda path: list(DecisionRecord(path).hands()))(decision_record() + text),
        ("", decision_record()[-40:]),
        (InputError,),
    ),
    Parser("agent.decision_record.DecisionRecord", in_file(DecisionRecord), (decision_record(),), (InputError,)),
    Parser("cli.arena.dealer._parse_ports", _parse_ports, ("0,0", "1024,65535", "20000"), (InputError,)),
)

NOT_FUZZED = {
    "runtime.kernel_cache.load_overload": "numba's name for a look-up in the cache; tests/runtime/test_kernel_cache.py",
    "strategies.blueprint_pack.read_blueprint": "reads arrays whose checksums open_pack has verified",
    "strategies.pack.read_tree": "reads arrays whose checksums open_pack has verified",
    "solver.postflop.solution_files.load_state": "reads arrays whose checksums open_pack has verified",
    "cli.solves.saving.find_saved": "composed of read_saved_solve and verify_same_spot",
    "solver.packs.exact_flops.read_job": "reads a work file through read_npz_arrays",
    "solver.packs.quick_flops.read_job": "reads a work file through read_npz and checks its arrays",
    "solver.packs.jobs.load_job": "calls a reader of work files, and deletes the file if it is damaged",
    "solver.packs.jobs.load_line": "reads the files of a line through load_job",
    "strategies.flop_pack.read_flop_lines": "reads arrays whose checksums open_pack has verified",
    "strategies.quick_flops.read_quick_flops": "reads arrays with verified checksums; refuses damaged streams",
    "solver.blueprint.card_abstraction.load_or_build": "calls load_or_build_tables",
    "solver.blueprint.card_tables.load_or_build_tables": "maps cache files, checks their digests, or builds them anew",
    "analysis.solves.convergence_files.find_conflict": "calls read_curve for every curve of a folder",
    "analysis.stats.play_statistics.read_play_statistics": "composed of add_report and read_answers",
    "cli.outputs.parse_args": "click parses the words of the shell, then once more with one of them changed",
    "solver.postflop.queries.find_node": "composed of parse_line, parse_action and parse_card",
    "analysis.histories.phh.parse_history": "takes a hand that pokerkit has parsed; read_phh calls it",
    "arena.tournament.load_progress": "read_progress calls it",
    "poker.acpc.gamedef.load_gamedef": "composed of find_gamedef and read_gamedef",
    "agent.plugins.load_player_class": "imports the user's own code",
    "dealer.connection.read_now": "reads a socket into memory",
}
"""Functions named like parsers that no entry above covers, and why."""

_LOGGED = LOG_LINES[0] + "\n"
_NPZ = npz_text(BLUEPRINT_HEADER)
_MENU_JSON = json.dumps(blueprint_tree.SMALL.to_dict())
KEPT: tuple[tuple[str, str], ...] = (
    ("strategies.manifest.read_manifest", "9" * 5000),
    ("poker.acpc.gamedef.find_gamedef", "holdem." * 60),
    ("strategies.pack.find_packs", "packs" * 60),
    ("poker.acpc.matchstate.MatchStateReader.parse", "MATCHSTATE:0:4::5s4c|\r\r\n"),
    ("arena.seating_log.LogFollower", _LOGGED.replace("P2_ex", "P3_ex")),
    ("arena.seating_log.LogFollower", _LOGGED.replace("-15096|", "")),
    ("arena.seating_log.LogFollower", "STATE:0\n"),
    ("arena.plans.read_json_object", "[" * 100_000),
    ("arena.records.read_tournament_record", TOURNAMENT_RECORD.replace("10", "1e400")),
    ("arena.tournament.read_progress", TOURNAMENT_RECORD.replace('"name": "a"', '"name": "c"')),
    ("cli.arena.tournament._read_plan", TOURNAMENT_YAML.replace("kuhn", "kuhn" * 80)),
    ("agent.specs.parse_player_spec", "pack:\0packs"),
    ("poker.acpc.lbr_log.verify_lbr_lines", re.sub(r"(vr_sum_sq=[0-9]+)", r"\1.1", LBR_TEXT)),
    ("analysis.lbr.results.read_lbr_results", LBR_RESULTS.replace('"first": 1', '"first": 0')),
    ("arena.records.read_match_record", '{"a":' * 100_000),
    ("analysis.stats.play_statistics.add_report", "[" * 100_000),
    ("analysis.stats.play_statistics.add_report", REPORT.replace('"3": 1', '"3": 1e400')),
    ("analysis.solves.convergence_files.read_curve", "[" * 100_000),
    ("solver.blueprint.table.load_blueprint", "[" * 100_000),
    ("analysis.stats.match_report.read_winnings", _LOGGED.replace("-15096|", "x|")),
    ("runtime.array_files.read_npz", _NPZ.replace(f"({BLUEPRINT_ROWS},)", f"(({BLUEPRINT_ROWS},")),
    ("solver.blueprint.table.load_blueprint", _NPZ.replace(f"({BLUEPRINT_ROWS},)", f"(({BLUEPRINT_ROWS},")),
    ("solver.blueprint.tree.parse_menu", _MENU_JSON.replace("[2.5]", "[1" + "0" * 400 + "]")),
    ("solver.blueprint.tree.parse_menu", _MENU_JSON.replace("[2.5]", "[1e400]")),
    ("solver.blueprint.tree.parse_menu", _MENU_JSON.replace('"max_raises": 7', '"max_raises": NaN')),
    ("solver.blueprint.table.load_blueprint", BLUEPRINT_HEADER.replace("[2.5]", "[1e308]")),
    ("solver.blueprint.table.load_blueprint", BLUEPRINT_HEADER.replace('"stack": 400', '"stack": 1e400')),
    ("arena.tournament.read_progress", TOURNAMENT_RECORD.replace("001_a_vs_b", "9" * 5000)),
    ("arena.tournament.read_progress", TOURNAMENT_RECORD.replace("001_a_vs_b", "../../etc")),
    ("dealer.resume.count_logged_hands", LOG_TEXTS[0].replace("STATE:7:", "STATE:" + "9" * 5000 + ":") + "\n"),
    ("dealer.resume.read_transactions", TRANSACTION_LINES[0][:-3]),
    ("dealer.resume.read_transactions", "x\x85x\n"),
    ("analysis.histories.hand_files.open_hand_file", LBR_TEXT.replace("BR,Player", "B|R,Player")),
    ("agent.specs.parse_player_spec", "pack:\udb87"),
    ("agent.specs.parse_player_spec", "cmd:\ud800 x"),
    ("cli.arena.tournament._read_plan", TOURNAMENT_YAML + "  - call\n" * 5000),
)
"""Pairs (parser, input) that once raised an error that the parser does not document."""
