"""The headings of the Kubernetes documentation, read apart in two ways and compared file by file.

A quick reading of these files, which cuts out fences and takes ``##`` at the start of a line, counts 4,455
H2, 3,557 H3 and 4,008 H4. CommonMark, which rankgate follows, has 23 H2 and 2 H3 more, and every one of them
is accounted for below.
"""

from __future__ import annotations

import re
import tarfile
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from rankgate.outline import read_outline

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.once

Headings = list[tuple[int, int]]

UNFENCED = "reference/kubectl/quick-reference.md"
"""Its line 60 is ```` ```kubectl -A``` ````: code inside a line, which a quick reading takes for a fence."""

INDENTED = ("tasks/administer-cluster/kubeadm/upgrading-windows-nodes.md", (2, 91))
"""`` ## `` with a space before it, which CommonMark allows."""

UNDERLINED = {
    "concepts/storage/volumes.md": [(2, 368)],
    "concepts/workloads/pods/advanced-pod-config.md": [(2, 263), (2, 265)],
    "reference/access-authn-authz/authentication.md": [(2, 105), (2, 539), (2, 1444)],
    "reference/access-authn-authz/authorization.md": [(2, 204)],
    "tasks/administer-cluster/encrypt-data.md": [(2, 80), (2, 636)],
}
"""YAML between shortcodes of Hugo, where ``---`` below a line of text underlines it. Hugo takes the YAML out
before it reads Markdown; CommonMark knows no shortcodes."""


@pytest.fixture(scope="module")
def files(shared_data: Path) -> dict[str, str]:
    archive = shared_data / "docs" / "kubernetes-en.tar.gz"
    if not archive.is_file():
        pytest.skip("the documentation of Kubernetes is not among the shared data")
    with tarfile.open(archive) as tar:
        members = [member for member in tar.getmembers() if member.name.endswith(".md")]
        opened = ((member.name, tar.extractfile(member)) for member in members)
        return {
            name.removeprefix("content/en/docs/"): file.read().decode().replace("\r\n", "\n")
            for name, file in opened
            if file is not None
        }


def ours(path: str, text: str) -> Headings:
    nodes = read_outline(path, text)
    assert nodes is not None
    return [(node.level, node.start) for node in nodes if node.level in {2, 3, 4}]


def quickly(text: str) -> Headings:
    """Cut fences out by a regular expression and take what starts a line with number signs."""
    blanked = re.sub(
        "^```.*?^```", lambda fence: "\n" * fence[0].count("\n"), text, flags=re.DOTALL | re.MULTILINE
    )
    return [
        (len(found[1]), blanked.count("\n", 0, found.start()) + 1)
        for found in re.finditer(r"^(#{2,4})\s", blanked, re.MULTILINE)
    ]


def by_lines(text: str) -> Headings:
    """Follow CommonMark line by line for headings of #, fences and comments; front matter is skipped."""
    found = []
    matter = re.match(r"---[ \t]*\n(?:.*\n)*?---[ \t]*\n", text)
    skipped = matter[0].count("\n") if matter else 0
    until = None
    for number, line in enumerate(text.split("\n"), 1):
        if number <= skipped:
            continue
        if until is not None:
            until = None if re.match(until, line) else until
        elif fence := re.match(r" {0,3}(?:(`{3,})[^`]*|(~{3,}).*)\Z", line):
            until = rf" *{fence[1] or fence[2]}[`~]*[ \t]*\Z"
        elif re.match(" {0,3}<!--", line):
            until = None if "-->" in line else ".*-->"
        elif heading := re.match(r" {0,3}(#{2,4})(?:[ \t]|\Z)", line):
            found.append((len(heading[1]), number))
    return found


def levels(headings: list[Headings]) -> dict[int, int]:
    return dict(sorted(Counter(level for one in headings for level, _ in one).items()))


def test_every_heading_is_found_at_its_line(files: dict[str, str]) -> None:
    assert len(files) == 1672
    found = {path: ours(path, text) for path, text in files.items()}
    apart = {path: by_lines(text) for path, text in files.items()}
    assert levels(list(apart.values())) == {2: 4469, 3: 3559, 4: 4008}
    assert levels(list(found.values())) == {2: 4478, 3: 3559, 4: 4008}
    assert {
        path: sorted(set(found[path]) - set(apart[path])) for path in files if found[path] != apart[path]
    } == (UNDERLINED)
    assert [path for path in files if set(apart[path]) - set(found[path])] == []


def test_the_quick_reading_differs_in_three_explained_ways(files: dict[str, str]) -> None:
    quick = {path: quickly(text) for path, text in files.items()}
    assert levels(list(quick.values())) == {2: 4455, 3: 3557, 4: 4008}
    more, less = {}, {}
    for path, text in files.items():
        found = ours(path, text)
        more[path] = sorted(set(found) - set(quick[path]))
        less[path] = sorted(set(quick[path]) - set(found))
    assert [path for path, headings in less.items() if headings] == []
    assert levels([more.pop(UNFENCED)]) == {2: 13, 3: 2}
    assert {path: headings for path, headings in more.items() if headings} == {
        **UNDERLINED, INDENTED[0]: [INDENTED[1]],
    }  # fmt: skip
