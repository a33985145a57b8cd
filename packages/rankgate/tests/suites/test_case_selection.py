"""The cases of a suite that ``rankgate test --only`` selects."""

from __future__ import annotations

from rankgate.model import Case, Suite
from rankgate.suites.suite_part import CaseSelection


def test_only_with_a_tag_selects_its_cases() -> None:
    suite = Suite("s", (Case("a", "one", tags=frozenset({"half=test"})), Case("b", "two")))
    assert [case.id for case in CaseSelection(None, ("half=test",)).of(suite).cases] == ["a"]
