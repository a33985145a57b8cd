"""The questions of a run beside those of today: which are the same, under whatever id, and which are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from rankgate.runs.identity import OTHER_QUESTIONS, question_digest, questions_fingerprint
from rankgate.wording import many, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rankgate.model import Query
    from rankgate.runs.store.tables import Run

_TYPES = {"query": pl.String(), "question": pl.String(), "asked": pl.String()}
_SHOWN = 3


def question_table(questions: Iterable[tuple[str, Query]], *, own_depth: bool = False) -> pl.DataFrame:
    """Return one row a question: its id, its digest and its text.

    Args:
        questions: Each with its id.
        own_depth: True where each is asked with a depth of its own, which is then part of it.
    """
    every = [*questions]
    columns = (
        [name for name, _ in every],
        [question_digest(one.text, one.filters, one.k if own_depth else None) for _, one in every],
        [one.text for _, one in every],
    )
    return pl.DataFrame(dict(zip(_TYPES, columns, strict=True)), schema=_TYPES)


def fingerprint_of(questions: pl.DataFrame) -> str:
    """Name all questions of a table."""
    return questions_fingerprint(questions["question"])


def asked_questions(run: Run) -> pl.DataFrame:
    """Read which questions a run was asked; digests and texts are null where it does not tell."""
    parts = [shard.queries.select(*_TYPES, "status") for shard in run.shards()]
    return pl.concat(parts) if parts else pl.DataFrame(schema={**_TYPES, "status": pl.String()})


@dataclass(frozen=True, slots=True, eq=False)
class MatchedQuestions:
    """Today's questions, each beside the one of a run that it is."""

    names: pl.DataFrame
    """The questions that the run was asked: `query`, the id in the run, and `name`, today's."""
    changed: pl.DataFrame
    """The questions that were asked otherwise under the same id: `query`, `was`, `asked`."""
    missing: pl.DataFrame
    """The questions that the run was not asked: `query`, `asked`."""
    gone: int
    """How many questions of the run nobody asks today."""

    @classmethod
    def of(cls, run: pl.DataFrame, today: pl.DataFrame, *, by_id: bool = False) -> MatchedQuestions:
        """Match the questions of a run with those of today: by id and question, then by question alone.

        Where the run does not tell its questions, ids are all there is.

        Args:
            run: What the run was asked.
            today: What is asked today.
            by_id: True where an id that the run has stands for what it was asked: only an id that it does
                not have is looked for by question, and finds it whoever has it.
        """
        run, today = run.select(*_TYPES), today.select(*_TYPES)
        both = today.join(run, on="query", how="inner", suffix="_was", maintain_order="left")
        known = pl.col("question").is_not_null() & pl.col("question_was").is_not_null()
        same = both.filter(~known | (pl.col("question_was") == pl.col("question")))
        kept = same.select("query", name="query")
        rest, old = today.join(kept, on="query", how="anti"), run.join(kept, on="query", how="anti")
        if by_id:
            named = rest.join(run, on="query", how="anti").rename({"query": "name"})
            first = run.unique("question", keep="first", maintain_order=True)
            renamed = first.join(named, on="question", how="inner")
        else:
            # Of questions that are asked twice, the first is the first.
            turn = pl.int_range(pl.len()).over("question").alias("turn")
            named = rest.with_columns(turn).rename({"query": "name"})
            renamed = old.with_columns(turn).join(named, on=("question", "turn"), how="inner")
        names = pl.concat([kept, renamed.select("query", "name")])
        rest = rest.join(renamed, left_on="query", right_on="name", how="anti")
        old = old.join(renamed, on="query", how="anti")
        was = run if by_id else old
        changed = rest.join(was, on="query", how="inner", suffix="_was", maintain_order="left")
        changed = changed.select("query", "asked", was="asked_was")
        missing = rest.join(changed, on="query", how="anti").select("query", "asked")
        return cls(names, changed, missing, old.join(changed, on="query", how="anti").height)

    @property
    def renamed(self) -> int:
        """How many questions have another id today."""
        return self.names.filter(pl.col("query") != pl.col("name")).height

    def changes(self) -> Iterator[str]:
        """Return in words which questions were changed under their ids."""
        for query, now, was in self.changed.head(_SHOWN).iter_rows():
            if now == was:
                yield f"the filters of the query {quoted(query)} were changed"
            else:
                yield f"the query {quoted(query)} was {quoted(was)} and is {quoted(now)}"
        if self.changed.height > _SHOWN:
            more = self.changed.height - _SHOWN
            yield f"{many(more, 'more query was', 'more queries were')} changed"

    def differences(self, *, whole: bool) -> list[str]:
        """Return in words which questions are others, where it is known that some are.

        Args:
            whole: False for a run that was cut short, in which what is missing need not have been added.
        """
        words = [*self.changes()]
        if whole and self.missing.height:
            words.append(f"{many(self.missing.height, 'query was', 'queries were')} added")
        if self.gone:
            words.append(f"{many(self.gone, 'query was', 'queries were')} taken out")
        return words or [OTHER_QUESTIONS]
