"""What is wrong with a suite is told all at once, each where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankgate.errors import FormatError
from rankgate.suites.native.yaml_suite import parse_suite

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
    keys = (
        "name, query, at, id, quote, path, any_of, grade, top, never, expect, answer, exhaustive, "
        "category, tags, filters, weight, sampled, group, "
        "xfail, source, reviewed, notes"
    )
    assert problems(text) == [
        (
            "s.yaml:2:1: found the key 'metric', expected one of $schema, version, "
            "name, corpus, metrics, gates, "
            "match, scale, k, map, unlisted, no_relevant, "
            "gating_sources, guidelines, show, cases, scenarios, invariants; did you mean metrics?"
        ),
        "s.yaml:4:13: found 'words', expected lines or path",
        "s.yaml:4:34: found '2', expected a number from 0 to 1",
        "s.yaml:3:4: found '0', expected a whole number, 1 or more",
        f"s.yaml:10:5: found the key 'tag', expected one of {keys}; did you mean tags?",
        (
            "s.yaml:8:9: found 'a:b.md', a stray ':', expected path, path:10-50, "
            "path#Heading or path::symbol; "
            "lines are path:10-50, a symbol is path::name, a : inside a path is %3A"
        ),
        "s.yaml:9:13: found '-1', expected a number above 0",
        "s.yaml:11:5: found a case without a query, expected a query",
        (
            "s.yaml:12:13: found 'nothing', expected empty, or {max_score: 2.0}; "
            "an expected result is written as at, id or quote"
        ),
        "s.yaml:14:16: found grade 4, expected at most 3, the top of the scale",
        "s.yaml:14:25: found 'good', expected a number as the grade",
        (
            "s.yaml:16:10: found 'a.md', expected a mapping of within, or of at, id or quote and within; "
            "such as {at: keys.md, within: 3}"
        ),
        "s.yaml:15:35: found 'soon', expected a date, YYYY-MM-DD",
        (
            "s.yaml:19:5: found nothing, expected a location, a list of locations, "
            "or a mapping of locations to grades"
        ),
        "s.yaml:21:11: found 'n' a second time, first in line 18, expected a name of its own",
        "s.yaml:22:13: found expect: empty beside id, expected one of the two",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "s.yaml: found an empty file, expected a suite; the least is a list of cases"),
        (
            "- a\n",
            (
                "s.yaml:1:1: found a list, expected a mapping with cases; "
                "the least is cases:, and below it - query: and at:"
            ),
        ),
        ("name: x\n", "s.yaml:1:1: found a suite without cases, expected cases"),
        (
            "cases: []\n",
            "s.yaml:1:8: found an empty list, expected a list of cases; the least is - query: and at:",
        ),
        ("cases: [q]\n", "s.yaml:1:9: found 'q', expected a case: a mapping with a query"),
        (
            f"version: 2\n{CASE}",
            (
                "s.yaml:1:10: found version '2', expected 1; a later version of the "
                "format needs a later rankgate"
            ),
        ),
        (f"k: '5'\n{CASE}", "s.yaml:1:4: found '5', expected a whole number, 1 or more"),
        (
            f"scale: '5'\n{CASE}",
            "s.yaml:1:8: found '5', expected a number, the top of the scale; remove the quotes",
        ),
        (f"scale: .inf\n{CASE}", "s.yaml:1:8: found '.inf', expected a number, the top of the scale"),
        (
            f"name: null\n{CASE}",
            "s.yaml:1:7: found nothing, expected a name; put it in quotes if the word is meant",
        ),
        (f"{CASE}{CASE}", "s.yaml:2:1: found 'cases' a second time, first in line 1, expected each key once"),
        (
            "cases: [{query: !!python/object/apply:os.system [ls]}]\n",
            (
                "s.yaml:1:17: found the tag !!python/object/apply:os.system, expected a value without a tag; "
                "a suite is data; remove the tag"
            ),
        ),
        (
            "cases: [{query: q, any_of: [a.md, b.md]}]\n",
            (
                "s.yaml:1:29: found 'a.md', expected a list of alternatives; one group "
                "of two is any_of: [[a.md, b.md]]"
            ),
        ),
        (
            "cases: [{query: q, id: [{grade: 2}]}]\n",
            "s.yaml:1:25: found neither at nor id nor quote, expected one of them",
        ),
        (
            f"gates: [{{metric: rr, min: 1}}]\n{CASE}",
            "s.yaml:1:9: found a mapping, expected a gate, such as ndcg@10 >= 0.65",
        ),
        (
            f"map: [{{from: '(', to: x}}]\n{CASE}",
            (
                "s.yaml:1:7: found '(' (missing ), unterminated subpattern at position 0), "
                "expected a regular expression"
            ),
        ),
        (
            f"map: [{{from: '(.*)', to: '\\2.md'}}]\n{CASE}",
            (
                r"s.yaml:1:7: found '\\2.md' (invalid group reference 2 at position 1), expected a template; "
                r"the pattern has 1 groups; write \1 or \g<name> for them"
            ),
        ),
        (
            f"scenarios: [x]\n{CASE}",
            "s.yaml:1:13: found 'x', expected a scenario: a mapping with a name and steps",
        ),
        (
            f"? [a, b]\n: c\n{CASE}",
            (
                "s.yaml:1:3: found a list, expected a word as a key; put quotes around "
                "text that starts with [ or {"
            ),
        ),
        (
            "cases: [\n",
            (
                "s.yaml:2:1: found what is not YAML (while parsing a flow node "
                "expected the node content, but found "
                "'<stream end>'), expected YAML; text with ': ' or ' #' in it, or that starts with one of "
                "*&!%@`[{|>, needs quotes"
            ),
        ),
        (
            "a: &a [*a]\n",
            "s.yaml:1:4: found a value that holds itself, expected at most 100 levels",
        ),
    ],
)
def test_a_problem_says_where_what_and_how(text: str, told: str) -> None:
    assert problems(text)[0] == told


def test_aliases_that_unfold_without_end_are_refused() -> None:
    layers = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    assert problems("a0: &a0 [x]\n" + "\n".join(layers)) == [
        (
            "s.yaml:1:1: found aliases that unfold into too many values, expected "
            "at most 100000 more values than "
            "are written; write the values out"
        )
    ]


@pytest.mark.parametrize("depth", [200, 100_000])
def test_deep_nesting_is_refused(depth: int) -> None:
    assert "nested too deeply" in problems("a: " + "[" * depth + "]" * depth)[0]


def test_problems_beyond_twenty_are_counted() -> None:
    told = problems("cases:\n" + "- {query: q, weight: 0}\n" * 30)
    assert len(told) == 21
    assert told[-1] == "s.yaml: found 10 more problems, expected none; correct the first 20"
