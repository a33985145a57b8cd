"""`just scifact`: every engine on SciFact, beside the published figure. Writes its tables into docs.

    python benchmarks/scifact.py                 measure, print and write
    python benchmarks/scifact.py tantivy bm25s   measure and print these alone
    python benchmarks/scifact.py --check         measure, and fail where the page says otherwise

The documents and the judgments come through rankgate's loaders, the answers through its adapters and
`execute`, the figures from its scoring. How each engine is set stands in support/scifact_settings.py.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from files_by_id import FilesById
from other_python import is_elsewhere, measured_elsewhere
from page_tables import exit_where_wrong, write_tables
from rankgate.corpora.corpus import OpenContext, open_source
from rankgate.errors import RankgateError
from rankgate.evaluation.suite_run import questions_of
from rankgate.model.search import Indexer
from rankgate.model.suite import CorpusSource
from rankgate.runs.asking.execute import KeepOptions, execute
from rankgate.runs.store.manifest import Manifest
from rankgate.scoring.evaluate import score
from rankgate.suites.formats import load_suite
from rankgate.systems.registry import open_system
from rankgate.truth.judgments.table import Judgments
from scifact_page import Figures, differences, row_of, tables, version_of
from support.engine_material import scifact
from support.engine_servers import NotHereError, placed
from support.scifact_settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.model.search import Document, System
    from rankgate.model.suite import Suite
    from support.scifact_settings import Setting

PAGE = Path(__file__).parent.parent / "docs" / "engines" / "scifact.md"
DEPTH = 100
METRICS = ("ndcg@10", f"r@{DEPTH}", "latency.p50")
KINDS = tuple(dict.fromkeys(one.kind for one in SETTINGS))


@dataclass(frozen=True, slots=True)
class Material:
    """SciFact, as rankgate reads it."""

    suite: Suite
    judgments: Judgments
    joined: Sequence[Document]
    """Title and text as one."""
    apart: Sequence[Document]
    """Titles and texts."""
    name: str
    """The fingerprint of the corpus."""

    @classmethod
    def read(cls, data: Path) -> Material:
        """Read the data set."""
        source = CorpusSource("beir/scifact", "beir")
        corpus = open_source(source, OpenContext(data, data))
        suite = load_suite(data / "beir" / "scifact", "beir")
        documents = tuple(corpus.documents())
        return cls(
            suite,
            Judgments.from_suite(suite),
            documents,
            scifact(data).documents,
            corpus.fingerprint.rpartition(":")[2][:16],
        )


def measured(setting: Setting, where: dict[str, object], material: Material, name: str) -> Figures:
    """Build an index, ask every claim, and score the answers."""
    documents = material.apart if setting.why == "two" else material.joined
    options = {"kind": setting.kind, **where, **setting.options}
    start = time.perf_counter()
    system: System
    if setting.kind == "ripgrep":
        system = FilesById(options, documents)
    else:
        system = open_system(setting.kind, options)
        if not isinstance(system, Indexer) or not system.build(documents, name):
            raise AssertionError(f"{setting.kind} did not build an index")
    seconds = time.perf_counter() - start
    version = version_of(system)
    questions = questions_of(material.suite.cases, DEPTH)
    with tempfile.TemporaryDirectory() as folder:
        manifest = Manifest(setting.kind, version=version, k=DEPTH)
        run = execute(questions, system, keep=KeepOptions(folder=Path(folder) / "run"), manifest=manifest)
        scores = score(material.judgments, run, METRICS)
    counts = scores.counts("ndcg@10")
    if counts.errored or counts.missing or counts.scored != len(questions):
        return Figures(setting, version, reason=f"not every query was answered: {counts}")
    values = [scores[metric] for metric in METRICS]
    if hasattr(system, "close"):
        system.close()
    return Figures(setting, version, values[0], values[1], len(documents), seconds, values[2])


def figures_of(kind: str, material: Material) -> Iterator[Figures]:
    """Measure one engine in all its settings; what cannot be measured says why."""
    settings = [one for one in SETTINGS if one.kind == kind]
    try:
        if is_elsewhere(kind):
            for setting, one in zip(settings, measured_elsewhere(__file__, kind), strict=True):
                yield Figures(**{**one, "setting": setting})
            return
        with tempfile.TemporaryDirectory() as folder, placed(kind, Path(folder), Path(folder)) as where:
            for number, setting in enumerate(settings):
                try:
                    yield measured(setting, where, material, f"scifact-{number}-{material.name}")
                except RankgateError as error:
                    yield Figures(setting, reason=" ".join(str(error).split()))
    except NotHereError as error:
        yield from (Figures(one, reason=str(error)) for one in settings)


def main() -> None:
    """Measure, print, and write or compare."""
    data = os.environ.get("RANKGATE_SHARED_DATA")
    if not data:
        sys.exit("RANKGATE_SHARED_DATA does not name the folder with beir/scifact")
    check = "--check" in sys.argv
    named = [one for one in sys.argv[1:] if not one.startswith("--")]
    if unknown := set(named) - set(KINDS):
        sys.exit(f"unknown: {', '.join(unknown)}; there are {', '.join(KINDS)}")
    material = Material.read(Path(data))
    found = []
    for kind in named or KINDS:
        for one in figures_of(kind, material):
            print(row_of(one), flush=True)
            found.append(one)
    if "--json" in sys.argv:
        print(json.dumps([asdict(one) for one in found]))
    if named:
        return
    order = {id(setting): number for number, setting in enumerate(SETTINGS)}
    found.sort(key=lambda one: order[id(one.setting)])
    if check:
        exit_where_wrong(*differences(found, PAGE.read_text(encoding="utf-8")))
        return
    write_tables(PAGE, tables(found))


if __name__ == "__main__":
    main()
