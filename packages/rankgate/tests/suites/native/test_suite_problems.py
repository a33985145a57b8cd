"""What is wrong with a suite is told all at once, each where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankgate.errors import FormatError
from rankgate.suites.native import parse_suite

NO_SUITE = "the file is not a suite. A suite has at least `cases:`, each with `query:` and `at:`."
NO_SUITE = "s.yaml:1:1: the file is not a suite. A suite has at least `cases:`, each with `query:` and `at:`."
CASE = "cases: [{query: q, id: 1}]\n"


def problems(text: str) -> list[str]:
    with pytest.raises(FormatError) as caught:
        parse_suite(text, Path("s.yaml"))
    return str(caught.value).split("\n")


def test_all_problems_come_at_once() -> None:
    text = """\
corpus: docs/
metric: [p@5]
k: 0
match: {by: words, min_fraction: 2}
scale: 3
cases:
  - query: one
    at: a:b.md
    weight: -1
    tag: [x]
  - at: a.md
    expect: nothing
  - query: three
    at: {a.md: 4, b.md: good}
    xfail: {reason: later, until: soon}
    top: a.md
  - query: four
    name: n
    at:
  - query: five
    name: n
    expect: empty
    id: 3
"""
    assert problems(text) == [
        "s.yaml:2:1: unknown key `metric`. Did you mean `metrics`?",
        "s.yaml:3:4: expected a whole number, 1 or more, found 0.",
        "s.yaml:4:13: expected `lines` or `path`, found words.",
        "s.yaml:4:34: expected a number from 0 to 1, found 2.",
        (
            "s.yaml:8:9: the location `a:b.md` is invalid: a stray ':'. Expected path, path:10-50, "
            "path#Heading or path::symbol. Lines are path:10-50, a symbol is path::name, "
            "a : inside a path is %3A."
        ),
        "s.yaml:9:13: expected a number from 1e-6 to 1e6, found -1.",
        "s.yaml:10:5: unknown key `tag`. Did you mean `tags`?",
        "s.yaml:11:5: a case needs the key `query`.",
        (
            "s.yaml:12:13: expected `empty` or {max_score: 2.0}, found nothing. "
            "An expected result is written as `at`, `id` or `quote`."
        ),
        "s.yaml:14:16: the grade 4 is above 3, the top of the scale.",
        "s.yaml:14:25: expected a number as the grade, found good.",
        "s.yaml:15:35: expected a date such as 2027-01-31, found soon.",
        "s.yaml:16:10: expected a check with `within`, or with `at`, `id` or `quote`, found a.md.",
        "s.yaml:19:8: expected text, found nothing.",
        "s.yaml:20:5: `expect: empty` excludes `id`. Keep one of them.",
        "s.yaml:21:11: the name `n` occurs twice, first in line 18. Names must be unique.",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "",
            NO_SUITE,
        ),
        (
            "- a\n",
            NO_SUITE,
        ),
        ("name: x\n", "s.yaml:1:1: a suite needs the key `cases`."),
        ("cases: []\n", "s.yaml:1:8: the suite has no cases. A case has at least `query:` and `at:`."),
        ("cases: [q]\n", "s.yaml:1:9: expected a case, found q."),
        (f"version: 2\n{CASE}", "s.yaml:1:10: version 2 is unsupported. This rankgate reads version 1."),
        (
            f"k: '5'\n{CASE}",
            "s.yaml:1:4: expected a whole number, 1 or more, found the text '5'. Remove the quotes.",
        ),
        (f"scale: .inf\n{CASE}", "s.yaml:1:8: expected a number as the highest grade, found .inf."),
        (
            f"name: null\n{CASE}",
            's.yaml:1:7: expected text, found nothing. Write "null" in quotes if you mean the word.',
        ),
        (f"{CASE}{CASE}", "s.yaml:2:1: the key `cases` occurs twice, first in line 1. Remove one of them."),
        (
            "cases: [{query: !!python/object/apply:os.system [ls]}]\n",
            (
                "s.yaml:1:17: the tag !!python/object/apply:os.system is not supported. "
                "Remove it, or put quotes around a text that begins with !."
            ),
        ),
        ("cases: [{query: q, any_of: [a.md, b.md]}]\n", "s.yaml:1:29: expected a list, found a.md."),
        (
            "cases: [{query: q, id: [{grade: 2}]}]\n",
            "s.yaml:1:25: a target needs one of `at`, `id` and `quote`.",
        ),
        (f"gates: [{{metric: rr, min: 1}}]\n{CASE}", "s.yaml:1:9: expected text, found a mapping."),
        (
            f"map: [{{from: '(', to: x}}]\n{CASE}",
            "s.yaml:1:7: `from` is invalid: '(' (missing ), unterminated subpattern at position 0).",
        ),
        (f"scenarios: [x]\n{CASE}", "s.yaml:1:13: expected a scenario, found x."),
        (
            f"? [a, b]\n: c\n{CASE}",
            "s.yaml:1:3: a key is a list or a mapping. Put quotes around a text with [ or {.",
        ),
        (
            "a: &a [*a]\n",
            (
                "s.yaml:1:4: the anchor &a is not supported. "
                "Remove it, or put quotes around a text that begins with &."
            ),
        ),
    ],
)
def test_a_problem_says_where_what_and_how(text: str, told: str) -> None:
    assert problems(text)[0] == told


@pytest.mark.parametrize("depth", [200, 100_000])
def test_deep_nesting_is_refused(depth: int) -> None:
    assert "nested more than 100 levels deep" in problems("a: " + "[" * depth + "]" * depth)[0]


def test_problems_beyond_twenty_are_counted() -> None:
    told = problems("cases:\n" + "- {query: q, weight: 0}\n" * 30)
    assert len(told) == 21
    assert told[-1] == "s.yaml: 10 more problems. Fix the first 20."
