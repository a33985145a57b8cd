"""Every lint rule finds its problem, and leaves a valid suite alone."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.folder import FolderCorpus
from rankgate.errors import InputError
from rankgate.suites.formats import load_suite
from rankgate.truth.lint import RULES, Finding, lint
from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable

TODAY = date(2030, 6, 1)
PAGE = (ROOT / "docs" / "lint.md").read_text(encoding="utf-8")
KEYS = """\
# Keys

Send a client_secret.

## Rotation

Rotate an API key every 90 days. The old key stays valid for a day.

### Overlap

Both keys work.

## Revoking

Revoke a leaked  key
at once.
"""
STORE = 'class Vault:\n    def put_back(self, name):\n        """Return what was borrowed."""\n'
LONG = f"# Chat\n\n{'word ' * 1000}\n"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    files = {"keys.md": KEYS, "store.py": STORE, "chat.md": LONG, "runbooks/deploy.md": "# Deploy\n\nXQZ.\n"}
    for name, text in files.items():
        (tmp_path / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
    return tmp_path / "docs"


def findings(docs: Path, rule: str, text: str, *, corpus: bool = True) -> list[Finding]:
    """Lint a suite with one rule, in a folder beside its documents."""
    path = docs.parent / "search.yaml"
    path.write_text(("corpus: docs/\n" if corpus else "") + text, encoding="utf-8")
    opened = FolderCorpus.open(docs, root=docs) if corpus else None
    return [each for each in lint(load_suite(path), opened, rules=[rule], today=TODAY) if each.rule == rule]


def reported(found: Iterable[Finding]) -> list[str]:
    """Write the line, column and severity of each finding, and the message."""
    shown = []
    for each in found:
        _, line, column = each.place
        shown.append(f"{line or ''}:{column or ''} {each.severity}: {each.message}")
    return shown


def cases(*texts: str) -> str:
    return "cases:\n" + "".join(f"  - {text}\n" for text in texts)


EXAMPLES = {
    "missing-target": (
        cases("{query: q, at: key.md}", "{query: r, at: keys.md#Rotating}", "{query: s, at: keys.md:4-60}"),
        [
            "3:5 error: The location 'key.md' is missing: expected a file of the corpus.",
            "4:5 error: The location 'keys.md#Rotating' is missing: expected a section of keys.md.",
            "5:5 error: The location 'keys.md:4-60' is missing: expected lines up to 16",
        ],
    ),
    "not-anchored": (
        cases("{query: q, at: [keys.md, chat.md]}"),
        [": hint: 2 of 2 locations have no anchor, so a change of their text goes unnoticed."],
    ),
    "inexact-quote": (
        cases(
            "{query: q, quote: Rotate an API key every 90 days. The old key stays valid for a week or two.}"
        ),
        ['3:5 warning: Only 84% of the quote "Rotate an API key every 90 days.'],
    ),
    "broad-target": (
        cases("{query: q, at: {keys.md#Rotation: 3, keys.md#Overlap: 1}}", "{query: r, at: 'chat.md:3'}"),
        [
            "3:5 warning: 'keys.md#Rotation' with grade 3 covers 'keys.md#Overlap' with grade 1, so",
            "4:5 warning: 'chat.md:3-3' has a line of 5,000 characters.",
        ],
    ),
    "duplicate-query": (
        cases("{query: rotate a key, at: keys.md}", "{query: 'Rotate  a KEY?', at: keys.md, name: again}"),
        [
            "4:5 warning: Case rotate-a-key (line 3) has the same query 'Rotate  a KEY?'",
        ],
    ),
    "contradictory-grades": (
        cases("{query: q, at: {keys.md#Revoking: 2, 'keys.md:13-16': 1}}"),
        ["3:5 error: 'keys.md:13-16' has the grades 2 and 1 ('keys.md#Revoking' is the same location)."],
    ),
    "no-expectation": (
        cases("query: what is this"),
        ["3:5 warning: The query 'what is this' has no expected result and no check."],
    ),
    "expired-xfail": (
        cases("{query: q, at: keys.md, xfail: {reason: no synonyms yet, until: 2030-05-31}}"),
        ["3:5 warning: The known miss expired on 2030-05-31 (no synonyms yet)."],
    ),
    "single-source": (
        cases("{query: q, at: keys.md, source: 'engine:bm25'}"),
        [
            ": warning: 1 of 1 relevant targets come from 'engine:bm25', so the suite",
        ],
    ),
    "easy-query": (
        cases("{query: rotate an API key, at: keys.md#Rotation}"),
        ["3:5 warning: The text of 'keys.md#Rotation' contains the query 'rotate an API key' word for word."],
    ),
    "impossible-check": (
        """
cases: [{query: a, at: chat.md}]
scenarios:
  - name: walk
    steps:
      - {subtree: keys.md#Rotation, contains: redirect_url}
      - {read: keys.md#Revoking, excludes: Revoke a leaked key}
      - {tree: keys.md, has: [Rotatoin], under: {Overlap: Keys}}
      - {subtree: keys.md#Revoking, complete: true}
invariants:
  - {filter-only: key, name: i, filters: {type: runbook}, only: 'runbook/**'}
  - {single-term-no-bonus: key, name: j, beside: xqz}
""",
        [
            "7:9 error: 'keys.md#Rotation' does not contain 'redirect_url'.",
            "8:9 error: 'keys.md#Revoking' contains 'Revoke a leaked key', which `excludes` forbids.",
            "9:9 warning: 'keys.md' has no section or symbol 'Rotatoin'.",
            "9:9 warning: 'Overlap' is under 'Rotation', not 'Keys'.",
            "10:9 error: `complete: true` checks nothing, because nothing is below 'keys.md#Revoking'.",
            "12:5 error: No document of the corpus matches `only: runbook/**`.",
            "13:5 error: The term 'xqz' occurs in 'runbooks/deploy.md:3'",
        ],
    ),
}
"""For each rule a suite that triggers it, and how the findings start."""


@pytest.mark.parametrize("rule", EXAMPLES)
def test_rule_reports_its_problem(rule: str, docs: Path) -> None:
    suite, expected = EXAMPLES[rule]
    found = reported(findings(docs, rule, suite))
    assert [line[: len(start)] for line, start in zip(found, expected, strict=True)] == expected


@pytest.mark.parametrize("rule", RULES)
def test_rule_is_documented_with_severity_and_example(rule: str) -> None:
    section = PAGE.partition(f"### {rule} ({RULES[rule].severity})")[2].partition("\n### ")[0]
    assert f" {rule}: " in section
    assert "**Fix.**" in section


def test_valid_suite_has_no_findings_but_missing_anchors(docs: Path) -> None:
    text = cases(
        "{query: how often must secrets be renewed, at: keys.md#Rotation, category: vague}",
        "{query: stop someone from using a credential, at: 'keys.md:13-16', category: vague}",
        "{query: put back, at: 'store.py::Vault.put_back'}",
        "{query: rotate an API key, at: keys.md#Rotation, tags: [exact]}",
        "{query: blockchain, expect: empty}",
    )
    text += (
        "scenarios:\n  - name: walk\n    steps:\n"
        "      - {read: keys.md#Revoking, contains: Revoke a leaked key, excludes: Both keys}\n"
        "      - {subtree: keys.md#Rotation, contains: Both keys work, complete: true}\n"
        "      - {tree: keys.md, has: [Overlap], under: {Overlap: Rotation}}\n"
        "invariants:\n  - {filter-only: key, filters: {type: runbook}, only: 'runbooks/**'}\n"
        "  - {single-term-no-bonus: key, beside: xqzvk}\n"
    )
    path = docs.parent / "search.yaml"
    path.write_text("corpus: docs/\n" + text, encoding="utf-8")
    found = lint(load_suite(path), FolderCorpus.open(docs, root=docs))
    assert [each.rule for each in found] == ["not-anchored"]


def test_every_missing_target_is_reported(docs: Path) -> None:
    found = findings(
        docs, "missing-target", cases(*(f"{{query: q{at}, at: key{at}.md}}" for at in range(60)))
    )
    assert len(found) == 60


def test_missing_target_of_probe_is_reported_once_with_its_line(docs: Path) -> None:
    text = (
        "cases: [{query: a, at: chat.md}]\n"
        "scenarios:\n  - name: walk\n    steps:\n      - {search: q, finds: [gone.md, gone.md]}\n"
        "invariants:\n  - {ranks-above: q, name: i, above: gone.md, below: 'store.py:9'}\n"
    )
    found = findings(docs, "missing-target", text)
    assert [(each.place[1], "'gone.md'" in each.message) for each in found] == [
        (6, True),
        (8, True),
        (8, False),
    ]


@pytest.mark.parametrize(
    "other",
    [
        "{query: rotate a key, at: keys.md, name: b, category: x}",
        "{query: rotate a key, at: keys.md, name: b, filters: {language: go}}",
        "{query: rotate a key, at: keys.md, name: b, tags: [language=go]}",
        "{query: 'rotate a C# key', at: keys.md, name: b}",
    ],
)
def test_query_of_another_slice_is_no_duplicate(other: str, docs: Path) -> None:
    assert findings(docs, "duplicate-query", cases("{query: rotate a key, at: keys.md}", other)) == []


def test_spellings_of_one_group_are_no_duplicates_unless_equal(docs: Path) -> None:
    spellings = [
        f"{{query: {query}, name: {name}, at: keys.md, group: g}}"
        for query, name in (("API key", "a"), ("api-key?", "b"), ("api-key?", "c"))
    ]
    assert [each.case for each in findings(docs, "duplicate-query", cases(*spellings))] == ["c"]


def test_two_cases_of_one_query_with_two_grades_are_an_error(docs: Path) -> None:
    text = cases("{query: q, name: a, at: {keys.md: 2}}", "{query: q, name: b, at: {keys.md: 1}}")
    (found,) = findings(docs, "contradictory-grades", text)
    assert found.message.startswith("'keys.md' has the grade 1, and 2 in case a (line 3).")


def test_location_twice_in_case_is_a_warning(docs: Path) -> None:
    text = cases("{query: q, at: [keys.md#Revoking, 'keys.md:13-16']}")
    (found,) = findings(docs, "contradictory-grades", text)
    assert (found.severity, found.message[:41]) == ("warning", "'keys.md:13-16' occurs twice in this case")


@pytest.mark.parametrize(
    "case",
    [
        "{query: rotate an API key, at: keys.md#Rotation, category: exact}",
        "{query: rotate, at: keys.md#Rotation}",
        "{query: vault put back, at: 'store.py::Vault.put_back'}",
        "{query: rotate an API key, at: keys.md#Revoking}",
    ],
)
def test_query_that_is_not_easy_is_not_reported(case: str, docs: Path) -> None:
    assert findings(docs, "easy-query", cases(case)) == []


@pytest.mark.parametrize(("number", "reported"), [(2, False), (3, True)])
def test_easy_query_counts_queries_of_title_words(number: int, reported: bool, docs: Path) -> None:
    titles = [
        f"{{query: revoking {'keys ' * at}, name: t{at}, at: keys.md#Revoking}}" for at in range(number)
    ]
    others = [f"{{query: cut off w{at}, at: keys.md#Revoking}}" for at in range(10 - number)]
    found = findings(docs, "easy-query", cases(*titles, *others))
    assert bool(found) == reported
    if found:
        assert found[0].message.startswith(
            "3 of 10 queries consist of words of their target's title: 'revoking'"
        )


def test_without_corpus_a_hint_names_the_rules_that_did_not_run(docs: Path) -> None:
    path = docs.parent / "ids.yaml"
    path.write_text(cases("{query: q, id: a}"), encoding="utf-8")
    (hint,) = lint(load_suite(path), None)
    assert hint.message.startswith(
        "There is no corpus, so 7 rules did not run: missing-target, changed-target"
    )


def test_ids_without_text_are_counted(docs: Path) -> None:
    path = docs.parent / "search.yaml"
    path.write_text(
        "corpus: docs/\n" + cases("{query: q, id: x}", "{query: r, at: keys.md}"), encoding="utf-8"
    )
    *_, hint = lint(load_suite(path), FolderCorpus.open(docs, root=docs), ignore=["not-anchored"])
    assert hint.message.startswith("1 of 2 targets are opaque ids")


def test_unknown_rule_is_an_error_with_the_near_match(docs: Path) -> None:
    with pytest.raises(InputError, match="did you mean easy-query"):
        findings(docs, "easy-qery", cases("{query: q, at: keys.md}"))
    with pytest.raises(InputError, match="easy-query in both"):
        lint(load_suite(docs.parent / "search.yaml"), rules=["easy-query"], ignore=["easy-query"])
