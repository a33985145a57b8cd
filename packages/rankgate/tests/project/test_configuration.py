"""rankgate.toml: suites, systems and the settings of a project."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import FormatError, InputError
from rankgate.model import GateText
from rankgate.project.configuration import SuiteEntry
from rankgate.project.find import find_configuration
from rankgate.project.settings import RunOptions, settings_of
from rankgate.suites.formats import load_suite
from support.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.project.configuration import Configuration
    from rankgate.project.settings import Settings

SYSTEMS = """\
[systems.app]
function = "app.search:search"
needs = ["index/", "${API_KEY}"]

[systems.tool]
command = ["./tool", "{query}"]
output = "lines"
"""
GOOD = f"""\
suites = [
    "search.yaml",
    {{file = "search.yaml", system = "tool", gates = ["rr >= 0.5"], unlisted = "unjudged"}},
]
system = "app"
require_baseline = ["app"]
max_errors = 2
on_inconclusive = "warn"
xfail_strict = true

{SYSTEMS}"""


def configured(folder: Path, text: str) -> Configuration:
    (folder / "rankgate.toml").write_text(text)
    return find_configuration(folder)


def errors(folder: Path, text: str) -> list[str]:
    with pytest.raises(FormatError) as error:
        configured(folder, text)
    return [str(problem) for problem in error.value.problems]


def settings(found: Configuration, system: str, gates: str = "ndcg@10 >= 0.7") -> Settings:
    suite = found.root / "search.yaml"
    suite.write_text(f"gates: [{gates}]\ncases:\n  - {{query: a, id: b}}\n")
    return settings_of(found.entry(system), load_suite(suite), RunOptions(), found.root)


def texts(settings: Settings) -> list[str]:
    return [gate.text for gate in settings.gates or ()]


def test_configuration_is_found_upwards(tmp_path: Path) -> None:
    configured(tmp_path, GOOD)
    (tmp_path / "deep/down").mkdir(parents=True)
    found = find_configuration(tmp_path / "deep/down")
    assert (found.root, found.system) == (tmp_path, "app")
    assert found.suites == (
        SuiteEntry("search.yaml"),
        SuiteEntry("search.yaml", "tool", (GateText("rr >= 0.5"),), "unjudged"),
    )
    app, tool = found.entry(None), found.entry("tool")
    assert (app.source, app.target, app.needs) == ("function", "app.search:search", ("index/", "${API_KEY}"))
    assert (tool.source, tool.target, tool.options) == ("command", ["./tool", "{query}"], {"output": "lines"})


def test_configuration_in_pyproject_has_the_same_keys(tmp_path: Path) -> None:
    table = GOOD.replace("[systems", "[tool.rankgate.systems")
    (tmp_path / "pyproject.toml").write_text("[tool.rankgate]\n" + table)
    assert find_configuration(tmp_path).entry("app").target == "app.search:search"


def test_two_configurations_in_one_folder_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "rankgate.toml").write_text(GOOD)
    (tmp_path / "pyproject.toml").write_text("[tool.rankgate]\n")
    with pytest.raises(FormatError, match="one of the two"):
        find_configuration(tmp_path)


def test_configuration_reports_all_errors_at_once(tmp_path: Path) -> None:
    said = errors(
        tmp_path,
        'suits = []\nsystem = "other"\nrequire_baseline = ["ap"]\non_inconclusive = "pass"\nmax_errors = -1\n'
        'suites = [{file = "a.yaml", system = "apps"}, {system = "app"}, 3, {file = "b", gate = []}]\n'
        '[systems.app]\nfunction = "x"\nneeds = ["$KEY"]\ngates = ["rr >= 1"]\n'
        'rate = "fast"\nretries = true\n'
        '[systems.a]\n[systems.b]\nfunction = "x:y"\ncommand = ["z"]\n',
    )
    for expected in (
        "1:1: unknown key `suits`. Did you mean `suites`?",
        "2:10: unknown system `other`. The systems of this file are app, a, b.",
        "3:21: unknown system `ap`. Did you mean `app`?",
        "4:19: expected `fail` or `warn`, found the text 'pass'.",
        "5:14: expected 0 or more, found -1.",
        "6:38: unknown system `apps`. Did you mean `app`?",
        "6:47: an entry of `suites` needs the key `file`.",
        "6:65: expected a file name, or a table with `file`, found 3.",
        "6:81: unknown key `gate`. Did you mean `gates`?",
        "9:10: expected a path, or a variable as ${NAME}, found the text '$KEY'.",
        "10:1: unknown key `gates`. Systems have no gates.",
        "11:8: expected a number, found the text 'fast'. Write a number without quotes.",
        "12:11: expected a whole number, found true.",
        "13:1: a system needs exactly one of the keys `function`, `command`, `run`, `kind`, found none",
        "14:1: a system needs exactly one of the keys `function`, `command`, `run`, `kind`, found `function`",
    ):
        assert any(expected in one for one in said), (expected, said)
    assert all("rankgate.toml" in one for one in said)


def test_configuration_same_gate_for_two_systems_is_valid(tmp_path: Path) -> None:
    entries = ", ".join(f'{{file = "a", system = "{name}", gates = ["rr >= 1"]}}' for name in ("app", "tool"))
    found = configured(tmp_path, f"suites = [{entries}]\n{SYSTEMS}")
    assert found.tested_systems(tmp_path / "a") == ("app", "tool")


def test_without_configuration_the_repository_is_the_root(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    found = find_configuration(tmp_path / "sub")
    assert (found.root, found.path) == (tmp_path, None)


def test_unknown_system_suggests_a_similar_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="did you mean tool"):
        configured(tmp_path, GOOD).entry("toll")


def test_settings_have_the_project_and_the_entries(tmp_path: Path) -> None:
    found = configured(tmp_path, GOOD)
    app, tool = settings(found, "app"), settings(found, "tool")
    assert (app.max_errors, app.on_inconclusive, app.xfail_strict) == (2, "warn", True)
    assert (texts(app), app.unlisted) == (["ndcg@10 >= 0.7"], None)
    assert (texts(tool), tool.unlisted) == (["ndcg@10 >= 0.7", "rr >= 0.5"], "unjudged")
    assert app.baselines is not None
    assert app.baselines.required
    assert app.baselines.known() == ("app", "tool")
    assert tool.baselines is not None
    assert not tool.baselines.required


def test_settings_gate_of_suite_and_entry_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        settings(configured(tmp_path, GOOD), "tool", gates="rr >= 0.5")
    said = str(error.value)
    assert "rankgate.toml:3:54: " in said
    assert "search.yaml:1:9 has the gate 'rr >= 0.5' too. Remove one of them." in said


def _fits(text: str) -> bool:
    import jsonschema

    from rankgate.project.schema import configuration_schema

    return bool(jsonschema.Draft202012Validator(configuration_schema()).is_valid(tomllib.loads(text)))


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("examples/*/rankgate.toml")), ids=lambda path: path.parent.name
)
def test_schema_accepts_the_configurations_of_examples(path: Path) -> None:
    assert _fits(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "text",
    [
        "suits = []",
        "max_errors = -1",
        'on_inconclusive = "pass"',
        "suites = [{gates = []}]",
        '[systems.app]\nfunction = "app:search"\ntimout = 3',
        '[systems.app]\nfunction = "app:search"\nconcurrency = "many"',
        '[systems.app]\nkind = "http"',
        '[systems.app]\nkind = "http"\nurl = 3',
        '[systems.app]\ncommand = "./search"',
        '[systems.app]\nknid = "http"',
    ],
)
def test_schema_rejects_what_the_reader_rejects(tmp_path: Path, text: str) -> None:
    assert not _fits(text)
    assert errors(tmp_path, text)


def test_kind_that_is_not_installed_is_no_error_of_the_file(tmp_path: Path) -> None:
    found = configured(tmp_path, '[systems.other]\nkind = "weaviate_of_others"\nanything = 3\n')
    assert found.entry("other").options == {"anything": 3}


def test_plugin_options_are_checked_with_the_file(tmp_path: Path) -> None:
    said = errors(tmp_path, '[systems.app]\nkind = "tantivy"\nserch = {title = 2.0}\nfilters = 3\n')
    assert [one.partition("toml:")[2] for one in said] == [
        "3:1: unknown key `serch`. Did you mean `search`?",
        "4:11: expected a mapping, found 3.",
    ]
