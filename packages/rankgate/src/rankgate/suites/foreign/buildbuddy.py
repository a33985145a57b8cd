"""Rating suites in protojson: cases of a query and its ideal results, as BuildBuddy's code search keeps them.

Names may be written ``ideal_results`` or ``idealResults``, numbers as text, and what has its default value
(0, false) may be missing, as protojson allows; a result without ``relevance`` has grade 0.
``penalize_unmatched`` marks a case that lists all there is: it becomes exhaustive, and the suite gets
``pndcg``, with a cost of 1 as the original rater has. An exhaustive case without ideal results expects no
hit at all.

A result is a file, and its snippet's line numbers are not scored by the original; the option ``lines=true``
makes each run of them a target, all in one any_of group. ``match_count`` is left out: the original
halves the gain of a file with another count. A suite has one corpus, so results of several
repositories are refused unless the option ``repo`` names the one to read.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, InputError
from rankgate.files.tree.json_records import EACH, shape_of, write_json
from rankgate.model.suite import Matching
from rankgate.suites.foreign.case_collector import CaseCollector, collected, told
from rankgate.suites.foreign.losses import losses, refuse_nothing
from rankgate.suites.formats import SuiteFormat

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rankgate.files.tree.json_records import Json
    from rankgate.model.suite import Case, Suite, Target
    from rankgate.suites.foreign.case_collector import Draft
    from rankgate.suites.formats import ReadOptions


_IDEAL = ("ideal_results", "idealResults")
_PENALIZE = ("penalize_unmatched", "penalizeUnmatched")
_SNIPPET = ("snippet_line_numbers", "snippetLineNumbers")
_RESULT = frozenset({"owner", "repo", "filename", "relevance", "notes", *_SNIPPET})
_PLAIN = ("ndcg@10",)
_PENALISED = (*_PLAIN, "pndcg(cost=1)@10")
_KEPT = frozenset(
    (
        "paths",
        "grades",
        "irrelevant",
        "any_of",
        "exhaustive",
        "expect_empty",
        "metrics",
        "matching",
    )
)


@collected
def read_ratings(cases: CaseCollector) -> dict[str, Any]:
    """Read a suite of ratings."""
    ratings = _Ratings(cases)
    whole = cases.whole("cases")
    ratings.repositories(whole)
    for found in whole.at("cases").items("a list of cases"):
        ratings.case(found)
    return ratings.finished()


class _Ratings:
    """One file as it is read."""

    def __init__(self, cases: CaseCollector) -> None:
        self._all = cases
        self._lines = _flag(cases.reading, "lines")
        self._repo = cases.reading.options.get("repo")
        self._repos: dict[str, int] = {}

    def repositories(self, whole: Json) -> None:
        self._all.left_out(whole, {"repos", "cases"})
        for entry in whole.at("repos").items("a list of repositories"):
            url = entry.at("repo").get("repo_url", "repoUrl").text("a URL", required=False)
            state = entry.get("repo_state", "repoState")
            commit = state.get("commit_sha", "commitSha").text("a commit", required=False)
            if url or commit:
                self._all.note(f"rated at {url or 'a repository'}, commit {commit or 'unknown'}")

    def case(self, found: Json) -> None:
        if not found.is_object("a case"):
            return
        self._all.left_out(found, {"query", *_IDEAL, *_PENALIZE})
        query = found.at("query")
        if isinstance(query.value, dict):
            self._all.left_out(query, {"term"})
            query = query.at("term")
        text = query.text("the term of a query")
        exhaustive = found.get(*_PENALIZE).flag()
        if text is None:
            return
        draft = self._all.entry(text, found.where, exhaustive=exhaustive)
        results = found.get(*_IDEAL).items("a list of ideal results")
        for result in results:
            if result.is_object("an ideal result"):
                self._result(draft, result)
        if exhaustive and not results:
            draft.about = {**draft.about, "expect_empty": True}
            draft.keeps = True
            self._all.note("{} case{s} with all there is, and nothing in it: no hit is right")

    def _result(self, draft: Draft, found: Json) -> None:
        self._all.left_out(found, _RESULT)
        repo = "/".join(
            part for name in ("owner", "repo") if (part := found.at(name).text("a name", required=False))
        )
        if self._repo is not None and repo != self._repo:
            self._all.note(f"{{}} result{{s}} outside {self._repo} left out")
            return
        self._repos[repo] = self._repos.get(repo, 0) + 1
        path = found.at("filename").text("a file")
        label = found.at("relevance")
        grade = self._all.grades.grade(label.value if label else 0)
        numbers = [n for line in found.get(*_SNIPPET).items("line numbers") if (n := line.count("a line"))]
        if found.at("notes"):
            self._all.note("{} note{s} of results left out")
        if path is None:
            return
        spans = list(_runs(sorted(set(numbers)))) if self._lines else []
        if not spans:
            self._all.target(draft, self._all.location(path, found.where), grade, found.where)
            if numbers:
                self._all.note(
                    "{} result{s} with snippet lines taken as whole files; --option lines=true keeps them"
                )
            return
        group = self._all.group(draft) if len(spans) > 1 else None
        for start, end in spans:
            location = self._all.location(path, found.where, start, end)
            self._all.target(draft, location, grade, found.where, group=group)
        self._all.note("{} result{s} read as line ranges, the runs of one as alternatives of each other")

    def finished(self) -> dict[str, Any]:
        if len(self._repos) > 1:
            names = ", ".join(f"{name} ({count})" for name, count in self._repos.items())
            fix = f"read one: --option repo={next(iter(self._repos))}"
            self._all.wrong(str(self._all.path), f"results of {names}", "results of one repository", fix)
        drafts = self._all.drafts.values()
        exhaustive = any(draft.about.get("exhaustive") for draft in drafts)
        return {"metrics": _PENALISED if exhaustive else _PLAIN}


def write_ratings(suite: Suite, path: Path) -> tuple[str, ...]:
    """Write a suite of ratings, every target as a file, and tell what they cannot hold."""
    # An exhaustive case without results would be read as one that expects no hit.
    kept = [case for case in suite.cases if case.expect_empty or _file_targets(case)]
    refuse_nothing(kept, path, "a case with files, or one that expects no hit")
    cases = [_case(case) for case in kept]
    write_json(path, {"cases": cases})
    said = losses(suite, _KEPT, kept)
    more = sum(len(_file_targets(case)) for case in kept) - sum(len(case["ideal_results"]) for case in cases)
    said += told(
        (more, "{} target{s} of a file that another names, merged under the best"),
        (sum(map(_groups_of_files, kept)), "{} any_of group{s}, written as files of their own"),
    )
    if suite.metrics not in (_PLAIN, _PENALISED):
        said += (f"the metrics {', '.join(suite.metrics)} left out",)
    if suite.matching != Matching():
        said += ("the rules of matching left out",)
    return said


def _file_targets(case: Case) -> list[Target]:
    return [target for target in case.targets if target.location.path is not None]


def _groups_of_files(case: Case) -> int:
    """Count the groups of alternatives that several files are in; those within one file are merged."""
    pairs = {(target.group, target.location.path) for target in _file_targets(case) if target.group}
    return sum(count > 1 for count in Counter(group for group, _ in pairs).values())


def _case(case: Case) -> dict[str, Any]:
    best: dict[str | None, Target] = {}
    for target in _file_targets(case):
        before = best.setdefault(target.location.path, target)
        if target.grade > before.grade:
            best[target.location.path] = target
    return {
        "query": {"term": case.query},
        "penalize_unmatched": case.exhaustive or case.expect_empty,
        "ideal_results": [{"filename": path, "relevance": target.grade} for path, target in best.items()],
    }


def _runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """Cut sorted line numbers into runs without a gap."""
    breaks = [0, *(at for at, (one, two) in enumerate(pairwise(numbers), 1) if two != one + 1), len(numbers)]
    return ((numbers[first], numbers[last - 1]) for first, last in pairwise(breaks) if numbers)


def _flag(reading: ReadOptions, name: str) -> bool:
    value = reading.options.get(name, "false").lower()
    if value not in {"true", "false"}:
        raise InputError(Code.WRONG_OPTION(f"option {name}", repr(value), "true or false"))
    return value == "true"


def _recognise(_path: Path, start: bytes) -> bool:
    shape = shape_of(start)
    keys = shape.keys("cases", EACH)
    return shape.kind("cases") == "list" and (
        bool({*_IDEAL, *_PENALIZE} & keys) or shape.kind("cases", EACH, "query") == "object"
    )


FORMAT = SuiteFormat(
    "ratings",
    "protojson suites of ideal results, as BuildBuddy's code search",
    read_ratings,
    _recognise,
    write_ratings,
    {
        "lines": "true: a snippet's runs of lines become targets in place of the whole file",
        "repo": "owner/name: read only the results of this repository",
    },
)
