"""Pages written to files, for a browser to open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.reports.page.document import own_assets, render

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.reports.page.model import PageIndex, ReportPage


def written(folder: Path, page: ReportPage | PageIndex, name: str = "report") -> Path:
    """Write a page to a file of its own."""
    path = folder / f"{name}.html"
    path.write_text(render(page, own_assets()), encoding="utf-8")
    return path
