"""`just bench-suites`: suites beside bare YAML parsing, and large suites in time and memory.

The YAML is written as people write it: headings, lists, grades, categories, tags, over a corpus that has all
its places. Reading and checking take turns with the parsers, in one process. The best processor time of the
rounds counts: other work on the machine only adds. Reading with checking must stay below three times the bare
parser; with ``--check`` nothing else is measured.
"""

from __future__ import annotations

import gc
import random
import subprocess
import sys
import time
from dataclasses import replace
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML

from rankgate.model.suite import LazyCases, Suite
from rankgate.suites.formats import load_suite
from rankgate.suites.native.jsonl import write_jsonl
from rankgate.suites.native.parquet import write_parquet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankgate.model.suite import Case

FOLDER = Path(__file__).parent.parent / ".benchmarks" / "suites"
GOAL = 3.0
CASES = 10_000
ROUNDS = 3

TOPICS = [
    *(
        "rotate",
        "retry",
        "stream",
        "configure",
        "cache",
        "index",
        "shard",
        "token",
        "quota",
        "limit",
        "session",
    ),
    *("login", "cookie", "proxy", "timeout", "webhook", "export", "import", "schedule", "backup", "restore"),
    *(
        "audit",
        "alert",
        "metric",
        "trace",
        "region",
        "cluster",
        "replica",
        "bucket",
        "object",
        "queue",
        "topic",
    ),
]
VERBS = [
    *(
        "how",
        "create",
        "list",
        "delete",
        "update",
        "inspect",
        "debug",
        "migrate",
        "secure",
        "measure",
        "share",
    ),
    *("throttle",),
]
DOCUMENTS = 400
SECTIONS = 12


def write_corpus(folder: Path) -> None:
    """Write documents with sections, a few lines each."""
    for number in range(DOCUMENTS):
        path = folder / place(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        sections = (
            f"## {title(number, section)}\n\n{TOPICS[section]} and {TOPICS[number % len(TOPICS)]} in "
            f"part {number}.{section}.\n\nSee also {VERBS[section % len(VERBS)]}.\n"
            for section in range(SECTIONS)
        )
        path.write_text(f"# Guide {number}\n\n" + "\n".join(sections))


def place(number: int) -> str:
    """Name a document."""
    return f"guide/{TOPICS[number % len(TOPICS)]}/part-{number}.md"


def title(number: int, section: int) -> str:
    """Name a section of a document."""
    return f"{VERBS[section].title()} a {TOPICS[(number + section) % len(TOPICS)]}"


def write_yaml(path: Path, count: int) -> None:
    """Write a suite as people write them."""
    draw = random.Random(7)
    lines = ["corpus: docs/", "metrics: [ndcg@10, r@5, rr]", "gates: [ndcg@10 >= 0.65]", "scale: 3", "cases:"]
    for number in range(count):
        words = [draw.choice(VERBS), *draw.choices(TOPICS, k=draw.randint(2, 6)), str(number)]
        lines += [f"  - query: {' '.join(words)}", *targets(number, draw)]
        lines.append(f"    category: {draw.choice(('exact', 'vague', 'long', 'typo'))}")
        if number % 2:
            lines.append(f"    tags: {{language: {draw.choice(('go', 'python', 'rust'))}, level: hard}}")
        else:
            lines.append(f"    tags: [{draw.choice(TOPICS)}, hard]")
    path.write_text("\n".join(lines) + "\n")


def targets(number: int, draw: random.Random) -> list[str]:
    """Write the targets of a case, in each of the ways in turn."""
    one, two, three = draw.sample(range(DOCUMENTS), 3)
    section = draw.randrange(SECTIONS)
    heading = f"{place(one)}#{title(one, section)}"
    if number % 100 == 99:
        return ["    expect: empty"]
    match number % 5:
        case 0:
            return [f"    at: {heading}"]
        case 1:
            return [f"    at: [{heading}, '{place(two)}:{section + 1}-{section + 9}']"]
        case 2:
            return [f"    at: {{{heading}: 3, {place(two)}: 1, {place(three)}:4-9: 0}}"]
        case 3:
            full = f"      - {{at: {place(two)}, reviewed: false}}"
            return ["    at:", f"      - {{at: {heading}, grade: 2, source: clicks}}", full]
        case _:
            return [f"    at: {place(one)}"]


def seconds(run: Callable[[], Any]) -> float:
    """Measure the processor time of one call."""
    gc.collect()
    start = time.process_time()
    run()
    return time.process_time() - start


def measure_yaml(rounds: int) -> float:
    """Time YAML, print it, and give the ratio that has a goal."""
    write_corpus(FOLDER / "docs")
    path = FOLDER / "ten-thousand.yaml"
    write_yaml(path, CASES)
    text = path.read_text()
    contenders: dict[str, Callable[[], Any]] = {
        "ruamel.yaml, safe and pure, load": lambda: YAML(typ="safe", pure=True).load(text),
        "ruamel.yaml, round trip, load": lambda: YAML().load(text),
        "ruamel.yaml, round trip, compose": lambda: YAML().compose(StringIO(text)),
        "rankgate, load_suite": lambda: load_suite(path),
        "rankgate, load_suite and lint": lambda: linted(path),
    }
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(rounds):
        for name, run in contenders.items():
            best[name] = min(best[name], seconds(run))
    bare, ours = next(iter(best.values())), best["rankgate, load_suite and lint"]
    print(f"{CASES:,} cases in YAML, {len(text) / 1e6:.1f} MB, {DOCUMENTS} documents; best of {rounds}")
    for name, value in best.items():
        print(f"  {name:34} {value:7.2f} s  {value / bare:5.2f} x bare", flush=True)
    return ours / bare


def linted(path: Path) -> None:
    """Read a suite and check it against its corpus."""
    from rankgate.evaluation.project.opening import open_corpus
    from rankgate.truth.lint import lint

    suite = load_suite(path)
    lint(suite, open_corpus(suite, None))


def measure_large(count: int, *, lines: bool) -> None:
    """Time the formats for large suites, and the memory of a fresh process that reads all cases."""
    some = load_suite(FOLDER / "ten-thousand.yaml")
    suite = Suite("large", Repeated(some.cases, range(count)), corpus=some.corpus, max_grade=3.0)
    for name, write in (("jsonl", write_jsonl), ("parquet", write_parquet)):
        if name == "jsonl" and not lines:
            continue
        path = FOLDER / f"{count}.suite.{name}"
        written = seconds(lambda write=write, path=path: write(suite, path))  # type: ignore[misc]
        done = subprocess.run(
            [sys.executable, __file__, "--alone", str(path)], check=True, capture_output=True, text=True
        )
        opened, read, memory = done.stdout.split()
        print(
            f"  {count:>9,} cases, {name:8} write {written:6.1f} s, open {float(opened):6.1f} s, go through "
            f"{float(read):6.1f} s, {memory} MB above the imports, {path.stat().st_size / 1e6:.0f} MB",
            flush=True,
        )


class Repeated(LazyCases):
    """The cases of a suite again and again, each time with other ids and queries."""

    def __init__(self, cases: Sequence[Case], rows: range) -> None:
        self._cases = cases
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Repeated(self._cases, self._rows[index])
        row = self._rows[index]
        case = self._cases[row % len(self._cases)]
        return replace(case, id=f"{case.id}-{row}", query=f"{case.query} {row}")


def alone(path: str) -> None:
    """Read all cases of a suite, and say how long it took and by how many MB the process grew."""
    import_module("rankgate.suites.native.parquet_cases")
    before = peak()
    start = time.process_time()
    suite = load_suite(path)
    opened = time.process_time()
    count = sum(1 for case in suite.cases if case.query)
    print(f"{opened - start:.2f} {time.process_time() - opened:.2f} {peak() - before:.0f}")
    if count != len(suite.cases):
        sys.exit("a case without a query")


def peak() -> float:
    """Return the most memory this process ever had, in MB; ru_maxrss would count the parent's."""
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1024


def main() -> None:
    """Measure, print and judge."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    if sys.argv[1:2] == ["--alone"]:
        alone(sys.argv[2])
        return
    ratio = measure_yaml(1 if "--check" in sys.argv else ROUNDS)
    if "--check" not in sys.argv:
        print("large suites; the time to write includes making the cases")
        measure_large(100_000, lines=True)
        measure_large(1_000_000, lines=False)
    print(f"ratio {ratio:.2f}, goal at most {GOAL:g}")
    if ratio > GOAL:
        sys.exit("reading and checking a suite takes too long beside bare parsing")


if __name__ == "__main__":
    main()
