"""The pytest plugin: suites as items, a `rankgate` fixture, and failures that show rankings.

A suite is run once, when the first of its items is run; each item reads its result from the report. Nothing
heavy is imported until a suite is collected or the fixture is used.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _pytest._code.code import ReprEntry, ReprExceptionInfo, ReprFileLocation, ReprTraceback
from _pytest.outcomes import OutcomeException

from rankgate.errors import ExitCode, InputError, RankgateError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from types import TracebackType

    from rankgate.assertions import Explanation, Results
    from rankgate.gates.language import Gate
    from rankgate.model import Suite, System
    from rankgate.project.base import Base
    from rankgate.project.configuration import Configuration, SystemEntry
    from rankgate.project.settings import Settings
    from rankgate.report import CaseResult, GateResult, KnownMiss, ProbeReport, Report

_SUFFIXES = (".yaml", ".yml", ".jsonl", ".ndjson")
_EXPLAINED: pytest.StashKey[list[Explanation]] = pytest.StashKey()
_BASE: pytest.StashKey[Base] = pytest.StashKey()
_PACKAGE = Path(__file__).parent
_NOT_RUN = "The suite could not be run. The first of its tests shows why."
_PYTESTS_OWN = (KeyboardInterrupt, OutcomeException, pytest.exit.Exception)
"""What ends a test on purpose, and is no error of the suite."""
# Attributes of reports, which pytest-xdist sends from workers.
_VERDICT = "rankgate_verdict"
_REFUSED = "rankgate_refused"
_GUARDED = "rankgate_guarded"


# --- options, files, and the fixture ---------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option and the setting."""
    group = parser.getgroup("rankgate", "search quality")
    group.addoption(
        "--rankgate-system",
        metavar="NAME",
        help="The system to test suites with: one of rankgate.toml, module:attr or ./file.py:attr.",
    )
    group.addoption(
        "--rankgate-base",
        metavar="REF",
        help="Name what differs from the test at the merge base of REF and HEAD.",
    )
    parser.addini("rankgate_suites", "Suites that are collected as tests.", type="paths", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Collect the suites of the settings also if they are not in `testpaths`."""
    config.pluginmanager.register(Verdicts(), "rankgate verdicts")
    if os.environ.get("GITHUB_ACTIONS") == "true":
        config.pluginmanager.register(TerminalGuard(config), "rankgate guard")
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        roots = [Path(config.rootpath, arg) for arg in config.args]
        config.args += [
            str(suite)
            for suite in config.getini("rankgate_suites")
            if not any(suite.is_relative_to(root) for root in roots)
        ]


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Collect the suites that are named in the settings or on the command line, and no other file."""
    collected = yield
    listed = file_path in parent.config.getini("rankgate_suites")
    named = file_path.suffix in _SUFFIXES and parent.session.isinitpath(file_path)
    # A file that another plugin collects is a suite only if the settings say so.
    if listed or (named and not collected):
        return [*collected, SuiteFile.from_parent(parent, path=file_path)]
    return collected


@pytest.fixture(scope="session")
def rankgate(pytestconfig: pytest.Config) -> Callable[..., Results]:
    """Run all queries of a suite: ``rankgate("search.yaml", system=search)``.

    The suite is looked for beside the test, then in the root folder. The system is a function, an object with
    ``search``, or a name as for --rankgate-system, which is the default. The results have ``ndcg(10)``,
    ``recall(10)``, ``["rr"]``, ``query("…").rank_of("…")``. Each call runs all queries again: return the
    results from a fixture of your own.
    """

    def evaluate(
        suite: str | Path,
        system: System | Callable[..., object] | str | None = None,
        *,
        k: int | None = None,
        max_errors: int = 0,
    ) -> Results:
        from rankgate.assertions import evaluate_for_test
        from rankgate.project.needs import NotTestedError
        from rankgate.project.opening import find_suite

        beside = Path(sys._getframe(1).f_code.co_filename).parent  # noqa: SLF001 - the only way to know
        path = find_suite(suite, [beside, pytestconfig.rootpath])
        if system is None:
            system = pytestconfig.getoption("--rankgate-system")
        try:
            return evaluate_for_test(path, system, k=k, max_errors=max_errors)
        except NotTestedError as skipped:
            pytest.skip(str(skipped))

    return evaluate


# --- suites and their items ------------------------------------------------------------------------------


class SuiteFile(pytest.File):
    """A suite. It is read when it is collected, and run when its first item is run."""

    suite: Suite
    settings: Settings
    gates: tuple[Gate, ...]
    """The gates that are items: the written ones, and the one on lost queries that a baseline brings."""
    exit_code = ExitCode.WRONG_CALL
    """The exit code of ``rankgate test`` if the suite can't be collected."""
    report: Report | None = None
    verdict: list[Any] | None = None
    """Node id, exit code and problems of a run, until a report of an item has taken them."""
    _configuration: Configuration
    _entry: SystemEntry
    _ended: BaseException | None = None

    def collect(self) -> Iterable[pytest.Item]:
        """Read the suite, and return its items."""
        try:
            self._read()
            return list(self._items())
        except _PYTESTS_OWN:
            raise
        except BaseException as error:  # noqa: BLE001 - shown without a traceback
            shown = _shown_error(error)
            self.exit_code = shown.exit_code
            raise self.CollectError(shown.coded) from None

    def _read(self) -> None:
        """Read the suite, and choose the system as ``rankgate test`` does; it is not opened yet."""
        from rankgate.flow import read_test
        from rankgate.gates.language import default_gate
        from rankgate.project.find import configuration_for
        from rankgate.project.settings import read_rules
        from rankgate.wording import shortest

        self._configuration = configuration_for(self.path)
        self._entry = self._configuration.entry(self._system())
        self.suite, self.settings = read_test(
            shortest(self.path), self._entry, _base(self.config, self.path.parent)
        )
        # A test may change the folder before the suite is run.
        self.suite = replace(self.suite, path=str(self.path.resolve()))
        baselines = self.settings.baselines
        if baselines is not None and self.settings.yardstick is None:
            self.settings = replace(self.settings, baselines=replace(baselines, suite=self.suite))
        rules = read_rules(self.suite, self.settings)
        self.gates = rules.gates
        if self.settings.baselines is not None and self.settings.baselines.path().is_file():
            number = len(self.suite.cases) - len(self.settings.fresh)
            default = default_gate(rules.gates, rules.depth, number)
            self.gates += () if default is None else (default,)

    def _system(self) -> str | None:
        """Return the name of the system: that of the option, or of the suite's entry in the configuration.

        Raises:
            InputError: if the suite has entries for several systems.
        """
        named: str | None = self.config.getoption("--rankgate-system")
        systems = [named] if named else self._configuration.tested_systems(self.path)
        if len(systems) > 1:
            names = ", ".join(str(name) for name in systems)
            fix = "Choose one with --rankgate-system."
            raise InputError(
                f"{self.nodeid}: the configuration has entries for several systems ({names}). {fix}"
            )
        return systems[0] if systems else None

    def _items(self) -> Iterator[pytest.Item]:
        if "numprocesses" in vars(self.config.option):
            self.add_marker(pytest.mark.xdist_group(self.nodeid))
        for case in self.suite.cases:
            yield CaseItem.from_parent(self, name=case.id, where=case.where)
        for gate in self.gates:
            yield GateItem.from_parent(self, name=f"gate: {gate.text}", where=gate.location, gate=gate)
        for kind, probes in (("scenario", self.suite.scenarios), ("invariant", self.suite.invariants)):
            for probe in probes:
                yield ProbeItem.from_parent(self, name=f"{kind}: {probe.name}", where=probe.where)

    def tested(self) -> Report:
        """Return the report of the suite, which is run at the first call.

        Raises:
            RankgateError: at the first call, if the suite can't be run; later calls skip the test.
        """
        if self.report is None and self._ended is None:
            try:
                self.report = self._run()
                code = ExitCode(self.report.exit_code)
                words = str(self.report.state) if code is ExitCode.PASSED else code.brief
                self.verdict = [self.nodeid, int(code), words, *_summary(self.report)]
            except _PYTESTS_OWN as ended:
                self._ended = ended
            except BaseException as error:  # noqa: BLE001 - shown without a traceback
                self._ended = error
                shown = _shown_error(error)
                self.verdict = [self.nodeid, int(shown.exit_code), shown.exit_code.brief]
                raise shown from (None if shown is error else error)
        if self.report is None:
            assert self._ended is not None  # noqa: S101 - one of the two is set above
            if isinstance(self._ended, _PYTESTS_OWN):
                raise self._ended
            pytest.skip(_NOT_RUN)
        return self.report

    def _run(self) -> Report:
        from rankgate.flow import evaluate_suite
        from rankgate.project.needs import NotTestedError, check_needs
        from rankgate.project.opening import opened
        from rankgate.reports.build import not_tested_report

        suite, entry, configuration = self._selected(), self._entry, self._configuration
        try:
            check_needs(entry, configuration.root, suite.name, skip=False)
        except NotTestedError as skipped:
            return not_tested_report(skipped.suite, skipped.system, skipped.cause)
        with opened(entry, configuration.root, suite, configuration.corpus_root) as system:
            return evaluate_suite(suite, system, self.settings).report

    def _selected(self) -> Suite:
        """Return the part of the suite that is run: the selected cases, scenarios and invariants.

        It is the whole suite if all of them are selected, or none, or a gate by its name or by ``--lf``.
        """
        items = [item for item in self.session.items if item.parent is self]
        names = [item.name for item in items if not isinstance(item, GateItem)]
        size = len(self.suite.cases) + len(self.suite.scenarios) + len(self.suite.invariants)
        cases = tuple(case for case in self.suite.cases if case.id in names)
        failed_last = bool(self.config.getoption("lf", default=False))
        gates = (item for item in items if isinstance(item, GateItem))
        if not cases or len(names) == size or any(failed_last or self._is_named(gate) for gate in gates):
            return self.suite
        return replace(
            self.suite,
            cases=cases,
            scenarios=tuple(one for one in self.suite.scenarios if f"scenario: {one.name}" in names),
            invariants=tuple(one for one in self.suite.invariants if f"invariant: {one.name}" in names),
            whole=self.suite,
        )

    def _is_named(self, item: pytest.Item) -> bool:
        return any(str(arg).endswith(f"::{item.name}") for arg in self.config.args)


def _base(config: pytest.Config, folder: Path) -> Base | None:
    """Open the commit of ``--rankgate-base``, once."""
    from rankgate.project.base import open_base

    ref = config.getoption("--rankgate-base")
    if ref is not None and _BASE not in config.stash:
        stack = ExitStack()
        config.stash[_BASE] = stack.enter_context(open_base(folder, ref))
        config.add_cleanup(stack.close)
    return config.stash.get(_BASE, None)


def _summary(report: Report) -> list[str]:
    """Return what the summary says of a suite beside its exit code."""
    from rankgate.reports.sections import test_changes

    section = test_changes(report)
    lines = [f"  {line}" for item in section.items for line in (item.text, *item.details)]
    return [*report.problems, *filter(None, [report.base, section.title if lines else ""]), *lines]


def _shown_error(error: BaseException) -> RankgateError:
    from rankgate.project.stopped import shown_error

    return shown_error(error)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an item fails."""

    reasons: tuple[str, ...]
    title: str = ""
    """The title of a section with `rankings`."""
    rankings: tuple[str, ...] = ()


class FailedError(Exception):
    """Raised by an item that fails."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reasons[0])
        self.failure = failure


class SuiteItem(pytest.Item):
    """A case, a gate, a scenario or an invariant of a suite."""

    passes_now = ""
    """The reason of a known miss that passes."""

    def __init__(self, *, where: str, **rest: Any) -> None:
        super().__init__(**rest)
        self._where = where

    @property
    def file(self) -> SuiteFile:
        """The suite."""
        assert isinstance(self.parent, SuiteFile)  # noqa: S101 - it makes the item
        return self.parent

    def runtest(self) -> None:
        """Run the suite if it was not run yet, and end as this item did."""
        from rankgate.report import State

        report = self.file.tested()
        if report.state is State.NOT_TESTED:
            pytest.skip(f"not tested: {'; '.join(report.causes)}")
        failure = self.outcome(report)
        if failure is not None:
            raise FailedError(failure)

    def outcome(self, report: Report) -> Failure | None:
        """Return why the item fails; null if it passes."""
        raise NotImplementedError

    def known_miss(self, known: KnownMiss) -> Failure | None:
        """End as a known miss."""
        reason = f"known miss: {known.reason}" + (f" (until {known.until})" if known.until else "")
        if not known.passes:
            if self.config.option.runxfail:
                return Failure((reason,))
            pytest.xfail(reason)
        if not self.config.option.runxfail:
            self.passes_now = f"It passes. Remove xfail ({reason})."
        return None

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show what is wrong and the rankings, without a traceback."""
        error = excinfo.value
        if isinstance(error, FailedError):
            shown = self._shown(error.failure.reasons)
            if error.failure.rankings:
                shown.addsection(error.failure.title, "\n".join(error.failure.rankings), "-")
            return shown
        if isinstance(error, RankgateError | pytest.xfail.Exception):
            return self._shown(str(error).splitlines())
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return where the item is written."""
        # As the end of the node's id, its dots would be shown as colons.
        return self.path, None if self._line is None else self._line - 1, f"{self.name} ({self.path.name})"

    @property
    def _line(self) -> int | None:
        parts = self._where.rsplit(":", 2)
        return int(parts[1]) if len(parts) == 3 and parts[1].isdigit() else None

    def _shown(self, reasons: Sequence[str]) -> ReprExceptionInfo:
        from rankgate.reports.text.printable import printable

        lines = [printable(line) for line in reasons] or [""]
        file = str(self.path.relative_to(Path.cwd()) if self.path.is_relative_to(Path.cwd()) else self.path)
        location = ReprFileLocation(file, self._line or 1, lines[0])
        entry = ReprEntry([f"E   {line}" for line in lines], None, None, location, "long")
        return ReprExceptionInfo(ReprTraceback([entry], None, "long"), location)


class CaseItem(SuiteItem):
    """A case."""

    def outcome(self, report: Report) -> Failure | None:
        """Return why the case fails; an error that `max_errors` allows is a skip."""
        from rankgate.headline import is_failed
        from rankgate.report import CaseState

        case = next(one for one in report.cases if one.name == self.name)
        if case.state is CaseState.ERROR:
            errors = sum(one.state is CaseState.ERROR for one in report.cases)
            if errors <= self.file.settings.max_errors and not case.reasons:
                pytest.skip(f"not tested: {case.error}")
            return Failure((f"error: {case.error}", *case.reasons))
        if is_failed(case):
            return Failure(case.reasons, *_case_section(case, report))
        return None if case.known is None else self.known_miss(case.known)


def _case_section(case: CaseResult, report: Report) -> tuple[str, tuple[str, ...]]:
    from rankgate.assertions import ranking
    from rankgate.headline import query_title, rank_text
    from rankgate.reports.text.printable import printable

    return printable(query_title(case)), (printable(rank_text(case, report.primary)), *ranking(case))


class GateItem(SuiteItem):
    """A gate."""

    def __init__(self, *, gate: Gate, **rest: Any) -> None:
        super().__init__(**rest)
        self._gate = gate

    def outcome(self, report: Report) -> Failure | None:
        """Return why the gate fails; one that is not enforced is a skip."""
        from rankgate.headline import gate_text
        from rankgate.report import GateState

        gate = self._result(report)
        if gate is None or gate.state is GateState.NOT_ENFORCED:
            pytest.skip(f"not enforced: {'There is no baseline yet.' if gate is None else gate.reason}")
        if gate.state is GateState.INCONCLUSIVE and self.file.settings.on_inconclusive == "warn":
            pytest.skip(f"inconclusive: {gate.reason}")
        if gate.state is GateState.PASSED:
            return None
        text = gate_text(gate)
        if gate.state is not GateState.FAILED:
            text = f"{gate.state}: {text}"
        return Failure((text,), *_gate_section(gate, report))

    def _result(self, report: Report) -> GateResult | None:
        """Return the result: that of a written gate has its position, the default one its text."""
        if self._gate.default:
            return next((one for one in report.gates if one.default and one.gate == self._gate.text), None)
        return report.gates[self.file.gates.index(self._gate)]


def _gate_section(gate: GateResult, report: Report) -> tuple[str, tuple[str, ...]]:
    """Return the queries that explain a failed gate, the first ones with their results."""
    from rankgate.assertions import rankings
    from rankgate.wording import many

    named = {case.name: case for case in report.cases}
    cases = [named[name] for name in gate.queries if name in named]
    return many(len(cases), "query", "queries"), tuple(rankings(cases, report.primary))


class ProbeItem(SuiteItem):
    """A scenario or an invariant."""

    def outcome(self, report: Report) -> Failure | None:
        """Return why it fails; one that a gate such as ``scenarios >= 90%`` allows is an xfail."""
        from rankgate.headline import is_failed

        probe, kind = self._result(report)
        if probe.state is None:
            pytest.skip("not run" + "".join(f": {reason}" for reason in probe.reasons[:1]))
        if not is_failed(probe):
            return None if probe.known is None else self.known_miss(probe.known)
        allowing = _allowing_gate(report, kind)
        if allowing:
            pytest.xfail(f"allowed by {allowing}: {'; '.join(probe.reasons)}")
        return Failure(probe.reasons or ("It failed.",))

    def _result(self, report: Report) -> tuple[ProbeReport, str]:
        kind, _, name = self.name.partition(": ")
        probes = report.scenarios if kind == "scenario" else report.invariants
        return next(one for one in probes if one.name == name), kind


def _allowing_gate(report: Report, kind: str) -> str:
    from rankgate.report import GateState

    passed = (one.gate for one in report.gates if one.state is GateState.PASSED and not one.default)
    return next((gate for gate in passed if gate.startswith(f"{kind}s")), "")


# --- failures --------------------------------------------------------------------------------------------


def pytest_assertrepr_compare(
    config: pytest.Config, op: str, left: object, right: object
) -> list[str] | None:
    """Explain a comparison of a score or a rank; pytest does not cut sections, so rankings are in one."""
    if "rankgate.assertions" not in sys.modules:
        return None
    from rankgate.assertions import explain

    explanation = explain(op, left, right)
    if explanation is None:
        return None
    config.stash.setdefault(_EXPLAINED, []).append(explanation)
    return list(explanation.lines)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add rankings to what failed, and leave the inside of rankgate out of tracebacks."""
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
    if isinstance(item, SuiteItem) and report.when == "call":
        if report.passed and item.passes_now:
            report.wasxfail = item.passes_now
        if report.skipped and isinstance(report.longrepr, tuple):
            path, line, _ = item.reportinfo()
            report.longrepr = (str(path), (line or 0) + 1, report.longrepr[2])
        if item.file.verdict is not None:
            setattr(report, _VERDICT, item.file.verdict)
            item.file.verdict = None
    return report


def _end_outside(trace: TracebackType) -> None:
    """Cut a traceback after the last line that is not in rankgate."""
    last: TracebackType | None = None
    step: TracebackType | None = trace
    while step is not None:
        if not Path(step.tb_frame.f_code.co_filename).is_relative_to(_PACKAGE):
            last = step
        step = step.tb_next
    if last is not None:
        last.tb_next = None


# --- the exit code, and GitHub ---------------------------------------------------------------------------


class Verdicts:
    """The exit code that ``rankgate test`` would have for each suite; workers send them with reports."""

    def __init__(self) -> None:
        self._codes: dict[str, tuple[ExitCode, str]] = {}
        self._problems: dict[str, dict[str, None]] = {}
        self._refused = 0

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Mark the report of a suite that can't be collected."""
        report = yield
        if isinstance(collector, SuiteFile) and report.failed:
            setattr(report, _REFUSED, int(collector.exit_code))
        return report

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep the exit code of a suite that can't be collected."""
        code = getattr(report, _REFUSED, None)
        if code is not None:
            self._keep(report.nodeid, ExitCode(code), ExitCode(code).brief)
            self._refused += 1

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the exit code and the problems of a suite that was run."""
        suite, code, ended, *problems = getattr(report, _VERDICT, None) or ("", 0, "")
        if suite:
            self._keep(suite, ExitCode(code), ended)
            self._problems.setdefault(suite, {}).update(dict.fromkeys(problems))

    def _keep(self, suite: str, code: ExitCode, ended: str) -> None:
        """Keep the worst code, since several workers may run one suite."""
        known, _ = self._codes.get(suite, (code, ""))
        if ExitCode.worst([code, known]) is code:
            self._codes[suite] = (code, ended)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """End with 1 if rankgate would not end with 0, whatever single items say."""
        ended = session.exitstatus
        if ended == pytest.ExitCode.INTERRUPTED and self._refused and session.testsfailed == self._refused:
            # Only suites prevented the tests from being run.
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        elif ended == pytest.ExitCode.OK and any(code for code, _ in self._codes.values()):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write the exit code of each suite, and what is wrong with the suite or the system."""
        if not self._codes:
            return
        from rankgate.reports.text.printable import printable

        terminalreporter.section("rankgate")
        for suite, (code, ended) in self._codes.items():
            terminalreporter.write_line(f"{suite}: rankgate: exit code {code:d} ({ended})")
            for problem in self._problems.get(suite, ()):
                for line in problem.splitlines():
                    terminalreporter.write_line(f"  {printable(line)}")


class TerminalGuard:
    """Keeps GitHub from running a workflow command that a name, a result or an error of a suite contains.

    It guards the writer of the terminal, not the streams, which other plugins and tests print on. Without a
    suite and without the fixture nothing is changed.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._guarded = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Guard what is printed if suites may be collected: their names are printed first."""
        named = any(Path(arg.partition("::")[0]).suffix in _SUFFIXES for arg in self._config.args)
        if named or self._config.getini("rankgate_suites"):
            self._guard()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Mark a report that may have results of a system, since a worker may have made it."""
        report = yield
        if "rankgate.assertions" in sys.modules:
            setattr(report, _GUARDED, True)
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Guard what is printed from the first such report on."""
        if getattr(report, _GUARDED, False):
            self._guard()

    def _guard(self) -> None:
        if self._guarded or not self._config.pluginmanager.has_plugin("terminalreporter"):
            return
        from rankgate.reports.text.command_guard import guard_of

        self._guarded = True
        writer = self._config.get_terminal_writer()
        writer._file = guard_of(writer._file)  # noqa: SLF001 - pytest has no other way to set it
