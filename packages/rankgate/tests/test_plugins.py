"""Plugins: listed without an import, loaded by name, and refused in words."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import PluginError
from rankgate.plugins import listed, load
from rankgate.scoring.metrics.ndcg import NDCG

if TYPE_CHECKING:
    from pathlib import Path

GROUP = "rankgate.metrics"


def test_a_plugin_is_loaded_by_its_name_and_by_its_module() -> None:
    assert load(GROUP, "ndcg") is load(GROUP, "rankgate.scoring.metrics.ndcg:NDCG") is NDCG


def test_a_plugin_is_loaded_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("class Mine:\n    class Inner:\n        pass\n")
    found = load(GROUP, f"{tmp_path}/mine.py:Mine.Inner")
    assert isinstance(found, type)
    assert found.__qualname__ == "Mine.Inner"


def test_a_file_that_changed_within_a_second_is_loaded_as_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    for answer in ("old", "new"):
        file.write_text(f"ANSWER = {answer!r}\n")
        os.utime(file, (1_000_000_000, 1_000_000_000))
        assert load(GROUP, f"{file}:ANSWER") == answer


def test_listing_imports_nothing() -> None:
    code = "from rankgate.plugins import listed; listed('rankgate.metrics'); import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {
        name for name in done.stdout.split() if name.startswith(("rankgate.scoring", "numpy", "polars"))
    }


def test_names_are_listed_in_order() -> None:
    assert list(listed(GROUP)) == sorted(listed(GROUP))
    assert listed("rankgate.no_such_group") == {}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ndgc", "did you mean ndcg"),
        ("no_such_module_at_all:x", "to be importable"),
        ("rankgate.scoring.metrics.ndcg:Nothing", "no attribute 'Nothing'"),
        ("./absent.py:x", "no Python file at ./absent.py"),
    ],
)
def test_what_does_not_load_is_a_plugin_error(name: str, words: str) -> None:
    with pytest.raises(PluginError) as caught:
        load(GROUP, name)
    assert words in str(caught.value)
    assert caught.value.problems


@pytest.mark.parametrize("text", ["def (:\n", "raise RuntimeError('at import')\n", "1 / 0\n"])
def test_a_plugin_that_fails_at_import_is_a_plugin_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.py").write_text(text)
    with pytest.raises(PluginError):
        load(GROUP, f"{tmp_path}/bad.py:x")


def test_a_plugin_without_a_module_is_a_plugin_error() -> None:
    with pytest.raises(PluginError):
        load(GROUP, ":x")


def test_a_plugin_of_an_extra_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankgate.plugins.listed", lambda _: {"function": None})
    with pytest.raises(PluginError, match=r"pip install 'rankgate\[reference\]'"):
        load("rankgate.systems", "reference")
