"""Suites of every shape, drawn by hypothesis."""

from __future__ import annotations

import string
from datetime import date
from typing import Any

from hypothesis import strategies as st

from rankgate.locations import Lines, Location
from rankgate.model import (
    NO_RELEVANT,
    UNLISTED,
    Action,
    Case,
    CorpusSource,
    GateText,
    Invariant,
    MapRule,
    MatchBy,
    Matching,
    Query,
    Relation,
    Scenario,
    Step,
    Suite,
    Target,
    Top,
    XFail,
)
from rankgate.suites.native import usual_name

_WORDS = (
    "007 1_000 1e3 .5 -1 0x1F 1:30 2024-01-01 true No null ~ << = at id #a [a] {a} a,b a: :a 'a \"a a'b *a &a"
)
_MARKS = "!a %a @a `a | > ... --- a=b =a a= a::b https://x.org/a?b=c#d a\\b é e\u0301 東京 😀 "
_ODD = st.sampled_from(
    [
        *(_WORDS + " " + _MARKS).split(),
        *("a: b", "a #b", "- a", "? a", " a", "a ", "a\tb", "a\nb", "a\n\n b", "\na", "a\rb", "\x00a"),
        *("a\x1bb", "a\x7fb", "a\x85b", "a\u2028b", "\ufeffa", "a\uffffb", "a\U000e0001b"),
        *("100% sure", "k: v, [x]", "x" * 2000),
    ]
)
words = _ODD | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(str.strip)
keys = words.filter(lambda text: len(text) < 100)
lines = words.filter(lambda text: not text.endswith("\n"))
names = st.text(string.ascii_lowercase + string.digits + "-", min_size=1, max_size=6)
grades = st.sampled_from([1.0, 1.0, 0.0, 2.0, 3.0, 0.5, 1e-7, 0.1 + 0.2]) | st.floats(0, 9)
_titles = st.text(min_size=1, max_size=6).map(str.strip).filter(bool).filter(str.isprintable)

ids = words.map(Location.of_id)
places = st.one_of(
    st.sampled_from(["a.md", "b.md", "docs/c d.md", "é/ü.md", "a#b.md", "a:1.md"]).map(
        lambda path: Location(path=path)
    ),
    st.builds(
        lambda path, start, more: Location(path=path, lines=Lines(start, start + more)),
        st.sampled_from(["a.md", "x/y.py"]),
        st.integers(1, 999),
        st.integers(0, 99),
    ),
    st.lists(_titles, min_size=1, max_size=2).map(
        lambda titles: Location(path="a.md", heading=tuple(titles))
    ),
    st.sampled_from(["Store.rotate", "f"]).map(lambda symbol: Location(path="a.py", symbol=symbol)),
)

quotes = st.builds(
    Location.of_quote,
    words.filter(lambda text: bool(text.strip())),
    st.none() | st.sampled_from(["a.md", "docs/c d.md", "a#b.md", "a:1.md"]),
    st.none() | st.integers(0, 2**31 - 1),
)


xfails = st.builds(XFail, words, st.none() | st.dates(date(1000, 1, 1)))


@st.composite
def cases(draw: st.DrawFn, number: int, located: st.SearchStrategy[Location], most: float | None) -> Case:
    graded = grades if most is None else grades.map(lambda grade: min(grade, most))
    groups = st.none() | st.sampled_from(["any-1", "any-2", "any-3", "other"])
    one = st.builds(Target, located, graded, groups)
    sources = st.sampled_from(["person", "proposed", "proposed by ada"]) | words
    full = st.builds(Target, located, graded, groups, sources)
    targets = draw(
        st.lists(one, max_size=4)
        | st.lists(one | full, max_size=4).map(_in_groups)
        | st.lists(full, max_size=3)
    )
    if draw(st.booleans()):
        targets = [Target(each.location, 1.0) for each in targets]
    tops = draw(st.lists(st.builds(Top, located, st.integers(1, 20)), max_size=2))
    relevant = {each.location for each in targets if each.grade > 0}
    expected = relevant | {top.location for top in tops}
    nevers = [
        Top(location, within, never=True)
        for location, within in draw(st.lists(st.tuples(located, st.none() | st.integers(1, 20)), max_size=2))
        if location not in expected
    ]
    empty = not targets and not tops and not nevers and draw(st.booleans())
    answer = draw(st.none() | lines)
    scored = not targets and not tops and not empty and answer is None
    query = draw(lines)
    return Case(
        id=draw(
            st.just(f"{number}")
            | names.map(lambda name: f"{name}-{number}")
            | words.map(lambda w: f"{w}{number}")
        ),
        query=query,
        targets=tuple(targets),
        weight=draw(st.sampled_from([1.0, 2.0, 0.5, 1e-6, 1e6])),
        group=draw(st.none() | words),
        category=draw(st.none() | words),
        tags=draw(st.frozensets(words | st.sampled_from(["a=b", "a=c", "language=go"]), max_size=3)),
        filters=draw(st.dictionaries(keys, words | st.lists(words, max_size=2).map(tuple), max_size=2)),
        top=(*tops, *nevers),
        targets_within=draw(st.none() | st.integers(1, 20)) if relevant else None,
        exhaustive=draw(st.booleans()),
        expect_empty=empty,
        max_score=draw(st.none() | st.sampled_from([2.0, 0.5, -1.0])) if scored else None,
        xfail=draw(st.none() | xfails),
        answer=answer,
        notes=draw(st.just("") | lines),
    )


def _in_groups(targets: list[Target]) -> list[Target]:
    """Order targets as `any_of` does: those of no group first, and groups named by their number."""
    named = sorted({target.group for target in targets if target.group})
    alone = [target for target in targets if target.group is None]
    numbers = {group: f"any-{number}" for number, group in enumerate(named, 1)}
    grouped = sorted(
        (target for target in targets if target.group), key=lambda target: named.index(str(target.group))
    )
    return alone + [
        Target(each.location, each.grade, numbers[str(each.group)], each.source, each.reviewed)
        for each in grouped
    ]


_FACETS = st.dictionaries(keys, words | st.lists(words, max_size=2).map(tuple), max_size=2)
_SOME = st.lists(lines, min_size=1, max_size=2).map(tuple)
_SINGLE = words.filter(lambda text: len(text.split()) == 1).map(str.strip)


@st.composite
def steps(draw: st.DrawFn, located: st.SearchStrategy[Location], *, files: bool, corpus: bool) -> Step:
    """A step of any kind that the corpus allows, which expects something."""
    action = draw(st.sampled_from(Action)) if files else Action.SEARCH
    match action:
        case Action.SEARCH:
            finds = tuple(draw(st.lists(located, min_size=1, max_size=2)))
            return Step(action, draw(lines), draw(_FACETS), draw(st.integers(1, 99)), finds=finds)
        case Action.TREE:
            under = draw(
                st.dictionaries(keys, st.lists(words, min_size=1, max_size=2), min_size=1, max_size=2)
            )
            pairs = tuple((child, parent) for child, parents in under.items() for parent in parents)
            at = Location(path=draw(places).path)
            return Step(action, at=at, has=draw(st.just(()) | _SOME), under=pairs)
        case _:
            contains, excludes = draw(_SOME), draw(st.just(()) | _SOME)
            excludes = tuple(text for text in excludes if text not in contains)
            complete = corpus and action is Action.SUBTREE and draw(st.booleans())
            at = draw(places)
            return Step(action, at=at, contains=contains, excludes=excludes, complete=complete)


@st.composite
def invariants(draw: st.DrawFn, number: int, located: st.SearchStrategy[Location]) -> Invariant:
    """An invariant of any relation, with a name of its own or the one that reading makes."""
    relation = draw(st.sampled_from(Relation))
    text, k, facets = draw(lines), draw(st.integers(1, 99)), draw(_FACETS)
    asked: list[str] = [text]
    said: dict[str, Any] = {}
    match relation:
        case Relation.SAME_RESULTS | Relation.DIFFERENT_RESULTS:
            asked = draw(st.lists(lines, min_size=2, max_size=3, unique=True))
            said = {"by": draw(st.sampled_from(["place", "document"])), "order": draw(st.booleans())}
        case Relation.RANKS_ABOVE:
            locations = draw(st.lists(located, min_size=2, max_size=4, unique=True))
            split = draw(st.integers(1, len(locations) - 1))
            said = {"above": tuple(locations[:split]), "below": tuple(locations[split:])}
        case Relation.FILTER_ONLY:
            facets = facets or {"type": "runbook"}
            said = {"only": draw(_SOME)}
        case Relation.SINGLE_TERM_NO_BONUS | Relation.RARE_TERM:
            word, beside = draw(
                st.lists(_SINGLE, min_size=2, max_size=2, unique_by=lambda each: each.casefold())
            )
            asked = [word, f"{word} {beside}"]
        case Relation.STABLE:
            asked = [text] * draw(st.integers(2, 5))
        case Relation.EMPTY:
            asked = draw(st.lists(lines, min_size=1, max_size=2))
        case _:
            pass
    queries = tuple(Query(each, k, facets) for each in asked)
    if relation is Relation.MONOTONE:
        counts = draw(st.lists(st.integers(1, 99), min_size=2, max_size=3, unique=True))
        queries = tuple(Query(text, count, facets) for count in sorted(counts))
    usual = usual_name(relation.value, [one.text for one in queries])
    name = draw(st.just(f"{usual}-{number}") | words.map(lambda word: f"{word}{number}")) if number else usual
    said |= {"xfail": draw(st.none() | xfails), "notes": draw(st.just("") | lines)}
    return Invariant(name, relation, queries, **said)


_CORPORA = st.one_of(
    st.none(),
    st.builds(CorpusSource, words),
    st.builds(
        lambda kind, place, options: CorpusSource(place, kind, options),
        st.sampled_from(["folder", "beir", "jsonl", "git"]),
        words,
        st.dictionaries(
            st.sampled_from(["commit", "under", "text"]), words | st.lists(words, max_size=2).map(tuple)
        ),
    ),
)


@st.composite
def suites(draw: st.DrawFn) -> Suite:
    """A suite that every one of our formats can hold."""
    corpus = draw(_CORPORA)
    most = draw(st.none() | st.just(3.0))
    parsed = corpus is not None and corpus.kind not in {"beir", "jsonl"}
    located = ids | places if parsed else ids
    found = [draw(cases(number, located | quotes, most)) for number in range(draw(st.integers(1, 3)))]
    walked = steps(located, files=parsed or corpus is None, corpus=parsed)
    walks = [
        Scenario(
            f"{draw(words)}{number}",
            tuple(draw(st.lists(walked, min_size=1, max_size=2))),
        )
        for number in range(draw(st.integers(0, 2)))
    ]
    return Suite(
        name=draw(words),
        cases=tuple(found),
        metrics=draw(st.just(("ndcg@10",)) | st.lists(words, max_size=2).map(tuple)),
        gates=draw(st.lists(words.map(GateText), max_size=2).map(tuple)),
        matching=draw(
            st.builds(
                Matching,
                st.sampled_from(MatchBy),
                st.integers(1, 5),
                st.sampled_from([0.0, 0.5]),
                st.sampled_from([0.0, 1 / 3]),
            )
        ),
        max_grade=most,
        corpus=corpus,
        k=draw(st.none() | st.integers(1, 100)),
        map_rules=draw(st.just(()) | st.just((MapRule("https://x/(.*)", r"\1.md"),))),
        scenarios=tuple(walks),
        invariants=tuple(draw(invariants(number, located)) for number in range(draw(st.integers(0, 2)))),
        unlisted=draw(st.sampled_from(UNLISTED)),
        no_relevant=draw(st.sampled_from(NO_RELEVANT)),
        gating_sources=draw(st.sampled_from([("person", "import"), ("estimated", "model")])),
    )
