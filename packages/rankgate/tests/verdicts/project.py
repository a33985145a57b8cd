"""A state of the reference as the folder of a project: suite, configuration, system, documents, baselines.

The system is a function that reads its answers from a file. Results are opaque ids. If a target is missing or
a line of the baseline is unlocated, the suite has a corpus instead: the id `a` is the document `a.md`, a
missing target is a document that does not exist, and so are the unlocated results of the baseline.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from verdicts.reference import (
    Baseline,
    Case,
    Entry,
    Outcome,
    Question,
    Ranking,
    Run,
    Settings,
    Suite,
    Target,
    decide,
)

SUITE = "search.yaml"
GONE = "gone-"
"""What the ids of results start with that no document has."""
UNUSED = "zinnia"
"""A document that no case and no result names. rankgate rejects a corpus without any document."""
APP = """\
import json
from pathlib import Path


def search(query, k, filters=None):
    key = json.dumps([query, sorted((filters or {}).items())])
    answer = json.loads(Path(__file__).with_name("answers.json").read_text())[key]
    if isinstance(answer, str):
        raise RuntimeError(answer)
    return answer[:k]
"""


@dataclass(frozen=True)
class State:
    """Everything that a verdict depends on."""

    suite: Suite
    run: Run
    baseline: Baseline | None = None
    settings: Settings = field(default_factory=Settings)
    others: Mapping[str, Baseline | None] = field(default_factory=lambda: {"prod": None})
    only: tuple[str, ...] | None = None
    today: date = date(2026, 6, 1)

    def expected(self) -> Outcome:
        return decide(self.suite, self.run, self.baseline, self.settings, self.today, self.others, self.only)

    documents: bool = False
    """True if there is a corpus in any case."""

    @property
    def has_corpus(self) -> bool:
        if self.documents:
            return True
        baselines = [baseline for baseline in (self.baseline, *self.others.values()) if baseline]
        missing = any(target.missing for case in self.suite.cases for target in case.targets)
        return missing or any(entry.unlocated for baseline in baselines for entry in baseline.entries)

    @property
    def is_stored(self) -> bool:
        """Whether the run lacks a query, as only a stored run can."""
        return any((case.query, case.filters) not in self.run.rankings for case in self.suite.cases)


def with_unlocated_hits(state: State) -> State:
    """Replace the results of unlocated lines that reach no target by results that can't be located."""
    targets = {target.id for case in state.suite.cases for target in case.targets}

    def written(baseline: Baseline | None) -> Baseline | None:
        return baseline and replace(baseline, entries=tuple(map(entry_of, baseline.entries)))

    def entry_of(entry: Entry) -> Entry:
        if not entry.unlocated:
            return entry
        hits = tuple(hit if hit in targets else GONE + hit for hit in entry.hits)
        return replace(entry, hits=hits if {*hits} - targets else (*hits, f"{GONE}other"))

    others = {name: written(baseline) for name, baseline in state.others.items()}
    return replace(state, baseline=written(state.baseline), others=others)


def write_project(folder: Path, state: State, *, corpus: bool = False) -> Path:
    """Write the folder of a project, in place of another state, and return its suite.

    Args:
        folder: The folder.
        state: The state.
        corpus: Whether to write documents in any case, because another commit has a missing one.
    """
    state = replace(state, documents=corpus or state.has_corpus)
    for name in ("baselines", "docs", ".rankgate"):
        shutil.rmtree(folder / name, ignore_errors=True)
    for name, text in _files(state):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / SUITE


def _files(state: State) -> Iterator[tuple[str, str]]:
    yield SUITE, suite_text(state)
    yield "rankgate.toml", configuration_text(state)
    yield "app.py", APP
    rankings, corpus = state.run.rankings, state.has_corpus
    if state.is_stored:
        lines = [
            {"query": case.name, "hits": _answer(rankings[case.query, case.filters], corpus=corpus)}
            for case in state.suite.cases
            if (case.query, case.filters) in rankings
        ]
        yield "stored.jsonl", "".join(json.dumps(line) + "\n" for line in lines)
    answers = {_key(question): _answer(ranking, corpus=corpus) for question, ranking in rankings.items()}
    yield "answers.json", json.dumps(answers)
    if corpus:
        for name in _documents(state):
            yield f"docs/{name}.md", document_text(name)
    for name, baseline in {state.run.system: state.baseline, **state.others}.items():
        if baseline is not None:
            yield f"baselines/search.{name}.jsonl", baseline_text(name, baseline, state)
            if corpus:
                yield f"baselines/search.{name}.anchors.json", anchors_text(baseline)


def _key(question: Question) -> str:
    return json.dumps([question[0], sorted(question[1])])


def _answer(ranking: Ranking, *, corpus: bool) -> object:
    return ranking.error or [_hit(hit, corpus=corpus) for hit in ranking.hits]


def _hit(hit: str, *, corpus: bool) -> object:
    return {"path": f"{hit}.md", "start": 1, "end": 1} if corpus else hit


def _documents(state: State) -> set[str]:
    rankings = [ranking.hits for ranking in state.run.rankings.values()]
    baselines = [baseline for baseline in (state.baseline, *state.others.values()) if baseline]
    rankings += [entry.hits for baseline in baselines for entry in baseline.entries]
    names = {hit for hits in rankings for hit in hits if not hit.startswith(GONE)}
    names.add(UNUSED)
    for case in state.suite.cases:
        names |= {target.id for target in case.targets if not target.missing}
        names |= {label.split()[1] for label, _ in case.checks if label.startswith("never ")}
    return names


def suite_text(state: State) -> str:
    """Write a suite; JSON is YAML."""
    suite = state.suite
    keys: dict[str, object] = {"name": "search", "metrics": list(suite.metrics)}
    if state.has_corpus:
        keys["corpus"] = "docs/"
    if suite.gates:
        keys["gates"] = list(suite.gates)
    if suite.unlisted != "irrelevant":
        keys["unlisted"] = suite.unlisted
    if suite.no_relevant != "exclude":
        keys["no_relevant"] = suite.no_relevant
    if suite.gating_sources != Suite.gating_sources:
        keys["gating_sources"] = list(suite.gating_sources)
    lines = [f"{key}: {json.dumps(value)}" for key, value in keys.items()]
    cases = [json.dumps(_case(case, corpus=state.has_corpus)) for case in suite.cases]
    return "\n".join([*lines, "cases:", *(f"  - {case}" for case in cases)]) + "\n"


def _case(case: Case, *, corpus: bool) -> dict[str, object]:
    keys: dict[str, object] = {"name": case.name, "query": case.query}
    if case.targets:
        keys["at" if corpus else "id"] = [_target(target, corpus=corpus) for target in case.targets]
    if case.expect_empty:
        keys["expect"] = "empty"
    for label, _ in case.checks:
        key, rest = label.split(" ", 1)
        if key == "top":  # "top within 3"
            keys["top"] = {"within": int(rest.removeprefix("within "))}
        else:  # "never x1 within 5"
            never, _, within = rest.partition(" within ")
            place = {"at": f"{never}.md"} if corpus else {"id": never}
            keys["never"] = [{**place, "within": int(within)}]
    if case.xfail:
        until = {"until": case.until.isoformat()} if case.until else None
        keys["xfail"] = {"reason": case.xfail, **until} if until else case.xfail
    for key in ("category", "weight"):
        if getattr(case, key) != getattr(Case, key):
            keys[key] = getattr(case, key)
    if case.tags:
        keys["tags"] = list(case.tags)
    if case.filters:
        keys["filters"] = dict(case.filters)
    return keys


def _target(target: Target, *, corpus: bool) -> dict[str, object]:
    place = f"{GONE * target.missing}{target.id}.md" if corpus else target.id
    keys: dict[str, object] = {"at" if corpus else "id": place, "grade": target.grade}
    return keys | ({"source": target.source} if target.source != "person" else {})


def configuration_text(state: State) -> str:
    settings, systems = state.settings, (state.run.system, *state.others)
    keys: dict[str, object] = {"suites": [SUITE], "system": state.run.system}
    keys |= {key: value for key, value in vars(settings).items() if value != getattr(Settings, key)}
    lines = [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    for name in systems:
        stored = state.is_stored and name == state.run.system
        lines += [
            "",
            f"[systems.{name}]",
            'run = "stored.jsonl"' if stored else 'function = "./app.py:search"',
        ]
    return "\n".join(lines) + "\n"


def baseline_text(system: str, baseline: Baseline, state: State) -> str:
    head = {"format": "rankgate-baseline", "version": 1, "system": system, "depth": baseline.depth}
    lines = [head, *(_line(entry, corpus=state.has_corpus) for entry in baseline.entries)]
    return "".join(json.dumps(line) + "\n" for line in lines)


def anchors_text(baseline: Baseline) -> str:
    """Write what locates the results of a baseline; those of unlocated lines reached a former target."""
    from rankgate.truth.textsearch import LineHashes

    names = sorted({hit for entry in baseline.entries for hit in entry.hits})
    lines = LineHashes((f"{name}.md", document_text(name)) for name in names)
    ranges = {f"{name}.md:1": lines.hash((f"{name}.md", 1, 1)) for name in names}
    unlocated = {hit for entry in baseline.entries if entry.unlocated for hit in entry.hits}
    reached = {f"{name}.md:1": [f"{name}.md#Former"] for name in unlocated if name.startswith(GONE)}
    followed = [name for name in names if name.startswith(GONE) and name not in unlocated]
    reached |= {f"{name}.md:1": [f"{name}.md"] for name in followed}  # targets that another commit has
    return json.dumps({"version": 1, "ranges": ranges, "reached": reached})


def document_text(name: str) -> str:
    return f"The document about {name}.\n"


def _line(entry: Entry, *, corpus: bool) -> dict[str, object]:
    hits: list[object] = [f"{hit}.md:1" if corpus else hit for hit in entry.hits]
    line: dict[str, object] = {"name": entry.name, "query": entry.query, "hits": hits}
    if entry.filters:
        line["filters"] = dict(entry.filters)
    return line | ({"unstable": True} if entry.unstable else {})
