"""The data of `just bench-carried`: lists of later releases, and a sample of targets that was read."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from packaging.version import Version

import rankgate as rg
from carried_sample import EACH, Checked, read_sample
from carried_suites import PAGE, STEPS, SUITES
from page_tables import read_tables
from release_documents import ROOT


def versions(suite: str, file: str) -> dict[str, Version]:
    lines = (ROOT / "suites" / suite / file).read_text(encoding="utf-8").splitlines()
    found = [re.fullmatch(r"([\w.-]+)==(\S+) --hash=sha256:[0-9a-f]{64}", line) for line in lines]
    return {each[1]: Version(each[2]) for each in found if each is not None}


@pytest.mark.parametrize("suite", SUITES)
def test_each_list_has_the_projects_of_the_suite_in_later_releases(suite: str) -> None:
    first, minor, major = (
        versions(suite, f"{one}.txt") for one in ("releases", "later-minor", "later-major")
    )
    assert list(first) == list(minor) == list(major)
    for name, version in first.items():
        assert minor[name] > version, name
        assert (minor[name].major, major[name].major) == (version.major, version.major + 1), name


def test_the_sample_is_of_targets_that_the_suites_have_each_read_once() -> None:
    sample = read_sample()
    assert len(sample) == sum(EACH.values()) * len(SUITES) * len(STEPS)
    assert len({(each.suite, each.step, each.at) for each in sample}) == len(sample)
    for name in SUITES:
        suite = rg.load_suite(ROOT / "suites" / name / f"{name}.yaml")
        known = {str(target.location) for case in suite.cases for target in case.targets}
        assert {each.at for each in sample if each.suite == name} <= known, name
    assert set(Counter(each.step for each in sample)) == set(STEPS)


def test_what_is_wrong_or_gone_says_where_the_target_is() -> None:
    for each in read_sample():
        assert (each.place is None) == (each.found == "gone"), each.at
        assert each.note or each.found in ("same", "edited"), each.at


def test_a_count_has_its_exact_bound() -> None:
    # 0.05 ** (1 / 72) is the bound of Clopper and Pearson where all are right.
    assert Checked({"rewritten": [True] * 72}, []).counted("rewritten") == "72 of 72, at least 95.9%"
    assert Checked({}, []).counted("rewritten") == "0 of 0"


def test_the_page_has_every_suite_and_step() -> None:
    tables = read_tables(PAGE.read_text(encoding="utf-8"))
    rows = [line.split(" | ")[:2] for line in tables["carried"].splitlines()[2:-1]]
    assert [[cell.strip("| ") for cell in row] for row in rows] == [[a, b] for a in SUITES for b in STEPS]
    assert tables["carried-sample"].count("of") >= 5
