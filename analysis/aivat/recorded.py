"""Strategies for AIVAT from the records that players have written at the table
(:mod:`hedgehog.agent.decision_record`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from hedgehog.agent.decision_record import DecisionRecord, RecordedHand, game_digest
from hedgehog.agent.options import Options
from hedgehog.arena.match import record_path
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.runtime.errors import InputError


class RecordedStrategy:
    """The strategy of one player in one match, from its records. It answers only for hands that were played."""

    def __init__(self, records: Iterable[Path | DecisionRecord], gamedef: GameDef) -> None:
        """Opens the records.

        :param records: the files of the player in the match, one per seating, or what was read from them.
        :param gamedef: the game of the match.
        :raises InputError: if a file cannot be read or is damaged, or was recorded in another game.
        """
        self._records = [one if isinstance(one, DecisionRecord) else DecisionRecord(one) for one in records]
        for record in self._records:
            verify_record_game(record, gamedef)
        self.missing_decisions = 0
        """Number of decisions asked for that the records lack."""

    def __call__(self, matchstate: MatchState) -> Options | None:
        """Returns what the player has sampled from at a decision of a finished hand; None if the records lack it.

        :param matchstate: the state before the decision, with the player's hole cards.
        :raises InputError: if a record is damaged, or has other cards for the hand.
        """
        position, hand_id, hole_cards, _, state = matchstate
        hand = self._find(hand_id, position, tuple(sorted(hole_cards[position])))
        found = None
        if hand is not None and hand.betting.startswith(state.betting_string()):
            found = hand.options(sum(map(len, state.actions)))
        if found is None:
            self.missing_decisions += 1
        return found

    def _find(self, hand_id: int, position: int, hole_cards: tuple[int, ...]) -> RecordedHand | None:
        for record in self._records:
            hand = record.hand(hand_id)
            if hand is None or hand.position != position:
                continue
            if tuple(sorted(hand.hole_cards)) != hole_cards:
                raise InputError(f"hand {hand_id} has other cards than in the log", source=str(record.path))
            return hand
        return None


def verify_record_game(record: DecisionRecord, gamedef: GameDef) -> None:
    """Checks that a record is of a game.

    :raises InputError: if it was recorded in another one.
    """
    if record.header.game_digest != game_digest(gamedef):
        raise InputError("was recorded in another game", source=str(record.path))


def recorded_strategies(logs: Iterable[Path], names: Iterable[str], gamedef: GameDef) -> dict[str, RecordedStrategy]:
    """Returns the recorded strategies of players in one match: name -> strategy.

    A player without any record gets a strategy that lacks every decision.

    :param logs: the logs of all seatings of the match. The records lie beside them.
    :param names: names of the players.
    :param gamedef: the game of the match.
    :raises InputError: if a record cannot be read or is damaged, or was recorded in another game.
    """
    names, logs = list(names), list(logs)
    found = records_of(logs, names)
    return {name: RecordedStrategy(found.get(name, ()), gamedef) for name in names}


def records_of(logs: Iterable[Path], names: Iterable[str]) -> dict[str, list[Path]]:
    """Returns the records of players that lie beside the logs of a match: name -> files. Others are left out.

    :param logs: the logs of all seatings.
    :param names: names of the players.
    """
    logs = list(logs)
    found = {name: [path for log in logs if (path := _record_beside(log, name)) is not None] for name in names}
    return {name: paths for name, paths in found.items() if paths}


def _record_beside(log: Path, name: str) -> Path | None:
    """Returns the record of a player beside a log; None if there is none, as for names that are no file names."""
    if "/" in name or "\0" in name:
        return None
    path = record_path(log, name)
    try:
        return path if path.is_file() else None
    except OSError:  # the name is too long
        return None


def missing_text(decisions: Mapping[str, int], hands: Mapping[str, int]) -> str:
    """Returns one line that says what records lack; empty if they lack nothing.

    :param decisions: number of missing decisions by player.
    :param hands: number of hands with such decisions by player.
    """
    parts = [f"{name}: {count:,} decisions in {hands[name]:,} hands" for name, count in decisions.items() if count]
    if not parts:
        return ""
    return f"missing in the records ({'; '.join(parts)}): from there on these hands count with the cards held"
