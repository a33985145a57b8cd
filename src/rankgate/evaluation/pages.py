"""The page of an evaluation: gathered, packed, and remembered."""

from __future__ import annotations

import shlex
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import RankgateError
from rankgate.evaluation.configuration import shortest
from rankgate.evaluation.history import Record
from rankgate.reports.page.gather import Commands, page_of

if TYPE_CHECKING:
    from rankgate.corpora.corpus import Corpus
    from rankgate.evaluation.commit import Commit
    from rankgate.evaluation.flow import Evaluation
    from rankgate.reports.page.hits import TextOf
    from rankgate.reports.page.model import Page

_FILES = 200
"""How many files of a corpus are held at a time."""


def evaluation_page(evaluation: Evaluation, system: str = "") -> Page:
    """Gather the page of an evaluation; with the name of the system it says how to do it again."""
    return page_of(
        evaluation.suite,
        evaluation.judgments,
        evaluation.run,
        evaluation.scores,
        evaluation.report,
        against=evaluation.against.get(None),
        text_of=None if evaluation.corpus is None else corpus_texts(evaluation.corpus),
        commands=_commands(evaluation.suite.path, system),
    )


def corpus_texts(corpus: Corpus) -> TextOf:
    """Give a function that reads lines of a corpus's files, or its records; None for what is not there."""
    held: OrderedDict[str, list[str]] = OrderedDict()

    def text_of(name: str, start: int | None, end: int | None) -> str | None:
        if name not in held:
            try:
                held[name] = corpus.text(name).split("\n")
            except (KeyError, RankgateError):
                # A page is no reason to fail: what is not there, or no longer, is not shown.
                return None
            if len(held) > _FILES:
                held.popitem(last=False)
        lines = held[name]
        held.move_to_end(name)
        return "\n".join(lines[(start or 1) - 1 : end])

    return text_of


def record_of(page: Page, number: int, system: str, commit: Commit) -> Record:
    """Say of an evaluation what its history remembers."""
    report = page.report
    return Record(
        number=number,
        suite=report.title,
        system=system or report.system,
        mark=report.mark,
        status=report.status,
        exit_code=report.exit_code,
        time=dict(report.header).get("time", ""),
        commit=commit.name,
        dirty=commit.dirty,
        version=_version(dict(report.provenance).get("system", ""), report.system),
        metrics=page.metrics,
        values=tuple(row.number for row in report.metrics),
        shown=tuple(row.value for row in report.metrics),
    )


def _version(fact: str, system: str) -> str:
    """Give what a report says of a system beyond its name.

    >>> _version("app, 2.1", "app"), _version("app", "app")
    ('2.1', '')
    """
    return "" if fact == system else fact.removeprefix(f"{system}, ")


def _commands(path: str | None, system: str) -> Commands | None:
    if path is None or not system:
        return None
    suite, name = shlex.quote(str(shortest(Path(path).resolve()))), shlex.quote(system)
    return Commands(f"rankgate test {suite} --system {name}", f"rankgate ask {name} --suite {suite}")
