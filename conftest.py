"""What all tests share: how many examples are drawn, the texts to compare with, and the real data."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from types import ModuleType

    from support.chromium import Browser

ROOT = Path(__file__).parent
GOLDEN = ROOT / "packages" / "rankgate" / "tests" / "golden"

# Folders whose tests take minutes and say the same on every Python.
ALONE = {
    *("acceptance", "documentation", "engines", "pytest_plugin", "web"),
    *("rankgate-engines", "rankgate-reference"),
}

# Files and folders whose tests need a server, a browser, a framework or a program that `just` recipes fetch.
REAL = (
    "browser/",
    "documentation/test_many_machines.py",
    "documentation/test_pages_run.py",
    "documentation/test_site",
    "e2e/test_retrievers_as_they_are.py",
    "e2e/test_servers_by_others.py",
    "e2e/test_github.py",
    "frameworks/",
    "systems/engines/test_elasticsearch.py",
    "systems/engines/test_opensearch.py",
    "systems/engines/test_postgres.py",
)

# Projects of acceptance transcripts have tests of their own.
collect_ignore_glob = ["packages/rankgate/tests/acceptance/projects/*"]

# Where GitHub runs the tests, commands under test must not speak to it.
for name in [name for name in os.environ if name.startswith("GITHUB_")]:
    del os.environ[name]

# Most tests look for what the long form has; those of the first screen take this out.
os.environ["RANKGATE_DETAILS"] = "1"

# A test that pins its number of examples keeps it under every profile. A busy machine draws slowly: no fault.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("short", _PATIENT, max_examples=25)
settings.register_profile("default", _PATIENT, max_examples=50, derandomize=True)
settings.register_profile("long", _PATIENT, max_examples=500)
settings.load_profile("default")

_LASTING: dict[str, ModuleType] = {}
"""Modules that are of no test, by name: looking at thousands of files after each test takes a while."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens",
        action="store_true",
        help="write tests/golden anew from what is printed now; read the difference before it is kept",
    )
    parser.addoption(
        "--update-transcripts",
        action="store_true",
        help="rewrite the expected output of tests/acceptance; read the diff before you commit it",
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without the garbage collector: all that is imported stays, and searching it took a third.

    Later it looks for garbage less often than by default, for what most tests leave is little.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000)
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for examples only where there is one: a module without any need not be imported to know."""
    found = yield
    if file_path.suffix == ".py" and b">>>" not in file_path.read_bytes():
        return [collector for collector in found if not isinstance(collector, DoctestModule)]
    return found


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None, None, None]:
    """Mark what takes minutes on one Python alone, and keep together what shares a fixture of its module.

    Servers, models, and pytest in processes of its own say the same on every Python. Tests that share a
    fixture of their module go to one worker: a server is started, and an index built, once and not by each.
    """
    # The longest come first: begun last, they would leave the other workers idle at the end.
    items.sort(key=lambda item: item.path.parent.name != "verdicts")
    for item in items:
        if not ALONE.isdisjoint(item.path.relative_to(ROOT).parts):
            item.add_marker(pytest.mark.once)
        if _is_real(item):
            item.add_marker(pytest.mark.real)
        if item.get_closest_marker("xdist_group") is None and _shares(item):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
    yield
    for item in items:
        _keep_group(item)


def _is_real(item: pytest.Item) -> bool:
    """Return whether a test needs more than the Python environment."""
    tests = ROOT / "packages" / "rankgate" / "tests"
    place = item.path.relative_to(tests).as_posix() if item.path.is_relative_to(tests) else ""
    return place.startswith(REAL) or "browser" in getattr(item, "fixturenames", ())


def _keep_group(item: pytest.Item) -> None:
    """Put the group into the id of a test, by which pytest-xdist divides the tests.

    It writes it to a field from which pytest 9.2 no longer takes the id, so that no group stayed together.
    """
    grouped = getattr(item, "_nodeid", item.nodeid)
    if grouped != item.nodeid:
        item._id = type(item._id).parse(grouped)  # noqa: SLF001


def _shares(item: pytest.Item) -> bool:
    """Return whether a test uses a fixture of its module."""
    fixtures = item._fixtureinfo.name2fixturedefs if isinstance(item, pytest.Function) else {}  # noqa: SLF001
    return any(found.scope == "module" for named in fixtures.values() for found in named)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests counted and recorded as `figures`, so that it stands in the log of a run."""
    reports = [report for report in terminalreporter.stats.get("passed", []) if report.when == "call"]
    lines = [
        f"{report.nodeid.rpartition('/')[2]}: {text}"
        for report in reports
        for name, text in report.user_properties
        if name == "figures"
    ]
    if lines:
        terminalreporter.section("figures")
        for line in lines:
            terminalreporter.write_line(line)


@pytest.fixture(autouse=True)
def _forget_modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Forget what a test, or a fixture of its module, imported from a folder of its own.

    The next has an `app` of its own.
    """
    yield
    # What is drawn once for several tests lies in a folder beside those of the tests.
    homes = (str(tmp_path_factory.getbasetemp()), tempfile.gettempdir())

    def is_of_a_test(file: str) -> bool:
        # The project itself may lie in the folder of temporary files.
        return file.startswith(homes) and not file.startswith(str(ROOT))

    sys.path[:] = [folder for folder in sys.path if not is_of_a_test(folder)]
    for name, module in list(sys.modules.items()):
        if _LASTING.get(name) is module:
            continue
        if is_of_a_test(str(vars(module).get("__file__") or "")):
            del sys.modules[name]
        else:
            _LASTING[name] = module


@pytest.fixture(autouse=True)
def _forget_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mask no value that an earlier test read from the environment."""
    from rankgate.io import secrets

    monkeypatch.setattr(secrets, "_hidden", ())
    monkeypatch.setattr(secrets, "_hidden_in_data", ())


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with the one kept under a name, to the byte."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / f"{name}.txt"
        if request.config.getoption("--update-goldens"):
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text.encode())
        assert path.is_file(), f"{path} is not there; run pytest --update-goldens and read what it wrote"
        assert text == path.read_bytes().decode()

    return compare


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real browser; the test is skipped where there is none."""
    from support.chromium import browser_or_skip

    with browser_or_skip() as found:
        yield found


@pytest.fixture(scope="session")
def shared_data() -> Path:
    folder = os.environ.get("RANKGATE_SHARED_DATA")
    if not folder:
        pytest.skip("RANKGATE_SHARED_DATA does not name the folder of real judgments and runs")
    path = Path(folder)
    if not path.is_dir():
        pytest.fail(f"RANKGATE_SHARED_DATA names {folder}, which is no folder")
    return path
