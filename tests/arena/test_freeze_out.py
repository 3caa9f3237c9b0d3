"""Freeze-outs: rules, pairs with equal cards, and results within the intervals of exact ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from hedgehog.agent.bots import AllInBot, CallBot, FoldBot, RandomBot
from hedgehog.agent.jam_player import JamFoldPlayer
from hedgehog.agent.play_record import PlayRecord
from hedgehog.agent.player import Player
from hedgehog.arena.freeze_out import FreezeOutPair, FreezeOutRules, play_pair
from hedgehog.arena.freeze_out import game as freeze_out_game
from hedgehog.arena.in_process import Seat
from hedgehog.arena.jam_tables import shipped_folder
from hedgehog.gametheory.tournaments.jam_tables import read_jam_tables
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.state import Action
from hedgehog.runtime.errors import InputError


def seats(*players: Player) -> list[Seat]:
    return [Seat(player, PlayRecord()) for player in players]


def play(players: Sequence[Player], pairs: int, seed: int) -> list[FreezeOutPair]:
    table = seats(*players)
    return [play_pair(FreezeOutRules(), table, seed, pair) for pair in range(pairs)]


class Witness(RandomBot):
    """A random bot that notes the games of its hands."""

    def __init__(self) -> None:
        super().__init__()
        self.games: list[GameDef] = []

    def new_match(self, gamedef: GameDef, seed: int) -> None:
        super().new_match(gamedef, seed)
        self.games.append(gamedef)


def test_stacks_go_on_and_the_button_alternates() -> None:
    rules = FreezeOutRules((2500, 5500), (300, 600))
    witness = Witness()
    for pair in range(60):
        witness.games.clear()
        played = play_pair(rules, seats(witness, RandomBot()), 3, pair)
        assert {played.first.share, played.second.share} <= {0.0, 1.0}
        assert played.first.hands + played.second.hands >= len(witness.games)
        first = witness.games[0]
        assert (first.stacks, first.blinds) == ((5500, 2500), (600, 300))
        for game in witness.games:
            assert sum(game.stacks) == 8000
            assert min(game.stacks) > 300
            assert game.blinds == (min(600, game.stacks[0]), 300)


def test_players_exchange_the_button_with_equal_cards() -> None:
    calls = play([AllInBot(), CallBot()], 200, 5)
    # Every hand is all-in and called: who has which position decides.
    assert all(pair.first.share + pair.second.share == 1 for pair in calls)
    assert {pair.first.hands for pair in calls} <= {1, 2, 3}
    assert calls == play([AllInBot(), CallBot()], 200, 5)
    assert calls != play([AllInBot(), CallBot()], 200, 6)


def test_a_player_who_always_folds_is_blinded_out() -> None:
    played = play([FoldBot(), AllInBot()], 40, 1)
    for pair in played:
        for game in pair:
            # It loses 900 chips in two hands until the blinds put it all-in.
            assert game.hands >= 8
    assert np.mean([game.share for pair in played for game in pair]) < 0.3


def test_after_many_hands_the_share_of_the_chips_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freeze_out_game, "MOST_HANDS", 2)
    played = play_pair(FreezeOutRules(), seats(FoldBot(), FoldBot()), 1, 1)
    # Both gave up a small blind in turn.
    assert played.first == (0.5, 2)
    monkeypatch.setattr(freeze_out_game, "MOST_HANDS", 1)
    assert play_pair(FreezeOutRules(), seats(FoldBot(), FoldBot()), 1, 1).first == (3700 / 8000, 1)


class Broken(Player):
    def act(self, matchstate: MatchState, deadline: float) -> Action:
        raise ZeroDivisionError


def test_a_broken_player_calls() -> None:
    table = seats(Broken(), AllInBot())
    play_pair(FreezeOutRules(), table, 1, 1)
    assert table[0].record.player_errors >= 1


@pytest.mark.parametrize(
    ("stacks", "blinds"), [((0, 100), (1, 2)), ((100, 100), (0, 2)), ((100, 100), (4, 2)), ((-5, 100), (1, 2))]
)
def test_impossible_rules_are_refused(stacks: tuple[int, int], blinds: tuple[int, int]) -> None:
    with pytest.raises(InputError, match="stacks and blinds above 0"):
        FreezeOutRules(stacks, blinds)


@pytest.mark.parametrize(
    ("opponent", "make"),
    [
        ("jamfold", None),
        pytest.param("allin", AllInBot, marks=pytest.mark.slow),
        pytest.param("call", CallBot, marks=pytest.mark.slow),
    ],
    ids=["itself", "allin", "call"],
)
def test_jam_or_fold_wins_what_it_wins_exactly(opponent: str, make: Callable[[], Player] | None) -> None:
    tables = read_jam_tables(shipped_folder() / "jamfold_8000_300_600_50.npz")
    other = JamFoldPlayer(tables) if make is None else make()
    pairs = 800
    played = play([JamFoldPlayer(tables), other], pairs, 11)
    known = tables.exact_wins(opponent, 4000)
    assert known is not None
    for games, exact in zip(zip(*played, strict=True), known, strict=True):
        mean = np.mean([game.share for game in games])
        assert mean == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / pairs))
    hands = {"jamfold": (3.73, 3.73), "allin": (2.07, 2.47), "call": (1.91, 1.76)}[opponent]
    for games, expected in zip(zip(*played, strict=True), hands, strict=True):
        lengths = [game.hands for game in games]
        assert np.mean(lengths) == pytest.approx(expected, abs=0.01 + 4 * np.std(lengths) / math.sqrt(pairs))
