"""The guide to corpora: every kind is in it, and every example is a suite that can be read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rankgate.corpora.cache import LARGEST
from rankgate.corpora.corpus import GROUP
from rankgate.plugins import listed
from rankgate.suites.native import parse_suite
from support.repository import ROOT

GUIDE = (ROOT / "docs" / "corpora.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##)", GUIDE, re.MULTILINE | re.DOTALL))


def test_every_kind_has_its_section_and_its_row() -> None:
    assert sorted(SECTIONS) == sorted(listed(GROUP))
    assert re.findall(r"^\| \[(\w+)\]", GUIDE, re.MULTILINE) == list(SECTIONS)


@pytest.mark.parametrize("kind", SECTIONS)
def test_an_example_names_a_corpus_of_its_kind(kind: str) -> None:
    (example,) = re.findall(r"^```yaml\n(.*?)^```", SECTIONS[kind], re.MULTILINE | re.DOTALL)
    suite = parse_suite(example, Path("guide.yaml"))
    assert suite.corpus is not None
    assert suite.corpus.kind == kind


def test_the_limits_are_those_that_hold() -> None:
    assert f"more than {LARGEST >> 30} GiB" in GUIDE
