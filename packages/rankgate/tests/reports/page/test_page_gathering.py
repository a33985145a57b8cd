"""What a page is given: every query, its targets, its hits, their texts, and how it was before."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rankgate.model import Answer, Case, Hit, Lines, MatchBy, Matching, Ranking
from rankgate.reports.page.content import page_of
from rankgate.reports.page.document import data_of, packed
from rankgate.reports.page.texts import PageLimits, Texts, cut_text
from rankgate.runs.store.tables import MemoryRun, Shard
from support.builders import at
from support.evaluations import Evaluated, evaluated, target
from support.pages import COMMANDS, generated, small
from support.reported import HEADER, HOSTILE

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankgate.reports.page.model import PageQuery, ReportPage


@pytest.fixture(scope="module")
def page() -> ReportPage:
    return small()


def _query(page: ReportPage, case: str) -> PageQuery:
    return next(query for query in page.queries if query.case == case)


def _page(made: Evaluated, **more: object) -> ReportPage:
    report = made.report("ndcg@10 >= 0.65", header=HEADER)
    return page_of(made.scored(), report, **more)  # type: ignore[arg-type]


def test_every_case_is_there_in_the_order_of_the_suite_and_says_how_it_ended(page: ReportPage) -> None:
    ended = {query.case: (query.mark, query.ended) for query in page.queries}
    hostile = page.queries[7].case
    assert list(ended) == [
        "rotate", "retry", "blockchain", "who", "hebrew", "emoji", "long", hostile, "slow", "done",
    ]  # fmt: skip
    assert ended["retry"] == ("✅", "passed")
    assert ended["done"] == ("✅", "passed")
    assert ended["rotate"] == ("❌", "failed")
    assert ended["slow"] == ("⚠️", "known")
    assert ended["who"] == ("❌", "error")


def test_a_query_has_its_reasons_figures_and_command(page: ReportPage) -> None:
    query = _query(page, "rotate")
    assert "expected auth/keys.md:10-20 in the top 3, found at rank 7" in query.reasons
    assert [metric.name for metric in page.metrics] == ["ndcg@10", "rr", "relevance"]
    assert query.values[1] == pytest.approx(1 / 7)
    assert query.shown[1] == "0.1429"
    assert query.returned == "7 hits"
    assert query.where == "suites/search.yaml:5"
    assert query.ask == "rankgate query app -S suites/search.yaml --case rotate"
    assert _query(page, page.queries[7].case).ask == ""
    assert page.command == COMMANDS.test


def test_targets_say_where_they_ended_up_now_and_before(page: ReportPage) -> None:
    keys, tokens = _query(page, "rotate").targets
    assert (keys.location, keys.grade, keys.rank, keys.ended, keys.mark) == (
        "auth/keys.md:10-20", "3", 7, "rank 7", "✅",
    )  # fmt: skip
    assert (keys.before, tokens.before) == (1, None)
    assert (tokens.rank, tokens.ended, tokens.mark) == (None, "not in the top 7", "❌")
    assert [one.ended for one in _query(page, "who").targets] == ["the system did not answer"]


def test_a_hit_names_its_targets_and_the_lines_to_mark(page: ReportPage) -> None:
    hit = _query(page, "rotate").hits[6]
    assert (hit.location, hit.mark, hit.grade, hit.targets) == ("auth/keys.md:15-40", "✅", "3", (0,))
    assert hit.marked == ((15, 20),)
    assert hit.text is not None
    text = page.texts[hit.text]
    assert text.first == 15
    assert text.text.count("\n") == 25
    assert text.tokens


def test_what_is_judged_wrong_is_a_target_that_should_not_be_found() -> None:
    case = Case("q", "q", (target("a.md"), target("b.md", 0)))
    page = _page(evaluated([case], {"q": [at("b.md", 1, 2), at("a.md", 1, 2)]}))
    (query,) = page.queries
    assert [(one.location, one.ended, one.mark) for one in query.targets] == [
        ("a.md", "rank 2", "✅"),
        ("b.md", "rank 1 (judged irrelevant)", "❌"),
    ]
    assert [(hit.mark, hit.targets) for hit in query.hits] == [("❌", (1,)), ("✅", (0,))]


def test_both_rankings_stand_beside_each_other_with_moves(page: ReportPage) -> None:
    query = _query(page, "rotate")
    assert query.before is not None
    assert [hit.location for hit in query.before.hits][:2] == ["auth/keys.md:15-40", "docs/page1.md:1-20"]
    assert query.before.hits[0].mark == "✅"
    assert [hit.move for hit in query.hits] == ["↑1"] * 6 + ["↓6"]
    assert query.before.differences[1] == "−0.8571"
    assert query.before.first == "first relevant: 1 → 7"


def test_a_text_is_kept_once_and_says_where_it_begins() -> None:
    shared = "line\n" * 11
    hit = Hit(path="a.py", lines=Lines(10, 20), text=shared.removesuffix("\n"))
    other = Hit(path="b.py", lines=Lines(1, 40), text="def f(): pass")
    made = evaluated([Case(f"q{n}", "q", (target("a.py:12-13"),)) for n in range(3)], {})
    run = MemoryRun(
        "app", [Shard.of_rankings({f"q{n}": Ranking((hit, other)) for n in range(3)}, texts="snippet")]
    )
    page = _page(replace(made, run=run))
    assert [one.first for one in page.texts] == [10, None]
    assert page.texts[1].tokens == ((3, "k"), (1, ""), (1, "n"), (4, ""), (4, "k"))
    assert {(hit.text, hit.marked) for query in page.queries for hit in query.hits} == {
        (0, ((12, 13),)), (1, ()),
    }  # fmt: skip


def test_the_corpus_speaks_where_the_run_kept_nothing() -> None:
    lines = [f"line {number}" for number in range(1, 501)]
    asked: list[tuple[str, int | None, int | None]] = []

    def text_of(path: str, start: int | None, end: int | None) -> str | None:
        asked.append((path, start, end))
        return "\n".join(lines[(start or 1) - 1 : end]) if path == "a.md" else None

    case = Case("q", "q", (target("a.md:300-301"),))
    made = evaluated([case], {"q": [at("a.md", 290, 305), at("a.md"), at("gone.md", 1, 2), "id"]})
    page = _page(made, text_of=text_of)
    (query,) = page.queries
    assert [hit.text for hit in query.hits] == [0, 1, None, None]
    assert [text.text.partition("\n")[0] for text in page.texts] == ["line 290", "line 1"]
    assert [text.first for text in page.texts] == [290, 1]
    assert ("id", None, None) in asked


def test_of_a_hit_on_a_whole_file_the_lines_around_the_target_are_shown() -> None:
    lines = [f"line {number}" for number in range(1, 501)]
    case = Case("q", "q", (target("a.md:300-301"),))
    made = evaluated([case], {"q": [at("a.md")]})
    made = replace(made, judgments=replace(made.judgments, matching=Matching(by=MatchBy.PATH)))
    page = _page(made, text_of=lambda _path, start, end: "\n".join(lines[(start or 1) - 1 : end]))
    assert page.texts[0].first == 280
    assert page.texts[0].text.startswith("line 280\n")
    assert page.queries[0].hits[0].marked == ((300, 301),)


def test_a_long_text_is_cut_around_what_is_marked() -> None:
    text = "\n".join(f"line {number}" for number in range(1, 1001))
    shown, first, cut = cut_text(text, 1, [(700, 702)])
    assert (first, cut) == (697, True)
    assert shown.startswith("line 697\n")
    assert len(shown) <= 2000
    assert cut_text("short", 5, []) == ("short", 5, False)


def test_control_characters_of_texts_are_shown_and_lines_stay() -> None:
    texts = Texts()
    texts.add("a\r\n\tb \x1b[31m \u202e x", None, "a.txt", [])
    assert texts.found[0].text == "a\n\tb \\x1b[31m \\u202e x"


def test_what_has_no_room_is_counted() -> None:
    texts = Texts(PageLimits(characters=10))
    numbers = [
        texts.add(text, None, "a.txt", []) for text in ("0123456789", "more", "0123456789", "and more")
    ]
    assert numbers == [0, None, 0, None]
    assert texts.notes() == ["2 hits without their text, to keep the page small"]


def test_queries_that_fell_short_get_their_texts_first() -> None:
    made, _ = generated(40, 5, length=300)
    report = made.report("rr >= 0.65", header=HEADER)
    page = page_of(made.scored(), report, room=PageLimits(characters=6_000))
    short = [query for query in page.queries if query.reasons]
    others = [query for query in page.queries if not query.reasons]
    assert any(hit.text is not None for query in short for hit in query.hits)
    assert all(hit.text is None for query in others for hit in query.hits)
    assert "without their text" in page.notes[0]


def test_hits_past_the_twentieth_are_counted() -> None:
    made = evaluated([Case("q", "q", (target("a"),))], {"q": [f"d{number}" for number in range(30)]})
    page = _page(made)
    assert len(page.queries[0].hits) == 20
    assert page.notes == ("of 1 query only the first 20 hits are shown",)


@pytest.mark.parametrize("answers", [{}, {"q": []}, {"q": Answer.TIMEOUT}])
def test_a_suite_of_one_query_without_an_answer_has_a_page(answers: dict[str, list[str] | Answer]) -> None:
    page = _page(evaluated([Case("q", "", (target("a"),))], answers))
    assert len(page.queries) == 1
    assert page.queries[0].hits == ()
    assert packed(data_of(page))


def test_hostile_names_are_texts(page: ReportPage) -> None:
    query = page.queries[7]
    assert "<script>alert(1)</script>" in query.query
    assert "\x1b" not in query.query
    assert len(HOSTILE) < len(query.query) + 60
    assert packed(data_of(page))


@pytest.mark.long
def test_ten_thousand_queries_take_ten_seconds_and_fewer_than_fifteen_megabytes(
    record_property: Callable[[str, str], None],
) -> None:
    made, against = generated()
    report = made.report("ndcg@10 >= 0.65", header=HEADER, against=against)
    start = time.process_time()
    page = page_of(made.scored(against=against), report)
    data = packed(data_of(page))
    taken = time.process_time() - start
    assert len(data) * 4 / 3 < 14_500_000
    assert taken < 20
    assert len(page.queries) == 10_000
    record_property("figures", f"{len(data) * 4 / 3e6:.1f} MB as base64, {taken:.1f} s, {page.notes}")


def test_a_page_that_is_full_keeps_what_fell_short_and_then_what_changed() -> None:
    cases = [Case(f"q{number}", "q", (target("a"),)) for number in range(6)]
    made = evaluated(cases, {case.id: ["b" if case.id in ("q1", "q5") else "a"] for case in cases})
    before = evaluated(cases, {case.id: ["a", "c"] if case.id == "q4" else ["a"] for case in cases})
    against = made.since(before)
    report = made.report("ndcg@10 >= 0.65", header=HEADER, against=against, most=4)
    page = page_of(made.scored(against=against), report)
    assert [query.case for query in page.queries] == ["q0", "q1", "q4", "q5"]
    assert (
        "4 of 6 queries are listed, the failed and weakest first, then the most changed; "
        "scores.parquet beside the report has all of them"
    ) in page.report.notes
