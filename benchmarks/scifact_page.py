"""The tables of `just scifact`: laid out for docs/engines/scifact.md, and read back from it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from page_tables import cells_of, line_of, table_of
from support.scifact_settings import PUBLISHED, PUBLISHED_TWO, TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from support.scifact_settings import Setting

ALIKE = 0.0005
"""How far a figure may be from the one on the page."""

NAMES = {
    "bm25s": "bm25s",
    "elasticsearch": "Elasticsearch",
    "lancedb": "LanceDB",
    "opensearch": "OpenSearch",
    "postgres": "PostgreSQL",
    "ripgrep": "ripgrep",
    "sqlite": "SQLite FTS5",
    "tantivy": "Tantivy",
    "zoekt": "zoekt",
}
_COLUMNS = (
    "engine", "version", "words", "k1", "b", "fields", "nDCG@10", "to the published", "recall@100",
    "documents", "build, s", "p50, ms",
)  # fmt: skip
_KEY = (0, 2, 3, 4, 5)
_NDCG, _RECALL = _COLUMNS.index("nDCG@10"), _COLUMNS.index("recall@100")


@dataclass(frozen=True, slots=True)
class Figures:
    """What came of a setting."""

    setting: Setting
    """How the engine was set."""
    version: str = ""
    """The engine's own."""
    ndcg: float | None = None
    """nDCG@10."""
    recall: float | None = None
    """Recall@100."""
    documents: int = 0
    """How many were indexed."""
    seconds: float = 0.0
    """How long the index took to build."""
    p50: float | None = None
    """Milliseconds a query, with k = 100."""
    reason: str = ""
    """Why there are no figures."""


def version_of(system: object) -> str:
    """Return the engine's own version, without its name; empty where it does not tell one."""
    found = re.search(r"\d+(\.\d+)+", str(getattr(system, "version", None)))
    return found[0] if found else ""


def row_of(one: Figures) -> str:
    """Lay out a row; one without figures says why in place of the first of them."""
    setting = one.setting
    published = PUBLISHED_TWO if setting.why == "two" else PUBLISHED
    words = "; ".join(filter(None, (setting.analysis, setting.remark)))
    fields = "title, text" if setting.why == "two" else "one"
    cells = [NAMES[setting.kind], one.version or "–", words, _number(setting.k1), _number(setting.b), fields]
    if one.ndcg is None or one.recall is None or one.p50 is None:
        cells += [f"not measured: {one.reason}", *["–"] * 5]
    else:
        cells += [f"{one.ndcg:.4f}", f"{one.ndcg - published:+.4f}", f"{one.recall:.4f}"]
        cells += [f"{one.documents:,}", f"{one.seconds:.1f}", f"{one.p50:.1f}"]
    return line_of(cells)


def differences(found: Iterable[Figures], page: str) -> tuple[list[str], list[str]]:
    """Compare figures with the page; give what is wrong, and what could not be compared."""
    kept = {_key(cells): cells for line in page.splitlines() if len(cells := cells_of(line)) == len(_COLUMNS)}
    wrong, left = [], []
    for one in found:
        cells = cells_of(row_of(one))
        name = " ".join(cells[number] for number in _KEY)
        if one.ndcg is None:
            left.append(f"{name}: {one.reason}")
            continue
        if one.setting.bound and abs(one.ndcg - PUBLISHED) > TOLERANCE:
            wrong.append(f"{name}: nDCG@10 {one.ndcg:.4f} is farther than {TOLERANCE:g} from {PUBLISHED}")
        said = kept.get(_key(cells))
        if said is None:
            wrong.append(f"{name}: not on the page; run `just scifact`")
            continue
        for what, number, value in (("nDCG@10", _NDCG, one.ndcg), ("recall@100", _RECALL, one.recall)):
            if not _alike(said[number], value):
                wrong.append(f"{name}: {what} is {value:.4f}, the page says {said[number]}")
    return wrong, left


def tables(found: Sequence[Figures]) -> dict[str, str]:
    """Lay out the three tables of the page, by name."""
    rows = {why: [one for one in found if one.setting.why == why] for why in ("main", "cause", "two")}
    return {why: table_of(_COLUMNS, map(cells_of, map(row_of, those))) for why, those in rows.items()}


def _key(cells: Sequence[str]) -> tuple[str, ...]:
    return tuple(cells[number] for number in _KEY)


def _alike(said: str, value: float | None) -> bool:
    try:
        return value is not None and abs(float(said) - value) <= ALIKE
    except ValueError:
        return False


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:g}"
