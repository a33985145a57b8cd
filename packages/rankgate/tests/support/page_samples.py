"""Usual pages, made by hand: so many queries of which some fail, with or without a baseline."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from rankgate.reports.page.model import PageBefore, PageHit, PageQuery, PageTarget, PageText, ReportPage
from rankgate.reports.text.printable import Block
from support.sample_reports import METRICS, report, shown
from support.sample_words import CATEGORIES, FILES, QUERIES, SNIPPETS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.reports.text.marks import Mark, Unmarked

DEPTH = 8


def texts() -> tuple[PageText, ...]:
    """Give some texts in colour."""
    from pygments.lexers import PythonLexer
    from pygments.token import Comment, Keyword, Name, Number, String

    kinds = {Keyword: "k", String: "s", Comment: "c", Number: "d", Name.Function: "n", Name.Class: "n"}
    found = []
    for first, text in SNIPPETS:
        tokens: list[tuple[int, str]] = []
        for kind, part in PythonLexer(stripnl=False).get_tokens(text):
            name = next((letter for parent, letter in kinds.items() if kind in parent), "")
            if tokens and tokens[-1][1] == name:
                tokens[-1] = (tokens[-1][0] + len(part), name)
            else:
                tokens.append((len(part), name))
        found.append(PageText(Block(text), first, tuple(tokens)))
    return tuple(found)


def _hit(drawn: Random, place: str, mark: Mark | Unmarked, at: int, move: str = "") -> PageHit:
    number = drawn.randrange(len(SNIPPETS))
    first, text = SNIPPETS[number]
    lines = text.count("\n")
    marked = ((first + 2, first + min(6, lines)),) if mark == "✅" else ()
    return PageHit(
        location=f"{place}:{first}-{first + lines}",
        mark=mark,
        grade="2" if mark == "✅" else "",
        targets=(0,) if mark == "✅" else (),
        score=f"{14.2 - 1.3 * at:.2f}",
        text=number,
        marked=marked,
        move=move,
    )


def values_at(rank: int | None) -> tuple[float | None, ...]:
    if rank is None:
        return (0.0, 0.0, 0.0, 0.0)
    return (1 / math.log2(rank + 1), 1 / rank, float(rank <= 3), 1.0)


def _ranking(drawn: Random, right: str, rank: int | None, pool: Sequence[str]) -> list[tuple[str, str]]:
    others = [place for place in pool if place != right][:DEPTH]
    places = others[: DEPTH if rank is None else DEPTH - 1]
    marks = ["❌" if drawn.random() < 0.08 else "" for _ in places]
    found = list(zip(places, marks, strict=True))
    if rank is not None:
        found.insert(rank - 1, (right, "✅"))
    return found


def _query(number: int, drawn: Random, *, compared: bool) -> PageQuery:
    text, category = QUERIES[number % len(QUERIES)], CATEGORIES[number % len(CATEGORIES)]
    if number >= len(QUERIES):
        text = f"{text} ({number})"
    right = FILES[number % len(FILES)]
    pool = drawn.sample(FILES, len(FILES))
    now = drawn.choices([1, 2, 3, 5, 7, None], [55, 15, 8, 6, 4, 12])[0]
    then = now if drawn.random() < 0.55 else drawn.choices([1, 2, 4, 6, None], [40, 25, 15, 8, 12])[0]
    ended = "passed" if now is not None and now <= 3 else "failed" if now is None else "short"
    if ended == "short" and number % 2:
        ended = "known"
    mark: Mark = {"passed": "✅", "failed": "❌"}.get(ended, "⚠️")  # type: ignore[assignment]
    before_places = _ranking(drawn, right, then, pool)
    swapped = pool[:]
    swapped[1], swapped[4] = swapped[4], swapped[1]
    after_places = _ranking(drawn, right, now, swapped)
    old = [place for place, _ in before_places]
    values, was = values_at(now), values_at(then)
    return PageQuery(
        case=f"{category}-{number:03d}",
        query=text,
        mark=mark,
        ended=ended,
        category=category,
        tags=("smoke",) if number % 9 == 0 else (),
        where=f"search.yaml:{12 + 6 * number}",
        filters="language=python" if number % 11 == 0 else "",
        reasons=_reasons(now, right) if ended != "passed" else (),
        ms=round(drawn.lognormvariate(2.9, 0.5), 3),
        values=values,
        shown=shown(values),
        targets=(
            PageTarget(right, "2", now, _ended(now), "❌" if now is None else "✅", before=then),
            *([PageTarget("docs/why.md#history", "1", None, "not in the top 8", "❌")] * (number % 5 == 0)),
        ),
        hits=tuple(
            _hit(drawn, place, mark, at, _move(place, at, old) if compared else "")  # type: ignore[arg-type]
            for at, (place, mark) in enumerate(after_places)
        ),
        returned=f"{DEPTH} hits",
        before=_before(was, values, before_places, now, then, drawn) if compared else None,
        ask=f"rankgate query docs-search '{text}' -S search.yaml",
    )


def _before(
    was: tuple[float | None, ...],
    values: tuple[float | None, ...],
    places: Sequence[tuple[str, str]],
    now: int | None,
    then: int | None,
    drawn: Random,
) -> PageBefore:
    seeded = Random(1)
    return PageBefore(
        was,
        shown(was),
        tuple(
            replace(_hit(seeded, place, mark, at), text=None)  # type: ignore[arg-type]
            for at, (place, mark) in enumerate(places)
        ),
        f"first relevant hit {_rank(then)} before, {_rank(now)} now",
        tuple(
            f"{after - before:+.3f}".replace("-", "−")
            for before, after in zip(was, values, strict=True)
            if before is not None and after is not None
        ),
    )


def _rank(rank: int | None) -> str:
    return "none" if rank is None else f"at rank {rank}"


def _ended(rank: int | None) -> str:
    return f"not in the top {DEPTH}" if rank is None else f"rank {rank}"


def _move(place: str, at: int, old: Sequence[str]) -> str:
    if place not in old:
        return "new"
    apart = old.index(place) - at
    return "=" if not apart else f"{'↑' if apart > 0 else '↓'}{abs(apart)}"


def _reasons(rank: int | None, right: str) -> tuple[str, ...]:
    if rank is None:
        return (f"{right} is not among the first {DEPTH} hits", "hit@3 is 0, and it must be 1")
    return (f"{right} stands at rank {rank}, and it must be among the first 3",)


def usual(count: int = 48, *, compared: bool = True, seed: int = 7) -> ReportPage:
    """Make a page of so many queries, some of which fail."""
    drawn = Random(seed)
    queries = tuple(_query(number, drawn, compared=compared) for number in range(count))
    # Two hits of one place and text must agree between the rankings: places carry the lines of their file.
    queries = tuple(_settled(query) for query in queries)
    return ReportPage(
        report=report(queries, compared=compared),
        metrics=METRICS,
        queries=queries,
        texts=texts(),
        command="rankgate test search.yaml --system docs-search --baseline main --html report.html",
        notes=("texts of 12 hits are cut to 4,000 characters",) if count > 1 else (),
    )


def _settled(query: PageQuery) -> PageQuery:
    def settle(hit: PageHit) -> PageHit:
        name = hit.location.rpartition(":")[0]
        number = FILES.index(name) % len(SNIPPETS)
        first, text = SNIPPETS[number]
        lines = text.count("\n")
        return replace(
            hit,
            location=f"{name}:{first}-{first + lines}",
            text=number if hit.text is not None else None,
            marked=((first + 1, first + min(5, lines)),) if hit.mark == "✅" else (),
        )

    before = query.before
    return replace(
        query,
        hits=tuple(map(settle, query.hits)),
        before=None if before is None else replace(before, hits=tuple(map(settle, before.hits))),
    )
