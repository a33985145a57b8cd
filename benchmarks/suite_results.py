"""`just results`: engines on the suites that the project ships. Writes its tables into suites/RESULTS.md.

    python benchmarks/suite_results.py                  measure, print and write
    python benchmarks/suite_results.py sqlite tantivy   measure and print these alone
    python benchmarks/suite_results.py --quality        measure once, and write all but times
    python benchmarks/suite_results.py --check          measure, and fail where the page has other figures

Quality is compared, times are not. How each system is set stands in suite_systems.py, what is wanted of each
suite in suite_ground.py.
"""

from __future__ import annotations

import sys

from page_tables import exit_where_wrong, write_tables
from suite_ground import PLANS, SUITES, Ground
from suite_measuring import BUILDS, ROUNDS, Desk, measured
from suite_page import DIFFERENCES, SYSTEMS, TIMES, systems_table, tables_of, wrong_on
from suite_systems import CONTENDERS

PAGE = SUITES / "RESULTS.md"


def main() -> None:
    """Measure, print, and write or compare."""
    check, quality = "--check" in sys.argv, "--quality" in sys.argv
    named = [one for one in sys.argv[1:] if not one.startswith("--")]
    known = [one.name for one in CONTENDERS]
    if unknown := set(named) - set(known):
        sys.exit(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    tables: dict[str, str] = {}
    found = []
    with Desk() as desk:
        for plan in PLANS:
            wanted = [one for one in CONTENDERS if plan.name in one.suites and one.name in (named or known)]
            ground = Ground.read(plan)
            once = check or quality
            here = measured(ground, wanted, desk, rounds=1 if once else ROUNDS, builds=1 if once else BUILDS)
            tables |= tables_of(ground, here)
            found += here
    tables[SYSTEMS] = systems_table(found)
    print("\n\n".join(f"{name}\n\n{table}" for name, table in tables.items()))
    if check:
        # Holm counts how many are compared: of some alone, p is another.
        kept = {name: one for name, one in tables.items() if not (named and name.endswith(DIFFERENCES))}
        exit_where_wrong(*wrong_on(PAGE.read_text(encoding="utf-8"), kept))
    elif not named:
        kept = {name: one for name, one in tables.items() if not (quality and name.endswith(TIMES))}
        write_tables(PAGE, kept)


if __name__ == "__main__":
    main()
