"""Where an evaluation's files are kept: ``.rankgate/SUITE/SYSTEM/``, the latest of each pair."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from rankgate.files.atomic import replacing
from rankgate.reports import json_report, junit, markdown
from rankgate.scoring.scores import write_scores

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.evaluation.flow import Evaluation

HOME = ".rankgate"
REPORT = "report.json"
"""The whole report, which every other layout can be made of again."""


@dataclass(frozen=True, slots=True)
class ResultFolder:
    """The files of the latest evaluation of one suite and one system."""

    path: Path
    """The folder."""

    @classmethod
    def of(cls, root: Path, suite: str, system: str) -> ResultFolder:
        """Choose the folder, and keep all of them out of version control."""
        home = root / HOME
        home.mkdir(parents=True, exist_ok=True)
        ignore = home / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
        return cls(home / slug(suite) / slug(system))

    @property
    def run(self) -> Path:
        """Where the run is."""
        return self.path / "run"

    def write(self, evaluation: Evaluation) -> None:
        """Write judgments, scores, verdicts and reports, whether it passed or not."""
        self.path.mkdir(parents=True, exist_ok=True)
        evaluation.judgments.write(self.path / "judgments")
        write_scores([evaluation.scores], self.path / "scores.parquet")
        verdicts = {
            "exit_code": int(evaluation.exit_code),
            "verdicts": [asdict(verdict) for verdict in evaluation.verdicts],
        }
        texts = {
            "verdicts.json": json.dumps(verdicts, indent=2, ensure_ascii=False, allow_nan=False) + "\n",
            REPORT: json_report.render(evaluation.report),
            "report.md": markdown.render(evaluation.report),
            "junit.xml": junit.render(evaluation.report),
        }
        for name, text in texts.items():
            with replacing(self.path / name) as aside:
                aside.write_text(text, encoding="utf-8")


def kept_reports(root: Path) -> list[Path]:
    """Find the reports of a project's latest evaluations, one for each suite and system, by their names."""
    return sorted(path for path in (root / HOME).glob(f"*/*/{REPORT}") if path.is_file())


def slug(name: str) -> str:
    """Write a name so that a file can have it."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:80] or "system"
