"""The pairs that were labelled blind: that they are what METHOD.md says."""

from __future__ import annotations

import hashlib

import rankgate as rg
from reference_support.labelled_pairs import METHOD, SUITES, agreement_table, read_labels, read_pairs


def test_half_of_the_pairs_were_found_and_not_judged_and_all_are_labelled_twice() -> None:
    pairs = read_pairs()
    assert len(pairs) >= 200
    assert 2 * sum(pair.grade is None for pair in pairs) == len(pairs)
    for who in "ab":
        labels = read_labels(who)
        assert labels.keys() == {pair.pair for pair in pairs}
        assert set(labels.values()) <= {0, 1, 2, 3}


def test_what_was_labelled_still_says_what_it_said() -> None:
    suites = {name: rg.load_suite(SUITES / name / f"{name}.yaml") for name in ("handbook", "operations")}
    opened = {
        name: rg.open_source(suite.corpus, rg.OpenContext(SUITES / name, SUITES / name))
        for name, suite in suites.items()
        if suite.corpus is not None
    }
    cases = {(name, case.id) for name, suite in suites.items() for case in suite.cases}
    for pair in read_pairs():
        assert (pair.suite, pair.case) in cases
        name, _, lines = pair.place.partition(":")
        text = opened[pair.suite].text(name)
        if lines:
            start, end = map(int, lines.split("-"))
            text = "\n".join(text.split("\n")[start - 1 : end])
        assert hashlib.sha256(text.encode()).hexdigest()[:16] == pair.text, pair


def test_the_table_is_that_of_the_labels() -> None:
    assert agreement_table() in METHOD.read_text(encoding="utf-8")
