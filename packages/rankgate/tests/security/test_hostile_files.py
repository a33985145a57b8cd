"""Hostile files: the command ends with one error that names the file, within 5 seconds and 500 MB.

Each file is read by a process of its own. The seconds are processor time, because tests run in parallel.
A time-out ends a process that waits, as for a pipe.
"""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SECONDS, MEGABYTES, PATIENCE = 5, 500, 120
SUITE = "corpus: docs/\ncases:\n  - query: rotate\n    at: keys.md\n"
ARCHIVE = "corpus: {archive: docs.tgz}\ncases:\n  - {query: a, at: a.md}\n"
CONFIGURATION = 'system = "app"\n[systems.app]\nkind = "function"\ntarget = "app:search"\n'
GIGABYTE = 1 << 30
LAUGHS = "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)

# A process that starts another has a peak of its own, so a small one measures.
MEASURE = """
import json, os, sys
pid = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, used = os.wait4(pid, 0)
with open(sys.argv[1], "w") as file:
    json.dump([used.ru_utime + used.ru_stime, used.ru_maxrss / 1024], file)
sys.exit(os.waitstatus_to_exitcode(status))
"""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    said: str
    seconds: float
    megabytes: float


def run(project: Path, *words: str) -> Ended:
    """Run rankgate in a project, and measure it."""
    usage = project.parent / "usage.json"
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(usage), sys.executable, "-m", "rankgate", *words],
        cwd=project,
        env={**os.environ, "RANKGATE_CACHE": str(project.parent / "cache")},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    seconds, megabytes = json.loads(usage.read_text())
    return Ended(done.returncode, done.stdout + done.stderr, seconds, megabytes)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "outer" / "project"
    (project / "docs").mkdir(parents=True)
    (project / "docs" / "keys.md").write_text("# Keys\n\n## Rotation\n\nRotate.\n")
    (project / "app.py").write_text("def search(query, k):\n    return ['keys.md']\n")
    (project / "rankgate.toml").write_text(CONFIGURATION)
    (tmp_path / "outer" / "secret").write_text("a secret\n")
    return project


def text(name: str, content: str) -> Callable[[Path], object]:
    return lambda project: (project / name).write_text(content)


def sparse(name: str, start: str = "") -> Callable[[Path], None]:
    """Write a file of 2 GB that begins with a text."""

    def write(project: Path) -> None:
        with (project / name).open("wb") as file:
            file.write(start.encode())
            file.truncate(2 * GIGABYTE)

    return write


def link(name: str, to: str, suite: str = SUITE) -> Callable[[Path], None]:
    def write(project: Path) -> None:
        (project / "search.yaml").write_text(suite)
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).symlink_to(to)

    return write


def guidelines(name: str) -> Callable[[Path], object]:
    return text("search.yaml", f"{SUITE}guidelines: {name}\n")


def guidelines_pipe(project: Path) -> None:
    guidelines("guide.md")(project)
    os.mkfifo(project / "guide.md")


def guidelines_2gb(project: Path) -> None:
    guidelines("guide.md")(project)
    sparse("guide.md")(project)


def docs_outside(project: Path) -> None:
    (project / "docs").rename(project / "old")
    link("docs", "../..")(project)


def packed_tar(project: Path) -> None:
    """Write a tar of 10 MB with a file of 10 GB."""
    (project / "search.yaml").write_text(ARCHIVE)
    member = tarfile.TarInfo("a.md")
    member.size = 10 * GIGABYTE
    packer, zeros = zlib.compressobj(1, wbits=31), bytes(1 << 20)
    # The compressed zeros repeat, so that ten gigabytes need not be compressed here.
    first = packer.compress(member.tobuf()) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(zeros * 8) + packer.flush(zlib.Z_FULL_FLUSH)
    with (project / "docs.tgz").open("wb") as file:
        file.write(first)
        file.writelines(repeat(block, 10 * 1024 // 8))


def packed_zip(project: Path) -> None:
    """Write a zip whose directory says that a file of 100 MB has 1,000 bytes."""
    (project / "search.yaml").write_text(ARCHIVE.replace("docs.tgz", "docs.zip"))
    size = 100 << 20
    with zipfile.ZipFile(project / "docs.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.md", bytes(size))
    data = (project / "docs.zip").read_bytes()
    at = data.rindex(struct.pack("<I", size))
    (project / "docs.zip").write_bytes(data[:at] + struct.pack("<I", 1000) + data[at + 4 :])


def linked_tar(project: Path) -> None:
    (project / "search.yaml").write_text(ARCHIVE)
    member = tarfile.TarInfo("a.md")
    member.type, member.linkname = tarfile.SYMTYPE, "../../secret"
    with tarfile.open(project / "docs.tgz", "w:gz") as archive:
        archive.addfile(member)


HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "a duplicate key": (
        text("search.yaml", f"{SUITE}gates: [ndcg@10 >= 0.9]\ngates: []\n"),
        "search.yaml:6:1: the key `gates` occurs twice, first in line 5",
    ),
    "a duplicate key of another tool": (
        text("search.yaml", "tests:\n  - vars: {query: a, query: b}\n"),
        "search.yaml:2:22: the key `query` occurs twice",
    ),
    "a duplicate key in JSON": (
        text("search.json", '[{"query": "a", "query": "b", "expectedIds": []}]'),
        "search.json: the key 'query' occurs twice",
    ),
    "aliases that grow": (
        text("search.yaml", f"a: &a [x, x]\n{LAUGHS}cases: *i\n"),
        "search.yaml:1:4: the anchor &a",
    ),
    "aliases that grow in a file of another tool": (
        text("search.yaml", f"a: &a [x, x]\n{LAUGHS}tests: *i\n"),
        "search.yaml:1:4: the anchor &a",
    ),
    "lists nested deeply": (
        text("search.yaml", "cases: " + "[" * 100_000),
        "search.yaml:1:107: values are nested",
    ),
    "lists nested deeply in a file of another tool": (
        text("search.yaml", "tests: " + "[" * 100_000),
        "search.yaml:1:107: values are nested",
    ),
    "lists nested deeply in JSON": (text("search.json", '[{"query": ' + "[" * 100_000), "search.json"),
    "lists nested deeply in TOML": (text("rankgate.toml", "a = " + "[" * 100_000), "rankgate.toml"),
    "2 GB of YAML": (sparse("search.yaml", SUITE), "search.yaml: the file has 2,147,483,648 bytes"),
    "2 GB of JSON Lines": (
        sparse("search.suite.jsonl", '{"query": "a", "id": "b"}\n'),
        "search.suite.jsonl: the file has 2,147,483,648 bytes",
    ),
    "2 GB of CSV": (sparse("search.csv", "query,docid,rating\na,b,1\n"), "search.csv: "),
    "2 GB of TREC": (sparse("qrels.txt", "1 0 a 1\n"), "qrels.txt: "),
    "2 GB of configuration": (
        sparse("rankgate.toml", CONFIGURATION),
        "rankgate.toml: the file has 2,147,483,648 bytes",
    ),
    "millions of cases": (
        text("search.suite.jsonl", '{"query":"a","id":"b"}\n' * 2_000_000),
        "search.suite.jsonl: the suite has more than 100,000 cases",
    ),
    "millions of cells": (
        text("search.csv", "query,docid,rating\n" + "a,b,1\n" * 5_000_000),
        "search.csv: the table has more than 2,000,000 cells",
    ),
    "a suite that is a pipe": (
        lambda project: os.mkfifo(project / "search.yaml"),
        "search.yaml: this is not a regular file",
    ),
    "a suite that is a device": (
        lambda project: (project / "search.yaml").symlink_to("/dev/zero"),
        "search.yaml: this is not a regular file",
    ),
    "a tag that calls a function": (
        text("search.yaml", "cases: !!python/object/apply:os.system [touch called]\n"),
        "search.yaml:1:8: the tag",
    ),
    "a tag that calls a function in a file of another tool": (
        text("search.yaml", "tests: !!python/object/apply:os.system [touch called]\n"),
        "search.yaml:1:8: the tag",
    ),
    "a target that climbs": (
        text("search.yaml", SUITE.replace("keys.md", "../../secret")),
        "search.yaml:4:9: the location `../../secret` is invalid",
    ),
    "a corpus that climbs": (text("search.yaml", SUITE.replace("docs/", "../..")), "corpus ../..: "),
    "a corpus that is a link outside": (docs_outside, "corpus docs: "),
    "guidelines that climb": (guidelines("../secret"), "search.yaml: guidelines: "),
    "guidelines with an absolute path": (
        guidelines("/etc/passwd"),
        "search.yaml: guidelines: /etc/passwd is outside the project",
    ),
    "guidelines that are a link outside": (
        link("guide.md", "../secret", f"{SUITE}guidelines: guide.md\n"),
        "search.yaml: guidelines: ",
    ),
    "guidelines that are a pipe": (guidelines_pipe, "search.yaml: guidelines: "),
    "guidelines of 2 GB": (guidelines_2gb, "search.yaml: guidelines: "),
    "a link from .rankgate": (link(".rankgate", ".."), ".rankgate/search/app: a symbolic link leads to"),
    "a link from below .rankgate": (
        link(".rankgate/search", "../.."),
        ".rankgate/search/app: a symbolic link leads to",
    ),
    "a tar that unpacks to 10 GB": (
        packed_tar,
        "corpus archive docs.tgz: found more than 1,073,741,824 bytes",
    ),
    "a zip with a false size": (packed_zip, "corpus archive docs.zip: "),
    "a link out of an archive": (linked_tar, "corpus archive docs.tgz: "),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_file_is_one_error_that_names_it(project: Path, name: str) -> None:
    write, said = HOSTILE[name]
    write(project)
    suite = next(
        (file.name for file in project.iterdir() if file.name.startswith(("search.", "qrels"))), "search.yaml"
    )
    outside = sorted(project.parent.iterdir())
    ended = run(project, "test", suite)
    assert ended.code == 2, ended
    error = ended.said.splitlines()
    assert error[0].endswith("the suite or the call is wrong (exit code 2)"), ended
    assert said in error[1], ended
    assert len(error) == 2, ended
    assert ended.seconds < SECONDS, ended
    assert ended.megabytes < MEGABYTES, ended
    assert "a secret" not in ended.said
    assert not (project / "called").exists()
    assert {file.name for file in project.parent.iterdir()} - {file.name for file in outside} <= {
        "usage.json",
        "cache",
    }


@pytest.mark.parametrize("name", ["guidelines that climb", "aliases that grow", "2 GB of YAML"])
def test_hostile_file_is_a_finding_of_lint(project: Path, name: str) -> None:
    write, said = HOSTILE[name]
    write(project)
    ended = run(project, "suite", "lint", "search.yaml")
    where, _, problem = said.partition(": ")
    assert ended.code == 2, ended
    assert ended.said.startswith(where), ended
    assert problem in ended.said, ended
    assert "\n1 error" in ended.said, ended
    assert ended.seconds < SECONDS, ended
    assert ended.megabytes < MEGABYTES, ended


KILOBYTES = 200_000
MARKDOWN = {
    "headings": "".join(f"## {'a' * (number % 60)}b{number}\n" for number in range(5000)),
    "equal headings": "# equal\n" * (KILOBYTES // 8),
    "numbered headings": "".join(f"# {number}\n" for number in range(1, 26_400)),
    "headings of brackets": ("# " + "[" * 290 + "\n") * (KILOBYTES // 293),
    "headings of more brackets": ("# " + "[" * 990 + "\n") * (KILOBYTES // 993),
    "a long heading": "# " + "ab" * (KILOBYTES // 2),
    "brackets in a heading": "# " + "[" * KILOBYTES,
    "spaces in a heading": "# a" + " " * KILOBYTES + "b",
    "open comments": "text " + "<!-- " * (KILOBYTES // 5),
    "backticks": "".join("`" * number + " " for number in range(1, 630)),
    "braces": "text {" + "#a " * (KILOBYTES // 3),
    "quotes": ">" * KILOBYTES,
    "lists": "- " * (KILOBYTES // 2),
    "a table": "|a" * (KILOBYTES // 4) + "\n" + "|-" * (KILOBYTES // 4) + "\n",
    "front matter": "---\n" * (KILOBYTES // 4),
}


@pytest.mark.parametrize("name", MARKDOWN)
def test_missing_target_in_hostile_markdown_is_one_error(project: Path, name: str) -> None:
    (project / "docs" / "keys.md").write_text(MARKDOWN[name])
    (project / "search.yaml").write_text(SUITE.replace("keys.md", '"keys.md#Rotation of keys"'))
    ended = run(project, "test", "search.yaml")
    assert ended.code == 2, ended
    assert ended.said.count("the target 'keys.md#Rotation of keys' is not in the documents") == 1, ended
    assert ended.seconds < SECONDS, ended
    assert ended.megabytes < MEGABYTES, ended
