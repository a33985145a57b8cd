"""`just suite-counts`: what the shipped suites are made of. --write puts it into suites/METHOD.md."""

from __future__ import annotations

import sys
from collections import Counter
from datetime import UTC, datetime

from page_tables import table_of, write_tables
from rankgate.project.opening import open_corpus
from rankgate.suites.formats import load_suite
from rankgate.truth.anchors import Anchors
from rankgate.truth.lint.cases import counted_cases, title_worded
from rankgate.truth.lint.check import LintContext, marked
from suite_ground import PLANS, SUITES
from suite_halves import halves

PAGE = SUITES / "METHOD.md"
TABLE = "counts"
GRADES = (3, 2, 1, 0)
"""What targets are counted by."""
COLUMNS = (
    "suite",
    "cases",
    "development, test",
    "categories",
    "hard",
    *(f"targets, grade {grade}" for grade in GRADES),
    "only words of a title",
)


def counts_table() -> str:
    """Count what each suite is made of."""
    return table_of(COLUMNS, [_row(plan.name) for plan in PLANS])


def _row(name: str) -> list[str]:
    suite = load_suite(SUITES / name / f"{name}.yaml")
    found = Counter(halves(suite).values())
    categories = Counter(str(case.category) for case in suite.cases)
    grades = Counter(target.grade for case in suite.cases for target in case.targets)
    if unknown := set(grades) - set(GRADES):
        raise AssertionError(f"{name} has targets of other grades: {sorted(unknown)}")
    context = LintContext(
        suite, open_corpus(suite, None), Anchors(), datetime.now(UTC).date().isoformat(), lambda _: None
    )
    counted, worded = len(counted_cases(context)), len(title_worded(context))
    split = f"{found['development']}, {found['test']}"
    plan = next(plan for plan in PLANS if plan.name == name)
    return [
        name,
        str(len(suite.cases)),
        split if plan.half else "seen whole",
        ", ".join(f"{category} {count}" for category, count in categories.items()),
        str(sum(marked(case, "hard") for case in suite.cases)),
        *(str(grades[grade]) for grade in GRADES),
        f"{worded} of {counted} ({worded / counted:.0%})",
    ]


def main() -> None:
    """Count, print and write."""
    table = counts_table()
    print(table)
    if "--write" in sys.argv[1:]:
        write_tables(PAGE, {TABLE: table})


if __name__ == "__main__":
    main()
