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


def test_cases_that_are_not_written_are_not_said_to_be_proposed(project: Path) -> None:
    mine = "corpus: docs\ncases: [{query: q, at: keys.md}]\n"
    (project / "search.yaml").write_text(mine)
    said = rankgate("init")
    assert said.code == 0, said.err
    assert "kept   search.yaml (it was there)" in said.out
    assert "proposed" not in said.out
    assert (project / "search.yaml").read_text() == mine
    (project / "search.yaml").unlink()
    assert "1 case proposed from docs/, none reviewed yet: read it in search.yaml." in rankgate("init").out


def test_terse_documents_have_no_case_and_say_where_to_write_one(project: Path) -> None:
    (project / "docs" / "keys.md").write_text("# Keys\n\n## Scopes\n\nA key may read.\n")
    said = rankgate("init", "--ci", "gitlab").printed()
    assert "No case is proposed from docs/" in said
    assert said.endswith(
        "Next:\n  write a case in search.yaml\n  rankgate test\n  rankgate init --ci gitlab\n"
    )
    assert not (project / ".gitlab-ci.yml").exists()
    assert "\ngate  " not in said
    text = (project / "search.yaml").read_text()
    assert text.endswith('cases:\n  # - query: ""\n  #   at: "keys.md#Keys/Scopes"\n')
    filled = text.replace('# - query: ""', '- query: "who may read"').replace("  #   at", "    at")
    (project / "search.yaml").write_text(filled)
    assert len(load_suite(project / "search.yaml").cases) == 1


def test_the_first_gate_is_what_the_search_finds_today(project: Path) -> None:
    said = rankgate("init").printed()
    suite = load_suite(project / "search.yaml")
    assert [gate.text for gate in suite.gates] == ["ndcg@10 >= 1"]
    assert "gate   ndcg@10 >= 1: the search has 1.00 today" in said
    text = (project / "search.yaml").read_text()
    assert "# The search has 1.00 today, and at least this on any" in text
    assert not list(project.rglob(".rankgate"))
    (project / "search.yaml").write_text(text.replace("    reviewed: false\n", ""))
    assert rankgate("test").code in (0, 4)


def test_a_search_that_cannot_be_asked_gets_the_usual_gate_and_the_reason(project: Path) -> None:
    (project / "app.py").write_text("def search(query, k):\n    raise RuntimeError('the index is gone')\n")
    said = rankgate("init").printed()
    assert "found  a search function (app.py:search)" in said
    text = (project / "search.yaml").read_text()
    assert 'gates: ["ndcg@10 >= 0.65"]' in text
    assert "# The search could not be asked" in text
    assert tomllib.loads((project / "rankgate.toml").read_text())["systems"]["app"]["function"] == (
        "./app.py:search"
    )


def test_a_search_is_not_called_where_that_is_not_wanted(project: Path) -> None:
    code = "import pathlib\n\n\ndef search(query, k):\n    pathlib.Path('called').touch()\n    return []\n"
    (project / "app.py").write_text(code)
    rankgate("init", "--no-ask").printed()
    assert not (project / "called").exists()
    assert "# A usual value" in (project / "search.yaml").read_text()


def test_an_engine_is_written_with_its_address(project: Path) -> None:
    compose = 'services: {search: {image: "opensearchproject/opensearch:2", ports: ["9299:9200"]}}\n'
    (project / "compose.yml").write_text(compose)
    rankgate("init", "--no-ask").printed()
    system = tomllib.loads((project / "rankgate.toml").read_text())["systems"]["app"]
    assert system == {"kind": "opensearch", "hosts": ["http://localhost:9299"]}


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
