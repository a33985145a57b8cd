"""Take the pictures of the documentation: real evaluations of the handbook, as Chromium shows them.

The project of the report searches the handbook by vectors at first and keeps that as its baseline; then it
tries words and vectors, and ends with words alone, a commit each. The project of the comparison has the three
as systems beside each other, that of the sweep twelve settings of one. Only the pictures that are taken here
are written; others in the folder stay.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from contextlib import chdir
from pathlib import Path
from typing import Any

from rankgate.reports.page.document import own_assets
from rankgate.web.catalogue import Catalogue
from rankgate.web.evaluations import EvaluationSite
from rankgate.web.server import Server
from support.chromium import Browser, Tab, browser_or_skip
from support.commands import rankgate
from support.judging_hands import judge_all
from support.judging_pages import served, session_in, suite_units
from support.repository import ROOT

SUITE = ROOT / "suites" / "handbook"
STEPS = ("vector", "hybrid", "lexical")
SWEEP = """
system = "lexical"
metrics = ["ndcg@10", "r@10"]
baseline = "names=1, coverage=0.5"
held_out = 0.3
seed = 7
[axes]
"weights.names" = [0, 0.5, 1, 2]
"weights.coverage" = [0, 0.5, 1]
"""
WIDE, NARROW, TALL = (
    {"width": 1280, "height": 860},
    {"width": 390, "height": 844},
    {"width": 1440, "height": 1180},
)


def main(folder: Path, only: str = "") -> None:
    """Write every picture to a folder, or those of the sweep or of the judging page alone."""
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if only in ("", "judge"):
        with tempfile.TemporaryDirectory() as room, browser_or_skip() as browser:
            judging_pictures(browser, Path(room), folder)
    if only == "judge":
        return
    with tempfile.TemporaryDirectory() as room, browser_or_skip() as browser:
        page = swept(Path(room) / "sweep")
        take(browser, page, folder / "sweep-light.png", viewport=TALL)
        take(browser, page, folder / "sweep-narrow-dark.png", viewport=NARROW, colorScheme="dark")
    if only:
        return
    with tempfile.TemporaryDirectory() as room, browser_or_skip() as browser:
        report = evaluated(Path(room) / "handbook") / ".rankgate" / "handbook" / "search" / "report.html"
        pictures(browser, report, moved_and_short(report.with_name("report.json")), folder)
        project = side_by_side(Path(room) / "systems")
        with chdir(project), Server(EvaluationSite(Catalogue.of(project), own_assets())) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            in_every_look(browser, server.url, folder, "view")
            path = compared(browser, server.url)
            in_every_look(browser, server.url.replace("/?", f"{path}?"), folder, "compare")
            server.shutdown()


def judging_pictures(browser: Browser, room: Path, folder: Path) -> None:
    """Take the judging page: passages of the handbook that its cases name, some of them judged."""
    looks: dict[str, dict[str, Any]] = {
        "judge-light": {"viewport": WIDE},
        "judge-dark": {"viewport": WIDE, "colorScheme": "dark"},
        "judge-narrow": {"viewport": NARROW},
        "judge-narrow-dark": {"viewport": NARROW, "colorScheme": "dark"},
        "judge-better": {"viewport": WIDE},
    }
    for name, options in looks.items():
        with served(session_in(room / name, suite_units(24))) as server:
            tab = browser.open(server.url, **options)
            judge_all(tab, [3, 0, 2, 1, 3, 2, 0, 3, 1], "keys")
            if name == "judge-better":
                tab.press("ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown", "c")
                tab.act(["keyboard"], ["type", "the rest is about something else"])
                tab.press("Enter")
            tab.picture(folder / f"{name}.png")
            tab.shut()


def in_every_look(browser: Browser, page: Path | str, folder: Path, name: str) -> None:
    """Take the first screen wide and narrow, light and dark."""
    for scheme in ("light", "dark"):
        take(browser, page, folder / f"{name}-{scheme}.png", colorScheme=scheme)
        narrow = folder / f"{name}-narrow{'-dark' if scheme == 'dark' else ''}.png"
        take(browser, page, narrow, viewport=NARROW, colorScheme=scheme)


def swept(project: Path) -> Path:
    """Sweep weights of the words on the handbook, and return the page."""
    shutil.copytree(SUITE, project, ignore=shutil.ignore_patterns("baselines", ".rankgate", "sweep.toml"))
    (project / "sweep.toml").write_text(SWEEP)
    with chdir(project):
        rankgate("sweep", "--latency", "--format", "html", "--output", "sweep.html")
    return project / "sweep.html"


def side_by_side(project: Path) -> Path:
    """Evaluate the handbook by three systems of one project."""
    shutil.copytree(SUITE, project, ignore=shutil.ignore_patterns("baselines", ".rankgate"))
    git(project, "init", "--quiet")
    systems = "".join(
        f'[systems.{mode}]\nkind = "reference"\nroot = "corpus"\nmode = "{mode}"\n' for mode in STEPS
    )
    (project / "rankgate.toml").write_text(f'suites = ["handbook.yaml"]\n{systems}')
    git(project, "add", ".")
    git(project, "commit", "--quiet", "--message", "three systems")
    with chdir(project):
        for mode in STEPS:
            rankgate("test", "--system", mode)
    return project


def compared(browser: Browser, address: str) -> str:
    """Select every system, the first as what the others are compared with, and return where that leads."""
    tab = browser.open(address)
    for mode in STEPS:
        tab.click(f"input[aria-label^='Select {mode}']")
    found: str = tab.act(["getAttribute", ".compare", "href"])
    tab.shut()
    return found


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
                rankgate("baseline", "set", "--failed").printed()
    return project


def git(folder: Path, *args: str) -> None:
    """Run git, as nobody in particular."""
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com"}
    who |= {name.replace("AUTHOR", "COMMITTER"): value for name, value in who.items()}
    subprocess.run(["git", *args], cwd=folder, check=True, env={**os.environ, **who})


def moved_and_short(report: Path) -> tuple[str, str]:
    """Choose a query that moved, and one that fell short."""
    found = json.loads(report.read_text(encoding="utf-8"))
    return found["comparison"]["moved"][0]["case"], found["failures"][0]["case"]


def pictures(browser: Browser, report: Path, queries: tuple[str, str], folder: Path) -> None:
    """Take the pictures of one report."""
    moved, short = (f"#q={query}" for query in queries)
    in_every_look(browser, report, folder, "report")
    take(browser, report, folder / "report-queries.png", scroll="queries")
    tall = {**WIDE, "height": 1180}
    take(browser, report, folder / "report-comparison.png", scroll="comparison", viewport=tall)
    take(browser, report, folder / "report-failure.png", short, viewport=TALL)
    take(browser, report, folder / "report-failure-dark.png", moved, viewport=TALL, colorScheme="dark")
    take(browser, report, folder / "report-failure-narrow.png", short, viewport=NARROW)


def take(
    browser: Browser, page: Path | str, picture: Path, address: str = "", scroll: str = "", **options: Any
) -> None:
    """Take one picture."""
    tab = browser.open(page, address, **{"viewport": WIDE, "reducedMotion": "reduce", **options})
    if scroll:
        tab.run(f"document.getElementById('{scroll}').scrollIntoView()")
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
    main(Path(sys.argv[1]), *sys.argv[2:])
