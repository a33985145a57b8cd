"""`just bench-buildbuddy-formula`: BuildBuddy's ratings by rankgate and by BuildBuddy's own formula.

The published cases are read, and answers to them are drawn: files that are rated and files that are not, in
any order, with the right number of matches or another, up to twenty. Each is scored by rankgate and by the
formula of BuildBuddy's rater, written here from what it does. BuildBuddy's own search is not asked. What must
agree is checked, with exit code 1 where it does not. ``--write`` puts what is printed into
benchmarks/buildbuddy/FORMULA.md.

    python benchmarks/buildbuddy_formula.py [--answers N] [--write]
"""

from __future__ import annotations

import argparse
import math
import os
import random
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import rankgate as rg

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model.suite import Case

WRITTEN = Path(__file__).parent / "buildbuddy" / "FORMULA.md"
DEPTH = 50
MISCOUNTED = 0.5
"""What a file keeps of its relevance where the number of matches is another."""
SEED = 20261117
PAGE = """\
# BuildBuddy's ratings by two formulas

`just bench-buildbuddy-formula --write`: the {cases} published cases ({results} ideal results; {penalised}
charge for what is not among them), {answers} drawn answers to each.

| answers | scored by | scored | largest difference | the same |
|---|---|---|---|---|
{rows}

- With `--option halve_miscounted=true` the gain of a file whose number of matches is another is halved, as
  BuildBuddy does; without it, it is not.
- BuildBuddy has no cut; the answers here are shorter than the cut, so that there is none.
- A file that an answer has twice is where the two differ: BuildBuddy adds its relevance each time, so that an
  answer can score more than 1 ({over} of {repeated} here, at most {most:.2f}); rankgate credits a file once.
"""


def main() -> int:
    """Draw, score and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--answers", type=int, default=300, help="how many to each case")
    parser.add_argument("--write", action="store_true", help="write benchmarks/buildbuddy/FORMULA.md")
    given = parser.parse_args()
    file = Path(os.environ["RANKGATE_SHARED_DATA"]) / "code" / "buildbuddy" / "ratings.json"
    reading = rg.ReadOptions(options={"halve_miscounted": "true"})
    suite = rg.load_suite(file, "ratings", reading)
    drawn = random.Random(SEED)
    rows, wrong = [], 0
    repeated: list[float] = []
    for twice in (False, True):
        for exhaustive, metric in ((True, f"pndcg(cost=1)@{DEPTH}"), (False, f"ndcg@{DEPTH}")):
            pairs: list[tuple[float, float]] = []
            for case in (one for one in suite.cases if one.exhaustive == exhaustive):
                answers = [answer(case, drawn, twice=twice) for _ in range(given.answers)]
                theirs = [by_formula(case, hits) for hits in answers]
                pairs += zip(by_rankgate(suite, case, answers, metric), theirs, strict=True)
            gap = max(abs(ours - theirs) for ours, theirs in pairs)
            same = sum(abs(ours - theirs) < 1e-9 for ours, theirs in pairs)
            said = "with a file twice" if twice else "each file once"
            rows.append(f"| {said} | `{metric}` | {len(pairs)} | {gap:.3g} | {same} |")
            wrong += 0 if twice else len(pairs) - same
            repeated += [theirs for _, theirs in pairs] if twice else []
    text = PAGE.format(
        cases=len(suite.cases),
        results=sum(len(case.targets) for case in suite.cases),
        penalised=sum(case.exhaustive for case in suite.cases),
        answers=given.answers,
        rows="\n".join(rows),
        repeated=len(repeated),
        over=sum(value > 1 + 1e-9 for value in repeated),
        most=max(repeated),
    )
    print(text)
    if given.write:
        WRITTEN.parent.mkdir(exist_ok=True)
        WRITTEN.write_text(text, encoding="utf-8")
    return int(wrong > 0)


def answer(case: Case, drawn: random.Random, *, twice: bool) -> list[rg.Hit]:
    """Draw an answer: some of the rated files, some others, in any order."""
    rated = [target for target in case.targets if drawn.random() < 0.7]
    hits = [
        rg.Hit(path=one.location.path, matches=(one.matches or 1) + (drawn.random() < 0.3)) for one in rated
    ]
    hits += [rg.Hit(path=f"other/{at}.go", matches=1) for at in range(drawn.randrange(8))]
    if twice:
        hits += [hit for hit in hits if drawn.random() < 0.5]
    drawn.shuffle(hits)
    return hits[:20]


def by_rankgate(suite: rg.Suite, case: Case, answers: Sequence[list[rg.Hit]], metric: str) -> list[float]:
    """Score answers to one case, each asked as a case of its own."""
    cases = [replace(case, id=str(at), query=f"{case.query} {at}") for at in range(len(answers))]
    given = {one.query: hits for one, hits in zip(cases, answers, strict=True)}
    found = rg.evaluate(
        replace(suite, cases=tuple(cases)),
        lambda query, k: given[query][:k],
        metrics=[metric],
        k=DEPTH,
    )
    values = found.scores.per_query(metric)
    return [values[one.id] or 0.0 for one in cases]


def by_formula(case: Case, hits: Sequence[rg.Hit]) -> float:
    """Score an answer as BuildBuddy does: relevance, halved where matches are miscounted, over the ideal."""
    rated = {target.location.path: target for target in case.targets}
    gains = []
    for hit in hits:
        target = rated.get(hit.path)
        if target is None:
            gains.append(-1.0 if case.exhaustive else 0.0)
        else:
            gains.append(target.grade * (1.0 if hit.matches == target.matches else MISCOUNTED))
    ideal = sorted((target.grade for target in rated.values()), reverse=True)
    return dcg(gains) / dcg(ideal) if hits else 0.0


def dcg(gains: Sequence[float]) -> float:
    """Sum up gains, each over the logarithm of its rank and one."""
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


if __name__ == "__main__":
    sys.exit(main())
