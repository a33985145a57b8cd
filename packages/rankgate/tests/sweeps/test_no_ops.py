"""Variants that are none are named as what they are: same options, same index and answers, same answers."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from support.http_servers import serving
from support.memory_engine import MEMORY
from support.sweep_projects import asked, inside_project, rows, swept

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OPTIONS, INDEX, ANSWERS = "same options", "same index and answers", "same answers"
FIND = """
import sys
print(f"{sys.argv[1]}.md")
"""
SYSTEMS = f"""
suites = ["search.yaml"]
[systems.function]
function = "app:second"
[systems.command]
command = [{sys.executable!r}, "find.py", "{{query}}"]
output = "lines"
pattern = "(?P<path>.+)"
[systems.memory]
kind = "{MEMORY}"
"""
PAIRS = {
    "an option that the engine does not use": ("memory", "timeout = 30.0", "timeout = 20.0", INDEX),
    "a number spelt in two ways": ("memory", "title_weight = 2", "title_weight = 2.0", OPTIONS),
    "a default written out": ("memory", "", 'words = "stemmed"', OPTIONS),
    "how hard it is asked": ("memory", "", "concurrency = 2", OPTIONS),
    "a program as a text and as words": ("function", 'prepare = "true"', 'prepare = ["true"]', OPTIONS),
    "another index": ("memory", 'words = "stemmed"', 'words = "whole"', ANSWERS),
    "another function that does the same": (
        "function",
        'function = "app:second"',
        'function = "app:also_second"',
        ANSWERS,
    ),
    "a flag that the program does not read": (
        "command",
        "",
        f'command = [{sys.executable!r}, "find.py", "{{query}}", "--fast"]',
        ANSWERS,
    ),
}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    with inside_project(tmp_path) as folder:
        yield folder


def compared(project: Path, system: str, first: str, second: str, k: int = 20) -> dict[str, str]:
    """Sweep over two variants of a system, and return what each is said to be the same as."""
    (project / "sweep.toml").write_text(
        f'system = "{system}"\nbaseline = "first"\nk = {k}\n'
        f"[variants.first]\nset = {{ {first} }}\n[variants.second]\nset = {{ {second} }}\n"
    )
    return {name: row["same_as"] for name, row in rows(swept()).items()}


@pytest.mark.parametrize("pair", PAIRS)
def test_a_variant_that_is_none_is_named_as_what_it_is(project: Path, pair: str) -> None:
    (project / "rankgate.toml").write_text(SYSTEMS)
    (project / "find.py").write_text(FIND)
    system, first, second, how = PAIRS[pair]
    assert compared(project, system, first, second) == {"first": "", "second": f"{how} as first"}


def test_a_reordered_body_is_the_same_request(project: Path) -> None:
    with serving() as server:
        (project / "rankgate.toml").write_text(
            'suites = ["search.yaml"]\n[systems.shop]\nkind = "http"\n'
            f'url = "{server.url}/search"\nhits = "found"\nfields = {{ id = "doc.name" }}\n'
        )
        first = 'body = { query = "{query}", size = "{k}", sort = { by = "score", up = false } }'
        second = 'body = { size = "{k}", sort = { up = false, by = "score" }, query = "{query}" }'
        found = compared(project, "shop", first, second)
        # One run for both: each question once.
        assert len(server.asked) == 20
    assert found == {"first": "", "second": "same options as first"}


@pytest.mark.parametrize(("k", "same"), [(20, ""), (19, "same answers as first")])
def test_two_that_differ_in_the_twentieth_hit_alone_are_the_same_up_to_the_nineteenth(
    project: Path, k: int, same: str
) -> None:
    first, second = 'function = "app:second"', 'function = "app:twentieth_differs"'
    assert compared(project, "app", first, second, k) == {"first": "", "second": same}
    assert len(asked(project)) == 40
