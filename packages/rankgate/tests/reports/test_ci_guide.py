"""What docs/ci.md and docs/report-format.md show works, and names all there is."""

import re

from ruamel.yaml import YAML

from rankgate.reports.evaluation.formats import FORMATS, PAGES
from rankgate.reports.evaluation.json_report import report_schema
from support.repository import ROOT

DOCS = ROOT / "docs"


def blocks(name: str, language: str) -> list[str]:
    text = (DOCS / name).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_every_format_is_explained() -> None:
    guide = (DOCS / "ci.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([\w-]+)` \|", guide, re.MULTILINE)[: len(FORMATS)] == list(FORMATS)


def test_the_examples_are_yaml_and_ask_for_reports_that_exist() -> None:
    found = [YAML(typ="safe").load(block) for block in blocks("ci.md", "yaml")]
    assert [sorted(one) for one in found] == [["steps"], ["permissions", "steps"], ["search-quality"]]
    (gitlab,) = (one["search-quality"] for one in found if "search-quality" in one)
    junit = gitlab["artifacts"]["reports"]["junit"]
    assert any(f"--report junit={junit}" in line for line in gitlab["script"])
    asked = re.findall(r"--report (\S+?)=", (DOCS / "ci.md").read_text(encoding="utf-8"))
    assert set(asked) <= {*FORMATS, *PAGES, "FORMAT"}


def test_every_field_of_a_report_is_explained() -> None:
    guide = (DOCS / "report-format.md").read_text(encoding="utf-8")
    fields = report_schema()["$defs"]["EvaluationReport"]["properties"]
    assert [name for name in fields if f"`{name}`" not in guide] == []


def test_the_proposed_workflow_runs_what_the_guide_shows() -> None:
    template = ROOT / "packages/rankgate/src/rankgate/cli/templates/workflow.yml"
    steps = YAML(typ="safe").load(template.read_text(encoding="utf-8"))["jobs"]["rankgate"]["steps"]
    (first, *_) = (YAML(typ="safe").load(block)["steps"] for block in blocks("ci.md", "yaml")[:1])
    assert steps == first
