"""What all tests share: how many examples are drawn, the texts to compare with, and the real data."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from chromium import Browser

GOLDEN = Path(__file__).parent / "golden"

# Where GitHub runs the tests, commands under test must not speak to it.
for name in [name for name in os.environ if name.startswith("GITHUB_")]:
    del os.environ[name]

# A test that pins its number of examples keeps it under every profile.
settings.register_profile("short", max_examples=25, deadline=None)
settings.register_profile("default", max_examples=100, deadline=None, derandomize=True)
settings.register_profile("long", max_examples=500, deadline=None)
settings.load_profile("default")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens",
        action="store_true",
        help="write tests/golden anew from what is printed now; read the difference before it is kept",
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run what takes minutes on one Python alone: servers, models, and pytest in processes of its own."""
    for item in items:
        if item.path.parent.name in ("engines", "pytest_plugin", "reference", "suites_shipped", "web"):
            item.add_marker(pytest.mark.once)


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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser; the test is skipped where there is none."""
    from chromium import browser_or_skip

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
