"""HBB1: the table of streets against the published rule and an independent table."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from hedgehog.agent.limit.mapped_strategy import mapped_candidate
from hedgehog.agent.limit.situation import read_situation
from hedgehog.agent.limit.street_mapping import map_street, street_sequences, street_table
from hedgehog.runtime.errors import InputError

PUBLISHED = Path(__file__).parent.parent.parent / "data" / "limit3p" / "published.json.gz"


def test_three_players_have_370_sequences() -> None:
    sequences = street_sequences(3)
    assert len(sequences) == len({sequence.actions for sequence in sequences}) == 370
    counts = Counter((sequence.closed, sequence.players) for sequence in sequences)
    assert (counts[False, 3] + counts[False, 2], counts[True, 3], counts[True, 2]) == (186, 46, 138)
    assert max(len(sequence.actions) for sequence in sequences) == 11
    assert max(len(sequence.actions) for sequence in street_sequences(2)) == 6


@pytest.mark.parametrize(("cap", "open_ones", "closed_ones"), [(3, 8, 7), (4, 10, 9)])
def test_two_players_have_few_sequences(cap: int, open_ones: int, closed_ones: int) -> None:
    closed = [sequence.closed for sequence in street_sequences(2, cap)]
    assert (closed.count(False), closed.count(True)) == (open_ones, closed_ones)


def test_the_whole_table_is_the_published_one() -> None:
    published = json.loads(gzip.decompress(PUBLISHED.read_bytes()))["map_street"]
    assert street_table() == published
    deleted = Counter(len(actions) - len(short) for actions, short in street_table().items())
    assert [deleted[number] for number in range(6)] == [10, 112, 122, 88, 33, 5]


@pytest.mark.parametrize(
    ("actions", "players", "expected"),
    [("rfc", 3, "rc"), ("crrrc", 2, "crrrc"), ("rrc", 2, "rrc"), ("", 3, ""), ("rcc", 3, "cc")],
)
def test_published_examples(actions: str, players: int, expected: str) -> None:
    assert map_street(actions, players) == expected


@pytest.mark.parametrize(("actions", "players"), [("x", 3), ("rrrrr", 3), ("ff", 3), ("f", 2), ("ccc", 2)])
def test_other_streets_are_refused(actions: str, players: int) -> None:
    with pytest.raises(InputError, match="has the actions"):
        map_street(actions, players)


@pytest.mark.parametrize(("betting", "mapped"), [("", ""), ("rcc/rr", "cc/rr"), ("rfc/cr", "rc/cr"), ("fcc/c", "cc/c")])
def test_a_history_is_mapped_street_by_street(betting: str, mapped: str) -> None:
    from hedgehog.agent.limit.candidates import candidates

    situation = read_situation(betting)
    assert candidates(situation.street).histories[mapped_candidate(situation)] == mapped
