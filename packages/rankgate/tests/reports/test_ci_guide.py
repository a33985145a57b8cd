"""What docs/ci.md and docs/report-format.md show works, and names all there is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ruamel.yaml import YAML

from rankgate.reports.evaluation.formats import FORMATS, PAGES
from rankgate.reports.evaluation.json_report import report_schema
from support.commands import rankgate
from support.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

DOCS = ROOT / "docs"


def blocks(name: str, language: str) -> list[str]:
    text = (DOCS / name).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_every_format_is_explained() -> None:
    guide = (DOCS / "ci.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([\w-]+)` \|", guide, re.MULTILINE)[: len(FORMATS)] == list(FORMATS)


def test_the_examples_are_yaml_and_ask_for_reports_that_exist() -> None:
    found = [YAML(typ="safe").load(block) for block in blocks("ci.md", "yaml")]
    assert len(found) == 5
    asked = re.findall(r"--report (\S+?)=", (DOCS / "ci.md").read_text(encoding="utf-8"))
    assert set(asked) <= {*FORMATS, *PAGES, "FORMAT"}


def test_every_field_of_a_report_is_explained() -> None:
    guide = (DOCS / "report-format.md").read_text(encoding="utf-8")
    fields = report_schema()["$defs"]["EvaluationReport"]["properties"]
    assert [name for name in fields if f"`{name}`" not in guide] == []


def test_the_guide_shows_what_init_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text(
        "# Keys\n\n## Rotation\n\nIf you want to replace a leaked key, call it.\n"
    )
    rankgate("init").printed()
    suite = tmp_path / "search.yaml"
    suite.write_text(
        suite.read_text().replace('# - query: ""', '- query: "replace"').replace("  #   at", "    at")
    )
    for host in ("github", "gitlab"):
        rankgate("init", "--ci", host).printed()
    shown = blocks("ci.md", "yaml")
    for name in (
        ".github/workflows/rankgate.yml",
        ".github/workflows/rankgate-comment.yml",
        ".gitlab/rankgate.yml",
    ):
        assert (tmp_path / name).read_text(encoding="utf-8") in shown, name
