"""`just bench-engine-overhead`: what rankgate costs over each engine's own client.

    python benchmarks/engine_overhead.py                 measure, print and write
    python benchmarks/engine_overhead.py tantivy bm25s   measure and print these alone
    python benchmarks/engine_overhead.py --quick         few queries and rounds; only a wide bound fails

The same 1,000 queries, summaries of functions of Django 5.2.8, k = 10, one after another in one thread: by
the bare client in a loop that keeps what it gets, and by `execute`, as `rankgate run` does, which checks
every answer, gives every hit its location and has the run on the disk before the clock stops. The two
take turns in one process, and what counts is the least time of each. Before, all rankings are compared.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from bare_clients import CLIENTS
from contenders import BareLoop, Rankgate, asked, taking_turns
from other_python import is_elsewhere, measured_elsewhere
from page_tables import write_tables
from python_functions import functions_of, queries_of
from rankgate.corpora.folder import FolderCorpus
from rankgate.errors import RankgateError
from rankgate.model.locations import Lines
from rankgate.model.search import Document, Indexer, Query
from rankgate.systems.registry import open_system
from scifact_page import NAMES, version_of
from support.engine_servers import NotHereError, placed
from support.sdists import unpacked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bare_clients import Ask, Row
    from rankgate.model.search import System

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "engines" / "overhead.md"
FOLDER = ROOT / ".benchmarks" / "overhead"
K = 10
QUERIES = 1_000
FEWER = {"zoekt": 200}
"""How many, where each takes tens of milliseconds."""
QUICK = {"tantivy": 1_000, "bm25s": 1_000, "ripgrep": 30}
"""How many with ``--quick``, where it is not 200: so many that what a whole run costs does not count."""
BOUND = 3.0
LARGE, SMALL = "django-5.2.8", "click-8.5.1"
ROUNDS = {"tantivy": 25, "bm25s": 9, "lancedb": 5, "ripgrep": 3, "zoekt": 3}
"""How many rounds, where it is not 7."""
SLOW = {"sqlite", "postgres", "ripgrep", "zoekt"}
"""Those that take tens of milliseconds a query on Django have click."""
STRICT = {"zoekt"}
"""Those that want every word of a query; theirs are the summaries of what they search."""
FILES = {"ripgrep", "zoekt"}
"""Those that search files and not functions."""


@dataclass(frozen=True, slots=True)
class Overhead:
    """What was measured of an engine."""

    kind: str
    version: str = ""
    corpus: str = ""
    documents: int = 0
    bare: float = 0.0
    """Milliseconds a query."""
    ratio: float | None = None
    """Rankgate's time over the bare client's."""
    rounds: int = 0
    reason: str = ""
    """Why there are no figures, or what is wrong."""

    @property
    def row(self) -> str:
        """The row of the table."""
        name = NAMES[self.kind]
        if self.ratio is None:
            return f"| {name} | {self.version or '–'} | – | not measured: {self.reason} | – | – |"
        over = (self.ratio - 1) * self.bare
        what = f"{self.documents:,} {'files' if self.kind in FILES else 'functions'} of {self.corpus}"
        times = f"{self.bare:.3f} | {self.ratio:.2f} | {over:+.3f}"
        return f"| {name} | {self.version or '–'} | {what} | {times} |"


def documents_of(folder: Path) -> list[Document]:
    """Return the functions of a folder as documents."""
    return [
        Document(
            f"{one.path}:{one.start}-{one.end}",
            one.body,
            title=one.name,
            path=one.path,
            lines=Lines(one.start, one.end),
        )
        for one in functions_of(folder)
    ]


def measured(kind: str, texts: Sequence[str], rounds: int, *, quick: bool) -> Overhead:
    """Build an index, compare the rankings, and let the two take turns."""
    corpus = SMALL if quick or kind in SLOW else LARGE
    folder = unpacked(corpus)
    with tempfile.TemporaryDirectory() as place, placed(kind, Path(place), folder) as where:
        system = open_system(kind, {"kind": kind, **where})
        try:
            documents = documents_of(folder) if isinstance(system, Indexer) else []
            if isinstance(system, Indexer):
                system.build(documents, corpus)
            files = FolderCorpus.open(folder, root=folder)
            ask = CLIENTS[kind](where, K)
            version = version_of(system)
            if wrong := unequal(system, ask, texts):
                return Overhead(kind, version, reason=wrong)
            ours = Rankgate(system, asked(texts, K), FOLDER, files)
            times = taking_turns({"bare": BareLoop(ask, texts), "rankgate": ours}, rounds)
        finally:
            getattr(system, "close", int)()
    bare, rankgate = min(times["bare"]), min(times["rankgate"])
    count = len(documents) or len(files)
    return Overhead(kind, version, corpus, count, bare / len(texts) * 1000, rankgate / bare, rounds)


def unequal(system: System, ask: Ask, texts: Sequence[str]) -> str:
    """Return where the rankings part, or nothing."""
    total = 0
    for text in texts:
        ours, bare = rows_of(system, text), ask(text)
        if ours != bare:
            return f"rankgate and the bare client rank {text!r} differently: {ours} and {bare}"
        total += len(bare)
    return "" if total > len(texts) / 2 else f"only {total} hits for {len(texts)} queries"


def rows_of(system: System, text: str) -> list[Row]:
    """Ask rankgate's adapter, for what the bare client gives."""
    hits = system.search(Query(text, K)).hits
    places = [(None, None) if hit.lines is None else (hit.lines.start, hit.lines.end) for hit in hits]
    return [(hit.id, hit.path, *place, hit.score or 0.0) for hit, place in zip(hits, places, strict=True)]


def table(found: Sequence[Overhead]) -> str:
    """Lay out what was measured."""
    columns = ("engine", "version", "index", "bare client, ms a query", "rankgate / bare", "ms more")
    head = f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}"
    about = f"Measured {datetime.now(UTC):%Y-%m-%d} on 2 cores, Python {sys.version.split()[0]}."
    return "\n".join((about, "", head, *(one.row for one in found)))


def main() -> None:
    """Measure, print, and write or judge."""
    quick = "--quick" in sys.argv
    named = [one for one in sys.argv[1:] if not one.startswith("--")]
    if unknown := set(named) - set(CLIENTS):
        sys.exit(f"unknown: {', '.join(unknown)}; there are {', '.join(CLIENTS)}")
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    found = []
    for kind in named or CLIENTS:
        functions = functions_of(unpacked(SMALL if quick or kind in STRICT else LARGE))
        texts = queries_of(functions, QUICK.get(kind, 200) if quick else FEWER.get(kind, QUERIES))
        try:
            if is_elsewhere(kind):
                (there,) = measured_elsewhere(__file__, kind, *(["--quick"] if quick else []))
                one = Overhead(**there)
            else:
                one = measured(kind, texts, 3 if quick else ROUNDS.get(kind, 7), quick=quick)
        except (NotHereError, RankgateError) as error:
            one = Overhead(kind, reason=" ".join(str(error).split()))
        print(one.row, flush=True)
        found.append(one)
    shutil.rmtree(FOLDER, ignore_errors=True)
    if "--json" in sys.argv:
        print(json.dumps([asdict(one) for one in found]))
        return
    missing = [one for one in found if one.ratio is None]
    slow = [one for one in found if one.ratio is not None and one.ratio > BOUND]
    if slow or (missing and (quick or os.environ.get("CI"))):
        told = [f"{one.kind}: {one.reason or f'{one.ratio:.2f} x bare'}" for one in slow + missing]
        sys.exit("\n".join(told))
    if not quick and not named:
        write_tables(PAGE, {"overhead": table(found)})


if __name__ == "__main__":
    main()
