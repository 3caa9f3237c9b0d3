"""The player of limit packs: its look-ups, the actions that it draws, and the change to a two-player strategy."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgehog.agent.limit.grafting import Grafting
from hedgehog.agent.limit.player import GRAFTED, LIMIT, LimitPlayer
from hedgehog.agent.limit.strategy import LimitStrategy
from hedgehog.agent.specs import make_player, parse_entrant, parse_player_spec, ready_player
from hedgehog.agent.strategy.pack_strategy import purified_list
from hedgehog.poker.acpc.matchstate import MatchState, parse_betting
from hedgehog.poker.cards import combo_index, combo_mask, parse_cards
from hedgehog.poker.limit_betting import ACTIONS, limit_tree
from hedgehog.poker.state import HandState
from hedgehog.runtime.errors import InputError, MatchStateError, PackError
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.strategies.limit_pack import find_limit_pack, read_limit_pack
from tests.agent.limit_pack_fixtures import THREE, TWO, random_limit_table, write_random_limit_pack
from tests.solver.blueprint_fixtures import made_up_abstraction

BOARD = tuple(parse_cards("Qh Jh 2c 7c 5s"))
HOLE = tuple(parse_cards("Ks Ah"))


@pytest.fixture(scope="module")
def cards() -> CardAbstraction:
    return made_up_abstraction()


@pytest.fixture(scope="module")
def packs(tmp_path_factory: pytest.TempPathFactory, cards: CardAbstraction) -> Path:
    folder = tmp_path_factory.mktemp("limit-packs")
    write_random_limit_pack(folder / "two", TWO, cards)
    write_random_limit_pack(folder / "three", THREE, cards)
    return folder


@pytest.fixture
def made_up_cards(monkeypatch: pytest.MonkeyPatch, cards: CardAbstraction) -> None:
    monkeypatch.setattr(CardAbstraction, "load_or_build", lambda *_, **__: cards)


def test_probabilities_are_the_rows_of_the_table(cards: CardAbstraction) -> None:
    table = random_limit_table(TWO, cards.bucket_counts)
    strategy = LimitStrategy(table, cards)
    tree = limit_tree(TWO)
    combo = combo_index(*sorted(HOLE))
    for history in tree.histories[::331]:
        node = tree.index(history)
        street = history.count("/")
        board = BOARD[: (0, 3, 4, 5)[street]]
        found = strategy.probabilities(history, HOLE, BOARD)
        state = parse_betting(history, TWO)
        bucket = int(cards.buckets(street, board)[combo])
        expected = dict(zip([a for a in ACTIONS if state.can(a)], table.block(node)[bucket] / 255, strict=True))
        assert found.tolist() == [expected.get(action, 0.0) for action in ACTIONS]
        assert found.sum() == pytest.approx(1.0)
        rows = strategy.rows(node, board)
        assert rows[:, combo].tolist() == found.tolist()
        assert (rows.sum(axis=0) > 0).tolist() == combo_mask(board).tolist()
        triple = strategy.triple(history, HOLE, BOARD)
        if table.reached[table.first_rows[node] + bucket]:
            assert triple.tolist() == found.tolist()
        else:
            assert np.isnan(triple).all()
    with pytest.raises(MatchStateError):
        strategy.probabilities("f", HOLE, BOARD)


@pytest.mark.usefixtures("made_up_cards")
def test_actions_are_drawn_from_the_reported_strategy(packs: Path) -> None:
    player = ready_player(f"limit:{packs}", TWO, seed=4)
    assert isinstance(player, LimitPlayer)
    state = parse_betting("rc/cr", TWO)
    position = state.acting_position
    hole = (HOLE, ()) if position == 0 else ((), HOLE)
    drawn: Counter[str] = Counter()
    hands = 3_000
    for hand in range(hands):
        drawn[str(player.act(MatchState(position, hand, hole, BOARD[:3], state.copy()), math.inf))] += 1
    options = player.strategy(MatchState(position, 0, ((), ()), BOARD[:3], state))
    for action, probability in zip(options.actions, options.probabilities[:, combo_index(*sorted(HOLE))], strict=True):
        assert drawn[str(action)] / hands == pytest.approx(probability, abs=4 * math.sqrt(0.25 / hands))
    assert sum(drawn.values()) == hands
    assert options.probabilities.sum(axis=0) == pytest.approx(combo_mask(BOARD[:3]).astype(float))


def test_rare_actions_are_never_drawn() -> None:
    assert purified_list((0.015, 0.485, 0.5)) == pytest.approx([0.0, 0.485 / 0.985, 0.5 / 0.985])
    assert purified_list((0.0, 1.0, 0.0)) == [0.0, 1.0, 0.0]


@pytest.mark.usefixtures("made_up_cards")
def test_one_player_plays_both_games_and_refuses_others(packs: Path) -> None:
    player = make_player(f"limit:{packs}")
    player.warm_up()
    for gamedef in (TWO, THREE):
        player.new_match(gamedef, 1)
    with pytest.raises(InputError, match=r"the limit packs are for blinds 10 5, .* and the game has blinds 20 10"):
        player.new_match(replace(TWO, blinds=(20, 10)), 1)
    only_two = make_player(f"limit:{packs / 'two'}")
    only_two.warm_up()
    with pytest.raises(InputError, match="are for 2 players, and the game has 3"):
        only_two.new_match(THREE, 1)


@pytest.mark.usefixtures("made_up_cards")
def test_a_folder_without_limit_packs_is_refused(tmp_path: Path, packs: Path) -> None:
    with pytest.raises(PackError, match="no strategy pack"):
        make_player(f"limit:{tmp_path}").warm_up()
    with pytest.raises(PackError, match="no limit pack for 2 players"):
        make_player(f"limit:{packs}?heads-up={packs / 'three'}").warm_up()
    assert read_limit_pack(find_limit_pack(str(packs), 3)).tree.num_decisions == 7168


def test_packs_of_other_card_tables_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_random_limit_pack(tmp_path / "two", TWO, made_up_abstraction())
    other = CardAbstraction(made_up_abstraction().config, made_up_abstraction().tables, "other")
    monkeypatch.setattr(CardAbstraction, "load_or_build", lambda *_, **__: other)
    with pytest.raises(PackError, match="other card tables"):
        LimitStrategy.open(tmp_path)


# --- the change to a two-player strategy ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def grafting(cards: CardAbstraction) -> Grafting:
    return Grafting(THREE, LimitStrategy(random_limit_table(TWO, cards.bucket_counts), cards))


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        ("ccc/", None),  # three players are left
        ("rfr", None),  # the fold has not ended the street
        ("rfc/", "rc/"),  # 45 chips and a raise of the button, who acts last; the two-player game has 40
        ("frc/c", "crc/c"),  # the small blind, who now acts first, made the raise
        ("rfrc/rc/r", "rrc/rc/r"),  # the big blind re-raised: he acts first now
        ("ccc/rfc/cc/", "cc/rc/cc/"),
    ],
)
def test_the_two_player_line_has_the_nearest_pot_and_the_same_last_raiser(
    grafting: Grafting, history: str, expected: str | None
) -> None:
    node = grafting.node(history)
    assert (None if node is None else grafting.strategy.tree.histories[node]) == expected


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_after_the_change_the_betting_is_the_same(data: st.DataObject, grafting: Grafting) -> None:
    state = HandState(THREE)
    changed = False
    while not state.finished:
        node = grafting.node(state.betting_string())
        left = [position for position, folded in enumerate(state.folded) if not folded]
        if node is None:
            assert not changed
            assert state.round == 0 or len(left) == 3 or any(str(a) == "f" for _, a in state.actions[-1])
        else:
            changed = True
            tree = grafting.strategy.tree
            assert tree.street[node] == state.round
            assert tree.player[node] == left.index(state.acting_position)
            assert (tree.child[node] >= 0).tolist() == [state.can(action) for action in ACTIONS]
        state.perform(data.draw(st.sampled_from([action for action in ACTIONS if state.can(action)])))


@pytest.mark.usefixtures("made_up_cards")
def test_the_report_counts_who_decided(packs: Path) -> None:
    player = ready_player(f"limit:{packs / 'three'}?heads-up={packs / 'two'}", THREE, seed=1)
    for history in ("", "rfc/", "rfc/c"):
        state = parse_betting(history, THREE)
        hole: list[tuple[int, ...]] = [(), (), ()]
        hole[state.acting_position] = HOLE
        board = BOARD[: THREE.board_cards_by(state.round)]
        player.act(MatchState(state.acting_position, 0, tuple(hole), board, state), math.inf)
    assert player.report() == {"layers": {f"preflop {LIMIT}": 1, f"flop {GRAFTED}": 2}}


# --- specifications ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "argument", "heads_up", "label"),
    [
        ("limit", "", None, "limit"),
        ("limit:a/b", "a/b", None, "limit_b"),
        ("limit?heads-up", "", "", "limit_heads_up"),
        ("limit:a?heads-up=x:y", "a", "x:y", "limit_a_heads_up"),
    ],
)
def test_specifications(text: str, argument: str, heads_up: str | None, label: str) -> None:
    spec = parse_player_spec(text)
    assert (spec.kind, spec.argument, spec.heads_up, spec.label) == ("limit", argument, heads_up, label)
    assert spec.forgets
    assert parse_entrant(text).name == ""
    assert parse_entrant(f"me={text}").name == "me"


@pytest.mark.parametrize("text", ["limit:", "limits", "limit?heads", "call?heads-up"])
def test_malformed_specifications_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="unknown player"):
        parse_player_spec(text)
