"""`just bench-reference-ranking`: how well the reference system ranks nodes, on what may be tuned on.

The handbook and operations, the development halves of code and docs, and with ``--octocode CLONE`` octocode's
two suites of 127 queries, by words, by vectors and by both. ``--save FILE`` keeps the value of each query;
``--beside FILE`` prints the differences to what was kept, with the 95 % interval of their mean; so commits
are compared. semble's queries, which want files, are those of `just bench-reference-quality`.

    python benchmarks/reference_ranking.py [--octocode CLONE] [--mode MODE]… [--save FILE] [--beside FILE]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from bootstrap import mean_interval
from octocode_projects import octocode_project
from rankgate.chunks.chunking import Chunking
from rankgate.project.indexing import have_index
from rankgate.project.opening import open_corpus
from rankgate.project.suite_run import questions_of
from rankgate.runs.asking.execute import ask_interleaved
from rankgate.scoring.evaluate import score
from rankgate.suites.formats import load_suite
from rankgate.systems.registry import open_system
from rankgate.truth.locate import Placer
from rankgate.truth.resolve import resolve
from suite_ground import SUITES, K
from suite_halves import half_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rankgate.model import Suite

MODES = ("lexical", "vector", "hybrid")
SECTIONS = "sections"
"""The same model by LanceDB, over the sections that rankgate cuts."""
HALVES = ("docs", "code")
METRICS = {"operations": "ndcg@5"}
Values: TypeAlias = dict[str, float]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", help="some of the suites alone")
    parser.add_argument("--octocode", type=Path, help="a clone of github.com/Muvon/octocode")
    parser.add_argument("--mode", action="append", choices=MODES, help="words, vectors or both; all three")
    parser.add_argument(
        "--sections", action="store_true", help="the handbook beside LanceDB over sections, too"
    )
    parser.add_argument("--save", type=Path, help="keep the value of each query")
    parser.add_argument("--beside", type=Path, help="compare with what was kept")
    given = parser.parse_args()
    before = json.loads(given.beside.read_text(encoding="utf-8")) if given.beside else {}
    kept: dict[str, Values] = {}
    print("| suite | queries | mode | nDCG | before | difference | 95 % interval |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, read in suites(given.octocode, Path(folder)):
            if given.names and name not in given.names:
                continue
            suite = read()
            for mode, values in asked(suite, given.mode or MODES, METRICS.get(name, "ndcg@10")):
                kept[f"{name} {mode}"] = values
                report(name, mode, values, before.get(f"{name} {mode}"))
                if name == "handbook":
                    ids = {case.id for case in suite.cases if case.category == "synonym"}
                    some = {query: value for query, value in values.items() if query in ids}
                    report(f"{name}, synonym", mode, some, before.get(f"{name} {mode}"))
            if given.sections and name == "handbook":
                [(_, sections)] = asked(suite, [SECTIONS], "ndcg@10")
                report("handbook, sections by LanceDB", "vector", sections, None)
                report("handbook, before: sections", "vector", kept["handbook vector"], sections)
    if given.save:
        given.save.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def suites(octocode: Path | None, folder: Path) -> Iterator[tuple[str, Callable[[], Suite]]]:
    """Return what is asked, by name, without filters and without what should find nothing."""

    def shipped(name: str) -> Suite:
        suite = load_suite(SUITES / name / f"{name}.yaml")
        # The other half of these is asked once a version.
        suite = half_of(suite, "development") if name in HALVES else suite
        cases = tuple(case for case in suite.cases if not case.filters and not case.expect_empty)
        return replace(suite, cases=cases, scenarios=(), invariants=())

    def cloned(name: str, clone: Path) -> Suite:
        octocode_project(folder / name, clone, name)
        return load_suite(folder / name / f"{name}.yaml")

    for name in ("handbook", "operations"):
        yield name, lambda name=name: shipped(name)  # type: ignore[misc]
    if octocode is not None:
        for name in ("code", "docs"):
            yield f"octocode {name}", lambda name=name: cloned(name, octocode)  # type: ignore[misc]
    for name in HALVES:
        yield f"{name}, development", lambda name=name: shipped(name)  # type: ignore[misc]


def asked(suite: Suite, modes: Sequence[str], metric: str) -> Iterator[tuple[str, Values]]:
    """Ask a suite in each mode; gives the value of each query."""
    corpus = open_corpus(suite, None)
    if corpus is None:
        raise AssertionError("the suites here have a corpus")
    judgments = resolve(suite, corpus).judgments
    place = Placer(corpus, suite.map_rules).place
    for mode in modes:
        with tempfile.TemporaryDirectory() as cache:
            if mode == SECTIONS:
                chosen = {"mode": "vector", "embedder": "minilm_model:embed", "folder": cache}
                system = open_system("lancedb", chosen)
                have_index(system, corpus, Chunking("section"))
            else:
                system = open_system("reference", {"corpus": "suite", "mode": mode, "cache": cache})
                have_index(system, corpus, None, suite=suite)
            [run] = ask_interleaved(questions_of(suite.cases, K), [(mode, system, place)])
            getattr(system, "close", int)()
        values = score(judgments, run, [metric]).per_query(metric)
        yield mode, {query: value or 0.0 for query, value in values.items()}


def report(name: str, mode: str, values: Values, before: Values | None) -> None:
    """Print a row, and what has changed where the values before are known."""
    row = f"| {name} | {len(values)} | {mode} | {fmean(values.values()):.3f} "
    if before is None:
        print(f"{row}| – | – | – |", flush=True)
        return
    differences = np.array([values[query] - before[query] for query in values])
    low, high = mean_interval(differences)
    was = fmean(before[query] for query in values)
    print(f"{row}| {was:.3f} | {differences.mean():+.3f} | {low:+.3f} to {high:+.3f} |", flush=True)


if __name__ == "__main__":
    main()
