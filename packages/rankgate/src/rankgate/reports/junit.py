"""The report of a test as JUnit XML: each case, gate, scenario and invariant is an item.

An item fails only if it makes the test fail, so a passed test has no failed item.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from rankgate import headline
from rankgate.report import CaseState, GateState, State
from rankgate.reports.sections import query_item, test_changes
from rankgate.reports.text.printable import printable_block, split_where
from rankgate.wording import value_text

if TYPE_CHECKING:
    from rankgate.report import CaseResult, GateResult, ProbeReport, Report

_NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_COUNTED: Final = (("failure", "failures"), ("error", "errors"), ("skipped", "skipped"))


def render(*reports: Report) -> str:
    """Return reports as one document with a test suite each."""
    root = ET.Element("testsuites")
    systems = {(report.suite, report.system) for report in reports}
    for report in reports:
        several = sum(suite == report.suite for suite, _ in systems) > 1
        _suite(root, report, f"{report.suite}, {report.system}" if several else report.suite)
    ET.indent(root)
    body: str = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def clean(text: str) -> str:
    """Escape control characters, and remove those that XML can't hold: the escape function of this output."""
    return _NOT_XML.sub("", printable_block(text))


def _suite(root: ET.Element, report: Report, name: str) -> None:
    suite = ET.SubElement(root, "testsuite", name=clean(name))
    if report.time:
        suite.set("timestamp", clean(report.time))
    properties = ET.SubElement(suite, "properties")
    facts = {"result": headline.outcome(report), "system": report.system, **report.provenance}
    for metric in report.metrics:
        facts[metric.metric] = value_text(metric.value, metric.unit)
        if metric.before is not None and report.comparison is not None:
            facts[f"{metric.metric} {report.comparison.name}"] = value_text(metric.before, metric.unit)
    for key, value in facts.items():
        ET.SubElement(properties, "property", name=clean(key), value=clean(value))
    _problems(suite, report, name)
    for gate in report.gates:
        _gate(suite, report, gate, name)
    for case in report.cases:
        _case(suite, report, case, name)
    for kind, probes in (("scenario", report.scenarios), ("invariant", report.invariants)):
        for probe in probes:
            _probe(suite, probe, f"{name}.{kind}s")
    tests = suite.findall("testcase")
    suite.set("tests", str(len(tests)))
    for kind, attribute in _COUNTED:
        suite.set(attribute, str(sum(test.find(kind) is not None for test in tests)))
    if report.seconds is not None:
        suite.set("time", f"{report.seconds:.3f}")
    lines = [headline.numbers(report), *headline.fact_lines(report), *headline.suite_changes(report)]
    test = test_changes(report)
    lines += [f"{test.title}: {'; '.join((item.text, *item.details))}" for item in test.items]
    if any(lines):
        ET.SubElement(suite, "system-out").text = clean("\n".join(filter(None, lines)))


def _test(suite: ET.Element, classname: str, name: str, where: str = "") -> ET.Element:
    test = ET.SubElement(suite, "testcase", classname=clean(classname), name=clean(name))
    file, line = split_where(where)
    if file:
        test.set("file", clean(file))
    if line is not None:
        test.set("line", str(line))
    return test


def _ended(test: ET.Element, kind: str, message: str, text: str = "") -> None:
    element = ET.SubElement(test, kind, message=clean(message))
    if kind != "skipped":
        element.set("type", kind)
    if text:
        element.text = clean(text)


def _problems(suite: ET.Element, report: Report, name: str) -> None:
    """Add an item for what ended the test before any gate could, so that the file shows it."""
    outcome = headline.outcome(report)
    if report.state is State.NOT_TESTED:
        _ended(_test(suite, name, "test", report.path), "skipped", outcome)
    elif report.state in (State.INVALID, State.SYSTEM_FAILED, State.CRASHED):
        _ended(_test(suite, name, "test", report.path), "error", outcome, "\n".join(report.problems))


def _gate(suite: ET.Element, report: Report, gate: GateResult, name: str) -> None:
    test = _test(suite, f"{name}.gates", gate.gate, gate.where)
    text = headline.gate_text(gate, headline.titles(report, gate.queries))
    if gate.state is GateState.FAILED:
        _ended(test, "failure", text, "\n".join(headline.titles(report, gate.queries)))
    elif gate.state is GateState.OVER_NOTHING or (
        gate.state is GateState.INCONCLUSIVE and report.state is State.INCONCLUSIVE and report.exit_code
    ):
        _ended(test, "error", text)
    elif gate.state is GateState.PASSED:
        ET.SubElement(test, "system-out").text = clean(text)
    else:
        _ended(test, "skipped", text if text.startswith(gate.state) else f"{gate.state}: {text}")


def _case(suite: ET.Element, report: Report, case: CaseResult, name: str) -> None:
    test = _test(suite, f"{name}.{case.category}" if case.category else name, case.name, case.where)
    if case.seconds is not None:
        test.set("time", f"{case.seconds:.3f}")
    query = query_item(case, report.primary)
    lines = [query.title, query.change, *(f"{label}: {text}" for label, text in query.details)]
    if case.state is CaseState.ERROR and report.state is State.SYSTEM_FAILED:
        _ended(test, "error", case.error or "error", "\n".join(lines))
    elif headline.is_failed(case):
        _ended(test, "failure", "; ".join(case.reasons) or query.change, "\n".join(lines))
    elif case.known is not None:
        passes = "; passes now" if case.known.passes else ""
        until = f" until {case.known.until}" if case.known.until else ""
        _ended(test, "skipped", f"known miss{until}: {case.known.reason}{passes}")
    elif case.state is CaseState.ERROR:
        _ended(test, "skipped", headline.error_text(case, "not tested"))
    elif case.change in headline.WORSE:
        ET.SubElement(test, "system-out").text = clean("\n".join(lines))


def _probe(suite: ET.Element, probe: ProbeReport, classname: str) -> None:
    test = _test(suite, classname, probe.name, probe.where)
    text = "\n".join(probe.reasons)
    message = "; ".join(probe.reasons)
    if probe.state is CaseState.ERROR:
        _ended(test, "error", message, text)
    elif headline.is_failed(probe):
        _ended(test, "failure", message, text)
    elif probe.known is not None:
        _ended(test, "skipped", f"known miss: {probe.known.reason}")
    elif probe.state is None:
        _ended(test, "skipped", message or "not run")
    elif text:
        ET.SubElement(test, "system-out").text = clean(text)
