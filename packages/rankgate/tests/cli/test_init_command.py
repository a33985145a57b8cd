"""`rankgate init` in a folder: what it writes, what it leaves alone, and the gate that it begins with."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

from rankgate.suites.formats import load_suite
from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

KEYS = (
    "# Keys\n\n## Rotation\n\nIf you want to replace a leaked key, call it.\n\n## Scopes\n\nA key may read.\n"
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text(KEYS)
    return tmp_path


def test_init_keeps_a_suite_that_exists(project: Path) -> None:
    mine = "corpus: docs\ncases: [{query: q, at: keys.md}]\n"
    (project / "search.yaml").write_text(mine)
    assert "kept   search.yaml (it was there)" in rankgate("init").printed()
    assert (project / "search.yaml").read_text() == mine


def test_init_writes_cases_as_comments_that_a_user_completes(project: Path) -> None:
    said = rankgate("init", "--ci", "gitlab").printed()
    assert said.endswith(
        "Next:\n  write a case in search.yaml\n  rankgate test\n  rankgate init --ci gitlab\n"
    )
    assert not (project / ".gitlab-ci.yml").exists()
    text = (project / "search.yaml").read_text()
    assert text.endswith('cases:\n  # - query: ""\n  #   at: "keys.md#Keys/Rotation"\n')
    filled = text.replace('# - query: ""', '- query: "replace a key"').replace("  #   at", "    at")
    (project / "search.yaml").write_text(filled)
    assert len(load_suite(project / "search.yaml").cases) == 1


def test_init_finds_a_search_function_and_does_not_call_it(project: Path) -> None:
    code = "import pathlib\n\n\ndef search(query, k):\n    pathlib.Path('called').touch()\n    return []\n"
    (project / "app.py").write_text(code)
    assert "found  a search function (app.py:search)" in rankgate("init").printed()
    assert tomllib.loads((project / "rankgate.toml").read_text())["systems"]["app"]["function"] == (
        "./app.py:search"
    )
    assert not (project / "called").exists()


def test_an_engine_is_written_with_its_address(project: Path) -> None:
    compose = 'services: {search: {image: "opensearchproject/opensearch:2", ports: ["9299:9200"]}}\n'
    (project / "compose.yml").write_text(compose)
    rankgate("init").printed()
    system = tomllib.loads((project / "rankgate.toml").read_text())["systems"]["app"]
    assert (system["kind"], system["hosts"]) == ("opensearch", ["http://localhost:9299"])
    assert system["index"] == "*"
    assert system["body"] == {"size": "{k}", "query": {"multi_match": {"query": "{query}"}}}


def test_the_starter_does_not_cut_at_comments_of_code(project: Path) -> None:
    page = "# Shell\n\n## Clean up\n\n```sh\n# Remove everything\nrm -r x\n```\n\nThe end.\n"
    (project / "docs" / "shell.md").write_text(page)
    rankgate("init").printed()
    namespace: dict[str, object] = {"__file__": str(project / "starter_search.py")}
    exec((project / "starter_search.py").read_text(), namespace)
    cut = [(path, start, end) for path, start, end, _ in namespace["SECTIONS"]]  # type: ignore[attr-defined]
    assert [each for each in cut if each[0] == "shell.md"] == [("shell.md", 1, 2), ("shell.md", 3, 10)]


def test_the_starter_cuts_rest_at_its_headings(project: Path) -> None:
    (project / "docs" / "a.rst").write_text("Keys\n====\n\nText.\n\nRotation\n--------\n\nEvery day.\n")
    rankgate("init").printed()
    namespace: dict[str, object] = {"__file__": str(project / "starter_search.py")}
    exec((project / "starter_search.py").read_text(), namespace)
    cut = [(path, start, end) for path, start, end, _ in namespace["SECTIONS"]]  # type: ignore[attr-defined]
    assert [each for each in cut if each[0] == "a.rst"] == [("a.rst", 1, 5), ("a.rst", 6, 9)]


def test_a_folder_without_documents_is_refused_with_what_to_do(project: Path) -> None:
    (project / "docs" / "keys.md").write_text("no heading\n")
    assert "name the folder with --corpus" in rankgate("init").refused()
