"""Pages to try things on: one with everything in it, and one as large as they come.

``python -m support.pages FOLDER`` writes the data of both, as `everything.json` and `large.json`.
"""

from __future__ import annotations

import json
import random
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from rankgate.files.encoder import encoded
from rankgate.model import Case, Hit, Lines, Location, Suite, Target
from rankgate.reports.page.content import page_of
from rankgate.reports.text.commands import Commands
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments
from support.evaluations import Evaluated
from support.reported import GATES, HEADER, HOSTILE, material

if TYPE_CHECKING:
    from rankgate.gates.scored import Against
    from rankgate.reports.page.model import ReportPage

COMMANDS = Commands(
    "rankgate test suites/search.yaml --system app", "rankgate query app -S suites/search.yaml"
)
CODE = (
    "def rotate(key: str) -> None:\n    '''Rotate a key.'''\n    keys.replace(key, new_key(40))  # at once\n"
)
WORDS = tuple("the key is of a system that answers each query with pages about hooks tokens and what".split())  # noqa: SIM905


def small(name: str = "handbook", *, hostile: str = HOSTILE) -> ReportPage:
    """A page with everything in it: the report of `reported.everything`, with texts."""
    made, against = material(name, hostile=hostile)
    notes = ["2 hits unlocated", f"map rule {hostile} matched nothing"]
    report = made.report(*GATES, header=HEADER, notes=notes, against=against)

    def text_of(path: str, start: int | None, end: int | None) -> str | None:
        if path.startswith("docs/page1"):
            return None
        if path == "webhooks.md":
            return CODE
        lines = ["# " + hostile.replace("\n", " "), "Rotate *keys* every 90 days.", "", "👩‍💻 עברית `code`"]
        first, last = start or 1, end or 40
        return "\n".join(lines[number % 4] for number in range(first, last + 1))

    return page_of(
        made.scored(against=against),
        report,
        text_of=text_of,
        commands=COMMANDS,
    )


def generated(queries: int = 10_000, hits: int = 10, *, length: int = 1200) -> tuple[Evaluated, Against]:
    """A run of many queries, each hit with a text of its own, and a baseline that has other answers."""
    draw = random.Random(20_26)
    suffixes = (".py", ".md", ".go", ".txt", ".java")
    paths = [f"src/{draw.choice(WORDS)}/{draw.choice(WORDS)}_{n}{suffixes[n % 5]}" for n in range(4000)]
    cases, now, then = [], {}, {}
    for number in range(queries):
        path, start = draw.choice(paths), 10 * draw.randrange(1, 200)
        target = Target(Location(path=path, lines=Lines(start, start + 9)))
        words = " ".join(draw.choices(WORDS, k=6))
        category = f"part {number % 7}"
        case = Case(f"q{number:05}", f"{words} {number}", (target,), category=category)
        cases.append(replace(case, where=f"suites/search.yaml:{5 + 3 * number}:5"))
        answers = []
        for place in range(hits):
            begin = 10 * draw.randrange(1, 200)
            text = _text(draw, length)
            where = Hit(
                path=draw.choice(paths),
                lines=Lines(begin, begin + text.count("\n")),
                score=30.0 - place * draw.random(),
                text=text,
            )
            answers.append(where)
        if draw.random() < 0.8:
            answers[int(draw.expovariate(0.7)) % hits] = Hit(
                path=path, lines=Lines(start, start + 9), score=28.5, text=_text(draw, length)
            )
        now[case.id] = answers
        other = list(answers)
        if draw.random() < 0.3:
            draw.shuffle(other)
        then[case.id] = other
    metrics = ["ndcg@10", "rr", "r@5", "latency.p95"]
    suite = Suite("handbook", tuple(cases), metrics=tuple(metrics))
    judgments = Judgments.from_suite(suite)
    times = pl.Series("latency_ms", [round(draw.lognormvariate(3, 0.7), 3) for _ in cases])

    def taken(answers: dict[str, list[Hit]]) -> Evaluated:
        from rankgate.gates.checks import Checks

        shard = Shard.of_rankings(answers, texts="snippet")
        shard = Shard(shard.queries.with_columns(times), shard.hits, shard.texts)
        run = MemoryRun("app", [shard])
        return Evaluated(suite, judgments, run, score(judgments, run, metrics), Checks())

    made, before = taken(now), taken(then)
    return made, made.since(before)


def _text(draw: random.Random, length: int) -> str:
    lines, size = [], 0
    while size < length:
        line = (
            " " * (4 * draw.randrange(3))
            + " ".join(draw.choices(WORDS, k=draw.randrange(4, 14)))
            + f" {draw.randrange(10_000)}"
        )
        lines.append(line)
        size += len(line) + 1
    return "\n".join(lines)


def large(queries: int = 10_000, hits: int = 10) -> ReportPage:
    """A page of many queries."""
    made, against = generated(queries, hits)
    report = made.report("ndcg@10 >= 0.65", "drop(rr) < 0.1", header=HEADER, against=against)
    return page_of(made.scored(against=against), report, commands=COMMANDS)


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in {"everything": small(), "large": large()}.items():
        data = encoded(page, type(page))
        (folder / f"{name}.json").write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
