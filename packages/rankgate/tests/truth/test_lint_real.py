"""Lint over real code: no false alarm, no exception, and in time."""

from __future__ import annotations

import ast
import json
import time
from datetime import date
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.corpora.folder import FolderCorpus
from rankgate.locations import Lines, Location
from rankgate.model import Case, GateText, Suite, Target, Top, XFail
from rankgate.truth.lint import Severity, lint
from support.repository import GOLDEN
from support.sdists import unpacked

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.once


def test_places_that_the_parser_of_python_gives_are_all_there() -> None:
    folder = unpacked("click-8.3.2") / "src"
    cases = []
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                start = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                lines = Location(path=name, lines=Lines(start, node.end_lineno or start))
                cases.append(Case(f"{name}:{start}", f"{node.name} of {name}", (Target(lines),)))
    told = lint(Suite("click", tuple(cases)), FolderCorpus.open(folder, root=folder))
    assert len(cases) > 150
    assert [each for each in told if each.severity is Severity.ERROR] == []


def test_the_judged_queries_of_others_over_click_have_no_errors(shared_data: Path) -> None:
    folder = unpacked("click-8.3.2")
    judged = json.loads((shared_data / "code/semble/annotations/click.json").read_text(encoding="utf-8"))
    cases = tuple(
        Case(
            str(number),
            each["query"],
            tuple(
                Target(Location.at(place if isinstance(place, str) else place["path"]), grade)
                for key, grade in (("relevant", 2), ("secondary", 1))
                for place in each[key]
            ),
            category=each["category"],
        )
        for number, each in enumerate(judged)
    )
    told = lint(Suite("semble", cases), FolderCorpus.open(folder, root=folder))
    assert [each for each in told if each.severity is Severity.ERROR] == []
    assert {each.rule for each in told} <= {"not-anchored", "easy-query", "duplicate-query"}


def test_ten_thousand_cases_over_some_hundred_files_are_linted_in_seconds() -> None:
    folder = unpacked("django-5.2.8") / "django"
    corpus = FolderCorpus.open(folder, root=folder)
    paths = [path for path in corpus.paths() if path.endswith(".py") and corpus.lines(path) > 30][:400]
    texts = {path: corpus.text(path).split() for path in paths}
    cases = []
    for number in range(10_000):
        path = paths[number % len(paths)]
        words = texts[path]
        at = number * 7919 % max(1, len(words) - 8)
        place = Location(path=path, lines=Lines(1 + number % 10, 20 + number % 10))
        cases.append(Case(str(number), " ".join([*words[at : at + 6], str(number)]), (Target(place),)))
    start = time.process_time()
    told = lint(Suite("s", tuple(cases)), corpus)
    assert time.process_time() - start < 10
    assert [each.rule for each in told if each.severity is Severity.ERROR] == []


FOLDER = GOLDEN
CORPUS = FolderCorpus.open(FOLDER, root=FOLDER)
TEXT = st.text(max_size=20)
PLACES = st.one_of(
    TEXT.filter(bool).map(Location.of_id),
    st.sampled_from(
        ["a.md", "list_metrics.txt", "list_metrics.txt:1-4", "list_metrics.txt:9-999", "a.py::B"]
    ).map(Location.at),
)
TARGETS = st.builds(
    Target,
    PLACES,
    st.sampled_from([-1.0, 0.0, 1.0, 2.0]),
    source=TEXT,
    reviewed=st.booleans(),
)
CASES = st.builds(
    Case,
    st.just("id"),
    TEXT,
    st.lists(TARGETS, max_size=4).map(tuple),
    category=st.none() | st.sampled_from(["hard", "exact"]) | TEXT,
    group=st.none() | TEXT,
    tags=st.frozensets(TEXT | st.just("hard"), max_size=3),
    filters=st.dictionaries(TEXT, TEXT | st.lists(TEXT).map(tuple), max_size=2),
    top=st.lists(st.builds(Top, PLACES), max_size=2).map(tuple),
    xfail=st.none() | st.builds(XFail, TEXT, st.dates()),
    where=TEXT | st.just("s.yaml:4:3"),
)


@given(
    st.lists(CASES, max_size=8), st.lists(TEXT | st.just("worst(category) p@5 > 0 where tag = x"), max_size=3)
)
def test_no_suite_makes_lint_raise(cases: list[Case], gates: list[str]) -> None:
    from dataclasses import replace

    numbered = tuple(replace(case, id=f"{number}") for number, case in enumerate(cases))
    suite = Suite("s", numbered, gates=tuple(map(GateText, gates)))
    for corpus in (CORPUS, None):
        for finding in lint(suite, corpus, today=date(2026, 1, 1)):
            assert finding.message
