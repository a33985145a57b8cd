"""A program that uses every public name with its types: mypy checks it strictly, and its test runs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import rankgate as rg

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

KIND = rg.SystemKind("Sections that are known by heart")
FORMAT_OF_LINES: type[rg.SuiteFormat] = rg.SuiteFormat
METRIC_PARTS: tuple[type, ...] = (rg.Column, rg.Cut, rg.Matches, rg.Metric, rg.ValueRange)
PLUGIN_PARTS: tuple[type, ...] = (rg.OpenContext, rg.ReadOptions)
PROTOCOLS: tuple[type, ...] = (rg.BatchSystem, rg.Indexer, rg.Navigator, rg.System)


@dataclass(frozen=True)
class ShelfOptions:
    """What the system below is told."""

    sections: tuple[str, ...]


class Shelf(rg.SystemBase):
    """Returns its sections, whatever is asked."""

    def __init__(self, options: ShelfOptions) -> None:
        super().__init__("shelf")
        self._sections = options.sections

    def built_index(self) -> rg.SystemIndex | None:
        """Return the index that it searches: its sections."""
        return rg.SystemIndex(" ".join(self._sections))

    def search(self, query: rg.Query) -> rg.Ranking:
        """Return the first sections, unless the query wants an error."""
        if query.text == "busy":
            raise rg.RetriableError(rg.Problem("shelf", "429", "an answer"))
        if query.text == "broken":
            raise rg.SystemFailedError(rg.Problem("shelf", "500", "an answer"))
        return rg.Ranking(tuple(rg.Hit(id=section) for section in self._sections[: query.k]))


def suite_of(cases: Iterable[tuple[str, str]]) -> rg.Suite:
    """Make a suite of queries and the ids that they should find."""
    made = [
        rg.Case(f"case-{number}", query, (rg.Target(rg.Location.of_id(target)),))
        for number, (query, target) in enumerate(cases)
    ]
    return rg.Suite("every-name", tuple(made), matching=rg.Matching())


def evaluated(sections: Sequence[str]) -> tuple[float | None, Sequence[rg.Verdict]]:
    """Evaluate the system on one case."""
    options = rg.read_options(ShelfOptions, {"sections": list(sections)}, "shelf")
    suite = suite_of([("rotate", "keys")])
    result: rg.Evaluation = rg.evaluate(suite, Shelf(options), metrics=["rr@10"], pace=rg.Pace())
    return result["rr@10"], result.verdicts


def scored(judgments: Path, run: Path) -> rg.Scores:
    """Score the files of a run."""
    known: rg.Judgments = rg.load_judgments(judgments)
    return rg.score(known, rg.load_run(run), ["ndcg@10"])


def read(folder: Path) -> tuple[rg.Suite, rg.Corpus, list[str]]:
    """Load a suite, open its documents and list what they are made of."""
    suite = rg.load_suite(folder / "search.yaml")
    source = suite.corpus or rg.CorpusSource("docs/", "folder")
    corpus: rg.Corpus = rg.open_source(source, rg.OpenContext(folder, folder))
    outlined = [
        node.name for path in corpus.paths() for node in rg.read_outline(path, corpus.text(path)) or ()
    ]
    return suite, corpus, outlined


def one_ranking(found: Sequence[str]) -> float | None:
    """Score one ranking without files."""
    return rg.score_ranking("rr@10", found, {"keys": 1})


def told(name: str) -> type[rg.RankgateError]:
    """Return the type of an error by the name of what was wrong."""
    kinds: dict[str, type[rg.RankgateError]] = {
        "metric": rg.ExpressionError,
        "file": rg.FormatError,
        "call": rg.InputError,
        "location": rg.LocationError,
        "plugin": rg.PluginError,
    }
    return kinds[name]


def record(text: str) -> rg.Document:
    """Return the one document of a corpus of records."""
    (document,) = rg.RecordsCorpus.of({"keys": text}, "memory").documents()
    return rg.Pieces(document).whole


def lines() -> tuple[rg.Lines, rg.Node, Sequence[str]]:
    """Return a range of lines, a node that spans it, and the libraries that outlines need."""
    span = rg.Lines(1, 3)
    return span, rg.Node("1", "Rotation", rg.Location.at("keys.md:1-3")), tuple(rg.OUTLINE_LIBRARIES)
