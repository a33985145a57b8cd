"""`just bench-octocode-formula CLONE`: octocode's queries by rankgate's credit and by octocode's own formula.

The reference system is asked octocode's two suites of 127 queries, by words, by vectors and by both, for 20
hits as octocode asks for. The same hits are scored twice: by rankgate, and by the formula of octocode's
benchmark, written here from its description. Its hard queries are the last 27 of the code suite, as the
description says; of the other suite it does not say which. ``--write`` puts what is printed into
benchmarks/octocode/FORMULA.md.

    python benchmarks/octocode_formula.py CLONE [--write]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import tempfile
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

from octocode_projects import COMMIT, octocode_project
from rankgate.evaluation.indexing import have_index
from rankgate.evaluation.project.opening import open_corpus
from rankgate.evaluation.suite_run import questions_of
from rankgate.runs.asking.execute import ask_interleaved
from rankgate.scoring.evaluate import score
from rankgate.suites.formats import load_suite
from rankgate.systems.registry import open_system
from rankgate.truth.locations.placing import Placer
from rankgate.truth.locations.resolve import resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import rankgate as rg
    from rankgate.model.suite import Case, Suite, Target

    Values: TypeAlias = dict[str, dict[str, float]]

WRITTEN = Path(__file__).parent / "octocode" / "FORMULA.md"
MODES = {"lexical": "words", "vector": "vectors", "hybrid": "both"}
DEPTH, CUT, HARD = 20, 10, 27
OURS = {
    "nDCG@10": "ndcg@10",
    "hit@5": "hit@5",
    "hit@10": "hit@10",
    "MRR": "rr@20",
    "r@5": "r@5",
    "r@10": "r@10",
}
THEIRS = ("ndcg_at_10", "hit_at_5", "hit_at_10", "mrr", "recall_at_5", "recall_at_10")
INTRODUCTION = """\
# octocode's queries by two formulas

`just bench-octocode-formula CLONE --write`: the reference system on octocode's commit {commit}, its 127
queries for code and 127 for documentation, 20 hits each. The same hits are scored by rankgate and by the
formula of octocode's benchmark. *Hard* are the last 27 queries for code, which its description lists as such.

Hits, recall and reciprocal ranks are the same by both, to the last digit. nDCG is not: octocode adds the
grade of a target again for every hit that overlaps it, while its ideal has each target once, so that two
pieces of one function score more than the function, and a query can score more than 1. rankgate credits a
target once, and a hit with one target. Where each hit overlaps one target and each target one hit, the two
are the same.
"""


class Recorded:
    """A system that keeps what it answers."""

    def __init__(self, system: rg.System) -> None:
        self._system = system
        self.answers: dict[str, tuple[rg.Hit, ...]] = {}

    def search(self, query: rg.Query) -> rg.Ranking:
        """Ask the system."""
        found = self._system.search(query)
        self.answers[query.text] = tuple(found.hits)
        return found


def main() -> None:
    """Ask, score and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("clone", type=Path)
    parser.add_argument("--write", action="store_true", help="write benchmarks/octocode/FORMULA.md")
    given = parser.parse_args()
    parts = [INTRODUCTION.format(commit=COMMIT)]
    with tempfile.TemporaryDirectory() as folder:
        for name in ("code", "docs"):
            octocode_project(Path(folder) / name, given.clone, name)
            parts.append("\n".join(page(name, load_suite(Path(folder) / name / f"{name}.yaml"))) + "\n")
    parts.append("\n".join(published()) + "\n")
    text = "\n".join(parts)
    print(text)
    if given.write:
        WRITTEN.write_text(text, encoding="utf-8")


def page(name: str, suite: Suite) -> Iterator[str]:
    """Return the tables of one suite, line by line."""
    ids = [case.id for case in suite.cases]
    groups = {f"all {len(ids)}": ids}
    if name == "code":
        groups |= {f"hard {HARD}": ids[-HARD:], f"the other {len(ids) - HARD}": ids[:-HARD]}
    yield f"## {name}\n"
    yield f"| queries | by | nDCG@10, rankgate | nDCG@10, octocode | {' | '.join(list(OURS)[1:])} |"
    yield "|---" * (3 + len(OURS)) + "|"
    told = []
    for mode, words in MODES.items():
        ours, theirs = asked(suite, mode)
        for group, some in groups.items():
            figures = [ours["nDCG@10"], *(theirs[one] for one in OURS)]
            row = " | ".join(f"{fmean(values[one] for one in some):.3f}" for values in figures)
            yield f"| {group} | {words} | {row} |"
        told.append(differences(words, suite.cases, ours, theirs))
    yield ""
    yield from told


def asked(suite: Suite, mode: str) -> tuple[Values, Values]:
    """Ask a suite; give each metric of each query by rankgate and by octocode's formula."""
    corpus = open_corpus(suite, None)
    if corpus is None:
        raise AssertionError("octocode's suites have a corpus")
    judgments = resolve(suite, corpus).judgments
    with tempfile.TemporaryDirectory() as cache:
        system = open_system("reference", {"corpus": "suite", "mode": mode, "cache": cache})
        have_index(system, corpus, None, suite=suite)
        kept = Recorded(system)
        place = Placer(corpus, suite.map_rules).place
        [run] = ask_interleaved(questions_of(suite.cases, DEPTH), [(mode, kept, place)])
        getattr(system, "close", int)()
    scores = score(judgments, run, list(OURS.values()))
    ours = {
        label: {query: value or 0.0 for query, value in scores.per_query(metric).items()}
        for label, metric in OURS.items()
    }
    found = {case.id: by_formula(kept.answers[case.query], case.targets) for case in suite.cases}
    return ours, {label: {query: values[label] for query, values in found.items()} for label in OURS}


def by_formula(hits: Sequence[rg.Hit], targets: Sequence[Target]) -> dict[str, float]:
    """Score one answer as octocode does: each hit has the best grade of the targets that it overlaps."""
    reached = [[at for at, target in enumerate(targets) if overlaps(hit, target)] for hit in hits]
    gains = [max((targets[at].grade for at in some), default=0.0) for some in reached]
    ideal = sorted((target.grade for target in targets), reverse=True)
    first = next((rank for rank, gain in enumerate(gains, 1) if gain > 0), None)
    return {
        "nDCG@10": dcg(gains[:CUT]) / dcg(ideal[:CUT]),
        "hit@5": float(any(gains[:5])),
        "hit@10": float(any(gains[:10])),
        "MRR": 1 / first if first else 0.0,
        "r@5": len({at for some in reached[:5] for at in some}) / len(targets),
        "r@10": len({at for some in reached[:10] for at in some}) / len(targets),
    }


def overlaps(hit: rg.Hit, target: Target) -> bool:
    """Check whether a hit has a line of a target."""
    place, lines = target.location, hit.lines
    if hit.path != place.path or lines is None or place.lines is None:
        return False
    return place.lines.start <= lines.end and lines.start <= place.lines.end


def dcg(gains: Iterable[float]) -> float:
    """Sum up gains, each over the logarithm of its rank and one."""
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def differences(words: str, cases: Sequence[Case], ours: Values, theirs: Values) -> str:
    """Format how the formulas differ; what must be the same is checked.

    Raises:
        AssertionError: where hits, recall or reciprocal ranks differ.
    """
    for label in list(OURS)[1:]:
        wrong = [case.id for case in cases if abs(ours[label][case.id] - theirs[label][case.id]) > 1e-9]
        if wrong:
            raise AssertionError(f"{label} differs: {', '.join(wrong[:5])}")
    gaps = {case.id: theirs["nDCG@10"][case.id] - ours["nDCG@10"][case.id] for case in cases}
    more = sum(gap > 1e-9 for gap in gaps.values())
    less = sum(gap < -1e-9 for gap in gaps.values())
    most = max(theirs["nDCG@10"].values())
    over = sum(value > 1 + 1e-9 for value in theirs["nDCG@10"].values())
    return (
        f"- {words}: octocode's nDCG is higher on {more} queries, lower on {less}, the same on "
        f"{len(cases) - more - less}; above 1 on {over}, at most {most:.2f}."
    )


def published() -> Iterator[str]:
    """Return what octocode publishes of its own program, by its own formula."""
    stored = Path(os.environ["RANKGATE_SHARED_DATA"]) / "code" / "octocode" / "RESULTS.json"
    yield "## What octocode publishes of itself\n"
    yield "Its own program with larger models, on the 127 queries for code, by its own formula.\n"
    yield f"| variant | {' | '.join(OURS)} |"
    yield "|---" * (1 + len(OURS)) + "|"
    for row in json.loads(stored.read_text(encoding="utf-8")):
        yield f"| {row['variant']} | {' | '.join(f'{row[name]:.3f}' for name in THEIRS)} |"


if __name__ == "__main__":
    main()
