"""One report with everything in it, from a small suite that is really evaluated."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from rankgate.gates.checks import CheckResult, InvariantResult, ScenarioResult
from rankgate.model import Answer, Case, Location, Target, Top, XFail
from rankgate.model.probes import Relation
from rankgate.reports.evaluation.report import Header
from support.builders import at
from support.evaluations import evaluated, target

if TYPE_CHECKING:
    from rankgate.gates.scored import Against
    from rankgate.model import Hit
    from rankgate.reports.evaluation.report import EvaluationReport
    from support.evaluations import Evaluated

HEADER = Header(
    system="app.search:search, 2.1",
    time="2026-03-01T10:00:00+00:00",
    run="9f86d081884c7d659a2feaa0c55ad015",
    versions={"rankgate": "0.1.0", "Python": "3.11.9"},
)
HOSTILE = (
    "a|b `c` ``d`` <script>alert(1)</script> </details> --> [x](http://evil.test) @everyone é@team :+1: "
    "a.md:100:5 $x$ #12 %0A ::error::x ##[error]x \x1b[31m\u202egnp\n# h"
)
FILLER: list[Hit] = [at(f"docs/page{number}.md", 1, 20) for number in range(1, 11)]
GATES = (
    "ndcg@10 >= 0.65",
    "rr >= 0.2",
    "rr >= 0.1 where category = exact",
    "worst(category) ndcg@10 >= 0.2",
    "checks = 100% where category = later",
    "drop(ndcg@10) < 0.5",
    "drop(rr) < 0.1 where category = exact",
)


def _case(number: int, name: str, query: str, **more: object) -> Case:
    return Case(name, query, where=f"suites/search.yaml:{5 + 3 * number}:5", **more)  # type: ignore[arg-type]


def everything(name: str = "handbook", *, hostile: str = HOSTILE) -> EvaluationReport:
    """One of each verdict, an xfail, an error, slices, names that try to be something else."""
    made, against = material(name, hostile=hostile)
    return made.report(
        *GATES,
        header=HEADER,
        notes=["2 hits unlocated", f"map rule {hostile} matched nothing"],
        against=against,
    )


def material(name: str = "handbook", *, hostile: str = HOSTILE) -> tuple[Evaluated, Against]:
    """What it is made of, and what that is held against."""
    deep = "a/" + "very/" * 30 + "deep.md:1000-2000"
    cases = [
        _case(
            0,
            "rotate",
            "rotate an API key",
            targets=(target("auth/keys.md:10-20", 3), target("auth/tokens.md")),
            category="exact",
            top=(Top(Location.at("auth/keys.md:10-20"), 3),),
        ),
        _case(1, "retry", "retry failed webhooks", targets=(target("webhooks.md"),), category="exact"),
        _case(2, "blockchain", "blockchain", expect_empty=True),
        _case(3, "who", "who broke it", targets=(target("ops.md"),), category="ops"),
        _case(4, "hebrew", "איך מחליפים מפתח", targets=(target("auth/keys.md"),), category="languages"),
        _case(5, "emoji", "👩‍💻 onboarding 🚀", targets=(target("start.md"),), category="languages"),
        _case(6, "long", "how do I " + "rotate " * 40 + "keys", targets=(target(deep),), category="a" * 90),
        _case(7, hostile, hostile, targets=(target("a"), Target(Location.of_id(hostile))), category=hostile),
        _case(
            8,
            "slow",
            "slow query",
            targets=(target("slow.md"),),
            category="later",
            top=(Top(Location.at("slow.md"), 1),),
            xfail=XFail(f"needs embeddings {hostile}", date(2026, 6, 1)),
        ),
        _case(
            9,
            "done",
            "done by now",
            targets=(target("done.md"),),
            category="exact",
            xfail=XFail("was slow", date(2026, 6, 1)),
        ),
    ]
    answers: dict[str, list[Hit | str] | Answer] = {
        "rotate": [*FILLER[:6], at("auth/keys.md", 15, 40)],
        "retry": [at("webhooks.md", 1, 9), *FILLER[:3]],
        "blockchain": [at("chain.md", 1, 4)],
        "who": Answer.ERROR,
        "hebrew": [FILLER[0], at("auth/keys.md", 1, 9)],
        "emoji": [FILLER[0], at("start.md", 1, 5)],
        "long": list(FILLER),
        hostile: ["::error::y", "b", hostile],
        "slow": list(FILLER),
        "done": [at("done.md", 1, 2)],
    }
    latency = {case.id: 10.0 + number for number, case in enumerate(cases)}
    measures = ["ndcg@10", "rr", "relevance = 0.5*p@5 + 0.5*rr"]
    made = evaluated(cases, answers, metrics=measures, latency=latency, name=name)
    earlier: dict[str, list[Hit | str] | Answer] = {**answers}
    earlier |= {"rotate": [at("auth/keys.md", 15, 40), *FILLER[:6]], "who": [at("ops.md", 1, 2)]}
    earlier |= {"hebrew": list(FILLER), hostile: ["b", "a", hostile], "slow": [at("slow.md", 1, 9)]}
    before = evaluated(cases, earlier, metrics=measures, name=name)
    held = CheckResult.PASSED
    broken = CheckResult.FAILED
    checks = replace(
        made.checks,
        scenarios=(
            ScenarioResult("reads the right page", held, (), 3, 1200, "suites/search.yaml:40:5"),
            ScenarioResult(hostile, broken, (f"expected {hostile}",), 2, 90, "suites/search.yaml:43:5"),
        ),
        invariants=(InvariantResult("case does not matter", next(iter(Relation)), held),),
    )
    return replace(made, checks=checks), made.since(before)
