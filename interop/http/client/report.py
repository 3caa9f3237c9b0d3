"""The result of hands at a server: our figures, and published ones beside them."""

from __future__ import annotations

import time
from typing import Any

from hedgehog.analysis.stats.estimate import Estimate
from hedgehog.interop.http.client.play import PlaySettings
from hedgehog.interop.http.client.published import published_results
from hedgehog.interop.http.client.record import Played
from hedgehog.interop.http.figures import estimate_of, estimate_text
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.table import Column, Table


def _figures(settings: PlaySettings, played: Played) -> list[tuple[str, Estimate | None]]:
    """Returns our figures; of AIVAT values only those of all hands, because the hands that are shown are no sample."""
    big_blind, hands = settings.gamedef.big_blind, len(played.winnings)
    given, own = (values if len(values) == hands else [] for values in (played.aivat, played.own_aivat))
    return [
        ("winnings", estimate_of(played.winnings, big_blind)),
        ("AIVAT of the server", estimate_of(given, big_blind)),
        ("our AIVAT", estimate_of(own, big_blind)),
    ]


def result_tables(settings: PlaySettings, played: Played) -> list[Table]:
    """Returns the result as tables: our figures, and published ones if the opponent is that of the publications."""
    rows: list[tuple[object, ...]] = [
        (name, estimate, None if estimate is None else estimate.n)
        for name, estimate in _figures(settings, played)
        if estimate is not None
    ]
    title = f"{settings.spec.text} at {settings.address}: {len(played.winnings):,} hands, {len(played.broken):,} broken"
    columns: list[Column | str] = [
        Column("figure", "bb/100"),
        Column("mean", "mean", text=estimate_text, data=False),
        Column("hands"),
    ]
    tables = [Table("result", title, columns, tuple(rows))]
    found = published_results(settings.address, settings.protocol)
    if found:
        published = [
            (one.who, f"{one.bb_per_100:+.1f}" + (f" ± {one.error:.1f}" if one.error else ""), one.hands, one.read)
            for one in found
        ]
        names: list[Column | str] = ["who", Column("bb_per_100", "bb/100"), "hands", "read"]
        tables.append(Table("published", "Published against this opponent", names, tuple(published)))
    return tables


def document_of(settings: PlaySettings, played: Played) -> dict[str, Any]:
    """Returns the result as a JSON document."""

    def interval(estimate: Estimate | None) -> dict[str, Any] | None:
        if estimate is None:
            return None
        ends = [estimate.low, estimate.high] if estimate.has_interval else None
        return {"bb_per_100": estimate.mean, "ci95": ends, "hands": estimate.n}

    figures = dict(_figures(settings, played))
    return json_document(
        "online",
        game=settings.game,
        seed=settings.seed,
        players=[settings.spec.text, settings.protocol],
        server=settings.address,
        date=time.strftime("%Y-%m-%d"),
        think_ms=settings.think_ms,
        hands=len(played.winnings),
        broken=len(played.broken),
        chips=sum(played.winnings),
        winnings=interval(figures["winnings"]),
        server_aivat=interval(figures["AIVAT of the server"]),
        own_aivat=interval(figures["our AIVAT"]),
        published=[
            {"who": one.who, "bb_per_100": one.bb_per_100, "error": one.error, "hands": one.hands, "read": one.read}
            for one in published_results(settings.address, settings.protocol)
        ],
    )
