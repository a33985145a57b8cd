"""Every rule finds what it is for, and leaves a right suite alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.corpora.folder import FolderCorpus
from rankgate.errors import InputError
from rankgate.locations import Location
from rankgate.model import Case, GateText, Suite, Target, Top, XFail
from rankgate.progress import listening
from rankgate.truth.lint import RULES, Finding, Severity, lint
from support.heard_progress import HeardProgress
from support.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

DOCS = ROOT / "docs" / "lint.md"
TODAY = date(2030, 6, 1)
FILES = {
    "auth/keys.md": "# Keys\n\n## Rotation\n\nRotate an API key every 90 days.\n\n"
    "## Revoking\n\nCut it off at once.\n",
    "store.py": '"""Where secrets live."""\n\n\nclass Vault:\n    def put_back(self, name):\n'
    '        """Return what was borrowed."""\n        # Nothing expires here.\n        return name\n',
    "loan.py": "def return_borrowed_item():\n    pass\n",
    "walk.rs": "// Follow every link once.\nfn traverse_graph() {\n    visit();\n}\n",
}


@pytest.fixture
def corpus(tmp_path: Path) -> FolderCorpus:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return FolderCorpus.open(tmp_path, root=tmp_path)


def case(query: str, *places: str, grade: float = 1.0, **more: Any) -> Case:
    targets = tuple(Target(Location.at(place), grade) for place in places)
    return Case(**{"id": query.replace(" ", "-"), "query": query, "targets": targets, **more})


def found(rule: str, corpus: FolderCorpus | None, *cases: Case, gates: tuple[str, ...] = ()) -> list[Finding]:
    """Run one rule; that others could not be run is no matter here."""
    suite = Suite("s", cases, gates=tuple(map(GateText, gates)))
    return [each for each in lint(suite, corpus, rules=[rule], today=TODAY) if each.rule == rule]


def test_a_right_suite_gives_nothing_but_the_hint_to_anchor_it(corpus: FolderCorpus) -> None:
    suite = Suite(
        "s",
        (
            case("how often must secrets be renewed", "auth/keys.md#Rotation", category="vague"),
            case("stop someone from using a credential", "auth/keys.md:7-9", category="vague"),
            case("put back", "store.py::Vault.put_back", tags=frozenset({"exact"})),
            case("see the dependencies without cycles", "walk.rs", tags=frozenset({"hard"})),
            case("blockchain", expect_empty=True),
        ),
        gates=(GateText("ndcg@10 >= 0.5"), GateText("errors = 0")),
    )
    assert [each.rule for each in lint(suite, corpus)] == ["not-anchored"]


def test_every_place_that_is_not_in_the_corpus_is_told_even_past_twenty(corpus: FolderCorpus) -> None:
    cases = [case(f"query {number}", f"auth/key{number}.md") for number in range(60)]
    told = found("unresolved", corpus, *cases)
    assert len(told) == 60
    assert {each.severity for each in told} == {Severity.ERROR}
    assert told[0].problem.fix == (
        "did you mean auth/keys.md? If the documents changed: run rankgate suite fix SUITE"
    )


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("auth/keys.md#Rotating", "a section of auth/keys.md"),
        ("store.py::Vault.put_bakc", "a symbol of store.py"),
        ("nowhere.md", "a file of the corpus"),
    ],
)
def test_a_place_that_is_not_there_is_unresolved(place: str, expected: str, corpus: FolderCorpus) -> None:
    (told,) = found("unresolved", corpus, case("q", place))
    assert (told.problem.found, told.problem.expected, told.case) == (f"'{place}'", expected, "q")


def test_a_top_that_is_not_there_is_unresolved_and_told_once_beside_its_target(corpus: FolderCorpus) -> None:
    gone = Location.at("gone.md")
    told = found(
        "unresolved", corpus, Case("q", "q", (Target(gone),), top=(Top(gone), Top(Location.at("x.md"))))
    )
    assert [each.problem.found for each in told] == ["'gone.md'", "'x.md'"]


def test_lines_past_the_end_are_their_own_rule(corpus: FolderCorpus) -> None:
    past = case("q", "walk.rs:3-4"), case("p", "walk.rs:3-5")
    (told,) = found("past-the-end", corpus, *past)
    assert told.case == "p"
    assert "lines up to 4" in told.message
    assert found("unresolved", corpus, *past) == []


def test_the_same_query_twice_is_told_at_the_second(corpus: FolderCorpus) -> None:
    first, second = case("rotate a key", "auth/keys.md"), case("Rotate  a KEY?", "auth/keys.md")
    (told,) = found("duplicate-query", corpus, first, second)
    assert told.case == second.id
    assert told.severity is Severity.WARNING
    assert "of case rotate-a-key again, which expects the same" in told.problem.found


@pytest.mark.parametrize(
    "apart", [{"category": "x"}, {"filters": {"language": "go"}}, {"tags": frozenset({"language=go"})}]
)
def test_the_same_query_in_another_slice_or_with_other_filters_is_another_case(
    apart: dict[str, Any],
) -> None:
    cases = case("rotate a key", id="a"), case("rotate a key", id="b", **apart)
    assert found("duplicate-query", None, *cases) == []


def test_spellings_of_one_group_are_no_duplicates_unless_they_are_the_same_letter_for_letter() -> None:
    variants = [case("API key", id="a", group="g"), case("api-key?", id="b", group="g")]
    assert found("duplicate-query", None, *variants) == []
    (told,) = found("duplicate-query", None, *variants, case("api-key?", id="c", group="g"))
    assert told.case == "c"


@pytest.mark.parametrize("queries", [("C++", "C#"), ("operator ==", "operator !="), ("a -> b", "a <- b")])
def test_signs_that_mean_something_tell_queries_apart(queries: tuple[str, str]) -> None:
    cases = [case(query, id=str(number)) for number, query in enumerate(queries)]
    assert found("duplicate-query", None, *cases) == []
    assert found("near-duplicate-query", None, *cases) == []


def test_one_place_with_two_grades_in_a_case_is_an_error_however_it_is_written(corpus: FolderCorpus) -> None:
    targets = Target(Location.at("auth/keys.md#Revoking"), 2), Target(Location.at("auth/keys.md:7-9"), 1)
    (told,) = found("contradictory-grades", corpus, Case("q", "q", targets))
    assert told.severity is Severity.ERROR
    assert told.problem.found == (
        "'auth/keys.md:7-9' with the grades 2 and 1 ('auth/keys.md#Revoking' is the same location)"
    )


@pytest.mark.parametrize(
    ("bad", "good", "overlap"),
    [
        ("auth/keys.md", "auth/keys.md#Rotation", True),
        ("auth/keys.md:1-5", "auth/keys.md:5-9", True),
        ("auth/keys.md:1-4", "auth/keys.md:5-9", False),
        ("auth/keys.md:1-5", "walk.rs:1-4", False),
        ("auth/keys.md:2-3", "auth/keys.md", True),
    ],
)
def test_lines_that_are_relevant_and_not_are_a_warning(
    bad: str, good: str, overlap: bool, corpus: FolderCorpus
) -> None:
    targets = (
        Target(Location.at(good), 2),
        Target(Location.at("auth/keys.md:1-1")),
        Target(Location.at(bad), 0),
    )
    told = found("contradictory-grades", corpus, Case("q", "q", targets[::2]))
    assert [each.severity for each in told] == [Severity.WARNING] * overlap


@given(
    good=st.lists(st.tuples(st.integers(1, 30), st.integers(0, 9)), max_size=6),
    bad=st.lists(st.tuples(st.integers(1, 30), st.integers(0, 9)), max_size=6),
)
def test_overlaps_are_found_as_by_comparing_all_with_all(
    good: list[tuple[int, int]], bad: list[tuple[int, int]]
) -> None:
    def places(spans: list[tuple[int, int]]) -> set[tuple[int, int]]:
        return {(start, start + more) for start, more in spans}

    right, wrong = places(good), places(bad)
    wrong -= right
    targets = [Target(Location.at(f"a.md:{start}-{end}")) for start, end in right]
    targets += [Target(Location.at(f"a.md:{start}-{end}"), 0) for start, end in wrong]
    told = found("contradictory-grades", None, Case("q", "q", tuple(targets)))
    expected = {
        f"'a.md:{one[0]}-{one[1]}'" for one in wrong if any(one[0] <= b and a <= one[1] for a, b in right)
    }
    assert {each.problem.found.split(" with ")[0] for each in told} == expected


def test_one_query_with_two_grades_for_a_place_in_two_cases_is_an_error(corpus: FolderCorpus) -> None:
    first = case("rotate a key", "walk.rs", id="a", category="x")
    second = case("rotate a key!", "walk.rs", id="b", grade=3, category="y")
    (told,) = found("contradictory-grades", corpus, first, second)
    assert (told.case, told.severity) == ("b", Severity.ERROR)
    assert "'walk.rs' with the grade 3, and 1 for the same query in case a" in told.message
    other = case("rotate a key!", "walk.rs", id="b", grade=3, filters={"language": "rust"})
    assert found("contradictory-grades", corpus, first, other) == []


def test_a_query_that_stands_in_its_target_leaks(corpus: FolderCorpus) -> None:
    (told,) = found("leak", corpus, case("rotate an api-key EVERY 90 days", "auth/keys.md#Rotation"))
    assert told.severity is Severity.WARNING
    assert "word for word in 'auth/keys.md#Rotation'" in told.message
    assert len(found("leak", corpus, case("return borrowed item", "loan.py:1-2"))) == 1


@pytest.mark.parametrize(
    "one",
    [
        case("rotate an API key every 90 days", "auth/keys.md#Revoking"),
        case("rotate an API key every 9", "auth/keys.md#Rotation"),
        case("rotate an API key every 90 days", "auth/keys.md#Rotation", grade=0),
        case("API key", "auth/keys.md#Rotation"),
        case("rotate an API key", "auth/keys.md", category="exact"),
        case("rotate an API key", "auth/keys.md", tags=frozenset({"kind=exact"})),
        case("return borrowed item", "loan.py::return_borrowed_item"),
        case("put_back_self_name", "store.py::Vault.put_back"),
    ],
    ids=["elsewhere", "half a word", "not relevant", "short", "exact", "exact tag", "symbol", "identifier"],
)
def test_what_is_no_leak_is_left_alone(one: Case, corpus: FolderCorpus) -> None:
    assert found("leak", corpus, one) == []


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (case("keyed access", "auth/keys.md:8-9"), "the path 'auth/keys.md'"),
        (case("revoked secrets", "auth/keys.md:8-9"), "the section 'Revoking', auth/keys.md:7"),
        (case("rotations in general", "auth/keys.md"), "the section 'Rotation', auth/keys.md:3"),
        (case("putting away", "store.py:5-8"), "the method 'put_back', store.py:5"),
        (case("how it is borrowed", "store.py::Vault"), "'borrowed' in a comment, store.py:6"),
        (case("what expired", "store.py::Vault"), "a comment, store.py:7"),
        (case("a followed path", "walk.rs"), "a comment, walk.rs:1"),
    ],
)
@pytest.mark.parametrize("mark", [{"category": "hard"}, {"tags": frozenset({"difficulty=hard"})}])
def test_a_hard_query_shares_no_stem_with_names_and_comments(
    one: Case, words: str, mark: dict[str, Any], corpus: FolderCorpus
) -> None:
    assert found("hard-leak", corpus, one) == []
    (told,) = found("hard-leak", corpus, replace(one, **mark))
    assert told.severity is Severity.WARNING
    assert words in told.message


def test_a_hard_query_in_words_of_its_own_is_left_alone(corpus: FolderCorpus) -> None:
    hard = frozenset({"hard"})
    cases = (
        case("how long does a credential last", "auth/keys.md#Rotation", tags=hard),
        case("what expires", "store.py:8-8", tags=hard),
        case("will it be expiring", "store.py:5-6", tags=hard),
        case("the visited places", "walk.rs:3-3", tags=hard),
    )
    assert found("hard-leak", corpus, *cases) == []


def test_a_hard_query_may_share_words_with_what_is_merely_related(corpus: FolderCorpus) -> None:
    related, answer = Target(Location.at("loan.py"), 1), Target(Location.at("auth/keys.md#Rotation"), 3)
    mixed = case("give back the loan", tags=frozenset({"hard"}), targets=(replace(answer, grade=1), related))
    assert len(found("hard-leak", corpus, mixed)) == 1
    assert found("hard-leak", corpus, replace(mixed, targets=(answer, related))) == []


@pytest.mark.parametrize(
    ("sources", "alarm"),
    [
        (["engine"] * 10, True),
        (["bm25-v2"] * 9 + ["person"], True),
        (["bm25-v2"] * 8 + ["person"] * 2, False),
        (["engine:a"] * 5 + ["engine:b"] * 5, False),
        (["person"] * 10, False),
        (["clicks"] * 10, False),
        (["import"] * 10, False),
        (["model:gpt, prompt 3"] * 10, False),
    ],
)
def test_truth_from_a_single_engine_is_a_warning(sources: list[str], alarm: bool) -> None:
    cases = [
        Case(str(number), f"q{number}", (Target(Location.of_id("d"), source=source, reviewed=number > 2),))
        for number, source in enumerate(sources)
    ]
    told = found("single-engine", None, *cases)
    assert len(told) == alarm
    if told:
        assert f"from {sources[0]!r} alone, 3 of them unreviewed" in told[0].message


def test_a_case_that_expects_nothing_at_all_is_told() -> None:
    at = Location.at("walk.rs")
    silent = Case("silent", "what now")
    fine = (
        Case("a", "a", expect_empty=True),
        Case("b", "b", top=(Top(at),)),
        Case("c", "c", answer="42"),
        Case("d", "d", (Target(at),)),
    )
    (told,) = found("no-targets", None, silent, *fine)
    assert told.case == "silent"


def test_a_known_miss_is_told_from_the_day_after_its_last() -> None:
    cases = [
        case("a", "x.md", xfail=XFail("no synonyms", date(2030, 5, 31))),
        case("b", "x.md", xfail=XFail("no synonyms", TODAY)),
    ]
    (told,) = found("xfail-expired", None, *cases)
    assert (told.case, told.severity) == ("a", Severity.WARNING)


def test_without_a_corpus_the_rules_that_need_one_are_named_once() -> None:
    told = [each for each in lint(Suite("s", (case("a", "x.md"),))) if each.rule == "not-run"]
    assert len(told) == 1
    needing = ", ".join(name for name, rule in RULES.items() if rule.needs_corpus)
    assert told[0].problem.found == f"no corpus, so these rules were not run: {needing}"
    assert lint(Suite("s", (case("a", "x.md"),)), rules=["no-targets"]) == ()
    (only,) = lint(Suite("s", (case("a", "x.md"),)), rules=["leak"])
    assert only.problem.found == "no corpus, so these rules were not run: leak"


def test_a_heading_without_a_corpus_is_unresolved() -> None:
    (told,) = found("unresolved", None, case("a", "x.md#Title"))
    assert "a corpus to find the section in" in told.message


def test_ids_without_a_text_are_counted(corpus: FolderCorpus) -> None:
    opaque = Case("a", "a", (Target(Location.of_id("7")),))
    told = [
        each for each in lint(Suite("s", (opaque, case("b", "walk.rs"))), corpus) if each.rule == "not-run"
    ]
    assert "1 of 2 targets that are opaque ids" in told[0].message


def test_findings_come_in_the_order_of_lines_and_those_without_a_line_last(corpus: FolderCorpus) -> None:
    cases = (
        case("b", "gone.md", where="s.yaml:10:3"),
        case("a", "gone.md", where="s.yaml:9:3"),
        case("c", "walk.rs:1-99", where="s.yaml:9:1"),
        case("d", "walk.rs", where="s.yaml:12:1"),
    )
    told = lint(Suite("s", cases, path="s.yaml"), corpus)
    assert [(each.file, each.line, each.column) for each in told] == [
        ("s.yaml", 9, 1),
        ("s.yaml", 9, 3),
        ("s.yaml", 10, 3),
        ("s.yaml", None, None),
    ]


def test_rules_are_chosen_and_left_out_by_name(corpus: FolderCorpus) -> None:
    suite = Suite("s", (case("a", "gone.md"), Case("b", "b")))
    assert {each.rule for each in lint(suite, corpus)} == {"unresolved", "no-targets"}
    assert {each.rule for each in lint(suite, corpus, rules=["unresolved"])} == {"unresolved"}
    assert {each.rule for each in lint(suite, corpus, ignore=["unresolved"])} == {"no-targets"}


def test_a_misspelt_rule_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(InputError, match="did you mean unresolved"):
        lint(Suite("s", (Case("b", "b"),)), rules=["unresolvd"])


def test_every_rule_is_documented() -> None:
    text = DOCS.read_text(encoding="utf-8")
    headings = [line.removeprefix("### ") for line in text.split("\n") if line.startswith("### ")]
    assert headings == [f"{name} ({rule.severity})" for name, rule in RULES.items()]


def test_every_rule_says_in_the_documentation_what_to_do() -> None:
    text = DOCS.read_text(encoding="utf-8")
    for rest in text.split("\n### ")[1:]:
        section, _, _ = rest.partition("\n## ")
        assert "**Why it matters.**" in section, section[:40]
        assert "**What to do.**" in section, section[:40]


def test_one_place_twice_in_a_case_is_a_warning_however_it_is_written(corpus: FolderCorpus) -> None:
    (told,) = found("contradictory-grades", corpus, case("q", "walk.rs", "walk.rs", "walk.rs", "loan.py"))
    assert (told.severity, told.problem.found) == (Severity.WARNING, "'walk.rs' twice in one case")
    (told,) = found("contradictory-grades", None, case("q", "walk.rs:1-2", "walk.rs:1-2"))
    assert told.problem.found == "'walk.rs:1-2' twice in one case"
    (told,) = found("contradictory-grades", corpus, case("q", "auth/keys.md#Revoking", "auth/keys.md:7-9"))
    assert told.problem.found == (
        "'auth/keys.md:7-9' twice in one case ('auth/keys.md#Revoking' is the same location)"
    )
    both = (*case("q", "walk.rs", "walk.rs").targets, Target(Location.at("walk.rs"), 3))
    told_of_both = found("contradictory-grades", corpus, Case("q", "q", both))
    assert {each.severity for each in told_of_both} == {Severity.ERROR, Severity.WARNING}
    groups = tuple(Target(Location.at("walk.rs"), group=name) for name in "ab")
    assert found("contradictory-grades", corpus, Case("q", "q", groups)) == []


def test_a_place_that_is_not_there_says_how_to_find_where_it_went(corpus: FolderCorpus) -> None:
    for rule, place in (("unresolved", "qqqqqqqq.zzz"), ("past-the-end", "walk.rs:1-99")):
        (told,) = found(rule, corpus, case("q", place))
        assert told.problem.fix == "correct it, or run rankgate suite fix SUITE"


def test_a_rule_that_is_run_alone_and_left_out_is_refused() -> None:
    with pytest.raises(InputError, match="--rule and --ignore: found leak in both"):
        lint(Suite("s", ()), rules=["leak"], ignore=["leak"])
    lint(Suite("s", ()), rules=["leak", "hard-leak"], ignore=["leak"])


def test_what_is_under_way_is_told(corpus: FolderCorpus) -> None:
    told: list[str] = []
    heard = HeardProgress()
    with listening(heard):
        lint(Suite("s", (case("q", "walk.rs"),)), corpus, tell=told.append)
    assert "checking leak" in told
    every = [
        "looking up the locations of cases",
        *(f"reading the texts of {what}" for what in ("locations", "targets")),
    ]
    assert [heard.last[doing] for doing in every] == [(1, 1)] * 3
    assert heard.ended >= set(every)


def test_a_line_that_is_a_page_is_told_where_it_is_named_by_its_number(tmp_path: Path) -> None:
    (tmp_path / "chat.md").write_text(f"# Chat\n\n{'word ' * 300}\n\nShort.\n", encoding="utf-8")
    chat = FolderCorpus.open(tmp_path, root=tmp_path)
    (finding,) = found("long-line", chat, case("what was said", "chat.md:3-5"))
    assert finding.severity is Severity.WARNING
    assert finding.problem.found == (
        "'chat.md:3-5' with a line of 1,500 characters, any piece of which reaches it"
    )
    assert (
        found("long-line", chat, case("a", "chat.md:5"), case("b", "chat.md#Chat"), case("c", "chat.md"))
        == []
    )
    assert found("long-line", chat, case("what was not said", "chat.md:3", grade=0)) == []
