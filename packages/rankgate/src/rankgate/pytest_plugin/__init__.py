"""The pytest plugin: suites as items, a `rankgate` fixture, and failures that show the ranking.

Only hooks and options are here; what passes, what fails and what is said about it comes from
`rankgate.evaluation`. Nothing heavy is imported until a suite is collected or the fixture is used.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import RankgateError
from rankgate.pytest_plugin.exit_codes import ExitCodes
from rankgate.pytest_plugin.items import CaseItem, GateItem, SuiteFile

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from types import TracebackType

    from rankgate.evaluation.session.assertions import Results
    from rankgate.evaluation.session.explanations import Explanation
    from rankgate.model import System

_SUFFIXES = (".yaml", ".yml", ".jsonl", ".ndjson")
_EXPLAINED: pytest.StashKey[list[Explanation]] = pytest.StashKey()
_NOTES = ("rankgate", "rankgate unreviewed")
_PACKAGE = Path(__file__).parents[1]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option and the setting."""
    group = parser.getgroup("rankgate", "search quality")
    group.addoption(
        "--rankgate-system",
        metavar="NAME",
        help="The system to test suites with: one of rankgate.toml, module:attr or ./file.py:attr.",
    )
    parser.addini("rankgate_suites", "Suites that are collected as tests.", type="paths", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Gather verdicts, and collect the suites of the settings also where they lie beside `testpaths`."""
    config.pluginmanager.register(ExitCodes(), "rankgate exit codes")
    if os.environ.get("GITHUB_ACTIONS") == "true":
        from rankgate.pytest_plugin.command_guard import TerminalGuard

        config.pluginmanager.register(TerminalGuard(config, _SUFFIXES), "rankgate guard")
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        roots = [Path(config.rootpath, arg) for arg in config.args]
        config.args += [
            str(suite)
            for suite in config.getini("rankgate_suites")
            if not any(suite.is_relative_to(root) for root in roots)
        ]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Pass a worker of pytest-xdist how items are spread, which it cannot know."""
    node.workerinput["rankgate_dist"] = node.config.getoption("dist")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Take the suites that are named in the settings or on the command line, and no other file."""
    collected = yield
    listed = file_path in parent.config.getini("rankgate_suites")
    named = file_path.suffix in _SUFFIXES and parent.session.isinitpath(file_path)
    # What another plugin takes is its own, unless somebody listed it here.
    if listed or (named and not collected):
        return [*collected, SuiteFile.from_parent(parent, path=file_path)]
    return collected


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave gates out where only some cases of their suite are selected, unless they are asked for."""
    left_out: list[pytest.Item] = []
    asked_for = "gate" in (config.option.keyword or "")
    for file in {id(item.parent): item.parent for item in items if isinstance(item, GateItem)}.values():
        mine = [item for item in items if item.parent is file]
        cases = sum(isinstance(item, CaseItem) for item in mine)
        if not isinstance(file, SuiteFile) or asked_for or cases in (0, file.cases):
            continue
        gates = [item for item in mine if isinstance(item, GateItem) and not _named(config, item)]
        if gates:
            file.note_partial(len(gates), cases)
            left_out += gates
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def _named(config: pytest.Config, item: pytest.Item) -> bool:
    return any(str(arg).endswith(f"::{item.name}") for arg in config.args)


@pytest.fixture(scope="session")
def rankgate(pytestconfig: pytest.Config) -> Callable[..., Results]:
    """Ask a system every query of a suite: ``rankgate("search.yaml", system=search)``.

    The suite is looked for beside the test, then in the root folder. The system is a function, an object with
    ``search``, or a name as for --rankgate-system, which is the default. What comes back has ``ndcg(10)``,
    ``recall(10)``, ``["rr"]``, ``query("…").rank_of("…")``. It is asked anew with each call: keep what comes
    back in a fixture of your own.
    """

    def evaluate(
        suite: str | Path,
        system: System | Callable[..., object] | str | None = None,
        *,
        k: int | None = None,
        max_errors: int = 0,
        max_gone: int = 0,
    ) -> Results:
        from rankgate.evaluation.session.assertions import evaluate_for_test
        from rankgate.project.opening import find_suite

        beside = Path(sys._getframe(1).f_code.co_filename).parent  # noqa: SLF001 - the only way to know
        path = find_suite(suite, [beside, pytestconfig.rootpath])
        if system is None:
            system = pytestconfig.getoption("--rankgate-system")
        return evaluate_for_test(path, system, k=k, max_errors=max_errors, max_gone=max_gone)

    return evaluate


def pytest_assertrepr_compare(
    config: pytest.Config, op: str, left: object, right: object
) -> list[str] | None:
    """Explain comparisons of scores and ranks; the rankings are kept for the report, which is not cut."""
    if "rankgate.evaluation.session.assertions" not in sys.modules:
        return None
    from rankgate.evaluation.session.explanations import explain

    explanation = explain(op, left, right)
    if explanation is None:
        return None
    config.stash.setdefault(_EXPLAINED, []).append(explanation)
    return list(explanation.lines)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show rankings under what failed, and leave the inside of rankgate out of tracebacks."""
    error = None if call.excinfo is None else call.excinfo.value
    if call.excinfo is not None and isinstance(error, RankgateError):
        _end_outside(call.excinfo.tb)
    report = yield
    explained = item.config.stash.get(_EXPLAINED, [])
    item.config.stash[_EXPLAINED] = []
    add = getattr(report.longrepr, "addsection", None)
    for explanation in explained if isinstance(error, AssertionError) and add else ():
        if explanation.lines[0] in str(error):
            add(explanation.title, "\n".join(explanation.rankings), "-")  # type: ignore[misc]
    if isinstance(item, CaseItem) and item.cured and report.when == "call" and report.passed:
        report.wasxfail = item.cured
    return report


def _end_outside(trace: TracebackType) -> None:
    """Cut a traceback after the last line that is not rankgate's own: the error says what is wrong there."""
    last: TracebackType | None = None
    step: TracebackType | None = trace
    while step is not None:
        if not Path(step.tb_frame.f_code.co_filename).is_relative_to(_PACKAGE):
            last = step
        step = step.tb_next
    if last is not None:
        last.tb_next = None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write what was left out, and what nobody has reviewed."""
    notes: Counter[tuple[str, str]] = Counter(
        (name, str(text))
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "call"
        for name, text in report.user_properties
        if name in _NOTES
    )
    if notes:
        terminalreporter.section("rankgate notes")
    for (name, text), count in notes.items():
        said = f"{text}: {count} unreviewed, only their hard checks count" if name != _NOTES[0] else text
        terminalreporter.write_line(said)
