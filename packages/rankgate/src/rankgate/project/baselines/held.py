"""How a run is held against a baseline: its rankings, scored by what should be found today."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.gates.language import written
from rankgate.gates.scored import Against, GatedScores, Overlap
from rankgate.model.search import Query
from rankgate.model.suite import map_fingerprint
from rankgate.project.baselines.moved import moved_baseline
from rankgate.runs.store.questions import MatchedQuestions, question_table
from rankgate.scoring.comparison import compare
from rankgate.scoring.matches import Column
from rankgate.scoring.repeats import score_all

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from rankgate.corpora.corpus import Corpus
    from rankgate.gates.language import Gate
    from rankgate.gates.scored import Scored
    from rankgate.model import Suite
    from rankgate.project.baselines.kept import Baselines
    from rankgate.runs.baseline import About
    from rankgate.scoring.scores import Scores
    from rankgate.truth.judgments.table import Judgments

NO_BASELINE = "no baseline yet"
REQUIRED = "no baseline, and the configuration says require_baseline; to make it"


def held_against(
    scored: Scored,
    gates: Iterable[Gate],
    baselines: Baselines | None,
    k: int,
    corpus: Corpus | None,
) -> dict[str | None, Against]:
    """Compare a run with its system's own baseline, and with every other that a gate names.

    Args:
        scored: The run, what should be found today, and what it scored.
        gates: What names baselines.
        baselines: Where they are; None where there can be none.
        k: How many hits were asked for.
        corpus: The documents of today, in which the hits of a baseline are found again.
    """
    if baselines is None:
        return {}
    names = {None, *(gate.against for gate in gates)}
    return {name: _held(scored, baselines, name, k, corpus) for name in names}


def _held(scored: Scored, baselines: Baselines, name: str | None, k: int, corpus: Corpus | None) -> Against:
    called, command = f"the baseline of {name or baselines.system}", baselines.command(name)
    baseline, judgments = baselines.read(name), scored.judgments
    if baseline is None:
        required = baselines.required and name is None
        why = f"{REQUIRED}: {command}" if required else NO_BASELINE
        return Against(called, why=why, absent=True, required=required, command=command)
    about, moved = baseline.about, None
    if about.corpus != judgments.corpus and corpus is not None:
        moved = moved_baseline(baseline, baselines.suite, corpus)
        if moved is not None:
            baseline = replace(baseline, run=moved.run, repeats=moved.repeats)
    if different := differences(about, baselines.suite, judgments, moved=moved is not None):
        why = f"{'; '.join(different)}; to set it again: {command}"
        return Against(called, why=why, command=command)
    kept, today = baseline.questions, questions_today(baselines.suite)
    matched = MatchedQuestions.of(kept, today)
    same = matched.names.height == kept.height and not matched.renamed
    deeper = about.k is not None and about.k > k
    seen = baseline if same and not deeper else baseline.seen_as(matched.names, k)
    run, repeats = seen.run, seen.repeats
    asked = matched.names["name"].to_list()
    deep = tuple(
        metric.label
        for metric in scored.scores.metrics
        if about.k is not None and metric.about_labels and metric.needs_hits(k) > about.k
    )
    metrics = [written(metric) for metric in scored.scores.metrics]
    before = _without(score_all(judgments, (run, *repeats), metrics, k), deep)
    again = repeats, scored.repeats
    gone = {} if moved is None else named_today(moved.left_out, matched)
    shown = compare(judgments, (run, before), (scored.run, scored.scores), asked, again, gone)
    now, reviewed = scored.gated, None
    if now.run is not scored.run:
        then = GatedScores.of(judgments, run, before, repeats)
        both = (then.run, _without(then.scores, deep)), (now.run, now.scores)
        reviewed = compare(now.judgments, *both, asked, (then.repeats, now.repeats), gone)
    overlap = Overlap(kept["question"].n_unique(), _still_asked(kept, today), about.k, k, deep)
    return Against(
        called,
        shown,
        run,
        command=command,
        reviewed=reviewed,
        overlap=overlap,
        moved="" if moved is None else moved.words,
        documents=() if moved is None else moved.documents,
        commit=about.commit or "",
        date=about.date or "",
    )


def named_today(left_out: Mapping[str, int | None], matched: MatchedQuestions) -> dict[str, int | None]:
    """Return queries of a baseline under the names of today."""
    names = matched.names.select("query", "name").iter_rows()
    return {name: left_out[query] for query, name in names if query in left_out}


def questions_today(suite: Suite) -> pl.DataFrame:
    """Return what every case of a suite asks."""
    return question_table((case.id, Query(case.query, filters=case.filters)) for case in suite.cases)


def _still_asked(kept: pl.DataFrame, today: pl.DataFrame) -> int:
    return kept.filter(pl.col("question").is_in(today["question"].implode()))["question"].n_unique()


def _without(scores: Scores, labels: Collection[str]) -> Scores:
    """Take the values of some metrics out."""
    columns = {
        label: Column(column.values, np.zeros_like(column.defined)) if label in labels else column
        for label, column in scores.columns.items()
    }
    return replace(scores, columns=columns)


def differences(about: About, suite: Suite, judgments: Judgments, *, moved: bool = False) -> list[str]:
    """Name what keeps a baseline's hits from being scored with today's judgments.

    Args:
        about: What the baseline says of itself.
        suite: What is asked today.
        judgments: What should be found.
        moved: True where its hits were found again in the documents of today.
    """
    different = []
    if about.corpus != judgments.corpus and not moved:
        different.append(
            "the documents changed since the baseline was set, and it does not say what finds its hits"
        )
    if about.rules != map_fingerprint(suite):
        different.append("the map rules changed since the baseline was set")
    return different
