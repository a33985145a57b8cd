"""Words that readers did not understand do not come back into what is printed: a scan of the literals."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import TYPE_CHECKING

import pytest

from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SOURCES = sorted((ROOT / "packages").glob("*/src/**/*.py"))
PRIVATE = {
    r"\basked of\b": "name · name",
    r"\b(fell|falls?) short\b": "below the value of a gate; failed or weak",
    r"\bthe one gate\b": "1 gate",
    r"\breported only\b": "not enforced",
    r"\bmeasured, not judged\b": "no gates defined",
    r"\bthe system failed on \{": "system error on",
    r"\{\} errored\b": "errors",
    r"\{\} scored\b": "queries",
    r"\{\} undefined\b": "not applicable",
    r"\btoo few to (judge|decide)\b": "too few queries",
    r"\bgoal .* not reached": "below goal",
    r"\bworst of\b": "lowest of",
    r"\b[Aa]gainst the baseline\b": "compared with the baseline",
    r"\bfour times in five\b": "can detect changes of (80 % power)",
    r"\b(beyond|may be) chance\b": "significant; no clear change",
    r"\bexploratory\b": "secondary metric",
    r"\bas before\b": "unchanged",
    r"\bnone (now|before)\b": "→ not found",
    r"\bin the first \{": "in the top",
    r"\bjudged (wrong|by nobody)\b": "judged irrelevant; unjudged",
    r"\bfound, first of\b": "top 5 of 10 hits",
    r"\bWhat (should be|was) found\b|\bWhat moved\b": "Expected; Returned; Ranking changes",
    r"\bqueries more\b": "more",
    r"\bhow long the system took\b": "latency",
    r"\b(Make|Ask) it again\b|\bProvenance\b": "Reproduce; Rerun this query; Run details",
    r"\bSee that the\b": "check that",
    r"\bexpected an answer\b|\bexpected a file that can be read\b": "the error itself; does not exist",
    r"\bwhole or broken numbers\b": "integers or floats",
    r"\banother corpus\b": "the documents changed since the baseline was set",
    r"\banew\b": "again",
    r"\b(held to|told of)\b": "judged by; named",
    r"\bholes?\b": "placeholder",
}
"""What is not said any more, and what is said for it."""
EXCEPTIONS = {
    ("reports/sweep/cells.py", "held-out queries: exploratory"): "what statistics calls a further look",
    ("truth/lint/slices.py", "scored and reviewed"): "said of cases that lint counts, not of a value",
}
"""Literals that may stay, by the end of the path and a part of the text, each with the reason."""


@cache
def every_literal() -> tuple[tuple[str, int, str], ...]:
    """Return the strings of all sources, with path and line."""
    return tuple(
        (path.relative_to(ROOT).as_posix(), line, text) for path in SOURCES for line, text in literals(path)
    )


def literals(path: Path) -> Iterator[tuple[int, str]]:
    """Return the strings of a module that are no docstrings; a format has {} for its values."""
    tree = ast.parse(path.read_text("utf-8"))
    silent = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            silent |= {id(part) for part in node.values}
            parts = [str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values]
            yield node.lineno, "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node.lineno, node.value


@pytest.mark.parametrize("phrase", PRIVATE)
def test_a_private_phrase_does_not_come_back(phrase: str) -> None:
    found = [
        f"{path}:{line}: {text[:100]!r}: say {PRIVATE[phrase]!r}"
        for path, line, text in every_literal()
        if re.search(phrase, text)
        and not any(path.endswith(end) and part in text for end, part in EXCEPTIONS)
    ]
    assert not found, "\n".join(found)


def test_the_scan_reads_formats_and_leaves_docstrings_out(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    path.write_text('"""held to"""\nX = f"{1} scored"\nY = "a" "b"\n')
    assert list(literals(path)) == [(2, "{} scored"), (3, "ab")]
