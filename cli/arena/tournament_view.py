"""What ``hedgehog tournament`` shows: progress while it runs, its state, and the tables of its result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from hedgehog.analysis.stats.estimate import Estimate
from hedgehog.analysis.stats.number_text import bb_per_100, format_estimate, format_share
from hedgehog.analysis.tournament.crosstable import build_crosstable
from hedgehog.analysis.tournament.result import TournamentResult
from hedgehog.arena.records import TournamentRecord
from hedgehog.arena.tournament import MatchProgress, TournamentProgress
from hedgehog.cli.arena.match_view import ANSWER_NOTES, answer_table, failure_lines
from hedgehog.cli.console import text_table
from hedgehog.cli.progress import TerminalWatch
from hedgehog.runtime.documents import json_document


def draw_winnings(watch: TerminalWatch, progress: TournamentProgress, big_blind: int) -> None:
    """Draws the matches and a table of the winnings so far below the bar of a running tournament.

    :param big_blind: chips of a big blind.
    """
    watch.bar.below = Group(Text(progress.matches_text()), _winnings_table(progress, big_blind))


def _winnings_table(progress: TournamentProgress, big_blind: int) -> Table:
    table = Table(show_edge=False, box=None, padding=(0, 2))
    table.add_column("agent")
    table.add_column("mbb/h so far", justify="right")
    for agent, mbb in progress.mbb_per_hand(big_blind):
        table.add_row(agent, f"{mbb:+.0f}")
    return table


def status_line(record: TournamentRecord, progress: TournamentProgress, *, running: bool) -> str:
    """Returns one line that says how far a tournament is."""
    state = "running" if running else "finished" if progress.done == len(progress.matches) else "interrupted"
    hands = f"{progress.hands:,} of {progress.total_hands:,} hands"
    return f"{record.name}: {state}; {progress.matches_text()}; {hands}"


def status_document(record: TournamentRecord, progress: TournamentProgress, *, running: bool) -> dict[str, Any]:
    """Returns how far a tournament is as a JSON document."""
    finished = progress.done == len(progress.matches)
    return json_document(
        "tournament-status",
        game=record.game.removesuffix(".game"),
        seed=record.seed,
        players=[agent.name for agent in record.agents],
        name=record.name,
        state="running" if running else "finished" if finished else "interrupted",
        hands=progress.hands,
        total_hands=progress.total_hands,
        chips_per_hand=progress.chips_per_hand(),
        matches=[
            {
                "match": match.match.folder,
                "players": list(match.match.players),
                "hands": match.play.hands,
                "total_hands": match.total_hands,
                "done": match.record is not None and not match.failed,
                "failure": match.record.failure if match.record is not None else "",
            }
            for match in progress.matches
        ],
    )


def status_table(progress: TournamentProgress) -> Table:
    """Returns the table of all matches with their state."""
    rows = (
        (match.match.folder, f"{match.play.hands:,}/{match.total_hands:,}", _state(match)) for match in progress.matches
    )
    return text_table(None, ("match", "hands", "state"), rows, left=(0, 2), overflow="fold")


def _state(match: MatchProgress) -> str:
    if match.record is None:
        return "begun" if match.play.hands else ""
    if match.failed:
        return f"failed: {match.record.failure}"
    return f"done in {match.record.seconds:.1f} s"


def tournament_tables(result: TournamentResult) -> Iterator[Table]:
    """Yields the tables of a result: standings, crosstable (games for two) or matches, opponents and positions,
    run-off, answers, failed matches."""
    yield _standings_table(result)
    if result.players_per_match == 2:
        yield _crosstable(result)
    else:
        yield _matches_table(result)
        yield _opponents_table(result)
        yield _positions_table(result)
    if result.runoff:
        yield _runoff_table(result)
    if any(one.faults for one in result.answers):
        table = answer_table(result.answers)
        table.caption = "\n".join((ANSWER_NOTES, *map(escape, failure_lines(result.answers))))
        table.caption_justify = "left"
        yield table
    if result.failed:
        yield _failed_table(result)


def _plus_minus(estimate: Estimate) -> str:
    """Formats a mean with half its interval, in whole mbb unless it is a small one."""
    return format_estimate(estimate, 1 if 0 < estimate.half_width < 10 else 0)


def _standings_table(result: TournamentResult) -> Table:
    hands = sum(match.hands for match in result.matches)
    columns = ["#", "agent", "hands", "bankroll", "mbb/h ±95 %", "bb/100", "all-in adjusted", "first in"]
    with_aivat = any(row.aivat is not None for row in result.standings)
    if with_aivat:
        columns.insert(-1, "AIVAT")
    if result.runoff_ranks:
        columns.append("run-off")
    confidence = result.bankroll_confidence
    firsts = {} if confidence is None else dict(zip(confidence.agents, confidence.share[:, 0].tolist(), strict=True))
    rows = []
    for row in result.standings:
        cells = [
            "-" if row.rank is None else str(row.rank),
            row.agent,
            f"{row.hands:,}",
            "" if row.rank is None else f"{row.bankroll_chips:+,.0f}",
            _plus_minus(row.mbb_per_hand),
            bb_per_100(row.mbb_per_hand),
            _plus_minus(row.all_in_adjusted),
            f"{format_share(firsts[row.agent])} %" if row.agent in firsts else "",
        ]
        if with_aivat:
            cells.insert(-1, _plus_minus(row.aivat.estimate) if row.aivat is not None else "")
        if result.runoff_ranks:
            cells.append(str(result.runoff_ranks.get(row.agent, "")))
        rows.append(cells)
    notes = [
        "first in: not known from fewer than six groups of hands per match, or from equal ones"
        if confidence is None
        else f"first in: share of {confidence.samples:,} bootstrap samples with the highest bankroll"
    ]
    notes += [f"outside the ranking: {agent} {why}" for agent, why in result.outside.items()]
    if result.outside:
        notes.append("matches with agents outside the ranking count for no bankroll or run-off, if there are others")
    if result.runoff_note:
        notes.append(f"no run-off: {result.runoff_note}")
    title = f"{result.name}: {len(result.matches)} matches, {hands:,} hands of {result.game}"
    table = text_table(title, columns, rows, left=(1,), no_wrap=True)
    table.caption = "\n".join(notes)
    return table


def _crosstable(result: TournamentResult) -> Table:
    """Returns the table with the winnings of the agent of each row against the agent of each column."""
    found = build_crosstable(result)
    agents = [standing.agent for standing in result.standings]
    lines = found.rows if found is not None else [(agent, (None,) * len(agents)) for agent in agents]
    rows = (
        [label, *(_plus_minus(cell.estimate) + "*" * cell.significant if cell else "" for cell in cells)]
        for label, cells in lines
    )
    table = text_table("Row against column, mbb/h ±95 %", ("", *agents), rows, no_wrap=True)
    table.caption = "*: different from zero at 5 %, corrected for the number of matches (Holm)"
    return table


def _matches_table(result: TournamentResult) -> Table:
    seats = range(result.players_per_match)
    headings = [text for seat in seats for text in (f"player {seat + 1}", "mbb/h")]
    rows = (
        [text for player in match.players for text in (player, _plus_minus(match.mbb_per_hand[player]))]
        for match in result.matches
    )
    return text_table("Matches, mbb/h ±95 %", headings, rows, left=[2 * seat for seat in seats], no_wrap=True)


def _opponents_table(result: TournamentResult) -> Table:
    agents = [standing.agent for standing in result.standings]
    rows = []
    for agent in agents:
        found = result.with_opponent.get(agent, {})
        rows.append([agent, *(_plus_minus(found[other]) if other in found else "" for other in agents)])
    return text_table("Row with column at the table, mbb/h ±95 %", ("", *agents), rows, no_wrap=True)


def _positions_table(result: TournamentResult) -> Table:
    agents = [standing.agent for standing in result.standings]
    rows = (
        [agent, *(_plus_minus(one) if one.n else "" for one in result.by_position.get(agent, ()))] for agent in agents
    )
    return text_table("By position, mbb/h ±95 %", ("agent", *result.positions), rows, no_wrap=True)


def _runoff_table(result: TournamentResult) -> Table:
    rows = []
    for agent in sorted(result.runoff[0].bankroll_chips, key=lambda agent: result.runoff_ranks.get(agent, 0)):
        row = [agent]
        for runoff_round in result.runoff:
            chips = runoff_round.bankroll_chips.get(agent)
            row.append("" if chips is None else f"{chips:+,.0f}{' out' if agent in runoff_round.eliminated else ''}")
        rows.append([*row, str(result.runoff_ranks.get(agent, ""))])
    headings = ("agent", *(f"round {number}" for number, _ in enumerate(result.runoff, 1)), "rank")
    return text_table("Bankroll instant run-off, chips", headings, rows, no_wrap=True)


def _failed_table(result: TournamentResult) -> Table:
    rows = ((match.folder, match.reason or "not played yet") for match in result.failed)
    return text_table("Matches without a result", ("match", "reason"), rows, left=(0, 1), overflow="fold")
