"""The suites over pinned releases: nothing is wrong with them, and their halves are what the seed gives."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

import suite_counts
from page_tables import read_tables, rows_of
from rankgate.suites.formats import load_suite
from rankgate.sweeps.held_out import drawn_share
from rankgate.truth.lint.check import marked
from suite_ground import PLANS, SUITES
from suite_halves import SEED, half_of, halves
from support.commands import rankgate

if TYPE_CHECKING:
    from rankgate import Suite

PINNED = ("code", "docs", "ratings")
DRAWN = {"code": "82cd3af304621fa5", "docs": "101def9fc8db7480", "ratings": "d9ed331965ffb9e4"}
"""The hash of the half of every case, by its id."""


@pytest.fixture(scope="module", params=PINNED)
def suite(request: pytest.FixtureRequest) -> Suite:
    return load_suite(SUITES / request.param / f"{request.param}.yaml")


# `just pinned-suites` lints all three in CI.
@pytest.mark.long
def test_nothing_is_found_wrong_with_it_and_every_anchor_is_that_of_its_text(suite: Suite) -> None:
    assert "no problems" in rankgate("suite", "lint", "--strict", str(suite.path)).printed()
    assert rankgate("suite", "fix", "--check", str(suite.path)).code == 0


def test_the_halves_are_drawn_by_the_seed_and_alike(suite: Suite) -> None:
    found = halves(suite)
    assert set(found) == {case.id for case in suite.cases}
    counts = Counter(found.values())
    assert abs(counts["development"] - counts["test"]) <= 1
    strata: dict[tuple[str, bool], list[str]] = {}
    for case in suite.cases:
        strata.setdefault((str(case.category), marked(case, "hard")), []).append(case.id)
    for ids in strata.values():
        each = Counter(found[name] for name in ids)
        assert abs(each["development"] - each["test"]) <= 1
        # In the order that the seed gives, the two take turns.
        turns = [found[name] for name in sorted(ids, key=lambda name: drawn_share(name, SEED))]
        assert all(one != other for one, other in pairwise(turns))


def test_a_half_has_its_own_cases_alone(suite: Suite) -> None:
    parts = [half_of(suite, half) for half in ("development", "test")]
    ids = [{case.id for case in part.cases} for part in parts]
    assert not ids[0] & ids[1]
    assert ids[0] | ids[1] == {case.id for case in suite.cases}


def test_the_halves_are_those_that_were_drawn_before_any_system_was_asked(suite: Suite) -> None:
    # Another seed, hash or division would let somebody choose what is tuned on.
    drawn = json.dumps(sorted(halves(suite).items())).encode()
    assert hashlib.sha256(drawn).hexdigest()[:16] == DRAWN[suite.name]


def test_each_case_says_its_half(suite: Suite) -> None:
    said = {case.id: [tag for tag in case.tags if tag.startswith("half=")] for case in suite.cases}
    assert said == {name: [f"half={half}"] for name, half in halves(suite).items()}


def test_code_and_ratings_search_the_same_files_of_the_same_releases() -> None:
    code, ratings = (load_suite(SUITES / name / f"{name}.yaml") for name in ("code", "ratings"))
    assert code.corpus == ratings.corpus
    texts = [(SUITES / name / "releases.txt").read_text(encoding="utf-8") for name in ("code", "ratings")]
    assert texts[0] == texts[1]
    assert len(texts[0].splitlines()) == 6


def test_only_these_are_asked_by_halves() -> None:
    assert {plan.name: plan.half for plan in PLANS if plan.half} == dict.fromkeys(PINNED, "development")


def test_the_counts_on_the_page_are_those_of_the_suites() -> None:
    page = (SUITES / "METHOD.md").read_text(encoding="utf-8")
    assert read_tables(page)[suite_counts.TABLE] == suite_counts.counts_table()
    assert [row["suite"] for row in rows_of(suite_counts.counts_table())] == [plan.name for plan in PLANS]
