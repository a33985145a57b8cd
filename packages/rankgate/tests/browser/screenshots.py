"""Take the pictures of the README and the documentation: the page of a failed test of the handbook.

The project searches the handbook by vectors at first and saves that as its baseline. Then it
tries words and vectors, and ends with words alone, a commit each.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import chdir
from pathlib import Path
from typing import Any

from support.chromium import Browser, Tab, browser_or_skip
from support.commands import rankgate
from support.repository import ROOT

SUITE = ROOT / "suites" / "handbook"
STEPS = ("vector", "hybrid", "lexical")
SIZE = {"width": 880, "height": 1000}
SCALE = 2
"""Pixels of the picture for each of the page, so that it is readable at half its size."""


def main(folder: Path) -> None:
    """Write every picture to a folder."""
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as room, browser_or_skip() as browser:
        report = evaluated(Path(room) / "handbook") / ".rankgate" / "handbook" / "search" / "report.html"
        for scheme in ("light", "dark"):
            take(browser, report, folder / f"report-{scheme}.png", colorScheme=scheme)


def evaluated(project: Path) -> Path:
    """Evaluate the handbook in one way after the other, and commit each step."""
    shutil.copytree(SUITE, project)
    suite = project / "handbook.yaml"
    git(project, "init", "--quiet")
    with chdir(project):
        for mode in STEPS:
            system = f'[systems.search]\nkind = "reference"\nroot = "corpus"\nmode = "{mode}"\n'
            (project / "rankgate.toml").write_text(f'suites = ["{suite.name}"]\n{system}')
            git(project, "add", ".")
            git(project, "commit", "--quiet", "--message", mode)
            rankgate("test")
            if mode == STEPS[0]:
                rankgate("baseline", "set").printed()
    return project


def git(folder: Path, *args: str) -> None:
    """Run git, as nobody in particular."""
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com"}
    who |= {name.replace("AUTHOR", "COMMITTER"): value for name, value in who.items()}
    subprocess.run(["git", *args], cwd=folder, check=True, env={**os.environ, **who})


def take(browser: Browser, page: Path, picture: Path, address: str = "", **options: Any) -> None:
    """Take one picture."""
    tab = browser.open(
        page, address, **{"viewport": SIZE, "deviceScaleFactor": SCALE, "reducedMotion": "reduce", **options}
    )
    settled(tab)
    tab.act(["screenshot", {"path": str(picture)}])
    tab.shut()
    lighten(picture)
    sys.stdout.write(f"{picture.name}  {picture.stat().st_size / 1000:.0f} kB\n")


def lighten(picture: Path) -> None:
    """Keep 256 colours, which is what a page of few colours needs."""
    from PIL import Image

    with Image.open(picture) as image:
        image.convert("RGB").quantize(
            256, method=Image.Quantize.MEDIANCUT, kmeans=1, dither=Image.Dither.NONE
        ).save(picture, optimize=True)


def settled(tab: Tab) -> None:
    """Wait until charts are drawn."""
    tab.run("document.fonts.ready.then(() => null)")
    tab.act(["waitForTimeout", 300])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
