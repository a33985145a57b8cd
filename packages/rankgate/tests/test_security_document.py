"""Every promise and every limit of SECURITY.md names the tests that hold it, and they exist."""

from __future__ import annotations

import re

import pytest

from support.repository import ROOT

DOCUMENT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
TABLES = DOCUMENT.partition("## Promises")[2]
NAMED = sorted(set(re.findall(r"`(tests/[^`]+)`", DOCUMENT)))
ROWS = [
    line
    for line in TABLES.splitlines()
    if line.startswith("| ") and not line.startswith(("| promise", "| what"))
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[2:50])
def test_a_promise_and_a_limit_name_what_holds_them(row: str) -> None:
    assert re.findall(r"`(tests/[^`]+)`", row)


@pytest.mark.parametrize("name", NAMED)
def test_a_test_that_is_named_exists(name: str) -> None:
    file, _, function = name.partition("::")
    text = (ROOT / "packages" / "rankgate" / file).read_text(encoding="utf-8")
    assert not function or re.search(rf"^def {function}\(", text, re.MULTILINE)
