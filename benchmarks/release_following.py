"""Following the targets of a suite from the documents of one release to those of the next."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from rankgate.corpora.folder import FolderCorpus
from rankgate.suites.formats import load_suite
from rankgate.suites.native.yaml_suite import parse_suite
from rankgate.truth.drift.documents import DriftStatus
from rankgate.truth.drift.find import find_drift
from rankgate.truth.locations.corpus_reader import CorpusReader

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.truth.locations.corpus_reader import Span


@dataclass(frozen=True, slots=True)
class Followed:
    """One target, and what became of it."""

    status: str
    """unchanged, moved (followed without asking) or asked."""
    old: str
    """The location as it was written."""
    new: str
    """The location as it is written now; the old one where somebody has to decide."""
    why: str = ""
    """What is known, in a few words."""


def follow(suite: Path, before: Path, after: Path) -> list[Followed]:
    """Find out what became of each target; one that several cases name is here once."""
    old, new = (FolderCorpus.open(each, root=each.parent) for each in (before, after))
    found: dict[str, Followed] = {}
    for each in find_drift(load_suite(suite), old, new).locations:
        written = str(each.location)
        if each.drift.status is DriftStatus.UNCHANGED:
            found[written] = Followed("unchanged", written, written)
        elif each.drift.status is DriftStatus.MOVED:
            found[written] = Followed("moved", written, str(each.drift.location), each.drift.why)
        else:
            found[written] = Followed("asked", written, written, each.drift.why)
    return list(found.values())


class Places:
    """Tells whether two locations mean the same lines of a folder of documents."""

    def __init__(self, documents: Path) -> None:
        """Take the folder."""
        self._reader = CorpusReader(FolderCorpus.open(documents, root=documents.parent))

    def same(self, one: str, other: str) -> bool:
        """Check whether two locations, as a suite writes them, mean the same lines."""
        if one == other:
            return True
        spans = [self._span(each) for each in (one, other)]
        return spans[0] is not None and spans[0] == spans[1]

    def _span(self, location: str) -> Span | None:
        written = yaml.safe_dump({"corpus": "docs/", "cases": [{"query": "where", "at": location}]})
        return self._reader.span(parse_suite(written, Path("location.yaml")).cases[0].targets[0].location)


def settle(path: Path, answers: Mapping[str, str | None]) -> None:
    """Write where targets are now; without those that are gone, and without cases that have none left."""
    suite = yaml.safe_load(path.read_text(encoding="utf-8"))
    for case in suite["cases"]:
        at: dict[str, int] = {}
        for old, grade in case.pop("at", {}).items():
            new = answers.get(old, old)
            if new is not None:
                at[new] = max(grade, at.get(new, 0))
        if at:
            case["at"] = at
        _settle_quotes(case, answers)
    suite["cases"] = [case for case in suite["cases"] if "at" in case or "quote" in case]
    path.write_text(yaml.safe_dump(suite, sort_keys=False, allow_unicode=True, width=1000), encoding="utf-8")


def _settle_quotes(case: dict[str, Any], answers: Mapping[str, str | None]) -> None:
    for quote in list(case.get("quote", ())):
        for old, new in answers.items():
            path, _, words = old.partition(' "')
            if words and path == case["path"] and quote.startswith(words.rstrip('…"')):
                if new is None:
                    del case["quote"][quote]
                else:
                    case["path"] = new.partition(' "')[0]
    if not case.get("quote"):
        case.pop("quote", None)
        case.pop("path", None)
