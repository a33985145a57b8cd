"""The comment as GitHub shows it: how many lines a reviewer sees, and what they say."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import cmarkgfm
import html5lib
import pytest
from cmarkgfm.cmark import Options

from rankgate.model import Case
from rankgate.reports.evaluation import github_comment, markdown
from rankgate.reports.text.shortening import last_part, told_apart_texts
from support.builders import at
from support.evaluations import evaluated, target
from support.reported import HOSTILE, everything

if TYPE_CHECKING:
    from rankgate.reports.evaluation.report import EvaluationReport

MOST_LINES = 40
PASS_LINES = 3


def rendered(text: str) -> str:
    """Render Markdown as GitHub does, but for what it takes out afterwards."""
    return str(cmarkgfm.github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE))


def seen_lines(text: str) -> list[str]:
    """Return the lines that a reader sees with every fold closed: rows, items, lines of code, paragraphs."""
    page = re.sub(
        r"<details>\s*<summary>(.*?)</summary>.*?</details>", r"<p>▸ \1</p>", rendered(text), flags=re.DOTALL
    )
    assert "<details" not in page
    tree = html5lib.parse(page, treebuilder="etree", namespaceHTMLElements=False)
    lines: list[str] = []
    for node in tree.iter():
        if node.tag in ("p", "li", "h1", "h2", "h3", "tr"):
            lines.append(" ".join("".join(node.itertext()).split()))
        elif node.tag == "pre":
            lines += "".join(node.itertext()).rstrip("\n").split("\n")
    return lines


def suite_of(queries: int, lost: int, won: int) -> EvaluationReport:
    """A suite of so many queries, of which some were lost and some won since the baseline."""
    cases = [
        Case(
            f"case-{number:03}",
            f"how does billing handle the {number}th refund of a customer who has moved to another country",
            (target(f"docs/billing/refunds/page{number}.md"),),
            category=f"kind {number % 7}",
            where=f"search.yaml:{number * 3 + 9}:3",
        )
        for number in range(queries)
    ]
    other = [at(f"docs/news/item{number}.md", 1, 9) for number in range(9)]
    found = {case.id: [at(case.targets[0].location.path or "", 1, 20), *other[:8]] for case in cases}
    now = found | {case.id: list(other) for case in cases[:lost]}
    before = found | {case.id: other[:3] for case in cases[lost : lost + won]}
    made, old = (evaluated(cases, one, metrics=["ndcg@10", "rr"], name="handbook") for one in (now, before))
    gates = [f"ndcg@10 >= {bar}" for bar in ("0.97", "0.971", "0.972", "0.973", "0.974", "0.2")]
    gates += ["lost(10 -> absent@10) = 0", "drop(ndcg@10) < 0.01"]
    return made.report(*gates, against=made.since(old))


@pytest.fixture(scope="module")
def failed() -> EvaluationReport:
    return suite_of(300, 12, 5)


def test_a_comment_on_300_queries_with_12_lost_has_at_most_40_lines(failed: EvaluationReport) -> None:
    lines = seen_lines(github_comment.render(failed, url="https://ci.example.org/1"))
    assert len(lines) <= MOST_LINES, len(lines)
    assert "12 lost, 5 won" in lines[0]
    assert sum(line.startswith("❌") for line in lines[1:]) == 4
    assert any(line == "✅ 1 gate passed" for line in lines)
    table = [line for line in lines if line.startswith(("lost how does billing", "won how does billing"))]
    assert len(table) == 10
    assert table == sorted(table)
    assert "rank 1 → not in the top 9 docs/billing/refunds/page0.md docs/news/item0.md:1-9" in table[0]
    assert "… 4 more broke, 3 more won." in lines
    assert "- 1  docs/billing/refunds/page0.md:1-20  ← expected" in lines
    assert sum(line.startswith("▸") for line in lines) == 2
    assert any("Report" in line for line in lines)


def test_the_job_summary_is_as_short(failed: EvaluationReport) -> None:
    text = github_comment.render(failed, limit=1 << 20, marked=False)
    assert text.startswith("### ❌ handbook · bm25: 12 queries no longer find their page")
    assert len(seen_lines(text)) <= MOST_LINES


def test_the_file_begins_with_the_same_lines_and_has_everything(failed: EvaluationReport) -> None:
    short, whole = (seen_lines(text) for text in (github_comment.render(failed), markdown.render(failed)))
    until = next(at for at, line in enumerate(short) if line.startswith("…"))
    assert whole[:until] == short[:until]
    text = markdown.render(failed)
    for heading in ("Gates", "Metrics", "12 queries that broke", "By category", "Run details"):
        assert f"\n## {heading}\n" in text


def test_a_pass_is_three_lines_and_a_fold() -> None:
    lines = seen_lines(github_comment.render(suite_of(126, 0, 0), url="https://ci.example.org/1"))
    assert [line for line in lines if not line.startswith("▸")] == lines[:PASS_LINES]
    assert lines[0] == "✅ handbook · bm25: 8 gates passed"
    assert "126 queries are unchanged" in lines[1]
    assert len(lines) == PASS_LINES + 1


def test_several_reports_have_a_line_each_first(failed: EvaluationReport) -> None:
    passed = replace(suite_of(30, 0, 0), title="operations")
    lines = seen_lines(github_comment.render(passed, failed))
    assert lines[0] == "✅ operations · bm25: 8 gates passed"
    assert lines[1].startswith("❌ handbook · bm25: 12 queries")
    assert lines[2] == lines[1]
    assert "▸ ✅ operations · bm25: 8 gates passed" in lines


@pytest.mark.parametrize(
    ("url", "linked"),
    [
        ("https://ci.example.org/runs/1?a=b&c=d#x", True),
        ("https://ci.example.org/a> [x](http://evil.test) <b", True),
        ("javascript:alert(1)", False),
        ("", False),
    ],
)
def test_the_address_of_the_report_is_one_link_and_nothing_else(
    url: str, linked: bool, failed: EvaluationReport
) -> None:
    links = re.findall(r'<a href="(.*?)">(.*?)</a>', rendered(github_comment.render(failed, url=url)))
    assert [words for _, words in links] == ["Report"] * linked
    assert all(html.unescape(address).startswith("https://ci.example.org/") for address, _ in links)


def test_hostile_text_stays_text_in_table_diff_and_headline() -> None:
    text = github_comment.render(everything(HOSTILE.replace("\n", " ")))
    page = rendered(text)
    assert "<script" not in page
    assert "<a " not in page
    assert page.count("<details>") == page.count("</details>") == 1
    hostile = "- ````` and ``` <b> @everyone"
    cases = [Case("a", hostile, (target("a.md"),))]
    now = evaluated(cases, {"a": [f"```` {HOSTILE}", "```"]}, metrics=["rr"])
    old = evaluated(cases, {"a": [at("a.md", 1, 2), "~~~"]}, metrics=["rr"])
    shown = rendered(github_comment.render(now.report("rr >= 0.9", against=now.since(old))))
    assert shown.count("<pre") == 1
    assert "<b>" not in shown
    assert "<script" not in shown


def test_cut_queries_and_locations_are_told_apart() -> None:
    texts = [
        (f"how does billing handle {'very ' * 20}late case {number}", str(number)) for number in range(5)
    ]
    shown = told_apart_texts(texts, 60)
    assert len(set(shown)) == 5
    assert all(len(one) <= 60 for one in shown)
    twice = [("x" * 100 + "a" + "y" * 100, "one"), ("x" * 100 + "b" + "y" * 100, "two")]
    assert told_apart_texts(twice, 60) == [text for text, _ in twice]
    assert last_part("docs/" + "deep/" * 40 + "keys.md:1000-2000", 40).endswith("/keys.md:1000-2000")
    assert len(last_part("x" * 200, 40)) == 40
