"""The files of an evaluation, its page among them: ``.rankgate/SUITE/SYSTEM/``, the latest of each pair."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import RankgateError
from rankgate.files.atomic import replacing
from rankgate.model import ExitCode, State, SuiteVerdict, Verdict
from rankgate.model.file_names import file_name
from rankgate.model.wording import MOST_LISTED
from rankgate.project.configuration import HOME
from rankgate.reports.evaluation import json_report, junit, markdown
from rankgate.scoring.scores import write_scores
from rankgate.truth.locations.corpus_reader import CorpusReader

if TYPE_CHECKING:
    from rankgate.corpora.corpus import Corpus
    from rankgate.model import Suite
    from rankgate.project.evaluation import Evaluation
    from rankgate.project.history import EvaluatedWith
    from rankgate.reports.evaluation.report import EvaluationReport
    from rankgate.reports.page.hits import TextOf
    from rankgate.reports.page.model import ReportPage

REPORT = "report.json"
"""The whole report, which every other layout can be made of again."""
VERDICTS = "verdicts.json"
"""What every gate said, and the exit code."""
PAGE = "report.html"
"""The page for the browser."""


@dataclass(frozen=True, slots=True)
class ResultFolder:
    """The files of the latest evaluation of one suite and one system."""

    path: Path
    system: str = ""
    """The name that the system is tested by; empty where it has none."""

    @classmethod
    def of(cls, root: Path, suite: Suite, system: str) -> ResultFolder:
        """Name the folder, which need not be there."""
        from rankgate.project.history import latest_record
        from rankgate.reports.text.printable import printable

        folder = cls(root / HOME / file_name(suite_key(suite, root)) / file_name(system), system)
        last = latest_record(folder.path)
        if last is not None and last.system not in (system, printable(system)):
            _rename(folder.path, folder.path.with_name(file_name(last.system)))
        return folder

    @classmethod
    def made(cls, root: Path, suite: Suite, system: str) -> ResultFolder:
        """Make the folder, and keep all of them out of version control."""
        folder, ignore = cls.of(root, suite, system), root / HOME / ".gitignore"
        folder.path.mkdir(parents=True, exist_ok=True)
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8", newline="\n")
        return folder

    def begin(self) -> None:
        """Take the verdict of the latest evaluation away: it says nothing about what is asked now."""
        (self.path / VERDICTS).unlink(missing_ok=True)

    @property
    def run(self) -> Path:
        """Where the run is."""
        return self.path / "run"

    @property
    def page(self) -> Path:
        """Where the page is."""
        return self.path / PAGE

    def write(self, evaluation: Evaluation) -> None:
        """Write judgments, scores, verdicts and reports, whether it passed or not."""
        self.path.mkdir(parents=True, exist_ok=True)
        evaluation.judgments.write(self.path / "judgments")
        write_scores([evaluation.scores], self.path / "scores.parquet")
        verdicts = {
            "state": evaluation.verdict.state,
            "exit_code": int(evaluation.exit_code),
            "cause": evaluation.verdict.cause,
            "verdicts": [_kept(verdict) for verdict in evaluation.verdicts],
        }
        self._write_reports(evaluation.report, verdicts)
        self._write_page(evaluation)

    def refuse(self, report: EvaluationReport, verdict: SuiteVerdict) -> None:
        """Write that nothing was judged, in place of what an earlier evaluation left."""
        verdicts = {
            "state": verdict.state,
            "exit_code": int(verdict.exit_code),
            "cause": verdict.cause,
            "headline": report.summary.headline,
            "verdicts": [],
        }
        self._write_reports(report, verdicts)
        with replacing(self.page) as aside:
            aside.write_text(refused_page(report), encoding="utf-8", newline="\n")

    @classmethod
    def refuse_kept(cls, path: Path, report: EvaluationReport, error: RankgateError | ExitCode) -> None:
        """Write that nothing was judged where an earlier evaluation of the suite in a file left something.

        A suite that cannot be read does not make a folder; one that has a folder must not keep its verdict.
        """
        from rankgate.project.configuration import configuration_for

        try:
            root = configuration_for(path).root
        except RankgateError:
            return
        folder = root / HOME / file_name(path_key(path, root)) / file_name(report.system)
        if folder.is_dir():
            code = error if isinstance(error, ExitCode) else error.exit_code
            cls(folder, report.system).refuse(report, SuiteVerdict(State.REFUSED, code))

    def _write_reports(self, report: EvaluationReport, verdicts: dict[str, object]) -> None:
        kept = json.dumps(verdicts, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        self._write_text(VERDICTS, kept)
        for name, layout in ((REPORT, json_report), ("report.md", markdown), ("junit.xml", junit)):
            self._write_text(name, layout.render(report))

    def _write_text(self, name: str, text: str) -> None:
        with replacing(self.path / name) as aside:
            aside.write_text(text, encoding="utf-8", newline="\n")

    def _write_page(self, evaluation: Evaluation) -> None:
        """Write the page, and remember it."""
        from rankgate.project.history import History, record_of
        from rankgate.reports.page.document import own_assets, render
        from rankgate.reports.page.past import trend_of

        history = History.read(self.path)
        page = evaluation_page(evaluation, self.system)
        record = record_of(page, history.next_number, self.system, evaluated_with(evaluation))
        page = replace(page, trend=trend_of(page.metrics, [*history.runs, record.run]))
        with replacing(self.page) as aside:
            aside.write_text(render(page, own_assets()), encoding="utf-8", newline="\n")
        history.add(record)


def evaluated_with(evaluation: Evaluation) -> EvaluatedWith:
    """Return the commit at which the answers were given, and the fingerprints of what they were made of."""
    from rankgate.model.fingerprints import fingerprint
    from rankgate.project.history import Commit, EvaluatedWith
    from rankgate.reports.page.past import metric_gates

    gates = metric_gates(evaluation.scored.verdicts)
    made = {"suite": evaluation.suite.fingerprint, "corpus": evaluation.judgments.corpus or ""}
    manifest = getattr(evaluation.run, "manifest", None)
    if manifest is None:
        return EvaluatedWith(gates=gates, made_of=made)
    of = manifest.identity
    if of.contents is not None:
        made["system"] = fingerprint([of.system, of.version, of.options, of.contents])
    return EvaluatedWith(Commit(manifest.commit or "", manifest.changed), gates, made)


def evaluation_page(evaluation: Evaluation, system: str = "") -> ReportPage:
    """Gather the page of an evaluation; with the name of the system it says how to do it again."""
    from rankgate.project.commands import commands_of
    from rankgate.reports.page.content import page_of

    return page_of(
        evaluation.scored,
        evaluation.report,
        text_of=None if evaluation.corpus is None else corpus_texts(evaluation.corpus),
        commands=commands_of(evaluation.suite, system, evaluation.k),
    )


def refused_page(report: EvaluationReport) -> str:
    """Return the page of a report without any query."""
    from rankgate.reports.page.document import own_assets, render
    from rankgate.reports.page.model import ReportPage

    return render(ReportPage(report, (), ()), own_assets())


def corpus_texts(corpus: Corpus) -> TextOf:
    """Return a function that reads lines of a corpus's files, or its records; None for what is not there."""
    reader = CorpusReader(corpus)

    def text_of(name: str, start: int | None, end: int | None) -> str | None:
        try:
            return reader.text_of(name).excerpt(start, end)
        except (KeyError, RankgateError):
            # A page is no reason to fail: what is not there, or no longer, is not shown.
            return None

    return text_of


def kept_reports(root: Path) -> list[Path]:
    """Find the reports of a project's latest evaluations, one for each suite and system, by their names."""
    return sorted(path for path in (root / HOME).glob(f"*/*/{REPORT}") if path.is_file())


def _kept(verdict: Verdict) -> dict[str, object]:
    """Return what a file keeps of a verdict, which is not the parsed gate."""
    values = {part.name: getattr(verdict, part.name) for part in fields(Verdict)}
    weighting = None if verdict.weighting is None else asdict(verdict.weighting)
    lost = [asdict(one) for one in verdict.lost[:MOST_LISTED]]
    kept = values | {"counts": asdict(verdict.counts), "lost": lost, "weighting": weighting}
    more = len(verdict.lost) - len(lost)
    return kept | {"lost_left_out": more} if more else kept


def suite_key(suite: Suite, folder: Path) -> str:
    """Return what a suite is called among all suites below a folder: its path there, without ``.yaml``.

    Names that suites give themselves, and the names of their files alone, may be those of others as well.
    """
    return suite.name if suite.path is None else path_key(suite.path, folder)


def path_key(path: str | Path, folder: Path) -> str:
    """Return what the suite in a file is called among all suites below a folder."""
    path = Path(path)
    relative = os.path.relpath(path.parent.resolve() / path.name, folder.resolve())
    return Path(relative).as_posix().removesuffix(".yaml")


def _rename(path: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    with suppress(OSError):  # another test was first
        path.rename(to)
