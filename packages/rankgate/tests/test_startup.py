"""Starting is cheap: what a command does not use, it does not import."""

from __future__ import annotations

import subprocess
import sys

import pytest

from support.commands import rankgate_alone

HEAVY = {
    "numpy",
    "polars",
    "rich",
    "duckdb",
    "asyncio",
    "scipy",
    "pandas",
    "ruamel",
    "jmespath",
    "markdown_it",
}
SCRIPT = """
import sys
from rankgate.cli.main import main
sys.argv = ["rankgate", *{args!r}]
try:
    main()
except SystemExit as ended:
    assert ended.code == 0, ended.code
print("modules:", *sorted({{name.partition(".")[0] for name in sys.modules}}))
"""


@pytest.mark.parametrize("args", [["--help"], ["-h"], ["--version"]])
def test_help_imports_no_engine_and_no_renderer(args: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(args=args)], capture_output=True, text=True, check=True
    )
    _, _, modules = done.stdout.partition("modules:")
    assert set(modules.split()).isdisjoint(HEAVY)
    assert "click" in modules.split()


def test_the_help_of_a_command_does_not_import_the_engine() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(args=["score", "--help"])],
        capture_output=True,
        text=True,
        check=True,
    )
    _, _, modules = done.stdout.partition("modules:")
    assert set(modules.split()).isdisjoint({"numpy", "polars", "rich"})


def test_the_list_of_metrics_is_printed() -> None:
    assert "\nndcg(gain=linear, judged_only=false)[@k]" in rankgate_alone("list", "metrics").printed()


def test_the_version_is_the_installed_one() -> None:
    from importlib.metadata import version

    assert rankgate_alone("--version").printed() == f"rankgate {version('rankgate')}\n"


def test_an_unknown_command_is_refused_with_the_usage() -> None:
    done = rankgate_alone("scroe")
    assert done.code == 2
    assert "No such command 'scroe'" in done.err
    assert "Traceback" not in done.err
