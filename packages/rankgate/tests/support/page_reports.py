"""Reports for tests of the HTML page, with rankings and texts: failed, passed, invalid, and large ones."""

from __future__ import annotations

from dataclasses import replace
from math import log2
from random import Random

from rankgate.report import (
    CaseResult,
    CaseState,
    Change,
    ComparisonResult,
    GateResult,
    GateState,
    MetricResult,
    ProbeReport,
    Recommendation,
    Report,
    ShownHit,
    ShownTarget,
    SliceResult,
    State,
)
from rankgate.reports.compare import ComparedMetric, ComparedPair, CompareReport, Finding

CATEGORIES = ("how-to", "api", "how-to", "concepts", "errors")
QUERIES = (
    "add an option with a default value",
    "progress bar in a long loop",
    "read an environment variable as a default",
    "nest commands in a group",
    "prompt for a password twice",
    "validate an argument with a callback",
    "test a command without a shell",
    "colour the output of echo",
    "what is a context object",
    "pass a value from a group to its commands",
    "exit with a code of my own",
    "make an option required",
    "choose from a fixed list of values",
    "count how often -v was given",
    "parse a date on the command line",
    "hide an option from the help",
    "rename a command",
    "how are types converted",
    "load commands from plugins",
    "page long output",
)
PLACES = (
    "options.md",
    "progress-bars.md",
    "environment.md",
    "groups.md",
    "passwords.md",
    "callbacks.md",
    "testing.md",
    "colours.md",
    "contexts.md",
    "passing-values.md",
    "exit-codes.md",
    "required-options.md",
    "choices.md",
    "counting.md",
    "dates.md",
    "hidden-options.md",
    "command-names.md",
    "types.md",
    "plugins.md",
    "pager.md",
)
TEXTS = (
    "Use the option when a value must be read once. Its default is taken from the environment or a file.",
    "A group runs its commands in the order in which they were added. Nest groups to any depth.",
    "The callback validates the argument before the command runs, and raises BadParameter with a message.",
    "A progress bar prints to the terminal only. In a long loop, pass the number of steps as `length`.",
    "Password prompts hide the input. Ask twice with `confirmation_prompt=True`, and compare both values.",
)
_RANKS = (  # before, now
    *((1, 4), (1, None), (2, 5), (1, 2), (3, None), (1, 3), (2, 7), (4, 2), (3, 1)),
    *((1, 1), (1, 1), (2, 2), (1, 1), (1, 1), (3, 3), (1, 1), (1, 1), (None, None), (1, 1), (2, 2)),
)


def value(rank: int | None) -> float:
    """Return nDCG of one target at a rank."""
    return 0.0 if rank is None else 1 / log2(rank + 1)


def case(
    at: int, before: int | None, now: int | None, *, compared: bool = True, hits: bool = True
) -> CaseResult:
    """Return a query with one target that is at rank `now`."""
    random = Random(at)
    query = QUERIES[at % len(QUERIES)] + ("" if at < len(QUERIES) else f", part {at // len(QUERIES)}")
    places = [PLACES[(at + step) % len(PLACES)] for step in range(11)]
    lines = [
        f"docs/{'guide' if step % 3 else 'api'}/{place}:{10 * step + 3}-{10 * step + 21}"
        for step, place in enumerate(places)
    ]
    target, others = lines[0], lines[1:]

    def ranked(rank: int | None, order: list[str]) -> list[str]:
        return order[:10] if rank is None else [*order[: rank - 1], target, *order[rank - 1 :]][:10]

    old = ranked(before, others)
    new = ranked(now, [*random.sample(others[:6], 6), *others[6:]] if before != now else others)
    was = {name: rank for rank, name in enumerate(old, 1)}

    def shown(order: list[str], *, current: bool) -> tuple[ShownHit, ...]:
        return tuple(
            ShownHit(
                rank=rank,
                location=name,
                title=name.rpartition("/")[2].partition(".")[0].replace("-", " ").capitalize(),
                text=TEXTS[(at + rank) % len(TEXTS)],
                grade=1.0 if name == target else None,
                targets=(0,) if name == target else (),
                before=was.get(name) if current and compared else None,
                score=20 - rank,
            )
            for rank, name in enumerate(order, 1)
        )

    change = None
    if compared:
        change = Change.UNCHANGED if value(now) == value(before) else Change.REGRESSED
        change = Change.IMPROVED if value(now) > value(before) else change
    return CaseResult(
        name=query.replace(" ", "-").replace(",", ""),
        query=query,
        where=f"search.yaml:{8 + 3 * at}",
        change=change,
        values={"ndcg@10": value(now), "rr": 0.0 if now is None else 1 / now},
        before={"ndcg@10": value(before), "rr": 0.0 if before is None else 1 / before} if compared else {},
        rank=now,
        rank_before=before if compared else None,
        returned=10,
        targets=(ShownTarget(location=target, title="Usage", rank=now, before=before if compared else None),),
        hits=shown(new, current=True) if hits else (),
        hits_before=shown(old, current=False) if hits and compared and change is not Change.UNCHANGED else (),
        category=CATEGORIES[at % len(CATEGORIES)],
        tags=("short",) if at % 4 == 0 else (),
        seconds=0.1,
    )


def mean(cases: tuple[CaseResult, ...], metric: str, *, before: bool = False) -> float:
    """Return the mean of a metric."""
    values = [(one.before if before else one.values)[metric] or 0 for one in cases]
    return sum(values) / len(values)


def slices(cases: tuple[CaseResult, ...]) -> tuple[SliceResult, ...]:
    """Return the categories."""
    found = []
    for name in sorted({one.category for one in cases}):
        own = tuple(one for one in cases if one.category == name)
        metrics = own[0].values
        found.append(
            SliceResult(
                key="category",
                name=name,
                count=len(own),
                values={metric: mean(own, metric) for metric in metrics},
                before={metric: mean(own, metric, before=True) for metric in metrics}
                if own[0].before
                else {},
                failed=sum(one.state is CaseState.FAILED for one in own),
                regressed=sum(one.change is Change.REGRESSED for one in own),
            )
        )
    return tuple(found)


def report_of(cases: tuple[CaseResult, ...], **more: object) -> Report:
    """Return a report of these cases."""
    compared = any(one.change for one in cases)
    regressed = [one for one in cases if one.change is Change.REGRESSED]
    regressed.sort(key=lambda one: (one.values["ndcg@10"] or 0) - (one.before["ndcg@10"] or 0))
    values: dict[str, object] = {
        "suite": "search",
        "system": "app:search",
        "path": "search.yaml",
        "state": State.PASSED,
        "exit_code": 0,
        "primary": "ndcg@10",
        "total": len(cases),
        "cases": cases,
        "metrics": tuple(
            MetricResult(
                metric=metric,
                value=mean(cases, metric),
                count=len(cases),
                before=mean(cases, metric, before=True) if compared else None,
            )
            for metric in ("ndcg@10", "rr")
        ),
        "attention": tuple(one.name for one in regressed),
        "slices": slices(cases),
        "provenance": {"rankgate": "0.3.0", "suite": "sha256:9f2c41aa", "commit": "4be1f00", "seed": "0"},
        "time": "2026-11-19 14:03 UTC",
        "seconds": 2.41,
        "next": ("rankgate query app:search --case add-an-option --explain",),
    }
    if compared:
        values["comparison"] = ComparisonResult(
            name="baseline",
            regressed=len(regressed),
            improved=sum(one.change is Change.IMPROVED for one in cases),
            unchanged=sum(one.change is Change.UNCHANGED for one in cases),
        )
        values["history"] = {
            "ndcg@10": (0.71, 0.74, 0.74, 0.78, 0.77, 0.81),
            "rr": (0.70, 0.72, 0.71, 0.76, 0.75, 0.79),
        }
    return Report(**(values | more))  # type: ignore[arg-type]


def failed(count: int = 20, *, details: bool = True) -> Report:
    """Return a failed test in which about a third of the queries regressed."""
    cases = []
    for at in range(count):
        before, now = _RANKS[at % len(_RANKS)]
        one = case(at, before, now, hits=details or now != before)
        if now is None and before is not None:
            one = replace(
                one, state=CaseState.FAILED, reasons=(f"lost@10: found at rank {before} in the baseline",)
            )
        cases.append(one)
    found = tuple(cases)
    lost = tuple(one.name for one in found if one.state is CaseState.FAILED)
    worse = tuple(one.name for one in found if one.change is Change.REGRESSED)
    shown = report_of(found)
    order = sorted(shown.attention, key=lambda name: name not in lost)
    return replace(
        shown,
        state=State.FAILED,
        exit_code=1,
        attention=tuple(order),
        causes=("drop(ndcg@10) failed", "lost@10 failed"),
        gates=(
            GateResult(
                gate="drop(ndcg@10) <= 0.02",
                state=GateState.FAILED,
                value=0.114,
                text="drop(ndcg@10) = 0.114 (at most 0.02)",
                queries=worse,
                count=count,
                threshold=0.02,
                where="search.yaml:3",
            ),
            GateResult(
                gate="lost@10 = 0",
                state=GateState.FAILED,
                value=float(len(lost)),
                text=f"lost@10 = {len(lost)} (required: 0)",
                queries=lost,
                count=count,
                unit="count",
                threshold=0,
                default=True,
            ),
            GateResult(
                gate="ndcg@10 >= 0.60",
                state=GateState.PASSED,
                value=shown.metrics[0].value,
                text="ndcg@10 = 0.658 (at least 0.6)",
                count=count,
                threshold=0.6,
                goal=0.8,
                where="search.yaml:3",
            ),
        ),
        recommendations=(
            Recommendation(
                fact="Category errors has ndcg@10 0.316, all others 0.742",
                action="Look at the queries of this category first",
                queries=worse[:3],
            ),
            Recommendation(
                fact="The first result of 3 queries is in the right document, in other lines",
                action="Check the chunk boundaries of these documents",
                queries=worse[2:5],
            ),
        ),
        scenarios=(ProbeReport(name="open a page", state=CaseState.PASSED, calls=3, tokens=840),),
        notes=("2 results without a location",),
    )


def passed() -> Report:
    """Return a passed test with one regressed query."""
    cases = tuple(case(at, 1 + at % 2, 2 if at == 3 else 1 + at % 2) for at in range(12))
    cases = tuple(case(at, 1, 2) if at == 3 else one for at, one in enumerate(cases))
    gate = GateResult(
        gate="ndcg@10 >= 0.6",
        state=GateState.PASSED,
        value=0.8,
        text="ndcg@10 = 0.800 (at least 0.6)",
        count=12,
    )
    return report_of(cases, gates=(gate,), next=())


def no_baseline() -> Report:
    """Return a test without gates and without a baseline."""
    cases = tuple(case(at, None, 1 + at % 5 if at % 6 else None, compared=False) for at in range(12))
    return report_of(cases, state=State.NO_GATES, next=("rankgate baseline set",), attention=())


def invalid() -> Report:
    """Return a test of an invalid suite."""
    problems = (
        "search.yaml:12:5: unknown key 'at_'. Did you mean 'at'?",
        "search.yaml:20:9: docs/keys.md has no heading 'Rotation'. Headings: Rotate a key, Revoke a key.",
    )
    return Report(
        suite="search",
        system="app:search",
        path="search.yaml",
        state=State.INVALID,
        exit_code=2,
        causes=("2 problems in search.yaml",),
        problems=problems,
        next=("rankgate suite lint search.yaml",),
        time="2026-11-19 14:03 UTC",
    )


def refused() -> Report:
    """Return a test of a system that refused every connection."""
    error = "ConnectionError: connection to localhost:9200 refused"
    cases = tuple(
        replace(case(at, 1, None, hits=False), state=CaseState.ERROR, error=error, returned=0)
        for at in range(6)
    )
    return report_of(
        cases,
        state=State.SYSTEM_FAILED,
        exit_code=3,
        causes=("6 of 6 queries failed",),
        problems=(error,),
        metrics=(),
    )


def large(count: int) -> Report:
    """Return a failed test of many queries, with all results of the first 200 as in a report of rankgate."""
    report = failed(count)
    others = (replace(one, hits=one.hits[:1], hits_before=()) for one in report.cases[200:])
    return replace(report, cases=(*report.cases[:200], *others))


PRODUCTS = ("Desk lamp", "Floor lamp", "Bedside lamp", "Paper lantern", "Clip light", "String lights")
COLOURS = ("red", "blue", "green", "brass")


def picture(colour: int) -> str:
    """Return a picture of a lamp as a `data:` URL."""
    from base64 import b64encode

    drawn = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><path d="M20 12h24l8 24H12z" '
        f'fill="hsl({colour} 60% 55%)"/><path d="M30 36h4v16h-4zM20 52h24v4H20z" fill="#555"/></svg>'
    )
    return f"data:image/svg+xml;base64,{b64encode(drawn.encode()).decode()}"


def products() -> Report:
    """Return a failed test of a product search: results with a title, a price, an image and a link."""

    def shown(hit: ShownHit, now: bool) -> ShownHit:
        number = int(hit.location.rpartition(":")[2].partition("-")[0]) + len(hit.location)
        title = f"{PRODUCTS[number % len(PRODUCTS)]}, {COLOURS[number % 4]}"
        fields = {
            "title": title,
            "price": f"{19 + number % 70}.90",
            "image": picture(37 * number % 360),
            "url": f"https://shop.example.org/p/{number}",
        }
        known = now or hit.rank % 3
        return replace(
            hit,
            location=f"sku-{1000 + number}",
            title=title if known else "",
            text="",
            fields=fields if known else {},
        )

    report = failed()
    cases = tuple(
        replace(
            one,
            query=f"{COLOURS[at % 4]} {PRODUCTS[at % len(PRODUCTS)].lower()} {at % 3 + 1} m",
            hits=tuple(shown(hit, True) for hit in one.hits),
            hits_before=tuple(shown(hit, False) for hit in one.hits_before),
            targets=tuple(
                replace(target, location=f"sku-{1000 + 3 + len(target.location)}", title="")
                for target in one.targets
            ),
        )
        for at, one in enumerate(report.cases)
    )
    return replace(report, suite="shop", system="shop-api", cases=cases)


def compared() -> CompareReport:
    """Return a comparison of two systems over 20 queries."""
    cases = failed().cases
    old, new = mean(cases, "ndcg@10", before=True), mean(cases, "ndcg@10")
    metric = ComparedMetric(
        metric="ndcg@10",
        before=old,
        after=new,
        difference=new - old,
        low=-0.31,
        high=-0.02,
        p=0.031,
        exact=True,
        wins=2,
        losses=7,
        ties=11,
        finding=Finding.WORSE,
    )
    pair = ComparedPair(
        before="prod", after="stage", queries=20, metrics=(metric,), primary="ndcg@10", cases=cases
    )
    return CompareReport(suite="search", pairs=(pair,))
