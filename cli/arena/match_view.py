"""What ``hedgehog match`` shows: progress while it runs, tables at its end."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console
from rich.table import Table

from hedgehog.analysis.stats.estimate import Estimate
from hedgehog.analysis.stats.number_text import NO_INTERVAL, bb_per_100, format_estimate
from hedgehog.arena.match import common_hands, seating_states
from hedgehog.arena.play import ReadyMatch
from hedgehog.arena.seating_log import LogFollower, Progress
from hedgehog.cli.console import text_table
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.streets import PREFLOP, STREETS
from hedgehog.runtime.errors import LogError

if TYPE_CHECKING:
    from hedgehog.analysis.stats.luck import AdjustedWinnings
    from hedgehog.analysis.stats.match_report import MatchResult
    from hedgehog.analysis.stats.play_statistics import AnswerSummary, PlayStatistics

_EXAMPLES: Final = 3
_LIMIT_FACTORS: Final = (1.0, 1.1, 1.5)


def result_table(names: Sequence[str], result: MatchResult, duplicate: bool) -> Table:
    """Returns the table of winnings with their 95 % confidence intervals."""
    unit = "hands" if not duplicate else "pairs" if len(names) == 2 else "groups"
    played = f"{result.hands:,} hands" + (f", {result.groups:,} duplicate {unit}" if duplicate else "")
    headings = ("player", "mbb/h", "95 % interval", "bb/100", f"SD per {unit.removesuffix('s')}")
    rows = (
        (name, f"{won.mean:+.1f}", _format_interval(won), bb_per_100(won), f"{won.sd:.0f}" if won.n > 1 else "")
        for name, won in zip(names, result.mbb_per_hand, strict=True)
    )
    return text_table(f"Winnings over {played}", headings, rows)


def certainty_table(names: Sequence[str], result: MatchResult) -> Table:
    """Returns the table that says how much luck is in the winnings and how far they can be trusted.

    :param result: result of a match with at least two groups of hands.
    """
    headings = [
        "player",
        "all-in adjusted",
        "SD per hand",
        "effective hands",
        *(["anytime 95 %"] * bool(result.anytime)),
    ]
    rows = []
    for index, (name, luck) in enumerate(zip(names, result.luck, strict=True)):
        effective = f"{luck.effective_hands:,.0f}" if math.isfinite(luck.effective_hands) else ""
        intervals = (
            f"± {interval.half_width:.1f}" if interval.has_interval else NO_INTERVAL
            for interval in result.anytime[index : index + 1]
        )
        rows.append((name, format_estimate(luck.all_in_adjusted), f"{luck.sd_hand:.0f}", effective, *intervals))
    return text_table("Luck and certainty, mbb/h", headings, rows)


def certainty_notes(result: MatchResult, duplicate: bool) -> str:
    """Returns the text that explains the columns of :func:`certainty_table`."""
    notes = ["All-in adjusted: showdowns before the last street count as their average over all boards."]
    if duplicate:
        notes.append("Effective hands: as many hands without duplicate play would be as certain.")
    if result.anytime:
        notes.append("Anytime: also holds for a match that was stopped because of its result.")
    if math.isfinite(result.p_value):
        notes.append(f"p = {result.p_value:.2g} for no difference between the players.")
    return " ".join(notes)


def aivat_table(names: Sequence[str], winnings: Sequence[AdjustedWinnings], known: Collection[str]) -> Table:
    """Returns the table of winnings by AIVAT.

    :param known: names of the players whose strategies were known.
    """
    rows = []
    for name, one in zip(names, winnings, strict=True):
        spread = ("", "") if math.isnan(one.reduction) else (f"{one.sd_hand:.0f}", f"{one.reduction:.1%}")
        won = one.estimate
        rows.append((name, f"{won.mean:+.1f}", _format_interval(won), bb_per_100(won), *spread))
    headings = ("player", "mbb/h", "95 % interval", "bb/100", "SD per hand", "SD reduction")
    return text_table(f"AIVAT, strategy known: {', '.join(known)}", headings, rows)


def _format_interval(estimate: Estimate) -> str:
    if estimate.has_interval:
        return f"{estimate.low:+.1f} .. {estimate.high:+.1f}"
    return "one value gives none" if estimate.n == 1 else "equal values give none"


def decision_table(statistics: Mapping[str, PlayStatistics]) -> Table:
    """Returns the table of decision times per player and street, with the share of every layer of the player."""
    headings = ("player", "street", "decisions", "p50 ms", "p99 ms", "share per layer")
    table = text_table("Decisions", headings, (), left=(0, 1, 5))
    for name, player in statistics.items():
        for row, street in enumerate(player.times.streets()):
            p50, p99 = (f"{player.times.percentile_ms(street, share):.3g}" for share in (0.5, 0.99))
            count = f"{player.times.count(street):,}"
            table.add_row("" if row else name, street, count, p50, p99, ", ".join(_layer_shares(player, street)))
        table.add_section()
    return table


def time_limit_table(statistics: Mapping[str, PlayStatistics]) -> Table | None:
    """Returns the table that compares the decision times from the flop on with the limit per decision.

    :returns: None if no player has such a limit.
    """
    headings = ("player", "limit ms", "street", "longest ms", *(f"> {factor:g}x" for factor in _LIMIT_FACTORS))
    table = text_table("Decisions and the limit of their thinking time", headings, (), left=(0, 2))
    for name, player in statistics.items():
        if len(player.decision_limits_ms) != 1:
            continue
        (limit,) = player.decision_limits_ms
        streets = [street for street in player.times.streets() if street != STREETS[PREFLOP]]
        for row, street in enumerate(streets):
            longest = f"{player.times.percentile_ms(street, 1.0):.3g}"
            over = (f"{player.times.share_over(street, factor * limit):.2%}" for factor in _LIMIT_FACTORS)
            table.add_row("" if row else name, "" if row else f"{limit:g}", street, longest, *over)
        table.add_section()
    return table if table.row_count else None


def _layer_shares(player: PlayStatistics, street: str) -> list[str]:
    """Formats the shares of the layers named ``<street> <layer>`` among them."""
    layers = {layer: count for layer, count in player.layers.items() if layer.partition(" ")[0] == street}
    total = sum(layers.values())
    return [f"{count / total:.1%} {layer.partition(' ')[2]}" for layer, count in layers.items()]


def coverage_notes(statistics: Mapping[str, PlayStatistics], hands: int) -> str:
    """Returns a note on the players whose times and layers are known for a part of the match only; may be empty.

    :param hands: number of hands of the match, all seatings together.
    """
    parts = [
        f"{name}: {player.hands:,} of {hands:,} hands"
        for name, player in statistics.items()
        if player.times.streets() and player.hands < hands
    ]
    return f"Times and layers since the interruption only ({'; '.join(parts)})." if parts else ""


def answers_text(statistics: Mapping[str, PlayStatistics], hands: int, *, faults: bool) -> str:
    """Returns the sentence on the answers of a match, which says what it covers; empty if the table says it all.

    :param hands: number of hands of the match, all seatings together.
    :param faults: some answers were at fault; a table counts them.
    """
    parts = [f"{name}: {player.hands:,} of {hands:,}" for name, player in statistics.items() if player.hands < hands]
    covered = f"known hands ({'; '.join(parts)}; those before an interruption may be missing)" if parts else ""
    if faults:
        return f"Answers in the {covered}." if covered else ""
    return "No answer was corrected, illegal or slow" + (f" in the {covered}." if covered else ".")


def thinking_lines(summaries: Sequence[AnswerSummary]) -> list[str]:
    """Returns one line for each player that manages its thinking time: what it has used of the time allowed."""
    lines = []
    for one in summaries:
        if math.isfinite(one.allowed_hand_ms):
            share = one.hand_ms / one.allowed_hand_ms
            line = f"Thinking time of {one.agent}: {one.hand_ms / 1000:.3g} s per hand"
            line += f", {share:.1%} of the {one.allowed_hand_ms / 1000:.3g} s allowed"
            lines.append(line + (f"; {one.shortened:,} decisions shortened" if one.shortened else "") + ".")
    return lines


def depth_lines(summaries: Sequence[AnswerSummary], gamedef: GameDef) -> list[str]:
    """Returns one line for each player whose strategy packs are for another depth than that of the game."""
    known = [one for one in summaries if math.isfinite(one.strategy_bb)]
    if not known:
        return []
    from hedgehog.analysis.packs.decision_words import depth_note  # imports numba, which takes a second

    notes = ((one.agent, depth_note(one.strategy_bb, gamedef)) for one in known)
    return [f"{name}: {note[0].lower()}{note[1:]}" for name, note in notes if note]


def answer_table(summaries: Sequence[AnswerSummary]) -> Table:
    """Returns the table that counts corrected, illegal, ignored and slow answers of every player."""
    rare = [column for column in ("late", "errors") if any(getattr(one, column) for one in summaries)]
    columns = ["corrected", "illegal", "ignored", "slow", *rare]
    rows = []
    for one in summaries:
        slowest = f"{one.slowest_ms / 1000:,.3g} s" if math.isfinite(one.slowest_ms) else ""
        rows.append((one.agent, *(f"{getattr(one, column):,}" for column in columns), slowest))
    return text_table("Answers", ("player", *columns, "slowest"), rows, overflow="fold")


ANSWER_NOTES: Final = (
    "Corrected: raises of a size out of range. Illegal: became a call. Ignored: lines that answer nothing. Slow: "
    "longer than the time limit per hand. Late: given up by our client. Errors: inside the player."
)


def failure_lines(summaries: Sequence[AnswerSummary]) -> list[str]:
    """Returns one line for each player that has failed inside: its exceptions, where they were raised, and the file."""
    return [f"{one.agent}: {one.failures}" for one in summaries if one.failures]


def answer_examples(statistics: Mapping[str, PlayStatistics]) -> list[str]:
    """Returns the first repaired or dropped answers of every player, one line for each answer."""
    return [
        f"{name}, {seating} hand {one.hand}: {one.warning}: {one.line!r}"
        for name, player in statistics.items()
        for seating, one in player.warnings[:_EXAMPLES]
    ]


class MatchView:
    """Shows the result of a match, or how far it is."""

    def __init__(self, ready: ReadyMatch, console: Console, *, overwritten: bool) -> None:
        """
        :param overwritten: the option ``--overwrite`` was given.
        """
        self._ready = ready
        self._console = console
        self._overwritten = overwritten

    def show_interim(self) -> None:
        """Prints the winnings so far of an interrupted match, and how to continue it."""
        plan, names, gamedef = self._ready.plan, self._ready.players.names, self._ready.players.gamedef
        seatings = range(1, len(plan.seatings()) + 1)
        played = sum(state.hands for state in seating_states(plan))
        common = common_hands(plan)
        if common:
            from hedgehog.analysis.stats.match_report import score_match

            logs = [[path for path in plan.unfinished_logs(index) if path.is_file()] for index in seatings]
            result = score_match(logs, names, gamedef, hands=common)
            table = result_table(names, result, plan.duplicate)
            table.title = f"Interim, {played:,} hands played. {table.title}"
            self._console.print(table)
        elif played:
            progress = Progress(chips=dict.fromkeys(names, 0.0))
            for index in seatings:
                for path in plan.unfinished_logs(index):
                    with suppress(LogError):
                        LogFollower(path, progress).read()
            winnings = progress.winnings_text(gamedef.big_blind)
            click.echo(
                f"interim: {played:,} hands played, no complete group of the same cards yet: {winnings}", err=True
            )
        without = ", without --overwrite" if self._overwritten else ""
        click.echo(f"to go on: the same command with --out {plan.out} --resume{without}", err=True)

    def show(self, result: MatchResult, known: Collection[str], statistics: Mapping[str, PlayStatistics]) -> None:
        """Prints the tables of a finished match."""
        from hedgehog.analysis.stats.play_statistics import summarise

        console, names, plan = self._console, self._ready.players.names, self._ready.plan
        console.print(result_table(names, result, plan.duplicate))
        if result.groups > 1:
            console.print(certainty_table(names, result))
            console.print(certainty_notes(result, plan.duplicate), highlight=False)
        if result.aivat:
            console.print(aivat_table(names, result.aivat, known))
        timed = {name: one for name, one in statistics.items() if one.times.streets()}
        if timed:
            console.print(decision_table(timed))
            if (limits := time_limit_table(timed)) is not None:
                console.print(limits)
            if note := coverage_notes(timed, result.hands):
                console.print(note, highlight=False)
        summaries = [summarise(name, one) for name, one in statistics.items()]
        for line in depth_lines(summaries, self._ready.players.gamedef):
            console.print(line, highlight=False)
        for line in thinking_lines(summaries):
            console.print(line, highlight=False)
        if any(one.faults for one in summaries):
            console.print(answer_table(summaries))
            console.print(ANSWER_NOTES, highlight=False)
            for line in failure_lines(summaries):
                console.print(line, soft_wrap=True, highlight=False, markup=False)
            for line in answer_examples(statistics):
                console.print(line, soft_wrap=True, highlight=False, markup=False)
        faults = any(one.faults for one in summaries)
        if statistics and (text := answers_text(statistics, result.hands, faults=faults)):
            console.print(text, highlight=False)
        console.print(f"Logs: {plan.out}", soft_wrap=True, highlight=False)
