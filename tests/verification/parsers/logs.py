"""Parsers of logs and of hands in other formats."""

from __future__ import annotations

import gzip
import json
import re
import tempfile
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from hedgehog.agent.decision_record import (
    DecisionRecord,
    RecordedDecision,
    RecordedHand,
    RecordHeader,
    RecordWriter,
    parse_hand,
)
from hedgehog.agent.decision_record import format_hand as format_recorded_hand
from hedgehog.agent.options import Options
from hedgehog.analysis.aivat.published import read_published_table
from hedgehog.analysis.histories.hand_files import detect_format, open_hand_file
from hedgehog.analysis.histories.phh import read_phh
from hedgehog.analysis.judging.settings import read_divat_settings
from hedgehog.analysis.stats.match_report import read_winnings
from hedgehog.arena.seating_log import (
    ExpectedLog,
    LogFollower,
    Progress,
    count_unfinished_hands,
    read_finished_log,
    read_hole_cards,
)
from hedgehog.dealer.answers import read_answers
from hedgehog.dealer.resume import count_logged_hands, read_logged_hands, read_transactions
from hedgehog.dealer.transactions import format_transaction, parse_transaction
from hedgehog.poker.acpc.handlog import (
    find_log_gamedef,
    format_header,
    parse_header,
    parse_log_line,
    read_log,
    scan_log_line,
    verify_log,
    verify_log_lines,
)
from hedgehog.poker.acpc.lbr_log import (
    format_lbr_betting,
    parse_lbr_betting,
    parse_lbr_hand,
    read_lbr_hands,
    read_lbr_header,
    verify_lbr_lines,
)
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.state import CALL, Action
from hedgehog.runtime.errors import InputError, LogError, MatchError, MatchStateError
from tests.golden import HUNL, game, read_golden_log
from tests.poker.lbr_fixtures import lbr_log
from tests.verification.parsers.entry import DATA, Parser, back, everything, in_file, lines_of, same_text
from tests.verification.parsers.examples import GAMES

LOG = read_golden_log("log_hunl2p_s0")
LOG_LINES = tuple(line for line in LOG if line.startswith("STATE:"))[:30]
LOG_TEXTS = ("\n".join(LOG[:12]), "\n".join(LOG[:4]), "\n".join([*LOG[:5], LOG[-1]]) + "\n")


def check_header(text: str, result: Any) -> None:
    assert result is None or parse_header(format_header(result)) == result
    assert result is None or text.startswith("# name/game/hands/seed ")


def check_log_line(text: str, result: Any) -> None:
    values = payoffs(result.state, result.hole_cards, result.board)
    assert len(values) == len(result.values)
    assert text.endswith(f":{'|'.join(result.values)}:{result.names}")
    assert f":{result.state.betting_string()}:" in text


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
_LOGGED = LOG_LINES[0] + "\n"


PARSERS = (
    Parser("hedgehog.poker.acpc.handlog.parse_header", parse_header, (LOG[0],), (LogError,), check_header),
    Parser(
        "hedgehog.poker.acpc.handlog.parse_log_line",
        lambda text: (parse_log_line(text, GAMES[0], hidden_cards=True), parse_log_line(text, GAMES[0]))[1],
        LOG_LINES,
        (LogError, MatchStateError),
        check_log_line,
    ),
    Parser("hedgehog.poker.acpc.handlog.scan_log_line", scan_log_line, LOG_LINES, (LogError,)),
    Parser(
        "hedgehog.poker.acpc.handlog.verify_log_lines",
        lines_of(lambda lines: verify_log_lines(lines, GAMES[0])),
        LOG_TEXTS,
    ),
    Parser(
        "hedgehog.poker.acpc.handlog.read_log hedgehog.runtime.text_files.read_lines",
        in_file(read_log),
        LOG_TEXTS,
        (LogError,),
    ),
    Parser(
        "hedgehog.poker.acpc.handlog.find_log_gamedef",
        lines_of(lambda lines: find_log_gamedef(lines, "x")),
        LOG_TEXTS,
        (LogError,),
    ),
    Parser("hedgehog.poker.acpc.handlog.verify_log", in_file(verify_log), LOG_TEXTS, (LogError,)),
    Parser(
        "hedgehog.poker.acpc.lbr_log.read_lbr_header hedgehog.poker.acpc.lbr_log.read_lbr_hands",
        read_lbr,
        (LBR_TEXT,),
        (LogError,),
    ),
    Parser("hedgehog.poker.acpc.lbr_log.verify_lbr_lines", lines_of(verify_lbr_lines), (LBR_TEXT,), (LogError,)),
    Parser(
        "hedgehog.poker.acpc.lbr_log.parse_lbr_hand",
        lambda text: parse_lbr_hand(text, LBR_GAME),
        LBR_HANDS,
        (LogError, MatchStateError),
    ),
    Parser(
        "hedgehog.poker.acpc.lbr_log.parse_lbr_betting",
        lambda text: parse_lbr_betting(text, LBR_GAME),
        ("cc/r200f", "f", "r100c/cc/cc/cc", "r19900c/cc/cc/cc"),
        (LogError, MatchStateError),
        same_text(format_lbr_betting),
    ),
    Parser(
        "hedgehog.dealer.transactions.parse_transaction",
        parse_transaction,
        TRANSACTION_LINES,
        (MatchError,),
        back(parse_transaction, format_transaction),
    ),
    Parser(
        "hedgehog.dealer.resume.read_transactions",
        in_file(lambda path: list(read_transactions(path))),
        ("\n".join(TRANSACTION_LINES) + "\n", "\n".join(TRANSACTION_LINES)),
        (InputError, MatchError),
    ),
    Parser(
        "hedgehog.dealer.resume.count_logged_hands",
        in_file(lambda path: count_logged_hands(path, LOG[0])),
        LOG_TEXTS,
        (InputError,),
    ),
    Parser(
        "hedgehog.dealer.resume.read_logged_hands",
        in_file(lambda path: read_logged_hands(path, LOG[0] + "\n")),
        ("\n".join([LOG[0], *(line for line in LOG if line.startswith("STATE:"))]) + "\n",),
        (InputError,),
    ),
    Parser("hedgehog.dealer.answers.read_answers", in_file(read_answers), (ANSWERS,), (InputError,)),
    Parser("hedgehog.arena.seating_log.read_finished_log", in_file(finished_log), LOG_TEXTS),
    Parser("hedgehog.arena.seating_log.count_unfinished_hands", in_file(unfinished_hands), LOG_TEXTS),
    Parser("hedgehog.arena.seating_log.LogFollower", in_file(follow_log), LOG_TEXTS, (InputError,)),
    Parser("hedgehog.arena.seating_log.read_hole_cards", in_file(read_hole_cards), LOG_TEXTS, (LogError,)),
    Parser(
        "hedgehog.analysis.stats.match_report.read_winnings",
        in_file(lambda path: read_winnings([path], ("P1_ex", "P2_ex"), GAMES[0])),
        LOG_TEXTS,
        (LogError,),
    ),
    Parser(
        "hedgehog.analysis.histories.phh.read_phh",
        everything(lambda text: read_phh(text.split("\n"))),
        (PHH_TEXT, PHHS_TEXT),
        (LogError,),
    ),
    Parser(
        "hedgehog.analysis.histories.hand_files.open_hand_file",
        in_file(lambda path: list(open_hand_file(path).entries())),
        (*LOG_TEXTS, LBR_TEXT, PHH_TEXT, PHHS_TEXT),
        (LogError,),
    ),
    Parser(
        "hedgehog.analysis.histories.hand_files.detect_format",
        in_file(lambda path: detect_format(path, read_log(path))),
        (*LOG_TEXTS, gzip.compress(LOG_TEXTS[0].encode(), mtime=0).decode("utf-8", "surrogateescape")),
        (LogError,),
    ),
    Parser(
        "hedgehog.analysis.judging.settings.read_divat_settings",
        in_file(read_divat_settings),
        (
            (DATA.parents[1] / "docs" / "examples" / "judging.yaml").read_text(),
            "preflop_level: 0\nriver: {fold_offset: -0.05, make: [0.6, 0.6, 0.9, 2]}\n",
        ),
        (InputError,),
    ),
    Parser(
        "hedgehog.analysis.aivat.published.read_published_table",
        in_file(read_published_table, "results.mike.csv"),
        ("\n".join((DATA / "aivat" / "results.phan.mike.csv").read_text().splitlines()[:4]),),
        (LogError,),
    ),
    Parser(
        "hedgehog.agent.decision_record.parse_hand",
        lambda text: parse_hand(zlib.compress(text.encode("latin-1", "replace"))),
        (RECORDED_HAND,),
        (InputError,),
        check_recorded_hand,
    ),
    Parser(
        "hedgehog.agent.decision_record.DecisionRecord",
        lambda text: in_file(lambda path: list(DecisionRecord(path).hands()))(decision_record() + text),
        ("", decision_record()[-40:]),
        (InputError,),
    ),
    Parser(
        "hedgehog.agent.decision_record.DecisionRecord", in_file(DecisionRecord), (decision_record(),), (InputError,)
    ),
)


KEPT: tuple[tuple[str, str], ...] = (
    ("hedgehog.arena.seating_log.LogFollower", _LOGGED.replace("P2_ex", "P3_ex")),
    ("hedgehog.arena.seating_log.LogFollower", _LOGGED.replace("-15096|", "")),
    ("hedgehog.arena.seating_log.LogFollower", "STATE:0\n"),
    ("hedgehog.poker.acpc.lbr_log.verify_lbr_lines", re.sub(r"(vr_sum_sq=[0-9]+)", r"\1.1", LBR_TEXT)),
    ("hedgehog.analysis.stats.match_report.read_winnings", _LOGGED.replace("-15096|", "x|")),
    ("hedgehog.dealer.resume.count_logged_hands", LOG_TEXTS[0].replace("STATE:7:", "STATE:" + "9" * 5000 + ":") + "\n"),
    ("hedgehog.dealer.resume.read_transactions", TRANSACTION_LINES[0][:-3]),
    ("hedgehog.dealer.resume.read_transactions", "x\x85x\n"),
    ("hedgehog.analysis.histories.hand_files.open_hand_file", LBR_TEXT.replace("BR,Player", "B|R,Player")),
)
