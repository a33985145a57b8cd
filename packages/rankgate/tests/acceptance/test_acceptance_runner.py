"""The runner of the transcripts: masks hide only what they list, and an update changes only outputs."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest

from support.transcripts import MASKS, Mask, blocks, masked, ran, rewritten, steps, transcript_environment

HERE = Path(__file__).parent
TRANSCRIPTS = sorted(HERE.glob("*.md"))


def _outputs(path: Path) -> list[list[str]]:
    return [
        step.shown
        for block in blocks(path.read_text(encoding="utf-8"))
        if block.language == "console" and not block.fragment
        for step in steps(block.text)
    ]


def _filled(line: str) -> tuple[str, set[int]]:
    """Return a stored line with examples in place of its placeholders, and where these are."""
    hidden: set[int] = set()
    for mask in MASKS:
        while (start := line.find(mask.placeholder)) >= 0:
            example = mask.example.partition("{")[2].partition("}")[0]
            more = len(example) - len(mask.placeholder)
            hidden = {place if place < start else place + more for place in hidden}
            hidden |= set(range(start, start + len(example)))
            line = line.replace(mask.placeholder, example, 1)
    return line, hidden


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_any_changed_digit_outside_the_masks_differs(path: Path) -> None:
    for line in {line for shown in _outputs(path) for line in shown}:
        assert masked(line) == ([line] if line else [])
        filled, hidden = _filled(line)
        assert masked(filled) == masked(line)
        for place, letter in enumerate(filled):
            if letter.isdigit() and place not in hidden:
                changed = f"{filled[:place]}{(int(letter) + 1) % 10}{filled[place + 1 :]}"
                assert masked(changed) != masked(line), changed


@pytest.mark.parametrize("mask", MASKS, ids=lambda mask: mask.placeholder)
def test_mask_hides_its_example_and_leaves_its_placeholder(mask: Mask) -> None:
    head, text, tail = re.split("[{}]", mask.example)
    stored = f"before {head}{mask.placeholder}{tail} after"
    assert masked(f"before {head}{text}{tail} after") == [stored]
    assert masked(stored) == [stored]


def test_masked_paths_are_replaced_innermost_first() -> None:
    assert masked("/tmp/x/project/a.py\n", {"/tmp/x/project": "<project>", "/tmp/x": "<home>"}) == [
        "<project>/a.py"
    ]


@pytest.mark.parametrize(
    "line",
    [
        "0.31 of 12 queries, rank 3 before, 0.8 now",
        "search fc3bd0cb2464, 3 queries, docs/ 7f5b840ad6a2",
        "found in 3 sections, xfail until 2030-01-31",
        "polars 1.2.3, port 8080, version 2, keys.md:3-5",
        "timed out after 0.1 s, p = 0.031, 95 % of 200ms",
    ],
)
def test_masks_leave_other_numbers(line: str) -> None:
    assert masked(line) == [line]


def test_rewritten_changes_outputs_and_exit_codes_alone() -> None:
    page = """# Title

Text.

```yaml title="a.yaml"
k: 1
```

{}

<!-- fragment: none -->
```console
$ left
```
"""
    before = "```console\n$ cat <<'END'  # exit code 1\nx\nEND\nold\n$ false\n```"
    after = "````console\n$ cat <<'END'\nx\nEND\nx\n$ false  # exit code 2\n```\n\n````"
    assert rewritten(page.format(before), [(["x"], 0), (["```", ""], 2)]) == page.format(after)


def test_program_that_a_transcript_serves_runs_until_the_end(tmp_path: Path) -> None:
    page = """<!-- serves: server.py -->

```python title="server.py"
import http.server, os

address = ("127.0.0.1", int(os.environ["PORT"]))
http.server.HTTPServer(address, http.server.SimpleHTTPRequestHandler).serve_forever()
```

```console
$ python -c "import os, urllib.request as r; print(r.urlopen('http://127.0.0.1:' + os.environ['PORT']).code)"
```
"""
    variables = transcript_environment(tmp_path)
    assert [one.printed for one in ran(page, tmp_path / "project", variables)] == ["200\n"]
    with socket.socket() as client:
        assert client.connect_ex(("127.0.0.1", int(variables["PORT"]))) != 0
