"""Following the targets of a suite when its documents have changed, by `rankgate suite fix`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from rankgate.corpora.folder import FolderCorpus
from rankgate.suites.native import parse_suite
from rankgate.truth.lookup import CorpusReader
from support.commands import rankgate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rankgate.truth.lookup import Span


@dataclass(frozen=True, slots=True)
class Followed:
    """One target that is not where and as it was."""

    old: str
    """The location as it was written."""
    new: str | None
    """The location as it is written now; None where somebody has to decide."""
    why: str = ""
    """What is known, in a few words."""


def follow(suite: Path) -> tuple[list[Followed], int]:
    """Return what became of the targets that are not where and as they were, and how many are."""
    done = rankgate("suite", "fix", suite, "--check", "--format", "json")
    if done.code not in (0, 1):
        raise SystemExit(f"rankgate suite fix {suite} ended with {done.code}: {done.err}")
    told = json.loads(done.out)
    changed = [Followed(each["location"], each["new"], each["why"] or "") for each in told["changed"]]
    return changed, told["targets"] - len(changed)


def settle(suite: Path, taken: Mapping[str, str], gone: Iterable[str]) -> str:
    """Write what is sure and what somebody decided; return what is left to decide, in words.

    Args:
        suite: The suite.
        taken: Where targets are now; the same location where one stays.
        gone: Targets that are no longer in the documents.
    """
    takes = [word for old, new in taken.items() for word in ("--take", f"{old}={new}")]
    calls = [["--yes", *takes]]
    if gone:
        calls.append([word for old in gone for word in ("--missing", old)])
    for call in calls:
        done = rankgate("suite", "fix", suite, *call)
        if done.code not in (0, 1):
            return done.err
    return "" if done.code == 0 else done.out[-600:]


class Places:
    """Tells whether two locations mean the same lines of some documents."""

    def __init__(self, reader: CorpusReader) -> None:
        """Take what reads the documents."""
        self._reader = reader

    @classmethod
    def of_folder(cls, documents: Path) -> Places:
        """Open a folder of documents."""
        return cls(CorpusReader(FolderCorpus.open(documents, root=documents.parent)))

    def same(self, one: str, other: str) -> bool:
        """Check whether two locations, as a suite writes them, mean the same lines."""
        if one == other:
            return True
        spans = [self._span(each) for each in (one, other)]
        return spans[0] is not None and spans[0] == spans[1]

    def _span(self, location: str) -> Span | None:
        written = yaml.safe_dump({"corpus": "docs/", "cases": [{"query": "where", "at": location}]})
        return self._reader.span(parse_suite(written, Path("location.yaml")).cases[0].targets[0].location)
