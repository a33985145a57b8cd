"""The baselines of a suite: where they are, saving a run as one, and locating one in today's documents."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from rankgate.corpora.corpus import Corpus
from rankgate.errors import Code, FormatError, InputError
from rankgate.gates.compare import Reference, match_cases
from rankgate.gates.language import Gate
from rankgate.io.file_names import file_name
from rankgate.model import Suite
from rankgate.project.results import path_key
from rankgate.runs.baseline import (
    Baseline,
    BaselineAnchors,
    BaselineHit,
    BaselineQuery,
    Place,
    baseline_anchors_path,
    place_text,
    read_baseline,
    read_baseline_anchors,
    run_of,
    write_baseline,
    write_baseline_anchors,
)
from rankgate.runs.store.hits import HitRow, error_texts, read_hits
from rankgate.runs.store.tables import Run
from rankgate.scoring.placements import JudgedHits
from rankgate.suites.asked_suite import is_gating
from rankgate.truth.follow import follow_ranges
from rankgate.truth.judgments.table import Judgments
from rankgate.truth.lookup import CorpusReader, Spot
from rankgate.truth.textsearch import LineHashes
from rankgate.wording import many, shortest

FOLDER = "baselines"
STATES = ("same", "moved", "edited", "not found")
"""What can become of a location."""
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Baselines:
    """The baselines of a suite: ``baselines/SUITE.SYSTEM.jsonl`` beside it, to be committed."""

    suite: Suite
    system: str
    """The system under test. Its baseline is meant if no other one is named."""
    systems: tuple[str, ...] = ()
    """Every system of the configuration: gates may name them before they have a baseline."""
    required: bool = False
    """True if the system under test must have one."""

    def saved(self) -> tuple[Path, ...]:
        """Return the files of all systems."""
        return tuple(sorted(self._folder.glob(self._file("*"))))

    def known(self) -> tuple[str, ...]:
        """Return the names that a gate may have after `against`: systems, and names with a baseline."""
        saved = [path.name.split(".")[1] for path in self.saved()]
        return tuple(sorted({self.system, *self.systems, *saved}))

    def read(self, name: str | None = None) -> Baseline | None:
        """Read the baseline of a system; null if there is none.

        Raises:
            FormatError: for a file that is no baseline.
            InputError: for the baseline of another system.
        """
        path, system = self.path(name), name or self.system
        if not path.is_file():
            if os.path.lexists(path):
                fix = f"take it away, and make one: {self.command(name)}"
                raise FormatError(
                    Code.WRONG_BASELINE(str(shortest(path)), "what is no file", "a baseline", fix)
                )
            return None
        baseline = read_baseline(path)
        if baseline.system != system:
            fix = f"put the right file there, or delete it, test again, and then: {self.command(name)}"
            where = str(shortest(path.resolve()))
            found = f"a baseline of {baseline.system}"
            raise InputError(Code.WRONG_BASELINE(where, found, f"one of {system}", fix))
        return baseline

    def path(self, name: str | None = None) -> Path:
        """Return the file of a system's baseline, of the one under test by default; it need not exist."""
        return self._folder / self._file(file_name(name or self.system))

    def command(self, name: str | None = None) -> str:
        """Return the command that saves a baseline."""
        suite = str(shortest(Path(self.suite.path).resolve())) if self.suite.path else "SUITE"
        return f"rankgate baseline set {suite} --system {name or self.system}"

    def _file(self, system: str) -> str:
        at = self.suite.path
        return f"{file_name(self.suite.name if at is None else path_key(at, Path(at).parent))}.{system}.jsonl"

    @property
    def _folder(self) -> Path:
        return (Path(self.suite.path).parent if self.suite.path else Path.cwd()) / FOLDER


# --- saving ----------------------------------------------------------------------------------------------


def save_baseline(
    baselines: Baselines,
    run: Run,
    judgments: Judgments,
    corpus: Corpus | None,
    depth: int,
    unstable: Collection[str] = (),
    *,
    tokens: bool = False,
) -> Path:
    """Save the results of a run as the baseline of its system, and return the file.

    A query that the run does not have is saved without results.

    Args:
        baselines: The baselines of the suite.
        run: The run.
        judgments: The judgments, which say what of a result is needed and which targets it reached.
        corpus: The documents.
        depth: The number of results per query to save.
        unstable: The queries whose results differ between two runs.
        tokens: Save the tokens of results, because a metric reads them.

    Raises:
        InputError: for a run with errors.
        FormatError: for ranks with gaps or repeats.
    """
    suite, path = baselines.suite, baselines.path()
    names = [case.id for case in suite.cases]
    if failed := sorted({*error_texts(run)} & {*names}):
        found = f"{many(len(failed), 'error')} ({', '.join(failed[:_SHOWN])})"
        fix = "run it again when the system answers"
        raise InputError(Code.MISSING_ANSWERS(str(path), found, "results of every query", fix))
    rows, saved = read_hits(run, names, depth), _hit_format(judgments, corpus, tokens=tokens)
    for name, hits in rows.items():
        if [hit.rank for hit in hits] != [*range(1, len(hits) + 1)]:
            said = f"{run.name}: the ranks of {name!r} have gaps or repeats. Run the queries again."
            raise FormatError(
                Code.DAMAGED_FILE(run.name, "ranks with gaps or repeats", "1, 2, 3 …", "", said)
            )
    queries = {
        case.id: BaselineQuery(
            case.query, dict(case.filters), tuple(map(saved, rows.get(case.id, ()))), case.id in unstable
        )
        for case in suite.cases
    }
    write_baseline(path, Baseline(baselines.system, depth, queries))
    anchors = baseline_anchors_path(path)
    if corpus is None or corpus.records:
        anchors.unlink(missing_ok=True)
    else:
        judged = JudgedHits(judgments, run).rows.filter((pl.col("grade") > 0) & (pl.col("rank") <= depth))
        write_baseline_anchors(anchors, _anchors(queries, judged, suite, judgments, corpus))
    return path


def _hit_format(
    judgments: Judgments, corpus: Corpus | None, *, tokens: bool
) -> Callable[[HitRow], BaselineHit]:
    """Return what makes a saved result: its location or id, and what the judgments need beside it."""
    targets, reader = judgments.targets, CorpusReader(corpus)
    judges_ids = targets["id"].null_count() < targets.height
    judges_characters = targets["start_char"].null_count() < targets.height
    answers = {*targets.filter(pl.col("text_hash").is_not_null()).select("query", "text_hash").iter_rows()}

    def placed(values: Mapping[str, Any]) -> BaselineHit:
        path, start, first, end = (values[key] for key in ("path", "start", "start_char", "end_char"))
        named = path is None or (judges_ids and values["id"] != path)
        offsets = None
        if judges_characters and None not in (path, start, first, end):
            line = reader.text_of(path).offsets(start, start)[0]
            offsets = (first - line, end - line) if line <= first <= end else None
        return BaselineHit(values["id"] if named else None, path, start, values["end"], offsets=offsets)

    def saved(row: HitRow) -> BaselineHit:
        return placed(row._asdict())._replace(
            tokens=row.tokens if tokens else None,
            answers=(0,) if (row.query, row.text) in answers else (),
            copies=tuple(map(placed, row.copies or ())),
        )

    return saved


def _anchors(
    queries: Mapping[str, BaselineQuery],
    judged: pl.DataFrame,
    suite: Suite,
    judgments: Judgments,
    corpus: Corpus,
) -> BaselineAnchors:
    """Return what relocates results: the hashes of their ranges, and the targets that they reached."""
    named = {place for query in queries.values() for hit in query.hits for place in _places(hit)}
    documents = sorted({path for path, *_ in named if path in corpus})
    lines, reader = LineHashes((path, corpus.text(path)) for path in documents), CorpusReader(corpus)
    ranges = {place: text for place in named if (text := lines.hash(place)) is not None}
    written = {
        (case.id, *spot.fields().values()): target.location.whole
        for case in suite.cases
        for target in case.targets
        if isinstance(found := reader.find(target.location), Spot)
        for spot in found.every
    }
    fields = ("id", "path", "start", "end", "start_char", "end_char")
    reached: dict[Place, set[str]] = {}
    rows = judged.join(judgments.targets, on=("query", "target")).select("query", "rank", *fields)
    for query, rank, *target in rows.iter_rows():
        if query in queries and (name := written.get((query, *target))) is not None:
            for place in _places(queries[query].hits[rank - 1]):
                reached.setdefault(place, set()).add(name)
    return BaselineAnchors(ranges, {place: tuple(names) for place, names in reached.items()})


def _places(hit: BaselineHit) -> tuple[Place, ...]:
    """Return the places of a result: of a text that occurs several times, all of them."""
    return tuple(one.place for one in hit.copies or (hit,) if one.place is not None)


def renamed_targets(suite: Suite, names: Mapping[str, str]) -> dict[Path, BaselineAnchors]:
    """Rename targets in the anchors of a suite's baselines; return those that change, by their files.

    Raises:
        FormatError: for anchors that can't be read.
    """
    changed = {}
    for path in map(baseline_anchors_path, Baselines(suite, "").saved() if names else ()):
        anchors = read_baseline_anchors(path)
        if anchors is None:
            continue
        reached = _renamed(anchors.reached, names)
        if reached != anchors.reached:
            changed[path] = replace(anchors, reached=reached)
    return changed


def _renamed(
    reached: Mapping[Place, tuple[str, ...]], names: Mapping[str, str]
) -> dict[Place, tuple[str, ...]]:
    """Return what results reached, with other names of targets."""
    return {place: tuple(names.get(one, one) for one in old) for place, old in reached.items()}


# --- reading ---------------------------------------------------------------------------------------------


def read_references(
    baselines: Baselines | None,
    gates: Iterable[Gate],
    suite: Suite,
    corpus: Corpus | None,
    *,
    own: bool = True,
    instead: Mapping[str, str] | None = None,
) -> dict[str | None, Reference | None]:
    """Read the system's own baseline, unless `own` is false, and each that a gate names after `against`.

    Args:
        baselines: Where they are; null for none.
        gates: The gates of the test.
        suite: The suite.
        corpus: The documents.
        own: Whether to read that of the system.
        instead: Targets that others replace. Results that reached one reach the other.

    Raises:
        InputError: for a file that is no baseline of the system.
    """
    if baselines is None:
        return {}
    names = dict.fromkeys([None, *(gate.against for gate in gates)])
    return {name: read_reference(baselines, name, suite, corpus, instead) for name in names if own or name}


def live_reference(name: str, runs: Sequence[Run], suite: Suite) -> Reference:
    """Return the results of another system, without the queries that it failed for."""
    failed = {query for run in runs for query in error_texts(run)}
    asked = {
        case.id: BaselineQuery(case.query, dict(case.filters))
        for case in suite.cases
        if case.id not in failed
    }
    return Reference(name, runs[0], asked, tuple(runs[1:]))


def read_reference(
    baselines: Baselines,
    name: str | None,
    suite: Suite,
    corpus: Corpus | None,
    instead: Mapping[str, str] | None = None,
) -> Reference | None:
    """Read one baseline, and locate its results in today's documents; null if there is none."""
    baseline = baselines.read(name)
    if baseline is None:
        return None
    anchors = read_baseline_anchors(baseline_anchors_path(baselines.path(name)))
    if anchors is not None and instead:
        anchors = replace(anchors, reached=_renamed(anchors.reached, instead))
    called = "baseline" if name is None else f"baseline of {name}"
    return locate(baseline, anchors, suite, corpus, called)


def locate(
    baseline: Baseline,
    anchors: BaselineAnchors | None,
    suite: Suite,
    corpus: Corpus | None,
    name: str = "baseline",
) -> Reference:
    """Locate the results of a baseline in today's documents.

    A range is where its text is: at the same place, or at the only or nearest other one. If the text was
    edited, and reached a target that the suite still has, the range is where the target is.
    """
    unstable = frozenset(query for query, one in baseline.queries.items() if one.unstable)
    if corpus is None:
        # Paths and ids are one name space.
        queries = {
            query: replace(one, hits=tuple(hit._replace(id=hit.id or hit.path) for hit in one.hits))
            for query, one in baseline.queries.items()
        }
        run = run_of(baseline.system, queries)
        return Reference(name, run, queries, (), baseline.depth, unstable)
    notes: tuple[str, ...] = ()
    reader = CorpusReader(corpus)
    if anchors is None and not corpus.records:
        notes = ("the baseline has no file of anchors, so its results are where they were saved",)
    anchors = anchors or BaselineAnchors()
    hits = {hit for one in baseline.queries.values() for hit in one.hits}
    places = {place for hit in hits for place in _places(hit)}
    now = follow_ranges(places, anchors.ranges, anchors.reached, suite, reader)
    today = {hit: _located(hit, now, reader) for hit in hits}
    gone = {hit for hit, new in today.items() if new is None}
    if corpus.records:
        gone = {hit for hit in hits if hit.id is not None and hit.id not in corpus}
    queries = {
        query: replace(one, hits=tuple(today[hit] or _unlocated(hit) for hit in one.hits))
        for query, one in baseline.queries.items()
    }
    missing = {query: sum(hit in gone for hit in one.hits) for query, one in baseline.queries.items()}
    return Reference(
        name=name,
        run=run_of(baseline.system, queries),
        asked=queries,
        depth=baseline.depth,
        unstable=unstable,
        unlocated=_open_queries(baseline, gone, anchors, suite),
        different=frozenset(query for query, count in missing.items() if count),
        unlocated_hits=sum(missing.values()),
        states=Counter(state for state, _ in now.values()),
        notes=notes,
    )


def _located(
    hit: BaselineHit, now: Mapping[Place, tuple[str, Place | None]], reader: CorpusReader
) -> BaselineHit | None:
    """Return a result in today's documents, its characters counted from their start; null if it is lost."""
    if hit.copies:
        copies = tuple(new for copy in hit.copies if (new := _located(copy, now, reader)) is not None)
        paths = {copy.path for copy in copies}
        return hit._replace(path=paths.pop() if len(paths) == 1 else None, copies=copies) if copies else None
    if hit.place is None:
        return hit
    state, place = now[hit.place]
    if place is None:
        return None
    path, start, end = place
    offsets = None
    if hit.offsets is not None and start is not None and state != "edited":
        line = reader.text_of(path).offsets(start, start)[0]
        offsets = line + hit.offsets[0], line + hit.offsets[1]
    return hit._replace(path=path, start=start, end=end, offsets=offsets)


def _unlocated(hit: BaselineHit) -> BaselineHit:
    name = hit.id or f"formerly {', '.join(map(place_text, _places(hit)))}"
    return BaselineHit(name, tokens=hit.tokens, answers=hit.answers)


def _open_queries(
    baseline: Baseline, gone: Collection[BaselineHit], anchors: BaselineAnchors, suite: Suite
) -> frozenset[str]:
    """Name the queries whose value a lost result could change.

    It reached a target of the case, or one that the suite does not name any more while the case has a target
    that is new: a person may have renamed it. Only targets that gates count change a value.
    """
    cases = (suite.whole or suite).cases
    known = {one.location.whole for case in cases for one in case.targets if one.grade > 0}
    relevant = {
        case.id: {one.location.whole for one in case.targets if one.grade > 0 and is_gating(one, suite)}
        for case in cases
    }
    saved = {name for names in anchors.reached.values() for name in names}
    found = set()
    for case, query in match_cases(suite, baseline.queries)[0].items() if gone else ():
        for hit in baseline.queries[query].hits:
            if hit in gone:
                reached = {name for place in _places(hit) for name in anchors.reached.get(place, ())}
                if reached & relevant[case] or (reached - known and relevant[case] - saved):
                    found.add(query)
    return frozenset(found)
