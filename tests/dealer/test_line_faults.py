"""Faulty lines of one client: every line of :mod:`tests.dealer.line_faults` is sent at a table."""

from __future__ import annotations

import asyncio

import pytest

from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import verify_log_lines
from tests.dealer.fault_fixtures import VERSION, caller, calls_only, table
from tests.dealer.line_faults import LINE_FAULTS, LineFault
from tests.dealer.scripted import Client, replaying_client, serve
from tests.golden import HUNL, game


def faulty_client(gamedef: GameDef, fault: LineFault) -> Client:
    """A caller whose first answer is replaced."""
    pending = [fault]

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        class Writer:
            def write(self, data: bytes) -> None:
                if data == VERSION or not pending:
                    writer.write(data)
                    return
                sends = pending.pop().sends(data.rpartition(b":")[0])
                for piece in [sends] if isinstance(sends, bytes) else sends:
                    writer.write(piece)

        await replaying_client(gamedef, ["c" * 60] * 100)(reader, Writer())  # type: ignore[arg-type]  # duck typing

    return play


@pytest.mark.parametrize("name", LINE_FAULTS)
def test_line_fault(name: str) -> None:
    """A bad line costs nothing but a warning or a repaired action: the match is completed."""
    fault = LINE_FAULTS[name]
    gamedef = game(HUNL)
    served = serve(table(HUNL), [faulty_client(gamedef, fault), caller(HUNL)])
    assert served.error is None
    first, second, score = served.log_lines()
    assert first.split(":")[2] == fault.betting
    assert second == calls_only(HUNL)[1]
    assert served.message_lines() == [*(f"WARNING: {warning}" for warning in fault.warnings), score]
    assert verify_log_lines(served.log_lines(), gamedef).faults == ()
