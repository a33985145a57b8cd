"""`just before-after`: what was found by use, on the version before and on this one, as text and pictures.

The version before is checked out to a temporary folder and run from there by the same Python. Both are given
the same projects: the handbook, and two small ones that stage an outage, losses and edited documents. Writes
benchmarks/first_screens/BEFORE_AFTER.md and docs/images/before-after.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from before_after_pages import PICTURES, seen
from before_after_projects import Tree, told
from support.chromium import browser_or_skip

ROOT = Path(__file__).parents[1]
BEFORE = "f850f0d"
"""The last commit with the screens that the findings are about."""
WRITTEN = ROOT / "benchmarks" / "first_screens" / "BEFORE_AFTER.md"
INTRODUCTION = f"""Each finding by use on the screens that it was found on and on those of today: the
same commands on the same projects, written by `just before-after`. Before is commit {BEFORE}. Excerpts end
with how many lines were left out. Where something is mended in part, it is said."""
NOTES = ROOT / "benchmarks" / "first_screens" / "notes.txt"


def findings() -> dict[int, tuple[str, str]]:
    """Read what was found, and what is to be said of how far it is mended: `number|finding|note` a line."""
    found = {}
    for line in NOTES.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            number, finding, note = line.split("|")
            found[int(number)] = finding.strip(), note.strip()
    return found


def page(before: dict[int, str], after: dict[int, str], pictures: set[int]) -> str:
    """Format the document."""
    parts = [
        "# Before and after",
        INTRODUCTION,
    ]
    for number, (finding, note) in findings().items():
        parts.append(f"## {number}. {finding}")
        if note:
            parts.append(note)
        for name, texts in (("Before", before), ("After", after)):
            if number in texts:
                parts.append(f"{name}:\n\n```text\n{texts[number].replace('```', '')}\n```")
        if number in pictures:
            images = (
                f"![{name}](../../docs/images/before-after/{number:02}-{name}.png)"
                for name in ("before", "after")
            )
            parts.append(f"| before | after |\n|---|---|\n| {' | '.join(images)} |")
    return "\n\n".join(parts) + "\n"


def main() -> int:
    """Run both, and write the document."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as room:
        old = Path(room) / "tree"
        subprocess.run(["git", "worktree", "add", "-q", "--detach", old, BEFORE], cwd=ROOT, check=True)
        try:
            texts: dict[str, dict[int, str]] = {}
            shown: set[int] = set()
            with browser_or_skip() as browser:
                for tree in (Tree("before", old), Tree("after", ROOT)):
                    folder = Path(room) / tree.name
                    texts[tree.name] = told(tree, folder)
                    measured, pictures = seen(browser, tree, folder)
                    texts[tree.name] |= measured
                    shown |= pictures
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", old], cwd=ROOT, check=True)
    WRITTEN.write_text(page(texts["before"], texts["after"], shown), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
