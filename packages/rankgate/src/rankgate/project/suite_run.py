"""A suite asked of a system: every query, as often as wanted, and what was lost or repeated on the way."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import Code
from rankgate.hit_classes import HitClass
from rankgate.model import Answer, Query, System, map_fingerprint, probes
from rankgate.plugins import (
    built_index_of,
    counts_of,
    description_of,
    shortfall_of,
    system_name,
    system_version,
)
from rankgate.project.indexing import have_index
from rankgate.project.placing import PlacedRun, placed_run
from rankgate.project.probes import Probed, probe, probes_fingerprint
from rankgate.runs.asking.ask import CaseQuery, has_estimates, packed_answers
from rankgate.runs.asking.batch import batch_notes
from rankgate.runs.asking.deadline import RunDeadline
from rankgate.runs.asking.equal_queries import EqualQueries
from rankgate.runs.asking.execute import KeepOptions, execute
from rankgate.runs.asking.workers import Workers, open_instances
from rankgate.runs.store.hits import errored_queries, hit_counts
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.questions import fingerprint_of, question_table
from rankgate.runs.store.run_folder import PROBES, StoredRun, has_run, repeat_folder, repeat_folders
from rankgate.runs.store.tables import MemoryRun
from rankgate.truth.estimate import answered_cases
from rankgate.truth.locate import Placer
from rankgate.truth.urls import judged_names
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Self

    from rankgate.corpora.corpus import Corpus
    from rankgate.hit_classes import LocateRules
    from rankgate.model import Case, Suite
    from rankgate.plugins import SystemIndex
    from rankgate.project.settings import Against, RunOptions
    from rankgate.runs.asking.ask import AnswerRecord
    from rankgate.runs.identity import RunIdentity
    from rankgate.runs.store.columns import TextLevel
    from rankgate.runs.store.run_writer import Existing
    from rankgate.runs.store.tables import Run, RunShard
    from rankgate.truth.resolve import ProbePlan

_UNLOCATED: dict[str, tuple[str, str]] = {
    HitClass.NO_FILE: ("hit", "in no file of the corpus"),
    HitClass.PAST_END: ("hit", "past the end of its file"),
    HitClass.NO_TEXT: ("hit", "whose text is not in the corpus"),
    HitClass.SEVERAL: ("hit", "whose text stands in several locations"),
}
_PASSING = "was busy or out of reach"
_AGAIN: dict[str, str] = {Code.NO_CONNECTION: "could not be reached", Code.STATUS: "was busy"}
_LOST = {
    "dropped": ("hit", "beyond the number asked for"),
    "unmatched_lines": ("line", "that no rule matched"),
    "unnamed": ("hit", "in a file whose name is not UTF-8"),
    "noise_lines": ("line", "of noise that a server printed"),
    "restarts": ("process", "that did not answer and was restarted"),
    "left_behind": ("thread", "that did not answer in time and was left behind"),
}
"""How many queries a note names."""


@dataclass(frozen=True, slots=True, eq=False)
class SuiteRun:
    """What a system answered, and what is to be told of it."""

    run: Run
    """The answers to the cases."""
    probed: Probed = field(default_factory=Probed)
    """What came of its scenarios and invariants."""
    repeats: tuple[Run, ...] = ()
    """The answers to the same, asked again."""
    notes: tuple[str, ...] = ()
    """What was lost or repeated on the way, with counts."""
    silent_rules: tuple[str, ...] = ()
    """The rules of the system that found nothing in answers that are not empty, with counts."""
    beside: tuple[Run, ...] = ()
    """The results of another system that ran the same queries, with its repeats."""
    version: str | None = None
    """The version of the system, if the run does not have it."""

    @property
    def name(self) -> str:
        """What reports call the run."""
        return self.run.name

    def shards(self) -> Iterator[RunShard]:
        """Go through the shards of the run, so that answers are a run themselves."""
        return self.run.shards()


def run_suite(
    suite: Suite,
    system: System | Run,
    corpus: Corpus | None,
    probe_plan: ProbePlan,
    k: int,
    asking: RunOptions,
    against: Against | None = None,
) -> SuiteRun:
    """Ask the system, or take the answers that it gave before.

    Another system runs the same queries, query by query if both are live, so that load affects both alike.
    """
    if isinstance(system, SuiteRun):
        return system
    if against is not None and not (isinstance(system, System) and isinstance(against.system, System)):
        before = run_suite(suite, against.system, corpus, probe_plan, k, against.asking)
        own = run_suite(suite, system, corpus, probe_plan, k, asking)
        return replace(own, beside=(before.run, *before.repeats))
    if not isinstance(system, System):
        placer = Placer(
            corpus, suite.map_rules, asking.locate, count_tokens=asking.tokens, names=judged_names(suite)
        )
        return _kept_answers(suite, system, corpus, probe_plan, k, placer)
    cases = suite.cases if asking.part is None else asking.part.of(suite.cases)
    if asking.existing == "resume" and (folder := asking.folder) is not None:
        # Repeats that were begun belong to what goes on.
        begun = 1 + len(repeat_folders(folder))
        asking = replace(asking, repeat=max(asking.repeat, begun))
        asking = replace(asking, existing=_existing(suite, folder, asking, len(cases)))
    beside: list[Run] = []
    with ExitStack() as stack:
        runner = stack.enter_context(SuiteRunner(suite, system, corpus, asking, k))
        other: SuiteRunner | None = None
        if against is not None and isinstance(against.system, System):
            options = replace(against.asking, tokens=asking.tokens)
            other = stack.enter_context(SuiteRunner(suite, against.system, corpus, options, k))

        def run_cases(folder: Path | None) -> Run:
            workers = None if other is None else other.workers()
            found = runner.ask_cases(cases, folder, workers)
            if other is not None and workers is not None:
                beside.append(other.packed(workers.records))
            return found

        run = run_cases(asking.folder)
        notes, silent_rules = runner.notes(run), runner.silent_rules(run)
        if against is not None and other is not None:
            notes += tuple(f"{against.name}: {note}" for note in other.notes(beside[0]))
        probed = probe(suite, system, probe_plan, asking.folder, runner.ask, asking.part, runner.deadline)
        again = [asking.folder and repeat_folder(asking.folder, at) for at in range(2, asking.repeat + 1)]
        repeats = tuple(map(run_cases, again))
    return SuiteRun(run, probed, repeats, (*notes, *probed.notes), silent_rules, tuple(beside))


def _kept_answers(
    suite: Suite, run: Run, corpus: Corpus | None, probe_plan: ProbePlan, k: int, placer: Placer
) -> SuiteRun:
    """Take the answers of a run that was made before, and of its repeats."""
    from rankgate.project.kept_answers import kept_answers, kept_repeats
    from rankgate.runs.kept import RunNeeds, cut_run

    repeats: tuple[StoredRun, ...] = ()
    if isinstance(run, StoredRun):
        needs = RunNeeds.of_suite(suite, None if corpus is None else corpus.fingerprint, k)
        run = kept_answers(suite, run, needs)
        repeats = kept_repeats(suite, run, needs)
    else:
        run = placed_run(cut_run(run, k), placer)
    probed = probe(suite, run, probe_plan)
    lost = _counted(hit_counts(run).classes, _UNLOCATED)
    return SuiteRun(run, probed, repeats, (*_said(run), *lost, *retried(run), *probed.notes))


def located_again(found: SuiteRun, suite: Suite, corpus: Corpus | None, asking: RunOptions) -> SuiteRun:
    """Return the same results, located by the `map` of another suite."""
    placer = Placer(
        corpus, suite.map_rules, asking.locate, count_tokens=asking.tokens, names=judged_names(suite)
    )
    run, *repeats = (PlacedRun(one, placer) for one in (found.run, *found.repeats))
    beside = tuple(PlacedRun(one, placer) for one in found.beside)
    return replace(found, run=run, repeats=tuple(repeats), beside=beside)


class SuiteRunner:
    """Asks one system, any number of times; used with ``with``.

    A system that builds its own index does so first. `k` is how many hits are wanted for each case.
    """

    def __init__(
        self, suite: Suite, system: System, corpus: Corpus | None, asking: RunOptions, k: int
    ) -> None:
        self._asking, self._system, self._k = asking, system, k
        # Estimated labels compare the whole text of a hit with the answer that is expected.
        whole = asking.whole_texts or answered_cases(suite.cases)[0]
        self._texts: TextLevel = "full" if whole else "snippet"
        self._placer = Placer(
            corpus, suite.map_rules, asking.locate, count_tokens=asking.tokens, names=judged_names(suite)
        )
        self._index = have_index(system, corpus, asking.chunks, asking.progress, suite=suite)
        self._manifest = Manifest(
            system_name(system),
            suite=suite.fingerprint,
            corpus=None if corpus is None else corpus.fingerprint,
            version=system_version(system),
            options={**description_of(system), **self._index.options, **_described(asking.locate)},
            part=None if asking.part is None else str(asking.part),
            rules=map_fingerprint(suite),
        )
        if asking.folder is not None:
            self._manifest = _with_identity(self._manifest, system, asking)
        self._equal = EqualQueries(suite)
        self._suite, self._stored, self._failed = suite, 0, 0
        pace = asking.pace
        self.deadline = asking.deadline or (RunDeadline(pace.deadline) if pace.deadline else None)
        """When to end."""
        self._open = ExitStack()
        self._instances: tuple[System, ...] = (system,)

    def __enter__(self) -> Self:
        opening = open_instances(self._system, self._asking.pace.concurrency)
        self._instances = self._open.enter_context(opening)
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    @property
    def identity(self) -> RunIdentity:
        """What a run of the whole suite answers, before anything is asked."""
        questions = _fingerprint(questions_of(self._suite.cases, self._k))
        return replace(self._manifest, k=self._k, questions=questions).identity

    @property
    def index(self) -> SystemIndex | None:
        """The index that the system built and searches; None where it does not say."""
        return built_index_of(self._system)

    def workers(self) -> Workers:
        """Return workers that run queries beside those of another system."""
        pace = replace(self._asking.pace, concurrency=len(self._instances))
        return Workers(self._instances, pace, self.deadline)

    def packed(self, records: Sequence[AnswerRecord]) -> Run:
        """Return a run of results that are in memory, located."""
        shard = packed_answers(records, self._texts, self._placer.place)
        return MemoryRun(self._manifest.system, [shard], estimated=has_estimates(shard, records))

    def ask_cases(
        self, cases: Iterable[Case], folder: Path | None = None, beside: Workers | None = None
    ) -> Run:
        """Ask cases of the suite and keep the answers, in a folder where one is given."""
        every = questions_of(self._suite.cases, self._k) if folder is not None else ()
        manifest = replace(self._manifest, k=self._k, questions=_fingerprint(every))
        return self._ask(questions_of(cases, self._k), folder, self._texts, manifest, beside)

    def ask(self, questions: Sequence[CaseQuery], folder: Path | None) -> Run:
        """Ask what is no case, and keep the answers in the same way."""
        manifest = replace(self._manifest, questions=probes_fingerprint(self._suite))
        return self._ask(questions, folder, "snippet", manifest)

    def _ask(
        self,
        questions: Sequence[CaseQuery],
        folder: Path | None,
        texts: TextLevel,
        manifest: Manifest,
        beside: Workers | None = None,
    ) -> Run:
        if self._asking.existing == "resume":
            answered, failed = _stored(folder)
            self._stored, self._failed = self._stored + answered, self._failed + failed
        return execute(
            questions,
            self._instances,
            keep=KeepOptions(folder, self._asking.existing, texts=texts, equal=self._equal),
            manifest=manifest,
            pace=self._asking.pace,
            place=self._placer.place,
            progress=self._asking.progress,
            deadline=self.deadline,
            beside=beside,
        )

    def _resumed(self) -> tuple[str, ...]:
        if self._asking.existing == "renew":
            return ("the run was complete, so that everything was asked again",)
        words = []
        if self._stored:
            were = many(self._stored, "answer was", "answers were")
            words.append(f"{were} stored before; hits and lines are counted for those that were asked now")
        if self._failed:
            words.append(f"{many(self._failed, 'query', 'queries')} that failed before asked again")
        return tuple(words)

    def notes(self, run: Run) -> tuple[str, ...]:
        """Count what was indexed, not located, left out and, in a run, asked again."""
        lost = self._counts()
        return (
            *self._index.notes,
            *shortfall_of(self._system, self._k),
            *_counted(hit_counts(run).classes, _UNLOCATED),
            *_counted(lost, _LOST),
            *batch_notes(self._system),
            *self._resumed(),
            *(f"map rule {rule.pattern!r} matched nothing" for rule in self._placer.unused_rules),
            *retried(run),
        )

    def silent_rules(self, run: Run) -> tuple[str, ...]:
        """Return the rules that found nothing in answers that are not empty."""
        answers = sum(shard.queries.height for shard in run.shards())
        silent = min(self._counts()["unmatched_hits"], answers)
        return (f"`hits` found nothing in {silent} of {many(answers, 'answer')}",) if silent else ()

    def _counts(self) -> Counter[str]:
        """Add up what the instances of the system counted."""
        counts: Counter[str] = Counter()
        for one in {id(one): one for one in self._instances}.values():
            counts.update(counts_of(one))
        return counts


def _stored(folder: Path | None) -> tuple[int, int]:
    """Count the queries that a folder has an answer to, and those that failed."""
    if folder is None or not has_run(folder):
        return 0, 0
    run = StoredRun.open(folder)
    run.verify()
    failed = errored_queries(run)
    return sum(entry.queries.rows for entry in run.manifest.shards) - failed, failed


def _existing(suite: Suite, folder: Path, asking: RunOptions, cases: int) -> Existing:
    """Return what to do with a run that is to go on: one that is complete begins again."""
    if not has_run(folder):
        return "resume"
    again = [repeat_folder(folder, number) for number in range(2, asking.repeat + 1)]
    every = [(one, cases) for one in (folder, *again)]
    if asking.part is None and (asked := sum(1 for _ in probes(suite))):
        every.append((folder / PROBES, asked))
    complete = all(
        _stored(one) == (number, 0) and StoredRun.open(one).manifest.finished for one, number in every
    )
    return "renew" if complete else "resume"


def _with_identity(manifest: Manifest, system: System, asking: RunOptions) -> Manifest:
    """Note what a kept run must tell of its system, and the commit of its project."""
    from rankgate.project.contents import system_contents
    from rankgate.project.history import checked_out

    project = asking.project or Path.cwd()
    made, commit = system_contents(asking.entry, system, project), checked_out(project)
    return replace(
        manifest,
        contents=made,
        commit=commit.name or None,
        changed=commit.dirty,
    )


def _described(rules: LocateRules) -> dict[str, object]:
    """Return how a system names locations, where that is not as usual."""
    return {"locate": str(rules).removeprefix("locate = ")} if str(rules) else {}


def _said(run: Run) -> tuple[str, ...]:
    """Return what was noted when a run was read, and where its order comes from unless it is the system's."""
    by_score = "ordered as trec_eval does: by score as float32, equal scores by id, both descending"
    return (*getattr(run, "notes", ()), *((by_score,) if getattr(run, "order", "") == "trec" else ()))


def questions_of(cases: Iterable[Case], k: int) -> list[CaseQuery]:
    """Name what cases ask."""
    return [CaseQuery(case.id, Query(case.query, k, case.filters)) for case in cases]


def _fingerprint(questions: Sequence[CaseQuery]) -> str:
    return fingerprint_of(question_table((one.id, one.query) for one in questions))


def _counted(counts: Mapping[str, int], words: Mapping[str, tuple[str, str]]) -> list[str]:
    plural = {"process": "processes"}
    return [
        f"{many(number, noun, plural.get(noun))} {rest}"
        for kind, (noun, rest) in words.items()
        if (number := counts.get(kind, 0))
    ]


def retried(run: Run) -> tuple[str, ...]:
    """Return which queries had to be asked more than once, if any, and why."""
    kept = ("status", "attempts", "error")
    again = [shard.queries.filter(pl.col("attempts") > 1).select(kept) for shard in run.shards()]
    rows = [row for frame in again for row in frame.iter_rows()]
    if not rows:
        return ()
    failed = sum(status != Answer.OK.value for status, _, _ in rows)
    retries = many(sum(attempts - 1 for _, attempts, _ in rows), "retry", "retries")
    # Of a query that was answered in the end, no run keeps why it was asked again.
    codes = {str(error or "").rpartition("[")[2].rstrip("]") for _, _, error in rows}
    why = _AGAIN.get(codes.pop(), _PASSING) if len(codes) == 1 else _PASSING
    words = f"{many(len(rows), 'query', 'queries')} asked again where the system {why}, {retries}"
    return (f"{words}; {failed} failed all the same" if failed else words,)
