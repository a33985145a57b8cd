"""A corpus in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.model import Document, fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


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
