"""The report of an evaluation as JUnit XML, which every CI knows how to show.

Each case, gate, scenario and invariant is a test. It fails here where it is part of why the run failed, so
that a run that passed has no failures in its file; what merely fell short is told in its output. Where not
every case is listed, the counts of the suite are those of all, and the property `listed` says so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from rankgate.gates.checks import CheckResult
from rankgate.model import Status

if TYPE_CHECKING:
    from rankgate.reports.evaluation.probes import ProbeRow
    from rankgate.reports.evaluation.report import CaseRow, EvaluationReport
    from rankgate.reports.evaluation.rows import VerdictRow

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(*reports: EvaluationReport) -> str:
    """Write reports as one document, a test suite each."""
    root = ET.Element("testsuites")
    for report in reports:
        _suite(root, report)
    ET.indent(root)
    body: str = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _suite(root: ET.Element, report: EvaluationReport) -> None:
    suite = ET.SubElement(root, "testsuite", name=_clean(report.title))
    properties = ET.SubElement(suite, "properties")
    left = report.left_out
    told = [("status", report.status), *([("listed", left.words)] if left.words else [])]
    for name, value in (*told, *report.provenance, *report.header):
        ET.SubElement(properties, "property", name=_clean(name), value=_clean(value))
    for row in report.metrics:
        ET.SubElement(
            properties, "property", name=_clean(row.metric), value=_clean(f"{row.value} ({row.counted})")
        )
    for verdict in report.verdicts:
        _gate(suite, report.title, verdict)
    if report.gone.blocks:
        test = ET.SubElement(suite, "testcase", classname=_clean(f"{report.title}.targets"), name="gone")
        more = [f"{left.gone:,} more"] if left.gone else []
        story = "\n".join([*map(str, report.gone.targets), *more])
        ET.SubElement(test, "error", message=_clean(report.gone.words), type="gone").text = _clean(story)
    for case in report.cases:
        _case(suite, report.title, case)
    for kind, rows in (("scenario", report.probes.scenarios), ("invariant", report.probes.invariants)):
        for probe in rows:
            _probe(suite, kind, probe)
    tests = suite.findall("testcase")
    suite.set("tests", str(len(tests) + left.queries))
    for kind, attribute, others in (
        ("failure", "failures", left.failed),
        ("error", "errors", left.errored),
        ("skipped", "skipped", left.known),
    ):
        suite.set(attribute, str(sum(test.find(kind) is not None for test in tests) + others))


def _gate(suite: ET.Element, title: str, verdict: VerdictRow) -> None:
    test = ET.SubElement(suite, "testcase", classname=_clean(f"{title}.gates"), name=_clean(verdict.gate))
    properties = ET.SubElement(test, "properties")
    for name, value in (("status", verdict.status), ("value", verdict.value)):
        ET.SubElement(properties, "property", name=name, value=_clean(value))
    if verdict.status is Status.FAILED:
        ET.SubElement(test, "failure", message=_clean(verdict.reason), type="gate")
    elif verdict.status is Status.REFUSED:
        ET.SubElement(test, "error", message=_clean(verdict.reason), type="gate")
    elif verdict.status is Status.PASSED:
        ET.SubElement(test, "system-out").text = _clean(verdict.reason)
    else:
        ET.SubElement(test, "skipped", message=_clean(f"{verdict.status}: {verdict.reason}"))


def _case(suite: ET.Element, title: str, case: CaseRow) -> None:
    classname = f"{title}.{case.category}" if case.category else title
    test = ET.SubElement(suite, "testcase", classname=_clean(classname), name=_clean(case.case))
    if case.file:
        test.set("file", _clean(case.file))
    if case.line is not None:
        test.set("line", str(case.line))
    if case.seconds is not None:
        test.set("time", f"{case.seconds:.3f}")
    if case.known is not None:
        passes = "; it passes now" if case.known.passes else ""
        message = f"known miss until {case.known.until}: {case.known.reason}{passes}"
        ET.SubElement(test, "skipped", message=_clean(message))
    elif case.failure is not None and case.failure.blocks:
        kind = "error" if case.failure.errored else "failure"
        message = "; ".join(case.failure.reasons)
        ET.SubElement(test, kind, message=_clean(message), type=kind).text = _clean(case.failure.explain())
    elif case.failure is not None:
        ET.SubElement(test, "system-out").text = _clean(case.failure.explain())


def _probe(suite: ET.Element, kind: str, row: ProbeRow) -> None:
    test = ET.SubElement(suite, "testcase", classname=kind, name=_clean(row.name))
    if row.file:
        test.set("file", _clean(row.file))
    if row.line is not None:
        test.set("line", str(row.line))
    message, story = _clean("; ".join(row.reasons)), _clean("\n".join(filter(None, (*row.reasons, row.cost))))
    if row.errored:
        ET.SubElement(test, "error", message=message, type=kind).text = story
    elif row.result in (CheckResult.NOT_RUN, CheckResult.GONE):
        ET.SubElement(test, "skipped", message=message)
    elif row.blocks:
        ET.SubElement(test, "failure", message=message, type=kind).text = story
    elif story:
        ET.SubElement(test, "system-out").text = story


def _clean(text: str) -> str:
    """Take out the characters that XML cannot hold."""
    return _NOT_XML.sub("", text)
