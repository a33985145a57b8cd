"""A project that searches its documents by retrieval frameworks, and what they answer without rankgate."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from rankgate.runs.store.hits import kept_texts, read_hits
from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rankgate.runs.store.tables import Run

APPS = ROOT / "packages" / "rankgate" / "tests" / "frameworks" / "apps"
HANDBOOK = ROOT / "suites" / "handbook" / "corpus"
QUERIES = {
    "rotate an API key": "auth/api-keys.md",
    "what a leaked credential can do": "runbooks/leaked-credential.md",
    "verify the signature of a webhook": "auth/webhook-signatures.md",
    "retry after a timeout": "guides/client-retries.md",
    "end every session of a person": "auth/sessions.md",
    "refresh token of an application": "auth/oauth.md",
    "install on a laptop": "start/installation.md",
    "meaning of outbox": "glossary.md",
    "read the terms twice": "terms/first.md",
}
TERMS = "# Terms\n\nRead the terms twice before you agree to the terms of this service.\n\n"
"""A passage that stands in several places: nothing but an offset tells which is meant."""


@dataclass(frozen=True)
class BareHit:
    """A hit as a framework returns it."""

    id: str | None
    score: float | None
    text: str
    path: str
    start: int
    end: int


def make_project(folder: Path) -> Path:
    """Write documents, a suite and the modules that search them."""
    docs = folder / "docs"
    for path in sorted(HANDBOOK.rglob("*.md")):
        target = docs / path.relative_to(HANDBOOK)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    (docs / "terms").mkdir()
    for name, times in (("first", 5), ("second", 3)):
        (docs / "terms" / f"{name}.md").write_text(TERMS * times, encoding="utf-8")
    for path in APPS.glob("*.py"):
        shutil.copyfile(path, folder / path.name)
    cases = [{"query": query, "at": path} for query, path in QUERIES.items()]
    suite = {"corpus": "docs", "gates": ["hit@10 >= 0.5"], "metrics": ["hit@10", "rr@10"], "cases": cases}
    (folder / "search.yaml").write_text(yaml.safe_dump(suite), encoding="utf-8")
    return folder


def langchain_hits(found: Iterable[Any]) -> list[BareHit]:
    """Read what LangChain returned, as its documentation describes it."""
    pairs = [one if isinstance(one, tuple) else (one, None) for one in found]
    return [
        _bare(one.id, score, one.page_content, one.metadata["source"], one.metadata["start_index"])
        for one, score in pairs
    ]


def llama_index_hits(found: Iterable[Any]) -> list[BareHit]:
    """Do so for LlamaIndex."""
    hits = []
    for one in found:
        hit = _bare(
            one.node.node_id, one.score, one.node.text, one.metadata["file_path"], one.node.start_char_idx
        )
        assert hit.end == one.node.end_char_idx
        hits.append(hit)
    return hits


def haystack_hits(found: Iterable[Any]) -> list[BareHit]:
    """Do so for Haystack."""
    return [
        _bare(one.id, one.score, one.content, one.meta["file_path"], one.meta["split_idx_start"])
        for one in found
    ]


def _bare(name: str | None, score: float | None, text: str, path: str, start: int) -> BareHit:
    file = Path(path).resolve().relative_to(Path("docs").resolve()).as_posix()
    return BareHit(name, score, text, file, start, start + len(text))


def bare_hits(ask: Callable[[str], list[BareHit]]) -> dict[str, list[BareHit]]:
    """Ask a framework every query without rankgate."""
    return {query: ask(query) for query in QUERIES}


def stored_hits(run: Run, names: dict[str, str]) -> dict[str, list[BareHit]]:
    """Return the hits of a run, by the texts of the queries; all of them are at exact locations."""
    texts = {(one.query, one.rank): one for one in kept_texts(run, list(names))}
    found: dict[str, list[BareHit]] = {query: [] for query in names.values()}
    for name, hits in read_hits(run).items():
        for hit in hits:
            kept = texts[name, hit.rank]
            assert kept.whole
            assert (hit.hit_class, hit.strategy) == ("exact", "characters"), (hit, kept.text)
            assert hit.path is not None
            assert hit.start_char is not None
            assert hit.end_char is not None
            place = (hit.path, hit.start_char, hit.end_char)
            found[names[name]].append(BareHit(hit.id, hit.score, str(kept.text), *place))
    return found
