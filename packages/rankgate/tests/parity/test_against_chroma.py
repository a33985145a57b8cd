"""Recall, precision and IoU by characters beside Chroma's own chunking evaluation, for the same chunks.

`chroma_retrievals.json.gz` has what `benchmarks/chroma_retrievals.py` kept of a run of Chroma's code: for
each splitter and each of the 472 questions the characters of the five chunks that were retrieved, and the
three figures that it gave. Here rankgate scores the same chunks. The figures are equal to 1e-9 but for three
reasons, which account for every question: a character in two chunks is charged twice by Chroma and once by
rankgate, so is one in two references, and white space at the ends of a reference is no part of a quote.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import pytest

import rankgate as rg
from rankgate.locations import Characters
from rankgate.model import CorpusSource, Hit
from rankgate.suites.formats import ReadOptions, load_suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

KEPT = Path(__file__).with_name("chroma_retrievals.json.gz")
METRICS = {"recall": "line_r@5", "precision": "line_p@5", "iou": "iou@5"}
CLOSE = 1e-9
RETRIEVED = 5
Range = tuple[str, int, int]


@dataclass(frozen=True)
class Question:
    """One question: its references and what was retrieved, as Chroma has them."""

    text: str
    references: list[Range]
    retrieved: list[Range]
    theirs: dict[str, float]


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress(KEPT.read_bytes()))
    return found


def questions(folder: Path, run: dict[str, Any]) -> list[Question]:
    with (folder / "questions_df.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(run["retrieved"]) == 472
    return [
        Question(
            row["question"],
            [
                (row["corpus_id"], one["start_index"], one["end_index"])
                for one in json.loads(row["references"])
            ],
            [(corpus, start, end) for corpus, start, end in run["retrieved"][at]],
            {name: run[name][at] for name in METRICS},
        )
        for at, row in enumerate(rows)
    ]


class Retrieved:
    """A system that answers what was retrieved."""

    name = "chroma"

    def __init__(self, every: Iterable[Question]) -> None:
        self._hits = {
            one.text: tuple(
                Hit(path=f"{corpus}.md", characters=Characters(start, end))
                for corpus, start, end in one.retrieved
            )
            for one in every
        }

    def search(self, query: rg.Query) -> rg.Ranking:
        return rg.Ranking(self._hits[query.text])


def letters(ranges: Iterable[Range]) -> set[tuple[str, int]]:
    return {(corpus, at) for corpus, start, end in ranges for at in range(start, end)}


def length(ranges: Iterable[Range]) -> int:
    return sum(end - start for _, start, end in ranges)


def counted_once(wanted: list[Range], shown: list[Range]) -> dict[str, float]:
    """Return the three figures with every character counted once: rankgate's definition, by sets."""
    some, other = letters(wanted), letters(shown)
    both = len(some & other)
    return {"recall": both / len(some), "precision": both / len(other), "iou": both / len(some | other)}


def counted_each(wanted: list[Range], shown: list[Range]) -> dict[str, float]:
    """Return the same with a character of several chunks, or of several references, charged for each."""
    both = len(letters(wanted) & letters(shown))
    missed = sum(len(letters([one]) - letters(shown)) for one in wanted)
    return {
        "recall": both / length(wanted),
        "precision": both / length(shown),
        "iou": both / (length(shown) + missed),
    }


def trimmed(one: Range, texts: dict[str, str]) -> Range:
    """Return a reference without the white space at its ends, which is no part of a quote."""
    corpus, start, end = one
    words = texts[corpus][start:end]
    start += len(words) - len(words.lstrip())
    return corpus, start, start + len(words.strip())


@pytest.mark.parametrize(
    "splitter",
    [
        "recursive 200, 0",
        "token 200, 0",
        pytest.param("recursive 400, 200", marks=pytest.mark.long),
        pytest.param("token 400, 200", marks=pytest.mark.long),
    ],
)
def test_every_question_has_chromas_figures_or_the_reason_why_not(
    splitter: str,
    kept: dict[str, Any],
    shared_data: Path,
    record_property: Callable[[str, object], None],
) -> None:
    every = questions(shared_data / "chroma", kept[splitter])
    folder = shared_data / "chroma"
    texts = {path.stem: path.read_text(encoding="utf-8") for path in (folder / "corpora").glob("*.md")}
    source = ReadOptions(corpus=CorpusSource("corpora"))
    suite = load_suite(folder / "questions_df.csv", reading=source)
    assert [case.query for case in suite.cases] == [one.text for one in every]
    result = rg.evaluate(suite, Retrieved(every), metrics=list(METRICS.values()), k=RETRIEVED)
    scores = result.scores
    assert scores.queries.to_list() == [case.id for case in suite.cases]
    columns = {name: scores.columns[label].values.tolist() for name, label in METRICS.items()}
    same: Counter[str] = Counter()
    why: Counter[str] = Counter()
    for at, one in enumerate(every):
        ours = {name: column[at] for name, column in columns.items()}
        wanted = [trimmed(reference, texts) for reference in one.references]
        assert ours == pytest.approx(counted_once(wanted, one.retrieved), abs=CLOSE), one.text
        assert one.theirs == pytest.approx(counted_each(one.references, one.retrieved), abs=CLOSE), one.text
        same.update(name for name, theirs in one.theirs.items() if abs(ours[name] - theirs) <= CLOSE)
        reasons = {
            "white space around a reference": wanted != one.references,
            "a character in two references": length(wanted) != len(letters(wanted)),
            "a character in two chunks": length(one.retrieved) != len(letters(one.retrieved)),
        }
        why.update(reason for reason, holds in reasons.items() if holds)
        if not any(reasons.values()):
            assert ours == pytest.approx(one.theirs, abs=CLOSE), one.text
            why["no reason, and equal"] += 1
    means = {
        name: (
            f"{fmean(columns[name]):.6f}, Chroma's {fmean(one.theirs[name] for one in every):.6f}, "
            f"equal in {same[name]}"
        )
        for name in METRICS
    }
    record_property("figures", f"{splitter}, of {len(every)} questions: {means}; {dict(why)}")
    # Were there none, nothing would have been compared.
    assert why["no reason, and equal"] > 50
