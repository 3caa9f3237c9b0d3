"""The cards and ports that follow from a seed, as recorded from the official dealer."""

from __future__ import annotations

import pytest

from hedgehog.dealer.cards import CardDealer, propose_ports
from hedgehog.poker.acpc.handlog import parse_header, parse_log_line
from tests.golden import LOGS, game, read_golden_log


@pytest.mark.parametrize("name", LOGS)
def test_cards_of_golden_logs(name: str) -> None:
    lines = read_golden_log(name)
    header = parse_header(lines[0])
    assert header is not None
    gamedef = game(header.game)
    dealer = CardDealer(gamedef, header.seed)
    for line in lines:
        if line.startswith("STATE:"):
            hand = parse_log_line(line, gamedef)
            deal = dealer.deal()
            assert deal.hole_cards == hand.hole_cards
            assert deal.board[: len(hand.board)] == hand.board


@pytest.mark.parametrize(
    ("seed", "ports"), [(1, [18791, 18374, 59497]), (7, [9205, 23107]), (2**32 - 1, [39739, 40652])]
)
def test_ports_proposed_by_the_official_dealer(seed: int, ports: list[int]) -> None:
    assert propose_ports(seed, len(ports)) == ports


def test_many_proposals() -> None:
    ports = propose_ports(5, 1000)
    assert ports[:20] == propose_ports(5, 20)
    assert all(1024 <= port < 65536 for port in ports)
    assert len(set(ports)) > 950
