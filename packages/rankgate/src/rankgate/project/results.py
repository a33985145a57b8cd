"""The files of a test: ``.rankgate/SUITE/SYSTEM/``, the latest of each pair."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from rankgate.errors import RankgateError
from rankgate.io.atomic import replacing
from rankgate.io.file_names import file_name
from rankgate.io.text import made_inside
from rankgate.model import Suite
from rankgate.project.configuration import HOME
from rankgate.report import Report

REPORT = "report.json"
PAGE = "report.html"


@dataclass(frozen=True, slots=True)
class ResultFolder:
    """The files of the latest test of one suite and one system."""

    path: Path

    @classmethod
    def of(cls, root: Path, suite: Suite, system: str) -> ResultFolder:
        """Name the folder, which need not exist."""
        return cls(root / HOME / file_name(suite_key(suite, root)) / file_name(system))

    @classmethod
    def made(cls, root: Path, suite: Suite, system: str) -> ResultFolder:
        """Make the folder, and keep all of them out of version control."""
        folder, ignore = cls.of(root, suite, system), root / HOME / ".gitignore"
        made_inside(folder.path, root)
        if not ignore.exists():
            with replacing(ignore) as aside:
                aside.write_text("*\n", encoding="utf-8", newline="\n")
        return folder

    @property
    def run(self) -> Path:
        """The folder of the run."""
        return self.path / "run"

    @property
    def page(self) -> Path:
        """The HTML page."""
        return self.path / PAGE

    def write(self, report: Report) -> Report:
        """Write the report and its page, and return it with its files and its history."""
        from rankgate.project.history import add_to_history, read_history
        from rankgate.reports.html.page import render as page
        from rankgate.reports.json_report import render

        self.path.mkdir(parents=True, exist_ok=True)
        shown = os.path.relpath(self.page)
        report = replace(report, files={"report": shown}, history=read_history(self.path))
        for name, text in ((REPORT, render(report)), (PAGE, page(report))):
            with replacing(self.path / name) as aside:
                aside.write_text(text, encoding="utf-8", newline="\n")
        if report.cases:
            add_to_history(self.path, report)
        return report


def write_refused(path: Path, report: Report) -> None:
    """Write the report of a test that could not be run, if the suite has a folder of results.

    A former report would say that the suite passed.
    """
    from rankgate.project.find import configuration_for

    try:
        root = configuration_for(path).root
    except RankgateError:
        return
    folder = root / HOME / file_name(path_key(path, root)) / file_name(report.system)
    if folder.is_dir():
        ResultFolder(folder).write(report)


def kept_reports(root: Path) -> list[Path]:
    """Find the latest reports of a project, one for each suite and system."""
    return sorted(path for path in (root / HOME).glob(f"*/*/{REPORT}") if path.is_file())


def suite_key(suite: Suite, folder: Path) -> str:
    """Return the name of a suite among those below a folder: its path, without ``.yaml``."""
    return suite.name if suite.path is None else path_key(suite.path, folder)


def path_key(path: str | Path, folder: Path) -> str:
    """Return the name of the suite in a file among those below a folder."""
    path = Path(path)
    relative = os.path.relpath(path.parent.resolve() / path.name, folder.resolve())
    return Path(relative).as_posix().removesuffix(".yaml")
