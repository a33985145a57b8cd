"""Every command has a help text with an example or a sentence, and is shown in the documents."""

from __future__ import annotations

import re

import pytest

from rankgate.cli.main import COMMANDS
from rankgate.cli.suite import COMMANDS as OF_SUITES
from support.commands import rankgate
from support.repository import ROOT

DOCUMENTS = "\n".join(
    path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
)


@pytest.mark.parametrize("name", [*COMMANDS, *(f"suite {name}" for name in OF_SUITES)])
def test_a_command_stands_in_the_documents_and_explains_itself(name: str) -> None:
    assert re.search(rf"rankgate {name}\b", DOCUMENTS)
    shown = rankgate(*name.split(), "--help").printed()
    assert shown.startswith(f"Usage: rankgate {name}")
    assert len(shown.splitlines()) > 3
