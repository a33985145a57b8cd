"""How each engine is set for SciFact: one place for the tests and for the table in the docs.

The principle: title and text as one field, English stemming where the engine has it, k1 = 1.2 and b = 0.75,
which are the defaults of Lucene and of most engines; where an engine lets k1 and b be set, a second row has
0.9 and 0.4, which the published run has. Whatever is not named here is as the adapter has it. Nothing is
chosen by its figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from rankgate.model.search import Indexer
from rankgate.systems.registry import open_system

if TYPE_CHECKING:
    from support.engine_material import Judged

PUBLISHED = 0.6789
"""nDCG@10 of BM25 by Anserini, title and text as one field, k1 = 0.9, b = 0.4."""
PUBLISHED_TWO = 0.6647
"""nDCG@10 of BM25 by Anserini, the scores of two fields added up."""
TOLERANCE = 0.01
"""How far the engines that must reach it may be from the published figure."""

Why: TypeAlias = Literal["main", "two", "cause"]
"""What a setting is for: the figure itself, title and text apart, or to see where a difference comes from."""


@dataclass(frozen=True, slots=True)
class Setting:
    """An engine, and how it is set."""

    kind: str
    """The kind of system."""
    analysis: str
    """How words are made of a text."""
    k1: float | None = None
    """None where the engine does not rank by BM25."""
    b: float | None = None
    """As `k1`."""
    options: Mapping[str, object] = field(default_factory=dict)
    """Options of the adapter, beside where the index lies."""
    why: Why = "main"
    """What it is for."""
    remark: str = ""
    """What else sets it apart, for the table."""

    @property
    def bound(self) -> bool:
        """True where it must be within `TOLERANCE` of the published figure."""
        return self.why == "main" and self.kind in {"bm25s", "lancedb", "opensearch", "tantivy"}


_SNOWBALL = "Snowball English; stop words of bm25s; words of two letters or more"
_ALL_LETTERS = {"token_pattern": r"(?u)\b\w+\b"}
_LUCENE = "`english`: Porter, stop words of Lucene"
_TSEARCH = "`english`: Snowball, stop words of PostgreSQL"
_EQUAL, _OWN = "weights 1, 1, 1, 1 (rankgate's)", "weights 0.1, 0.2, 0.4, 1 (PostgreSQL's)"
_OWN_WEIGHTS = {"weights": (0.1, 0.2, 0.4, 1.0)}
_APART = {"search": {"title": 1.0, "text": 1.0}}
_BASELINE = {"k1": 0.9, "b": 0.4}

SETTINGS = (
    Setting("tantivy", "`en_stem`: Snowball English", 1.2, 0.75, remark="k1 and b are fixed"),
    Setting("lancedb", "Snowball English", 1.2, 0.75, remark="k1 and b are fixed"),
    Setting("bm25s", _SNOWBALL, 1.2, 0.75, {"k1": 1.2, "b": 0.75}),
    Setting("bm25s", _SNOWBALL, 0.9, 0.4, _BASELINE),
    Setting("opensearch", _LUCENE, 1.2, 0.75, {"k1": 1.2, "b": 0.75}),
    Setting("opensearch", _LUCENE, 0.9, 0.4, _BASELINE),
    Setting("elasticsearch", _LUCENE, 1.2, 0.75, {"k1": 1.2, "b": 0.75}),
    Setting("elasticsearch", _LUCENE, 0.9, 0.4, _BASELINE),
    Setting("sqlite", "`porter unicode61`", 1.2, 0.75, remark="k1 and b are fixed"),
    Setting("postgres", _TSEARCH, remark="`ts_rank`; with one text there is nothing to weigh"),
    Setting("ripgrep", "none; fixed strings, inside other words too", remark="number of matches"),
    Setting("tantivy", "`en_stem`", 1.2, 0.75, _APART, "two"),
    Setting("lancedb", "Snowball English", 1.2, 0.75, _APART, "two"),
    Setting("postgres", _TSEARCH, why="two", remark=f"`ts_rank`; {_EQUAL}"),
    Setting("postgres", _TSEARCH, options=_OWN_WEIGHTS, why="two", remark=f"`ts_rank`; {_OWN}"),
    Setting("bm25s", f"{_SNOWBALL}; bm25s's own k1", 1.5, 0.75, why="cause"),
    Setting(
        "bm25s",
        "Snowball English; stop words of bm25s; words of one letter too",
        0.9,
        0.4,
        {**_BASELINE, **_ALL_LETTERS},
        "cause",
    ),
    Setting(
        "bm25s",
        "Porter; stop words of bm25s; words of one letter too",
        0.9,
        0.4,
        {**_BASELINE, **_ALL_LETTERS, "stemmer": "porter"},
        "cause",
    ),
    Setting(
        "bm25s",
        "Porter; no stop words; words of one letter too: as SQLite",
        1.2,
        0.75,
        {"k1": 1.2, "b": 0.75, **_ALL_LETTERS, "stemmer": "porter", "stopwords": ()},
        "cause",
    ),
    Setting(
        "postgres",
        _TSEARCH,
        options={"normalization": 1},
        why="cause",
        remark="`ts_rank` divided by 1 + log of the length",
    ),
)


def settings_of(kind: str, why: Why = "main") -> tuple[Setting, ...]:
    """Give the settings of an engine, in the order of the table."""
    return tuple(one for one in SETTINGS if one.kind == kind and one.why == why)


def ndcg_of(setting: Setting, judged: Judged, **where: object) -> float:
    """Build an index and give its nDCG@10 by the textbook, which is not rankgate's scoring."""
    system = open_system(setting.kind, {"kind": setting.kind, **where, **setting.options})
    assert isinstance(system, Indexer)
    try:
        system.build(judged.documents, "scifact")
        return judged.ndcg(system)
    finally:
        getattr(system, "close", int)()
