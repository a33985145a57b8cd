"""The HTML report of a test: its sections, its size, and text that is never markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote
from xml.etree.ElementTree import Element

import cmarkgfm
import html5lib
import pytest
from cmarkgfm.cmark import Options

from rankgate.report import Report
from rankgate.reports import compare_formats, json_report
from rankgate.reports.html.page import CARDS, FOLDED_CARDS, ROWS, render
from support import page_reports
from support.hostile_strings import COMMANDS, CONTROLS, HTML, MARKDOWN
from support.reports import every_report

EVERY = {
    **every_report(),
    **{
        make.__name__: make()
        for make in (
            page_reports.failed,
            page_reports.passed,
            page_reports.no_baseline,
            page_reports.products,
        )
    },
    **{make.__name__: make() for make in (page_reports.invalid, page_reports.refused)},
}
FAILED = EVERY["failed"]
UNSAFE = Options.CMARK_OPT_UNSAFE


def parsed(text: str) -> Element:
    """Parse a page; invalid HTML is an error."""
    parser = html5lib.HTMLParser(html5lib.getTreeBuilder("etree"), strict=True, namespaceHTMLElements=False)
    found: Element = parser.parse(text)
    return found


SVG = "{http://www.w3.org/2000/svg}"


def words(node: Element) -> str:
    return " ".join(" ".join(node.itertext()).split())


def by_id(tree: Element) -> dict[str, Element]:
    return {node.attrib["id"]: node for node in tree.iter() if "id" in node.attrib}


@pytest.mark.parametrize("name", EVERY)
def test_page_is_valid_and_refers_to_nothing_outside(name: str) -> None:
    tree = parsed(render(EVERY[name]))
    ids = [node.attrib["id"] for node in tree.iter() if "id" in node.attrib]
    assert len(ids) == len(set(ids))
    assert len(list(tree.iter("h1"))) == 1
    for node in tree.iter():
        assert node.tag not in ("link", "iframe", "form", "base")
        assert not {"srcset", "style", "action"} & set(node.attrib)
        assert node.attrib.get("src", "data:image/").startswith("data:image/")
        if node.attrib.get("rel") == "noreferrer":
            assert node.attrib["href"].startswith("https://")
        elif "href" in node.attrib:
            assert node.attrib["href"].removeprefix("#") in ids
    style = next(tree.iter("style")).text or ""
    assert "@import" not in style
    assert all(found.startswith('"data:') for found in re.findall(r"url\((.{9})", style))


@pytest.mark.parametrize("name", EVERY)
def test_policy_allows_the_own_style_and_script_only(name: str) -> None:
    tree = parsed(render(EVERY[name]))
    (policy,) = [node.attrib["content"] for node in tree.iter("meta") if "http-equiv" in node.attrib]
    own = [node for node in tree.iter() if node.tag in ("style", "script") and "type" not in node.attrib]
    digests = [base64.b64encode(hashlib.sha256((node.text or "").encode()).digest()).decode() for node in own]
    assert re.findall(r"'sha256-(.+?)'", policy) == digests
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy


@pytest.mark.parametrize("name", EVERY)
def test_report_read_from_json_has_the_same_page(name: str, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(json_report.render(EVERY[name]), encoding="utf-8")
    assert render(*json_report.read(path)) == render(EVERY[name])


def test_failed_page_has_its_sections_in_order() -> None:
    tree = parsed(render(FAILED))
    assert [words(node) for node in tree.iter("h2")] == [
        "Next",
        "Queries to look at 7",
        "Gates that did not pass",
        "Recommendations",
        "Gates 3",
        "Improved queries 2",
        "Other lowest queries 5",
        "Categories 4",
        "Scenarios and invariants 1",
        "All queries 20",
        "Notes",
        "Provenance",
    ]
    folded = [node.attrib["id"] for node in tree.iter("details") if node.attrib.get("class") == "part"]
    assert folded == [
        "gates",
        "improved",
        "lowest",
        "slices-category",
        "probes",
        "all",
        "notes",
        "provenance",
    ]


@pytest.mark.parametrize("time", ["2026-11-19T14:03:26+00:00", "2026-11-19 14:03:26 UTC"])
def test_page_shows_the_time_of_the_test(time: str) -> None:
    header = next(parsed(render(replace(FAILED, time=time))).iter("header"))
    assert words(header).endswith("search.yaml · 2026-11-19 14:03:26 UTC")


def test_card_shows_what_changed_about_a_query() -> None:
    tree = parsed(render(FAILED))
    card = by_id(tree)["q-add-an-option-with-a-default-value"]
    text = words(card)
    assert "rank 1 → 4 ndcg@10 1.000 → 0.431" in text
    assert "expected docs/api/ options.md:3-21 › Usage rank 4, was 1" in text
    assert "first docs/guide/ passwords.md:43-61 › Passwords" in text
    assert "values" in [words(node) for node in card.iter("mark")]
    before, now = card.iter("ol")
    assert (len(before), len(now)) == (10, 10)
    assert words(now[3]).endswith("was 1")
    assert len([path for path in card.iter(f"{SVG}path") if "relevant" in path.attrib["class"]]) == 1


def test_every_query_has_a_link() -> None:
    ids = by_id(parsed(render(FAILED)))
    assert {f"q-{quote(case.name, safe='')}" for case in FAILED.cases} <= set(ids)


def test_sections_without_content_do_not_exist() -> None:
    tree = parsed(render(EVERY["no_gates"]))
    assert [words(node) for node in tree.iter("h2")] == ["Next", "All queries 20"]
    assert not list(tree.iter(f"{SVG}svg"))
    tree = parsed(render(EVERY["crashed"]))
    assert [words(node) for node in tree.iter("h2")] == []


def test_invalid_report_shows_every_problem() -> None:
    report = EVERY["invalid"]
    tree = parsed(render(report))
    assert [node.text for node in tree.iter("pre")] == list(report.problems)
    assert words(next(tree.iter("h1"))) == "2 problems in search.yaml (exit code 2)"


def test_plots_have_a_bar_per_changed_query_and_the_history() -> None:
    tree = parsed(render(FAILED))
    plots = {node.attrib.get("class"): node for node in tree.iter(f"{SVG}svg")}
    assert plots["bars"].attrib["aria-label"] == "Change of ndcg@10 per query: 7 regressed, 2 improved"
    titles = [words(node) for node in plots["bars"].iter(f"{SVG}title")]
    assert titles[0] == "progress bar in a long loop: 1.000 → 0.000"
    assert titles[-1] == "what is a context object: 0.500 → 1.000"
    assert len(plots["line"].findall(f"{SVG}polyline")[0].attrib["points"].split()) == 7
    assert len(list(by_id(tree)["slices-category"].iter(f"{SVG}svg"))) == 4


@pytest.mark.parametrize("details", [True, False])
def test_page_of_2000_queries_is_at_most_4_megabytes(details: bool) -> None:
    text = render(page_reports.failed(2000, details=details))
    assert len(text.encode()) <= 4_000_000
    assert text.count("<li data-words=") == 2000
    shown, _, later = text.partition('<script type="application/json" id="bodies">')
    assert len(re.findall(r"<\w", shown)) < 60_000
    cards = shown.count("<article")
    assert cards == CARDS + FOLDED_CARDS
    assert json.loads(later[: later.index("</script>")]).count(None) == cards
    left_out = re.search(
        r"To limit the size of this page, the rankings of ([\d,]+) queries are left out", text
    )
    assert left_out is not None
    assert int(left_out[1].replace(",", "")) < 2000 - cards


def test_more_queries_than_a_page_lists_are_counted() -> None:
    text = render(page_reports.failed(ROWS + 60, details=False))
    assert text.count("<li data-words=") == ROWS
    assert text.count("<p>60 queries are only in the JSON report.</p>") == 1


# --- injection ---------------------------------------------------------------------------------------------


def with_text(value: Any, report: Random | None) -> Any:
    """Return a report with hostile strings around each text, or plain words."""
    if (
        isinstance(value, str)
        and not isinstance(value, Enum)
        and value not in ("", "%", "ms", "count", "category")
    ):
        if report is None:
            return value
        return f"{report.choice(STRINGS)}{value}{report.choice(STRINGS)}"
    if isinstance(value, tuple):
        return tuple(with_text(one, report) for one in value)
    if isinstance(value, dict):
        return {with_text(key, report): with_text(one, report) for key, one in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        kept = (
            "values",
            "before",
            "history",
            "metric",
            "primary",
            "attention",
            "queries",
            "new",
            "unstable",
            "name",
        )
        return replace(
            value,
            **{
                one.name: with_text(getattr(value, one.name), report)
                for one in fields(value)
                if one.name not in kept
            },
        )
    return value


STRINGS = [*COMMANDS, *CONTROLS, *HTML, *MARKDOWN]


def elements(report: Report) -> set[tuple[str, tuple[str, ...]]]:
    return elements_of(render(report))


def elements_of(text: str) -> set[tuple[str, tuple[str, ...]]]:
    bodies = by_id(parsed(text)).get("bodies")
    if bodies is not None:
        text = "".join(filter(None, json.loads(bodies.text or "")))
    tree = html5lib.parse(text, treebuilder="etree", namespaceHTMLElements=False)
    return {(str(node.tag), tuple(sorted(node.attrib))) for node in tree.iter()}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", ["failed", "everything", "missing_targets", "unlocated", "products"])
def test_hostile_text_is_never_markup(name: str, seed: int) -> None:
    hostile = with_text(EVERY[name], Random(seed))
    own = elements(EVERY[name]) | {("mark", ()), ("span", ("class",)), ("span", ("class", "data-label"))}
    assert elements(hostile) <= own
    text = render(hostile)
    assert not {char for char in text if not char.isprintable() and char not in "\n\t\u200c\u200d"}


def test_hostile_text_of_a_long_list_stays_in_its_data() -> None:
    report = page_reports.failed(210)
    hostile = with_text(report, Random(1))
    tree = parsed(render(hostile))
    assert sum(1 for _ in tree.iter("script")) == 2
    assert elements(hostile) <= elements(report) | {("span", ("class",))}


@pytest.mark.parametrize(
    "value",
    [
        'https://example.org/"><script>alert(1)</script>',
        'data:image/png;base64,AAAA" onerror="alert(1)',
        "data:text/html;base64,AAAA",
        "javascript:alert(1)",
    ],
)
def test_fields_of_results_are_no_markup_and_no_script(value: str) -> None:
    case = FAILED.cases[0]
    hits = tuple(replace(hit, fields={"image": value}) for hit in case.hits)
    tree = parsed(render(replace(FAILED, cases=(replace(case, hits=hits),), attention=())))
    assert sum(1 for _ in tree.iter("script")) == 1
    assert not list(tree.iter("img"))
    outside = {node.attrib["href"] for node in tree.iter("a") if not node.attrib["href"].startswith("#")}
    assert outside == ({value} if value.startswith("https:") else set())


def test_names_of_any_characters_are_links() -> None:
    name = 'a "quote" & <b> %41 / ünï'
    report = replace(FAILED, cases=(replace(FAILED.cases[0], name=name),), attention=(name,))
    tree = parsed(render(report))
    (target,) = [node.attrib["id"] for node in tree.iter("article")]
    assert target == "q-a%20%22quote%22%20%26%20%3Cb%3E%20%2541%20%2F%20%C3%BCn%C3%AF"


@pytest.mark.parametrize("seed", range(3))
def test_hostile_text_of_a_comparison_is_text(seed: int) -> None:
    report = page_reports.compared()
    hostile = with_text(report, Random(seed))
    own = elements_of(compare_formats.render(report, "html")) | {("mark", ()), ("span", ("class",))}
    assert elements_of(compare_formats.render(hostile, "html")) <= own
    for style in ("terminal", "markdown", "html"):
        text = compare_formats.render(hostile, style)
        assert not {char for char in text if not char.isprintable() and char not in "\n\t\u200c\u200d"}, style
    shown = cmarkgfm.github_flavored_markdown_to_html(compare_formats.render(hostile, "markdown"), UNSAFE)
    plain = cmarkgfm.github_flavored_markdown_to_html(compare_formats.render(report, "markdown"), UNSAFE)
    tags = {node.tag for node in html5lib.parse(plain, namespaceHTMLElements=False).iter()}
    found = html5lib.parse(shown, namespaceHTMLElements=False).iter()
    assert {node.tag for node in found if not callable(node.tag)} <= tags
