"""Check the layout of the source: crowded folders, doubled names, long and thin files and functions.

    python tools/structure.py            # fails above a ceiling
    python tools/structure.py --figures  # prints what is measured as well

A rule that the code does not keep yet has a ceiling with today's figure, which only goes down.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORE = ROOT / "packages" / "rankgate" / "src" / "rankgate"
REFERENCE = ROOT / "packages" / "rankgate-reference" / "src" / "rankgate_reference"

MOST_SIBLINGS = 14
FEWEST_LINES = 30
MOST_LINES = 400
LONGEST_FUNCTION = 60
MOST_PARAMETERS = 8

THIN: dict[str, str] = {}
"""Modules that may be thin, each with its reason; at most 15."""

LARGE = {
    "rankgate_reference/main.py: search, 47 lines, 9 parameters": "click passes a parameter for each option",
    "rankgate/model/search.py: __init__, 20 lines, 9 parameters": "the fields of a hit",
}
"""Files and functions that may be large, each with its reason; at most 10."""

CEILINGS = {
    "modules of the core": 751,
    "lines of the core": 112_400,
    "folders with too many modules": 0,
    "class names that stand twice": 0,
    "thin modules": 0,
    "long files": 0,
    "long functions": 0,
}


@dataclass
class Found:
    """What one look at the source found, by rule."""

    rows: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    modules: int = 0
    lines: int = 0


def look(root: Path, found: Found, *, core: bool) -> None:
    """Measure every module below a folder."""
    siblings: Counter[str] = Counter()
    classes: dict[str, list[str]] = defaultdict(list)
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root.parent).as_posix()
        text = path.read_text(encoding="utf-8")
        lines = text.count("\n")
        if core:
            found.modules += 1
            found.lines += lines
        if path.stem != "__init__":
            siblings[path.parent.relative_to(root.parent).as_posix()] += 1
        if lines > MOST_LINES and name not in LARGE:
            found.rows["long files"].append(f"{name}: {lines} lines")
        if lines < FEWEST_LINES and path.stem not in {"__init__", "__main__"} and name not in THIN:
            found.rows["thin modules"].append(f"{name}: {lines} lines")
        tree = ast.parse(text)
        for node in tree.body:
            if core and isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                classes[node.name].append(name)
        found.rows["long functions"] += [
            f"{name}: {row}" for row in _long(tree) if f"{name}: {row}" not in LARGE
        ]
    for folder, count in siblings.items():
        if count > MOST_SIBLINGS:
            found.rows["folders with too many modules"].append(f"{folder}: {count} modules")
    for name, homes in classes.items():
        if len(homes) > 1:
            found.rows["class names that stand twice"].append(f"{name}: {', '.join(homes)}")


def _long(tree: ast.AST) -> list[str]:
    rows = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            taken = node.args
            parameters = len(taken.posonlyargs) + len(taken.args) + len(taken.kwonlyargs)
            if lines > LONGEST_FUNCTION or parameters > MOST_PARAMETERS:
                rows.append(f"{node.name}, {lines} lines, {parameters} parameters")
    return rows


def main(arguments: list[str]) -> int:
    """Print what breaks a rule; return 1 if anything does."""
    found = Found()
    look(CORE, found, core=True)
    look(REFERENCE, found, core=False)
    figures = {"modules of the core": found.modules, "lines of the core": found.lines}
    figures |= {rule: len(found.rows[rule]) for rule in CEILINGS if rule not in figures}
    failed = False
    for rule, ceiling in CEILINGS.items():
        if "--figures" in arguments:
            print(f"{figures[rule]:>7,}  {rule} (ceiling {ceiling:,})")
        if figures[rule] > ceiling:
            failed = True
            print(f"{rule}: {figures[rule]:,}, at most {ceiling:,}", *found.rows[rule], sep="\n  ")
    if len(THIN) > 15 or len(LARGE) > 10:
        failed = True
        print(f"{len(THIN)} thin modules (15 may be) and {len(LARGE)} large ones (10 may be) are excused")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
