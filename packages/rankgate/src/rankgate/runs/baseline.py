"""Baselines: the rankings of a system, kept in a project so that later ones can be held against them.

Rankings are kept and not scores, so that a judgment which is added tomorrow counts for both sides.
`rankgate.runs.baseline_file` reads and writes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, TypeAlias

from rankgate.files.decoder import Constraint, Count, Name
from rankgate.model.search import Query
from rankgate.runs.store.questions import question_table
from rankgate.runs.store.run_folder import RunView, StoredRun
from rankgate.runs.store.schemas import HITS, TEXTS
from rankgate.runs.store.tables import MemoryRun, Shard

if TYPE_CHECKING:
    import polars as pl

    from rankgate.model.placing import KeptLines
    from rankgate.runs.store.places import Place
    from rankgate.runs.store.tables import Run

MOST_TIMES = 1000
"""How often everything may have been asked."""
Times: TypeAlias = Annotated[
    int, Constraint(f"a whole number from 2 to {MOST_TIMES}", lambda value: 2 <= value <= MOST_TIMES)
]
"""How often everything was asked, where it was more than once."""
Filters: TypeAlias = Mapping[str, str | tuple[str, ...]]
"""The facets of a query: a text each, or several."""


@dataclass(frozen=True, slots=True)
class BaselineQuery:
    """What one query was, so that another query under the same id is not taken for it."""

    text: str
    """The query itself."""
    filters: Filters = field(default_factory=dict)
    """The facets it was asked with."""
    relevant: tuple[str, ...] = ()
    """Which of its hits reached something relevant when it was kept, as `hit_key` names them."""
    unstable: bool = False
    """True if its results differed between two runs, one after the other."""


@dataclass(frozen=True, slots=True)
class About:
    """What a baseline says about itself."""

    suite: Name
    """The name of the suite."""
    system: Name
    """Who answered."""
    version: str | None = None
    """The system's version, where it tells one."""
    corpus: str | None = None
    """The fingerprint of the corpus that hits were located in."""
    rules: str | None = None
    """The fingerprint of the suite's rules by which ids become places."""
    k: Count | None = None
    """How many hits were asked for."""
    times: Times | None = None
    """How often everything was asked, where that was more than once."""
    commit: str | None = None
    """The commit of the project at which it was asked, with ``+`` where files were changed since."""
    date: str | None = None
    """The day on which it was asked."""


@dataclass(frozen=True, slots=True, eq=False)
class Baseline:
    """Rankings, and what they are the rankings of."""

    about: About
    """Who answered what."""
    asked: Mapping[str, BaselineQuery]
    """What every query was, by its id."""
    run: Run
    """The rankings."""
    repeats: tuple[Run, ...] = ()
    """The rankings of the same, asked again."""
    places: Mapping[Place, KeptLines] = field(default_factory=dict)
    """What finds the locations of hits again."""

    @property
    def questions(self) -> pl.DataFrame:
        """What every query was, as `rankgate.runs.store.questions.question_table` has it."""
        return question_table(
            (name, Query(one.text, filters=one.filters)) for name, one in self.asked.items()
        )

    def seen_as(self, names: pl.DataFrame, depth: int | None = None) -> Baseline:
        """Return it with some queries alone, under the ids of today, and no deeper than is asked today.

        Args:
            names: The queries: `query`, their ids in the baseline, and `name`, today's.
            depth: How many hits are asked for; None for all.
        """
        view = RunView(names, depth)
        return replace(
            self, run=_seen(self.run, view), repeats=tuple(_seen(one, view) for one in self.repeats)
        )


def _seen(run: Run, view: RunView) -> Run:
    if isinstance(run, StoredRun):
        return replace(run, view=view)
    shards = [
        Shard(
            view.of_queries(shard.queries.lazy()).collect(),
            view.of_hits(shard.scan_hits(HITS.names)).collect(),
            TEXTS.empty(),
        )
        for shard in run.shards()
    ]
    return MemoryRun(run.name, shards, notes=getattr(run, "notes", ()))


def hit_key(name: str | None, path: str | None, start: int | None, end: int | None) -> str:
    """Return what a hit is called among those of one query.

    >>> hit_key(None, "keys.md", 3, 9), hit_key("doc-7", None, None, None)
    ('keys.md:3-9', 'doc-7')
    """
    if path is None:
        return name or ""
    return path if start is None else f"{path}:{start}-{end}"
