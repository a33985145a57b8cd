"""`just results`: engines on the suites that the project ships. Writes its tables into suites/RESULTS.md.

    python benchmarks/suite_results.py                  measure, print and write
    python benchmarks/suite_results.py sqlite tantivy   measure and print these alone
    python benchmarks/suite_results.py --only docs      measure this suite alone; --quality writes it
    python benchmarks/suite_results.py --quality        measure once, and write all but times
    python benchmarks/suite_results.py --check          measure, and fail where the page has other figures

Tables over code and docs together are made where both are measured: --only code --only docs --quality.
Of code, docs and ratings only the development half is measured. Quality is compared, times are not.
suite_systems.py has the settings of each system, suite_ground.py what is wanted of each suite.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from page_tables import exit_where_wrong, read_tables, with_rows, write_tables
from suite_differences import DIFFERENCES, together_tables
from suite_ground import PLANS, SUITES, Ground
from suite_measuring import BUILDS, ROUNDS, Desk, measured
from suite_page import (
    CORPORA,
    SYSTEMS,
    TIMES,
    corpora_table,
    systems_table,
    tables_of,
    wrong_on,
)
from suite_systems import CONTENDERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suite_ground import Plan
    from suite_measuring import Measured
    from suite_systems import Contender

PAGE = SUITES / "RESULTS.md"


def main() -> None:
    """Measure, print, and write or compare."""
    asked = _asked()
    plans = [plan for plan in PLANS if plan.name in (asked.only or [plan.name])]
    named = [one for one in CONTENDERS if one.name in (asked.systems or [one.name])]
    tables = _measured(plans, named, timed=not (asked.check or asked.quality))
    print("\n\n".join(f"{name}\n\n{table}" for name, table in tables.items()))
    if asked.check:
        # Holm counts how many are compared: of some alone, p is another.
        kept = {
            name: one for name, one in tables.items() if not (asked.systems and name.endswith(DIFFERENCES))
        }
        exit_where_wrong(*wrong_on(PAGE.read_text(encoding="utf-8"), kept))
    elif not asked.systems and (asked.quality or not asked.only):
        kept = {name: one for name, one in tables.items() if not (asked.quality and name.endswith(TIMES))}
        if asked.only:
            before = read_tables(PAGE.read_text(encoding="utf-8"))[CORPORA]
            kept[CORPORA] = with_rows(before, kept[CORPORA], [plan.name for plan in PLANS])
            del kept[SYSTEMS]
        write_tables(PAGE, kept)


def _measured(plans: Sequence[Plan], contenders: Sequence[Contender], *, timed: bool) -> dict[str, str]:
    """Measure, and lay out every table."""
    tables: dict[str, str] = {}
    searched: list[tuple[Ground, int | None]] = []
    found: list[Measured] = []
    parts: list[tuple[Ground, Sequence[Measured]]] = []
    with Desk() as desk:
        for plan in plans:
            wanted = [one for one in contenders if plan.name in one.suites]
            ground = Ground.read(plan)
            whole = timed and plan.half is None
            here = measured(
                ground, wanted, desk, rounds=ROUNDS if whole else 1, builds=BUILDS if whole else 1
            )
            tables |= tables_of(ground, here)
            found += here
            parts.append((ground, here))
            searched.append((ground, desk.nodes(ground)))
    tables |= together_tables(parts)
    return {**tables, CORPORA: corpora_table(searched), SYSTEMS: systems_table(found)}


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("systems", nargs="*", metavar="SYSTEM")
    parser.add_argument("--only", action="append", default=[], metavar="SUITE")
    which = parser.add_mutually_exclusive_group()
    for name in ("quality", "check"):
        which.add_argument(f"--{name}", action="store_true")
    asked = parser.parse_args()
    for given, there in (
        (asked.systems, [one.name for one in CONTENDERS]),
        (asked.only, [plan.name for plan in PLANS]),
    ):
        if unknown := set(given) - set(there):
            sys.exit(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(there)}")
    return asked


if __name__ == "__main__":
    main()
