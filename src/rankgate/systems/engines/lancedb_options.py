"""What a configuration says of a table of LanceDB."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - annotations of options are read
from dataclasses import dataclass, field
from typing import Literal

from rankgate.errors import InputError, Problem
from rankgate.systems.engines.lancedb_building import TABLE
from rankgate.systems.fields import field_problems


@dataclass(frozen=True, slots=True)
class LancedbOptions:
    """Which table is asked, and how."""

    uri: str | None = None
    """The folder of a database that is there, or its address; without one, a table is built."""
    table: str = TABLE
    """The table in it."""
    mode: Literal["text", "vector", "hybrid"] = "text"
    """Full text, nearest vectors, or both, joined by `rerank`."""
    search: Mapping[str, float] = field(default_factory=dict)
    """The columns with a full-text index to search, each with its boost; of a built table `all`, `title` or
    `text`."""
    vector: str = "vector"
    """The column of vectors."""
    embedder: str | None = None
    """``module:function`` that makes vectors of a list of texts."""
    distance: Literal["l2", "cosine", "dot"] = "cosine"
    """How far apart vectors are."""
    nprobes: int | None = None
    """How many partitions of a vector index are looked at; LanceDB's own default where there is none."""
    refine_factor: int | None = None
    """How many times k rows are compared by their whole vectors."""
    rerank: str | None = None
    """``module:attr`` of a reranker of LanceDB; `hybrid` joins by reciprocal ranks, K = 60, without one."""
    where: str | None = None
    """A condition in SQL that every row meets, beside the filters."""
    fields: Mapping[str, str] = field(
        default_factory=lambda: {"id": "id", "path": "path", "start": "start", "end": "end"}
    )
    """The column that each part of a hit is in."""
    filters: Mapping[str, str] = field(default_factory=dict)
    """The column of each filter. A built table filters by any facet."""
    language: str = "English"
    """Whose stemmer a built table uses."""
    timeout: float = 30.0
    """Seconds for one query."""
    folder: str | None = None
    """Where built tables are kept; by default in rankgate's cache."""
    root: str = "."
    """The folder that `uri`, `folder` and hooks are relative to; usually the project's."""

    def __post_init__(self) -> None:
        vectors = self.mode != "text"
        checks = (
            (
                bool(self.search) or self.uri is None or self.mode == "vector",
                "search",
                "no column",
                "the columns to search",
            ),
            (
                self.embedder is not None or not vectors,
                "embedder",
                f"none for {self.mode}",
                "embedder = 'module:function'",
            ),
            (self.timeout > 0, "timeout", f"{self.timeout:g}", "more than 0"),
        )
        problems = [Problem(where, found, expected) for good, where, found, expected in checks if not good]
        problems += field_problems(self.fields)
        if problems:
            raise InputError(problems)
