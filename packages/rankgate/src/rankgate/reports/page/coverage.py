"""What the suite asks for in the corpus: by folder, the documents with a relevant target, and the others."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from rankgate.model.wording import many
from rankgate.reports.page.model import CoveredFolder, PageCoverage
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankgate.truth.judgments.table import Judgments

MOST_FOLDERS = 60
"""How many folders have a row; where there are more, folders are cut to fewer parts."""
MOST_LISTED = 2000
"""How many documents that no query asks for are named, over all folders."""
_TOP = "(top)"


class CorpusNames(NamedTuple):
    """What a corpus has."""

    names: Sequence[str]
    """The paths of its files, or the ids of its records."""
    records: bool = False
    """True where they are records, whose ids have no folders."""


def coverage_of(documents: CorpusNames, judgments: Judgments) -> PageCoverage | None:
    """Return for each folder of a corpus how many documents are asked for; None for an empty one."""
    names, records = documents
    if not names:
        return None
    queries = _asking(judgments, "id" if records else "path")
    folders = {"": list(names)} if records else _by_folder(names)
    rows, room = [], MOST_LISTED
    for folder, these in sorted(folders.items(), key=lambda one: (-_open(one[1], queries), one[0])):
        open_names = sorted(name for name in these if name not in queries)
        listed = open_names[:room]
        room -= len(listed)
        rows.append(
            CoveredFolder(
                folder=printable(folder) or _TOP,
                documents=len(these),
                asked=len(these) - len(open_names),
                queries=len(set().union(*(queries[name] for name in these if name in queries))),
                unasked=tuple(map(printable, listed)),
                more=len(open_names) - len(listed),
            )
        )
    noun = "record" if records else "page"
    asked = sum(row.asked for row in rows)
    words = f"{asked:,} of {many(len(names), noun)} {'is' if asked == 1 else 'are'} asked for"
    left = len(names) - asked
    if left:
        words += f"; no query asks for {left:,}"
    return PageCoverage(words, noun, len(names), asked, tuple(rows))


def _asking(judgments: Judgments, column: str) -> dict[str, set[str]]:
    """Return for each document the queries that have a relevant target in it."""
    rows = judgments.targets.filter((pl.col("grade") > 0) & pl.col(column).is_not_null())
    found: dict[str, set[str]] = defaultdict(set)
    for name, query in rows.select(column, "query").iter_rows():
        found[name].add(query)
    return found


def _open(names: Iterable[str], queries: Mapping[str, set[str]]) -> int:
    return sum(name not in queries for name in names)


def _by_folder(names: Sequence[str]) -> dict[str, list[str]]:
    """Put paths into folders, by as many parts as leave few enough; at least by the first."""
    deepest = max(name.count("/") for name in names)
    for depth in range(deepest, 0, -1):
        folders = _cut(names, depth)
        if len(folders) <= MOST_FOLDERS:
            return folders
    return _joined(_cut(names, 1))


def _cut(names: Iterable[str], depth: int) -> dict[str, list[str]]:
    folders: dict[str, list[str]] = defaultdict(list)
    for name in names:
        folders["/".join(name.split("/")[:-1][:depth])].append(name)
    return folders


def _joined(folders: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Keep the largest folders and put the others together."""
    order = sorted(folders, key=lambda name: (-len(folders[name]), name))
    if len(order) <= MOST_FOLDERS:
        return dict(folders)
    kept, rest = order[: MOST_FOLDERS - 1], order[MOST_FOLDERS - 1 :]
    together = [name for folder in rest for name in folders[folder]]
    return {**{name: folders[name] for name in kept}, f"other ({many(len(rest), 'folder')})": together}
