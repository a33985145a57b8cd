"""`view` of three systems with one run each had check boxes and no way to compare them."""

from __future__ import annotations

import json
from contextlib import chdir
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.reports.page.document import own_assets
from rankgate.web.catalogue import Catalogue
from rankgate.web.evaluations import EvaluationSite
from support.commands import rankgate
from support.projects import three_systems
from support.written_pages import page_data

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ["worst", "middle", "best"]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return three_systems(tmp_path_factory.mktemp("view") / "project")


def compared(project: Path, *names: str) -> dict[str, Any]:
    catalogue = Catalogue.of(project)
    keys = {pair.system: pair.records[0].key for pair in catalogue.index().suites}
    page = EvaluationSite(catalogue, own_assets()).page("/compare/" + "/".join(keys[name] for name in names))
    return dict(page_data(page.decode()))


def test_the_systems_of_a_suite_stand_best_first(project: Path) -> None:
    pairs = Catalogue.of(project).index().suites
    assert [(pair.suite, pair.system) for pair in pairs] == [
        ("search", "best"), ("search", "middle"), ("search", "worst"),
    ]  # fmt: skip


def test_all_three_are_compared_with_the_first_on_a_page_of_their_own(project: Path) -> None:
    page = compared(project, *NAMES)
    assert page["kind"] == "comparison"
    assert "report" not in page
    assert [system["name"] for system in page["systems"]] == NAMES
    assert [row["name"] for row in page["board"]["rows"]] == ["best", "middle", "worst"]
    # Of 12 queries worst finds 5, middle 9 and best all.
    differences = [report["rows"][0]["numbers"]["difference"] for report in page["reports"]]
    assert differences == pytest.approx([4 / 12, 7 / 12])


def test_several_claims_are_corrected_as_compare_corrects_them(project: Path) -> None:
    page = compared(project, *NAMES)
    with chdir(project):
        found = json.loads(rankgate("compare", *NAMES, "--format", "json").printed())["comparisons"]
    for kept, asked in zip(page["reports"], found, strict=True):
        assert kept["rows"][0]["finding"] == asked["rows"][0]["finding"]
        assert kept["rows"][0]["numbers"]["p"] == asked["rows"][0]["numbers"]["p"]
        assert kept["headline"] == asked["headline"]
        assert kept["transitions"] == asked["transitions"]


def test_compare_writes_the_same_page_to_a_file(project: Path) -> None:
    with chdir(project):
        assert rankgate("compare", *NAMES, "--format", "html", "-o", "compare.html").printed() == ""
        written = page_data((project / "compare.html").read_text(encoding="utf-8"))
    served = compared(project, *NAMES)
    for name in ("suite", "board", "slices"):
        assert written[name] == served[name]
    asked, kept = ({query["case"]: query for query in page["asked"]} for page in (written, served))
    assert asked.keys() == kept.keys()
    for case, query in asked.items():
        assert query["expected"] == kept[case]["expected"]
        for one, other in zip(query["answers"], kept[case]["answers"], strict=True):
            assert (one["values"], one["shown"], one["first"]) == (
                other["values"], other["shown"], other["first"],
            )  # fmt: skip
            assert [hit["location"] for hit in one["hits"]] == [hit["location"] for hit in other["hits"]]
            assert [hit["mark"] for hit in one["hits"]] == [hit["mark"] for hit in other["hits"]]


def test_categories_stand_worst_first_with_their_means(project: Path) -> None:
    # c0 has the even topics: of 0, 2, 4, 6, 8, 10 middle finds 4 and worst 2; of the odd ones 5 and 3.
    (rows,) = compared(project, "middle", "worst")["slices"]
    found = [(row["name"], row["cases"], row["before"], row["after"], row["way"]) for row in rows]
    assert found == [("c0", 6, "0.6667", "0.3333", "worse"), ("c1", 6, "0.8333", "0.5000", "worse")]


def test_queries_stand_with_the_widest_difference_first(project: Path) -> None:
    page = compared(project, "worst", "best")
    apart = [query["answers"][1]["values"][0] - query["answers"][0]["values"][0] for query in page["asked"]]
    assert apart == sorted(apart, reverse=True)
    assert sum(apart) == pytest.approx(7)
