from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import rankgate as rg


@dataclass(frozen=True)
class TitleOptions:
    titles: tuple[str, ...]
    fewest: int = 1


KIND = rg.SystemKind("Titles that share a word with the query", options=TitleOptions)


class TitleSystem(rg.SystemBase):
    thread_safe = True

    def __init__(self, name: str, options: TitleOptions) -> None:
        super().__init__(name)
        self._options = options

    def search(self, query: rg.Query) -> rg.Ranking:
        words = set(query.text.lower().split())
        shared = [(len(words & set(title.lower().split())), title) for title in self._options.titles]
        best = sorted((-count, title) for count, title in shared if count >= self._options.fewest)
        return rg.Ranking(tuple(rg.Hit(id=title, score=float(-count)) for count, title in best[: query.k]))

    def describe(self) -> dict[str, object]:
        return {"kind": "titles", **asdict(self._options)}


def open_titles(name: str, options: Mapping[str, object]) -> TitleSystem:
    return TitleSystem(name, rg.read_options(TitleOptions, options, name))
