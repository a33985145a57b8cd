"""Judgments: which targets a query should find, and how good each is.

A folder of judgments has `judgments.parquet` (the targets), `cases.parquet` and `manifest.json`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from rankgate.errors import Code, FormatError
from rankgate.io.atomic import replacing
from rankgate.io.parquet import VERSION, Schema, TableColumn, read_table, write_table
from rankgate.io.records import read_own, written
from rankgate.model import Matching
from rankgate.truth.judgments.checks import GONE, checked_cases, checked_targets, query_heads

if TYPE_CHECKING:
    from rankgate.model import Case, Suite, Target

TARGETS = Schema(
    "targets",
    (
        TableColumn("query", pl.String()),
        TableColumn("target", pl.UInt32(), default=0),
        TableColumn("group", pl.String(), nullable=True),
        TableColumn("grade", pl.Float64(), default=1.0),
        TableColumn("id", pl.String(), nullable=True),
        TableColumn("path", pl.String(), nullable=True),
        TableColumn("start", pl.UInt32(), nullable=True),
        TableColumn("end", pl.UInt32(), nullable=True),
        TableColumn("strategy", pl.String(), nullable=True),
        TableColumn("source", pl.String(), default="person"),
        TableColumn("reviewed", pl.Boolean(), default=True),
        TableColumn("text_hash", pl.String(), nullable=True),
        TableColumn("start_char", pl.UInt32(), nullable=True),
        TableColumn("end_char", pl.UInt32(), nullable=True),
    ),
)
"""One row per target. `target` counts from 0 within its query; targets of one `group` are alternatives.

A target is an id, a location or, where it is an estimate, a text that a hit returned, by its hash. A passage
that was quoted has its characters beside its lines: offsets into the text of its file, from 0, the end not
included; for every other target they are null. A target of the strategy ``gone`` is nowhere in the corpus.
"""

CASES = Schema(
    "cases",
    (
        TableColumn("query", pl.String()),
        TableColumn("text", pl.String(), nullable=True),
        TableColumn("weight", pl.Float64(), default=1.0),
        TableColumn("exhaustive", pl.Boolean(), default=False),
        TableColumn("expect_empty", pl.Boolean(), default=False),
        TableColumn("category", pl.String(), nullable=True),
        TableColumn("tags", pl.List(pl.String()), default=()),
        TableColumn("group", pl.String(), nullable=True),
        TableColumn("estimated", pl.Boolean(), default=False),
    ),
)
"""One row per query, in the order in which they were written."""

MANIFEST = "manifest.json"
FILES = {"judgments.parquet": TARGETS, "cases.parquet": CASES}
"""The tables of a folder of judgments, each a file."""


@dataclass(frozen=True, slots=True, eq=False)
class Judgments:
    """Targets and cases that belong together. Made by `Judgments.of`, which checks them.

    >>> judgments = Judgments.of(pl.DataFrame({"query": ["q1", "q1"], "id": ["a", "b"], "grade": [2, 0]}))
    >>> judgments.targets.select("query", "target", "id", "grade").rows()
    [('q1', 0, 'a', 2.0), ('q1', 1, 'b', 0.0)]
    """

    targets: pl.DataFrame
    """One row per target, as `TARGETS` says."""
    cases: pl.DataFrame
    """One row per query, as `CASES` says."""
    matching: Matching = field(default_factory=Matching, kw_only=True)
    """When a hit reaches a target."""
    max_grade: float | None = field(default=None, kw_only=True)
    """The top of the grade scale, where it is declared."""
    no_relevant: str = field(default="exclude", kw_only=True)
    """Whether queries with irrelevant judgments alone have no value, or score 0: ``exclude`` or ``zero``."""
    suite: str | None = field(default=None, kw_only=True)
    """The fingerprint of the suite they were made from."""
    corpus: str | None = field(default=None, kw_only=True)
    """The fingerprint of the corpus they were resolved against."""
    notes: tuple[str, ...] = field(default=(), kw_only=True)
    """What an import dropped or merged, in words and with counts."""

    @classmethod
    def of(
        cls,
        targets: pl.DataFrame,
        cases: pl.DataFrame | None = None,
        *,
        where: str = "judgments",
        notes: tuple[str, ...] = (),
        **about: Any,
    ) -> Judgments:
        """Check targets and cases, fill what has a default, number the targets and merge those said twice.

        Without `cases` every query of the targets becomes one, in the order of first appearance.

        Raises:
            FormatError: with all that is wrong with them.
        """
        targets = TARGETS.conform(targets, where)
        if cases is None:
            heads = targets["query"].gather(query_heads(targets["query"]))
            cases = heads.unique(maintain_order=True).to_frame()
        cases = checked_cases(CASES.conform(cases, where), where)
        targets, merged = checked_targets(targets, cases, where)
        said = (f"{merged} duplicate judgments merged",) if merged else ()
        return cls(targets, cases, notes=(*notes, *said), **about)

    @property
    def height(self) -> int:
        """How many targets there are."""
        return self.targets.height

    @property
    def unreviewed(self) -> pl.Series:
        """The queries that have a target which nobody has looked at."""
        return self.targets.filter(~pl.col("reviewed"))["query"].unique()

    @property
    def gone(self) -> pl.Series:
        """The queries that have relevant targets, all of which are gone: they are not scored."""
        lost = self.targets["strategy"].fill_null("") == GONE
        if not lost.any():
            return self.targets["query"].clear()
        hurt = self.targets.filter(lost)["query"].unique()
        relevant = self.targets.filter((pl.col("grade") > 0) & pl.col("query").is_in(hurt.implode()))
        whole = pl.col("strategy").fill_null("") == GONE
        every = relevant.group_by("query", maintain_order=True).agg(whole.all().alias("gone"))
        return every.filter("gone")["query"]

    @classmethod
    def from_suite(cls, suite: Suite) -> Judgments:
        """Take the targets of a suite that needs no corpus: ids, paths, and paths with lines.

        Raises:
            FormatError: for headings, symbols and quotes, which only a corpus can turn into lines.
        """
        problems = [
            Code.CANNOT_CONVERT(
                f"cases[{c}].targets[{t}]", f"{target.location}", "an id, path or path:10-50", _RESOLVE
            )
            for c, case in enumerate(suite.cases)
            for t, target in enumerate(case.targets)
            if target.location.heading or target.location.symbol is not None or target.location.quote
        ]
        if problems:
            raise FormatError(problems)
        targets = [_written_row(case, target) for case in suite.cases for target in case.targets]
        return cls.of(
            TARGETS.of_rows(targets),
            CASES.of_rows([case_row(case) for case in suite.cases]),
            where=f"suite {suite.name}",
            matching=suite.matching,
            max_grade=suite.max_grade,
            no_relevant=suite.no_relevant,
            suite=suite.fingerprint,
        )

    def write(self, folder: str | Path) -> None:
        """Write a folder that `read_judgments` reads back; the manifest comes last."""
        folder = Path(folder)
        tables = {"judgments.parquet": self.targets, "cases.parquet": self.cases}
        for name, table in tables.items():
            write_table(table, folder / name, FILES[name])
        manifest = _Manifest(
            matching=self.matching,
            max_grade=self.max_grade,
            no_relevant=self.no_relevant,
            suite=self.suite,
            corpus=self.corpus,
            notes=self.notes,
        )
        text = json.dumps(written(manifest, _Manifest), indent=2, ensure_ascii=False)
        with replacing(folder / MANIFEST) as aside:
            aside.write_text(f"{text}\n", encoding="utf-8", newline="\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Manifest:
    """What a folder of judgments says of them."""

    kind: str = "judgments"
    schema: int = VERSION
    suite: str | None = None
    corpus: str | None = None
    matching: Matching
    max_grade: float | None = None
    no_relevant: str = "exclude"
    notes: tuple[str, ...] = ()


_RESOLVE = "headings, symbols and quotes are resolved against the corpus; name the suite's corpus"


def read_judgments(path: str | Path) -> Judgments:
    """Read a folder of judgments, or a lone Parquet file of targets.

    Raises:
        FormatError: for files that are missing, invalid, or of another version.
    """
    path = Path(path)
    if path.is_file():
        return Judgments.of(read_table(path, TARGETS), where=str(path))
    fix = "Name a folder that rankgate wrote, or a .parquet file of targets."
    manifest = read_own(path / MANIFEST, _Manifest, "judgments", VERSION, fix)
    targets, cases = (read_table(path / name, schema) for name, schema in FILES.items())
    about = {one.name: getattr(manifest, one.name) for one in fields(manifest)}
    del about["kind"], about["schema"]
    return Judgments.of(targets, cases, where=str(path), **about)


def _written_row(case: Case, target: Target) -> dict[str, object]:
    location, lines = target.location, target.location.lines
    if lines is not None:
        return target_row(case, target, "lines", path=location.path, start=lines.start, end=lines.end)
    strategy = "path" if location.id is None else "id"
    return target_row(case, target, strategy, id=location.id, path=location.path)


def target_row(case: Case, target: Target, strategy: str, **where: str | int | None) -> dict[str, object]:
    """Return a target as a row of `TARGETS`; what is not said of where it is, is null."""
    return {
        "query": case.id,
        "target": 0,
        "group": target.group,
        "grade": float(target.grade),
        "strategy": strategy,
        "source": target.source,
        "reviewed": target.reviewed,
        **_NOWHERE,
        **where,
    }


_NOWHERE = dict.fromkeys(("id", "path", "start", "end", "start_char", "end_char"))


def case_row(case: Case) -> dict[str, object]:
    """Return a case as a row of `CASES`."""
    return {
        "query": case.id,
        "text": case.query,
        "weight": float(case.weight),
        "exhaustive": case.exhaustive,
        "expect_empty": case.expect_empty,
        "category": case.category,
        "tags": sorted(case.tags),
        "group": case.group,
        "estimated": False,
    }
