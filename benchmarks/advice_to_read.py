"""Print the failing queries of the shipped suites with the facts of each, for a reader with fresh eyes.

    python benchmarks/advice_to_read.py                      # the first 100
    python benchmarks/advice_to_read.py --most 20 --system sqlite

Every failing query is printed with what it expects, what came first and its facts; at the end, how many have
which. Whether a fact is right is for the reader to say.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankgate.evaluation.advice.findings import checked_facts
from rankgate.evaluation.flow import Stopwatch, run_evaluation
from rankgate.evaluation.settings import RunOptions, Settings
from rankgate.suites.formats import load_suite
from rankgate.systems.registry import open_system

if TYPE_CHECKING:
    from collections.abc import Iterator

SUITES = Path(__file__).parents[1] / "suites"
SYSTEMS: dict[str, dict[str, dict[str, Any]]] = {
    "handbook": {
        "reference": {"kind": "reference", "root": str(SUITES / "handbook" / "corpus")},
        "sqlite": {"kind": "sqlite"},
        "tantivy": {"kind": "tantivy"},
        "bm25s": {"kind": "bm25s"},
        "unstemmed": {"kind": "tantivy", "tokenizer": "default"},
        "ripgrep": {"kind": "ripgrep", "root": str(SUITES / "handbook" / "corpus")},
    },
    "operations": {
        "reference": {
            "kind": "reference",
            "root": str(SUITES / "operations" / "catalogue.json"),
            "corpus": "openapi",
        },
        "sqlite": {"kind": "sqlite"},
        "tantivy": {"kind": "tantivy"},
        "bm25s": {"kind": "bm25s"},
        "unstemmed": {"kind": "tantivy", "tokenizer": "default"},
    },
}


def told(suite_name: str, system_name: str, counts: Counter[str]) -> Iterator[str]:
    """Return a paragraph for each failing query of one suite on one system."""
    suite = load_suite(SUITES / suite_name / f"{suite_name}.yaml")
    system: Any = open_system(system_name, SYSTEMS[suite_name][system_name])
    asking = RunOptions(follow_ups=0)
    with closing(system):
        done = run_evaluation(suite, system, Settings(asking=asking), Stopwatch())
        facts = checked_facts(done.scored, system, done.corpus, replace(asking, follow_ups=5000))
    for failure in done.failures:
        mine = [fact for fact in facts if failure.case in fact.cases]
        counts.update([str(fact.kind) for fact in mine] or ["(nothing)"])
        wanted = "; ".join(f"{one.location} {one.ended}" for one in failure.expected) or "no hits"
        lines = [f"{suite_name} · {system_name} · {failure.query}", f"  expected  {wanted}"]
        lines += [f"  hit {hit.rank}     {hit.location}" for hit in failure.hits[:2]]
        lines += [f"  {fact.kind}: {fact.evidence}" for fact in mine] or ["  (nothing is said)"]
        yield "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Print the paragraphs and the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--most", type=int, default=100)
    parser.add_argument("--system", action="append", default=[])
    chosen = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    queues = [
        list(told(suite, system, counts))
        for suite, systems in SYSTEMS.items()
        for system in systems
        if not chosen.system or system in chosen.system
    ]
    # In turn, so that the first hundred are of every suite and system.
    shown = 0
    for at in range(max(map(len, queues), default=0)):
        for queue in queues:
            if at < len(queue) and shown < chosen.most:
                print(queue[at], end="\n\n")
                shown += 1
    print(f"{shown} of {sum(map(len, queues))} failing queries shown; facts of all of them:")
    for kind, number in counts.most_common():
        print(f"{number:>5}  {kind}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
