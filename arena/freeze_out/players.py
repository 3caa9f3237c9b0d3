"""The players of freeze-outs: which can play, and how they are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hedgehog.agent.player import Player
from hedgehog.agent.registered import JAM_FOLD
from hedgehog.agent.specs import PlayerSpec, make_player
from hedgehog.agent.time_manager import HandTime
from hedgehog.arena.freeze_out.rules import FreezeOutRules
from hedgehog.arena.jam_tables import Report, load_jam_tables, structure_of
from hedgehog.arena.player_checks import verify_players
from hedgehog.arena.table_process import verify_in_process
from hedgehog.gametheory.tournaments.jam_tables import JamTables
from hedgehog.runtime.errors import GamedefError


def verify_freeze_out_players(specs: Sequence[PlayerSpec], rules: FreezeOutRules) -> None:
    """Verifies that players can play a freeze-out, without starting anything.

    The player ``jamfold`` plays the tournament with fixed blinds, and with levels every hand for chips.

    :raises InputError: if a player is a separate program or cannot play, or with levels a hand may be too deep for
        ``jamfold``.
    :raises PackError: if a strategy pack is missing or damaged.
    :raises GameError: if the tournament of ``jamfold`` has too many stacks.
    """
    for spec in specs:
        verify_in_process(spec)
    if any(spec.kind == JAM_FOLD for spec in specs):
        _verify_jam_fold(rules)
    verify_players([spec for spec in specs if spec.kind != JAM_FOLD], rules.game(0, rules.stacks))


def _verify_jam_fold(rules: FreezeOutRules) -> None:
    from hedgehog.agent.jam_player import MOST_BIG_BLINDS  # imports numba

    if not rules.earlier:
        structure = structure_of(rules.total, rules.blinds)
        for stack in rules.stacks:
            structure.kind(stack)  # checks the stack
    elif rules.deepest > MOST_BIG_BLINDS:
        raise GamedefError(
            f"jamfold with blind levels needs at most {MOST_BIG_BLINDS} big blinds: with half of all chips,"
            f" {rules.total // 2:,}, both players would have {rules.deepest:.4g}"
        )


def tournament_tables(
    specs: Sequence[PlayerSpec], rules: FreezeOutRules, report: Report | None = None
) -> JamTables | None:
    """Returns the strategies of the tournament if ``jamfold`` plays it: with fixed blinds.

    :param report: called as :func:`hedgehog.gametheory.tournaments.jam_tables.solve_jam_tables` does if they have to
        be solved.
    :raises GameError: if they cannot be solved.
    """
    if rules.earlier or all(spec.kind != JAM_FOLD for spec in specs):
        return None
    return load_jam_tables(structure_of(rules.total, rules.blinds), report=report)


def make_freeze_out_player(
    spec: PlayerSpec,
    rules: FreezeOutRules,
    tables: JamTables | None,
    *,
    seed: int = 0,
    think_ms: int = 0,
    threads: int | None = None,
    hand_time: HandTime | None = None,
) -> Player:
    """Returns a player, which is not loaded yet; ``new_match`` must be called for every hand.

    :param tables: what :func:`tournament_tables` returns.
    :param seed: seed of the player's random numbers before the first hand.
    :param think_ms: most milliseconds of thinking of our player per decision; 0 plays from the packs alone.
    :param threads: number of threads of our player; None for its default.
    :param hand_time: limits of the thinking time of our player in its hands; None: no such limits.
    :raises InputError: if the player cannot be made.
    """
    if spec.kind == JAM_FOLD and tables is not None:
        from hedgehog.agent.jam_player import JamFoldPlayer  # imports numba

        return JamFoldPlayer(tables)
    first = rules.game(0, rules.stacks)
    return make_player(
        replace(spec, name=""), first, seed=seed, think_ms=think_ms, threads=threads, hand_time=hand_time
    )
