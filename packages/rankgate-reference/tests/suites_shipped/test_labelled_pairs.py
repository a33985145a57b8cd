"""The pairs that were labelled blind: that they are what METHOD.md says."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

import pytest

import rankgate as rg
from reference_support.labelled_pairs import (
    LABELS,
    METHOD,
    RELEASES,
    SUITES,
    agreement_table,
    read_labels,
    read_pairs,
)

if TYPE_CHECKING:
    from pathlib import Path

PAGES = {LABELS: METHOD, RELEASES: SUITES / "RELEASES.md"}


def test_half_of_the_pairs_were_found_and_not_judged() -> None:
    pairs = read_pairs()
    assert len(pairs) >= 200
    assert 2 * sum(pair.grade is None for pair in pairs) == len(pairs)


def test_a_hundred_pairs_of_each_suite_over_releases_were_drawn() -> None:
    assert min(Counter(pair.suite for pair in read_pairs(RELEASES)).values()) >= 100


@pytest.mark.parametrize("folder", PAGES, ids=lambda folder: folder.name)
def test_all_pairs_are_labelled_twice(folder: Path) -> None:
    pairs = read_pairs(folder)
    for who in "ab":
        labels = read_labels(who, folder)
        assert labels.keys() == {pair.pair for pair in pairs}
        assert set(labels.values()) <= {0, 1, 2, 3}


@pytest.mark.parametrize("folder", PAGES, ids=lambda folder: folder.name)
def test_what_was_labelled_still_says_what_it_said(folder: Path) -> None:
    names = {pair.suite for pair in read_pairs(folder)}
    suites = {name: rg.load_suite(SUITES / name / f"{name}.yaml") for name in names}
    opened = {
        name: rg.open_source(suite.corpus, rg.OpenContext(SUITES / name, SUITES / name))
        for name, suite in suites.items()
        if suite.corpus is not None
    }
    cases = {(name, case.id) for name, suite in suites.items() for case in suite.cases}
    for pair in read_pairs(folder):
        assert (pair.suite, pair.case) in cases
        name, _, lines = pair.place.partition(":")
        text = opened[pair.suite].text(name)
        if lines:
            start, end = map(int, lines.split("-"))
            text = "\n".join(text.split("\n")[start - 1 : end])
        assert hashlib.sha256(text.encode()).hexdigest()[:16] == pair.text, pair


@pytest.mark.parametrize("folder", PAGES, ids=lambda folder: folder.name)
def test_the_table_is_that_of_the_labels(folder: Path) -> None:
    assert agreement_table(folder) in PAGES[folder].read_text(encoding="utf-8")
