"""Print the lines of the source per folder, and fail above the budgets in pyproject.toml.

    python tools/lines.py

Counts every line of every file that git tracks, docstrings and blank lines included.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORE = "packages/rankgate/src/rankgate/"


def tracked(folder: str) -> list[Path]:
    """Return the files below a folder that git tracks and that exist."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--", folder], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    return [path for name in names.split("\0") if name and (path := ROOT / name).is_file()]


def lines(path: Path) -> int:
    """Count the lines of a file; a file that is not text has none."""
    data = path.read_bytes()
    return 0 if b"\0" in data else data.count(b"\n")


def main() -> None:
    """Print the counts, and exit with 1 if a budget is exceeded."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    budgets = settings["tool"]["lines"]
    core = tracked(CORE)
    python: Counter[str] = Counter()
    other: Counter[str] = Counter()
    for path in core:
        first, _, rest = path.relative_to(ROOT / CORE).as_posix().partition("/")
        folder = f"{first}/" if rest else "(top)"
        (python if path.suffix == ".py" else other)[folder] += lines(path)
    print("core                  Python  other")
    for folder in sorted({*python, *other}):
        print(f"  {folder:18} {python[folder]:8,} {other[folder]:6,}")
    counts = {
        "core": python.total(),
        "core-modules": sum(path.suffix == ".py" for path in core),
        "core-other": other.total(),
    }
    for name in ("engines", "reference"):
        files = tracked(f"packages/rankgate-{name}/src")
        counts[name] = sum(lines(path) for path in files if path.suffix == ".py")
    counts["tests"] = sum(map(lines, tracked("packages/*/tests/*.py")))
    counts["benchmarks"] = sum(lines(path) for path in tracked("benchmarks") if path.suffix == ".py")
    over = [name for name, count in counts.items() if count > budgets[name]]
    for name, count in counts.items():
        print(f"{name:20} {count:8,} of at most {budgets[name]:,}{'  EXCEEDED' if name in over else ''}")
    if over:
        sys.exit(1)


if __name__ == "__main__":
    main()
