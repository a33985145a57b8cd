"""A corpus in memory, and what becomes of a place from one to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.model import Case, Document, Location, Suite, Target
from rankgate.model.fingerprints import fingerprint
from rankgate.truth.drift.find import find_drift

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rankgate.truth.drift.documents import LocationDrift


class MemoryCorpus:
    """Texts by name."""

    notes: tuple[str, ...] = ()
    pin: Mapping[str, str] = {}

    def __init__(self, texts: Mapping[str, str], *, records: bool = False) -> None:
        self._texts = dict(sorted(texts.items()))
        self.records = records
        self.skipped: dict[str, str] = {}

    @property
    def fingerprint(self) -> str:
        return fingerprint(self._texts)

    def __contains__(self, name: str) -> bool:
        return name in self._texts

    def __len__(self) -> int:
        return len(self._texts)

    def paths(self) -> tuple[str, ...]:
        return tuple(self._texts)

    def text(self, path: str) -> str:
        return self._texts[path]

    def lines(self, path: str) -> int:
        text = self._texts[path]
        return text.count("\n") + (not text.endswith("\n") and text != "")

    def documents(self) -> Iterator[Document]:
        for name, text in self._texts.items():
            yield Document(name, text)


def suite_of(*places: str | Location) -> Suite:
    """A suite with a case for each place."""
    locations = [place if isinstance(place, Location) else Location.at(place) for place in places]
    cases = (Case(f"c{number}", "q", (Target(location),)) for number, location in enumerate(locations))
    return Suite("s", tuple(cases))


def drift_of(place: str | Location, old: Mapping[str, str], new: Mapping[str, str]) -> LocationDrift:
    """Say what becomes of one place."""
    (found,) = find_drift(suite_of(place), MemoryCorpus(old), MemoryCorpus(new)).locations
    return found.drift
