"""An index that `prepare` makes is built once for what it is made of, and shared by all who need it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.sweep_projects import inside_project, rows, swept

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BUILD = """
import os, pathlib, sys
corpus, index, upper = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
with open("built.txt", "a") as file:
    file.write(upper + "\\n")
if os.environ.get("FAILS") == upper:
    (index / "half").write_text("x")
    sys.exit(3)
names = sorted(path.name for path in corpus.iterdir())
(index / "names.txt").write_text("\\n".join(name.upper() if upper == "yes" else name for name in names))
"""
FIND = """
import pathlib, sys
query, index, k, order = sys.argv[1:]
names = (pathlib.Path(index) / "names.txt").read_text().split("\\n")
found = sorted(names, key=lambda name: query not in name.lower())
print("\\n".join(name.lower() for name in (found if order == "best" else found[::-1])[: int(k)]))
"""
SYSTEMS = f"""
suites = ["search.yaml"]
[systems.words]
command = [{sys.executable!r}, "find.py", "{{query}}", "{{index}}", "{{k}}", "best"]
prepare = [{sys.executable!r}, "build.py", "{{corpus}}", "{{index}}", "no"]
output = "lines"
pattern = "(?P<path>.+)"
env = ["FAILS"]
"""
SWEEP = f"""
baseline = "order=best, index=plain"
[axes.order]
best = {{}}
last = {{ command = [{sys.executable!r}, "find.py", "{{query}}", "{{index}}", "{{k}}", "worst"] }}
[axes.index]
plain = {{}}
upper = {{ prepare = [{sys.executable!r}, "build.py", "{{corpus}}", "{{index}}", "yes"] }}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("FAILS", "")
    with inside_project(tmp_path) as folder:
        (folder / "build.py").write_text(BUILD)
        (folder / "find.py").write_text(FIND)
        (folder / "rankgate.toml").write_text(SYSTEMS)
        (folder / "sweep.toml").write_text(SWEEP)
        (folder / "search.yaml").write_text(
            "corpus: docs/\nmetrics: [rr@10]\ncases:\n  - {query: topic03, at: topic03.md}\n"
            "  - {query: topic07, at: topic07.md}\n"
        )
        yield folder


def built(project: Path) -> list[str]:
    file = project / "built.txt"
    return file.read_text().split() if file.exists() else []


def test_variants_that_need_the_same_index_share_it(project: Path) -> None:
    said = rankgate("sweep", "--dry-run").printed()
    assert "2 indexes by prepare, 2 of them to build" in said
    assert built(project) == []
    found = rows(swept())
    assert sorted(built(project)) == ["no", "yes"]
    # The right page comes first with one order, and never with the other.
    assert found["order=best, index=plain"]["means"] == [1.0]
    assert found["order=last, index=upper"]["means"] == [0.0]
    # Another index with equal answers, which is said.
    same = "same answers as order=best, index=plain"
    assert found["order=best, index=upper"]["same_as"] == same
    sizes = {name: row["index_bytes"] for name, row in found.items()}
    names = [f"{path.name}" for path in (project / "docs").iterdir()]
    assert set(sizes.values()) == {len("\n".join(names))}
    assert all(row["index_seconds"] > 0 for row in found.values())
    assert "2 indexes by prepare, 0 of them to build" in rankgate("sweep", "--dry-run").printed()
    swept()
    assert len(built(project)) == 2


def test_what_an_index_is_made_of_changes_and_it_is_built_again(project: Path) -> None:
    swept("--only", "index=plain")
    (project / "docs" / "topic99.md").write_text("# topic99\n")
    assert (
        "1 index by prepare, 1 of them to build"
        in rankgate("sweep", "--dry-run", "--only", "index=plain").printed()
    )
    swept("--only", "index=plain")
    assert built(project) == ["no", "no"]
    (project / "build.py").write_text(BUILD + "# changed\n")
    swept("--only", "index=plain")
    assert built(project) == ["no", "no", "no"]


def test_an_index_that_was_not_finished_is_built_anew(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAILS", "yes")
    done = rankgate("sweep", "--format", "json")
    assert done.code == 3
    assert "index=upper was not asked" in done.out
    monkeypatch.setenv("FAILS", "")
    assert len(rows(swept())) == 4
    for half in (project / ".rankgate" / "prepared" / "indexes").glob("*/index/half"):
        assert not (half.parent.parent / "prepared.json").exists()


def test_a_system_of_the_configuration_has_the_folder_too(project: Path) -> None:
    assert rankgate("test").code == 0
    assert built(project) == ["no"]
    assert rankgate("sweep", "--only", "index=plain").code == 0
    assert built(project) == ["no"]


def test_a_prepare_that_writes_nothing_there_is_refused(project: Path) -> None:
    (project / "build.py").write_text("")
    done = rankgate("test")
    assert done.code == 2
    assert "nothing in {index}" in done.out + done.err
