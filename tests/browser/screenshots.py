"""Take the pictures of the documentation: the page as Chromium shows it."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from chromium import Browser, Tab, browser_or_skip
from index_samples import listed
from page_samples import usual
from written_pages import written

PAGE = usual()
FAILED = next(query for query in PAGE.queries if query.mark == "❌" and query.before)
FOUND = next(query for query in PAGE.queries if query.ended == "known")
WIDE, NARROW = {"width": 1280, "height": 860}, {"width": 390, "height": 844}


def main(folder: Path) -> None:
    """Write every picture to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as room, browser_or_skip() as browser:
        report = written(Path(room), PAGE)
        index = written(Path(room), listed(), "index")
        take(browser, report, folder / "report-light.png")
        take(browser, report, folder / "report-dark.png", colorScheme="dark")
        take(browser, report, folder / "report-narrow.png", viewport=NARROW)
        take(browser, report, folder / "report-queries.png", scroll="queries")
        take(
            browser,
            report,
            folder / "report-comparison.png",
            scroll="comparison",
            viewport={**WIDE, "height": 1180},
        )
        tall = {"width": 1440, "height": 1180}
        take(browser, report, folder / "report-failure.png", f"#q={FAILED.case}", viewport=tall)
        take(
            browser,
            report,
            folder / "report-failure-dark.png",
            f"#q={FOUND.case}",
            viewport=tall,
            colorScheme="dark",
        )
        take(browser, report, folder / "report-failure-narrow.png", f"#q={FAILED.case}", viewport=NARROW)
        take(browser, index, folder / "view-index.png")


def take(
    browser: Browser, page: Path, picture: Path, address: str = "", scroll: str = "", **options: Any
) -> None:
    """Take one picture."""
    tab = browser.open(page, address, **{"viewport": WIDE, "reducedMotion": "reduce", **options})
    if scroll:
        tab.run(f"document.getElementById('{scroll}').scrollIntoView()")
    settled(tab)
    tab.act(["screenshot", {"path": str(picture)}])
    tab.shut()
    lighten(picture)
    print(f"{picture}  {picture.stat().st_size / 1000:.0f} kB")  # noqa: T201


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
