"""Tests per file, and what became of each test between two commits.

    pytest --collect-only -q > after.txt
    python tools/test_counts.py after.txt                  # tests per file
    python tools/test_counts.py before.txt after.txt       # which are gone, which are new

A test is looked for under the name of its file and its own; then in any file; then with other parameters. So
a file may move or be renamed, and a parameter that names a module may change, but no test is lost unnoticed.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path


def listed(path: Path) -> list[str]:
    """Read the tests that `pytest --collect-only -q` printed."""
    return [line for line in path.read_text(encoding="utf-8").splitlines() if "::" in line]


def names(test: str) -> tuple[str, str, str]:
    """Return the names by which a test is found again: in its file, in any file, with any parameters."""
    file, _, name = test.partition("::")
    if not Path(file).name.startswith("test_"):  # an example in a docstring, named by its module, which moves
        name = f"example in {name.rpartition('.')[2]}"
        return name, name, name
    return f"{Path(file).name}::{name}", name, name.partition("[")[0]


def without(tests: list[str], others: list[str], width: int) -> list[str]:
    """Return the tests that have no partner among the others, by the name of this width."""
    there = Counter(names(test)[width] for test in others)
    left = []
    for test in tests:
        name = names(test)[width]
        there[name] -= 1
        if there[name] < 0:
            left.append(test)
    return left


def unmatched(before: list[str], after: list[str]) -> tuple[list[str], list[str]]:
    """Pair the tests of two listings, by the narrowest name first, and return those that have no partner."""
    for width in range(3):
        before, after = without(before, after, width), without(after, before, width)
    return before, after


def per_file(tests: list[str]) -> Counter[str]:
    """Count the tests of each file."""
    return Counter(test.partition("::")[0] for test in tests)


def main(arguments: list[str]) -> int:
    """Print the counts of one listing, or the difference of two; fail where a test is gone."""
    listings = [listed(Path(argument)) for argument in arguments]
    if len(listings) == 1:
        for file, count in sorted(per_file(listings[0]).items()):
            print(f"{count:>5}  {file}")
        print(f"{len(listings[0]):>5}  in all")
        return 0
    before, after = listings
    gone, new = unmatched(before, after)
    for title, tests in (("gone", gone), ("new", new)):
        for test in tests:
            print(f"{title}: {test}")
    print(f"{len(before)} before, {len(after)} after: {len(gone)} gone, {len(new)} new")
    return 1 if gone else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
