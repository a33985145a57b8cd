"""A folder of documentation that rankgate has never seen: the sdist of click 8.5.1."""

from __future__ import annotations

import hashlib
import os
import re
import tarfile
from typing import TYPE_CHECKING

import pytest

from support.flows import shown
from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SDIST = ROOT / ".fixtures" / "click-8.5.1.tar.gz"
SHA256 = "9bbfada76703fd1d784b83eea012e3e8c6a001a876543ef104fa56aaaeb072b4"


@pytest.fixture
def click_docs(tmp_path: Path) -> Path:
    if not SDIST.is_file():
        if os.environ.get("CI"):
            pytest.fail(f"{SDIST} is not there; `just fixtures` fetches it")
        pytest.skip("the click sdist is not there; `just fixtures` fetches it")
    assert hashlib.sha256(SDIST.read_bytes()).hexdigest() == SHA256
    with tarfile.open(SDIST) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "click-8.5.1"


def test_init_ask_and_test_read_well(click_docs: Path, golden: Callable[[str, str], None]) -> None:
    text = shown(
        click_docs, "rankgate init", 'rankgate ask app "callback evaluation order" --k 3', "rankgate test"
    )
    golden("click_docs", text)


def test_a_broken_ranking_fails_with_the_query_the_place_and_where_it_went(
    click_docs: Path, golden: Callable[[str, str], None]
) -> None:
    assert "exit 0" in shown(click_docs, "rankgate init")
    suite = click_docs / "search.yaml"
    suite.write_text(re.sub(r"^ +reviewed: false\n", "", suite.read_text(), flags=re.MULTILINE))
    system = click_docs / "starter_search.py"
    broken = system.read_text().replace('key=lambda hit: (-hit["score"]', 'key=lambda hit: (hit["score"]')
    assert broken != system.read_text()
    system.write_text(broken)
    text = shown(click_docs, "rankgate test")
    assert text.endswith("exit 1\n\n")
    golden("click_docs_broken", text)
