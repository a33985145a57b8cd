"""The three layouts of one report: kept to the byte, the same in substance, and safe with any text."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt

from rankgate.model import Answer, Case, Location, Top, XFail
from rankgate.reports.evaluation import junit, markdown, terminal
from rankgate.reports.evaluation.first_screen.terminal import SIGNS
from rankgate.reports.evaluation.report import Header
from rankgate.reports.text.github import code, plain
from support.builders import at
from support.evaluations import Evaluated, evaluated, target
from support.repository import GOLDEN

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankgate.model import Hit
    from rankgate.reports.evaluation.report import EvaluationReport

HEADER = Header(
    system="app.search:search",
    time="2026-03-01T10:00:00+00:00",
    run="9f86d081884c7d659a2feaa0c55ad015",
    versions={"rankgate": "0.1.0", "Python": "3.11.9"},
)
REPORTS = GOLDEN / "reports"
FILLER = [at(f"docs/page{number}.md", 1, 20) for number in range(1, 11)]
HOSTILE = "a|b `c` ``d`` <script>alert(1)</script> [x](http://evil.test) @everyone #12 \x1b[31m\u202egnp\n# h"


@pytest.fixture
def report_golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a report with the one kept under a file name, to the byte."""

    def compare(name: str, text: str) -> None:
        path = REPORTS / name
        if request.config.getoption("--update-goldens"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        assert path.is_file(), f"{path} is not there; run pytest --update-goldens and read what it wrote"
        assert text == path.read_bytes().decode()

    return compare


def failing() -> Evaluated:
    """One of everything that can go wrong."""
    cases = [
        Case(
            "rotate-an-api-key",
            "rotate an API key",
            (target("auth/keys.md:10-20", 3), target("auth/tokens.md")),
            category="exact",
            top=(Top(Location.at("auth/keys.md:10-20"), 3),),
            where="search.yaml:5:5",
        ),
        Case(
            "retry",
            "retry failed webhooks",
            (target("webhooks.md"),),
            category="exact",
            where="search.yaml:9:5",
        ),
        Case(
            "crete-issue",
            "crete issue",
            (target("issues/create.md"),),
            category="typo",
            where="search.yaml:12:5",
        ),
        Case("blockchain", "blockchain", expect_empty=True, where="search.yaml:15:5"),
        Case(
            "errors-in-go",
            "errors in go",
            (target("errors.go:40-62"),),
            category="exact",
            filters={"language": "go"},
            where="search.yaml:17:5",
        ),
        Case("who", "who broke it", (target("ops.md"),), category="ops", where="search.yaml:20:5"),
        Case(
            "hebrew",
            "איך מחליפים מפתח",
            (target("auth/keys.md"),),
            category="languages",
            where="search.yaml:23:5",
        ),
        Case(
            "emoji",
            "👩‍💻 onboarding 🚀",
            (target("start.md"),),
            category="languages",
            where="search.yaml:26:5",
        ),
        Case(
            "slow",
            "slow query",
            (target("slow.md"),),
            xfail=XFail("needs embeddings", date(2026, 6, 1)),
            where="search.yaml:29:5",
        ),
    ]
    answers: dict[str, list[Hit] | Answer] = {
        "rotate-an-api-key": [*FILLER[:6], at("auth/keys.md", 15, 40)],
        "retry": [at("webhooks.md", 1, 9), *FILLER[:3]],
        "crete-issue": FILLER,
        "blockchain": [at("chain.md", 1, 4)],
        "errors-in-go": [],
        "who": Answer.ERROR,
        "hebrew": [*FILLER[:1], at("auth/keys.md", 1, 9)],
        "emoji": [*FILLER[:1], at("start.md", 1, 5)],
        "slow": FILLER,
    }
    latency = {case.id: 10.0 + number for number, case in enumerate(cases)}
    return evaluated(cases, answers, metrics=["ndcg@10", "rr", "r@10"], latency=latency, name="handbook")


def reports() -> dict[str, EvaluationReport]:
    one = evaluated(
        [Case("only", "rotate an API key", (target("keys.md"),))], {"only": [at("keys.md")]}, name="one"
    )
    long_name = "how-do-i-" + "rotate-" * 12 + "keys"
    long = evaluated(
        [
            Case(
                long_name,
                "how do I " + "rotate " * 12 + "keys",
                (target("a/" + "very/" * 15 + "deep.md:1000-2000"),),
                category="a category with a rather long name",
            )
        ],
        {long_name: FILLER},
        metrics=["ndcg@10", "relevance = 0.4*p@5 + 0.3*r@5 + 0.3*rr"],
        name="long",
    )
    proposed = evaluated(
        [Case(f"q{n}", f"query {n}", (target("a", reviewed=False),)) for n in range(3)],
        {"q0": ["a"], "q1": ["b"], "q2": ["b", "a"]},
        name="proposed",
    )
    everything = failing().report(
        "ndcg@10 >= 0.65",
        "rr >= 0.1 where category = exact",
        "worst(category) ndcg@10 >= 0.2",
        header=HEADER,
        notes=["2 hits unlocated", "map rule 'https://(.*)' matched nothing"],
    )
    return {
        "failing": everything,
        "passing": one.report("ndcg@10 >= 0.65", header=HEADER),
        "no-gates": one.report(header=HEADER),
        "long-names": long.report("relevance >= 0.8", header=HEADER),
        "not-enforced": proposed.report("ndcg@10 >= 0.65", header=HEADER),
    }


@pytest.mark.parametrize("name", ["failing", "passing", "no-gates", "long-names", "not-enforced"])
def test_each_report_is_laid_out_as_it_was_approved(
    name: str, report_golden: Callable[[str, str], None]
) -> None:
    report = reports()[name]
    report_golden(f"{name}.txt", terminal.render(report, width=100, details=True))
    report_golden(f"{name}-first.txt", terminal.render(report, width=100, page="report.html"))
    report_golden(f"{name}.md", markdown.render(report))
    report_golden(f"{name}.xml", junit.render(report))


def test_a_narrow_terminal_loses_nothing(report_golden: Callable[[str, str], None]) -> None:
    text = terminal.render(reports()["failing"], width=48, details=True)
    report_golden("failing-narrow.txt", text)
    assert "…" not in text


def test_all_layouts_have_the_same_verdicts_and_numbers() -> None:
    report = reports()["failing"]
    texts = [
        terminal.render(report, width=400, details=True),
        markdown.render(report),
        "\n".join(
            value
            for element in ET.fromstring(junit.render(report)).iter()
            for value in (*element.attrib.values(), element.text or "")
        ),
    ]
    for text in texts:
        for row in report.metrics:
            assert row.metric in text
            assert row.value in text
            assert row.counted in text
        for verdict in report.verdicts:
            assert verdict.gate in text
            assert verdict.detail in text
            assert verdict.value in text
        assert report.status in text or report.summary.headline in text
    row_start = r"^(?:\| )?(✅|⚠️|❌|❔|⚪)(?:  | \| `)(?=ndcg|rr|worst|checks|errors)"
    laid_out = [re.findall(row_start, text, re.MULTILINE) for text in texts[:2]]
    signs = [SIGNS[verdict.status] for verdict in report.verdicts]
    assert laid_out[0] == signs
    assert laid_out[1][: len(signs)] == signs
    tests = {test.get("name"): test for test in ET.fromstring(junit.render(report)).iter("testcase")}
    for verdict in report.verdicts:
        found = [child.tag for child in tests[verdict.gate] if child.tag != "properties"]
        assert found == [{"✅": "system-out", "⚠️": "skipped", "❌": "failure"}[verdict.mark]]


def hostile() -> EvaluationReport:
    case = Case(HOSTILE, HOSTILE, (target("a"),), category=HOSTILE, where="s.yaml:1:1")
    down = Case("down", HOSTILE, (target("a"),), xfail=XFail(HOSTILE, date(2027, 1, 1)))
    found = evaluated([case, down], {HOSTILE: [HOSTILE, "[/red]"], "down": []}, metrics=["rr"], name=HOSTILE)
    return found.report("rr >= 0.5", header=Header(system=HOSTILE), notes=[HOSTILE])


def test_no_text_steers_the_terminal() -> None:
    text = terminal.render(hostile(), width=300, details=True)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\x1b[31m" in text
    assert "[/red]" in text


def test_no_text_becomes_markup_in_markdown() -> None:
    text = markdown.render(hostile())
    parser = MarkdownIt("gfm-like", {"linkify": False})
    tokens = [token for outer in parser.parse(text) for token in (outer, *(outer.children or ()))]
    assert not [token for token in tokens if token.type in ("link_open", "image", "html_block")]
    assert {token.content for token in tokens if token.type == "html_inline"} == {"<!-- -->"}
    headings = [tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"]
    assert len(headings) == 1 + text.count("\n## ") + text.count("\n### ")
    prose = "\0".join(token.content for token in tokens if token.type == "text")
    assert not re.search(r"(?<!\w)@\w|#\d|://", prose)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    for row in rows:
        assert len(re.findall(r"(?<!\\)\|", row)) in (5, 6)


def test_xml_holds_any_text() -> None:
    root = ET.fromstring(junit.render(hostile()))
    assert len(list(root.iter("testcase"))) == 3


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "`plain`"),
        ("a`b", "`` a`b ``"),
        ("``", "``` `` ```"),
        ("", ""),
        ("a\nb", "`a b`"),
    ],
)
def test_code_is_fenced_so_that_it_stays_code(text: str, shown: str) -> None:
    assert code(text) == shown


def test_plain_text_keeps_its_metrics_readable() -> None:
    assert plain("ndcg@10 0.5 >= 0.4") == "ndcg@10 0.5 \\>= 0.4"
    assert plain("mail me@host.test or @me") == "mail me@<!-- -->host.test or @<!-- -->me"
    assert plain("see #12, GH-3, http://x, www.x") == (
        "see \\#<!-- -->12, GH<!-- -->-3, http:<!-- -->//x, www<!-- -->.x"
    )


def test_only_some_of_many_failures_are_told_in_full() -> None:
    cases = [Case(f"q{number}", f"query {number}", (target("a"),)) for number in range(120)]
    report = evaluated(cases, {case.id: [] for case in cases}, metrics=["rr"]).report()
    assert "… and 110 more" in terminal.render(report, width=100, details=True)
    assert "… and 20 more." in markdown.render(report)
    assert junit.render(report).count("<testcase") == 120
