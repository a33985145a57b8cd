"""What the three tables of a run hold: queries, hits and texts."""

from __future__ import annotations

import polars as pl

from rankgate.io.parquet import COPY, GIVEN, Schema, TableColumn
from rankgate.model import Answer

QUERIES = Schema(
    "queries",
    (
        TableColumn("query", pl.String()),
        TableColumn("status", pl.String(), default=Answer.OK.value),
        TableColumn("error", pl.String(), nullable=True),
        TableColumn("attempts", pl.UInt32(), default=1),
        TableColumn("latency_ms", pl.Float64(), nullable=True),
        TableColumn("tokens", pl.UInt64(), nullable=True),
        TableColumn("hits", pl.UInt32()),
        TableColumn("question", pl.String(), nullable=True),
        TableColumn("asked", pl.String(), nullable=True),
    ),
)
"""One row per query: how it ended, what it cost, and how many hits it has; what was asked, and its digest."""

HITS = Schema(
    "hits",
    (
        TableColumn("query", pl.String()),
        TableColumn("rank", pl.UInt32()),
        TableColumn("id", pl.String(), nullable=True),
        TableColumn("path", pl.String(), nullable=True),
        TableColumn("start", pl.UInt32(), nullable=True),
        TableColumn("end", pl.UInt32(), nullable=True),
        TableColumn("score", pl.Float64(), nullable=True),
        TableColumn("text", pl.String(), nullable=True),
        TableColumn("tokens", pl.UInt32(), nullable=True),
        TableColumn("start_char", pl.UInt32(), nullable=True),
        TableColumn("end_char", pl.UInt32(), nullable=True),
        TableColumn("class", pl.String(), nullable=True),
        TableColumn("strategy", pl.String(), nullable=True),
        TableColumn("given", GIVEN, nullable=True),
        TableColumn("copies", pl.List(COPY), nullable=True),
        TableColumn("fields", pl.String(), nullable=True),
    ),
)
"""One row per hit. Ranks count from 1; `text` is the hash of the text that was returned.

`class` and `strategy` say where the hit ended and how it got there, `given` what the system said where that
is something else, `copies` the places of a text that stands in several. They are null in runs of other tools.
`fields` is what else the system returned, as JSON.
"""

TEXTS = Schema("texts", (TableColumn("hash", pl.String()), TableColumn("text", pl.String())))
"""The texts that were kept, each once."""
