"""A search whose hits are not where the corpus is says so first, with the setting that mends it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.evaluation.flow import evaluate
from rankgate.model import Cause, ExitCode
from rankgate.suites.formats import load_suite

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAGES = {
    "book/guide/keys.md": ("Rotation", "rotate a key", "Rotate the key when people leave the team."),
    "book/guide/hooks.md": ("Retries", "retry a hook", "A hook that fails is tried again in five minutes."),
    "book/guide/roles.md": ("Owners", "delete a project", "Only an owner may delete a whole project."),
    "book/api/errors.md": ("Limits", "too many requests", "Who asks too often gets the error 429."),
    "book/api/pages.md": ("Cursors", "next page", "Ask with the cursor of the last answer you got."),
    "book/Install.md": ("Linux", "install on Linux", "Install the package with your own manager."),
}
MORE = "Whoever reads {0} for the first time should begin with the introduction above."
INTRODUCTION = "# {0}\n\nAn introduction to {0}, and what it is for.\n\n"
Hit = dict[str, Any]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Write documents, a suite and a search that finds the right page first and another page second."""
    for name, (title, _, text) in PAGES.items():
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{INTRODUCTION.format(name)}## {title}\n\n{text}\n{MORE.format(name)}\n")
    cases = "".join(
        f"  - query: {query}\n    at: {name}#{title}\n" for name, (title, query, _) in PAGES.items()
    )
    (tmp_path / "search.yaml").write_text(f"corpus: docs/\ngates: [rr@5 >= 0.9]\ncases:\n{cases}")
    return tmp_path


def right(name: str) -> Hit:
    """Return the hit that a search without faults gives."""
    title, _, text = PAGES[name]
    shown = f"## {title}\n\n{text}\n{MORE.format(name)}"
    offset = len(INTRODUCTION.format(name))
    return {"path": name, "start": 5, "end": 8, "text": shown, "offset": offset}


def verdict(project: Path, fault: Callable[[Hit], Hit], locate: str = "") -> tuple[Any, str]:
    """Evaluate the search with a fault in its hits; return the verdict and the first line of the report."""
    answers = {}
    names = list(PAGES)
    for number, (name, (_, query, _)) in enumerate(PAGES.items()):
        hits = [fault(right(one)) for one in (name, names[number - 1])]
        for hit in hits:
            hit.pop("offset", None)
        answers[query] = hits
    (project / "answers.json").write_text(json.dumps(answers))
    (project / "app.py").write_text(
        "import json, pathlib\n"
        "def search(query, k):\n"
        "    return json.loads(pathlib.Path(__file__).with_name('answers.json').read_text())[query][:k]\n"
    )
    (project / "rankgate.toml").write_text(f'[systems.docs]\nfunction = "app:search"\n{locate}\n')
    found = evaluate(load_suite(project / "search.yaml"), "docs")
    return found.verdict, found.report.status


def bare(hit: Hit, *names: str) -> Hit:
    return {name: hit[name] for name in names}


FAULTS: dict[str, tuple[Callable[[Hit], Hit], str]] = {
    "prefix": (
        lambda hit: bare(hit, "start", "end") | {"path": f"docs/{hit['path']}"},
        'locate = { strip_prefix = "docs/" }',
    ),
    "missing prefix": (
        lambda hit: bare(hit, "start", "end") | {"path": hit["path"].removeprefix("book/")},
        'locate = { add_prefix = "book/" }',
    ),
    "absolute path": (
        lambda hit: bare(hit, "start", "end") | {"path": f"/srv/app/docs/{hit['path']}"},
        'locate = { strip_prefix = "/srv/app/docs/" }',
    ),
    "URL": (
        lambda hit: bare(hit, "start", "end") | {"path": f"https://docs.example.org/en/{hit['path'][:-3]}/"},
        'locate = { strip_prefix = "https://docs.example.org/en/", add_suffix = ".md" }',
    ),
    "wrong case": (
        lambda hit: bare(hit, "start", "end") | {"path": hit["path"].upper()},
        "locate = { ignore_case = true }",
    ),
    "extension lost": (
        lambda hit: bare(hit, "start", "end") | {"path": hit["path"].removesuffix(".md")},
        'locate = { add_suffix = ".md" }',
    ),
    "zero-based lines": (
        lambda hit: bare(hit, "path", "text") | {"start": hit["start"] - 1, "end": hit["end"] - 1},
        "locate = { lines_from = 0 }",
    ),
    "offsets as lines": (
        lambda hit: bare(hit, "path") | {"start": hit["offset"], "end": hit["offset"] + len(hit["text"])},
        'locate = { start_end = "characters" }',
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_the_first_line_names_the_fault_and_its_setting_mends_it(project: Path, name: str) -> None:
    fault, setting = FAULTS[name]
    found, status = verdict(project, fault)
    assert found.exit_code is ExitCode.SYSTEM_FAILED or name == "zero-based lines"
    assert setting in status, status
    mended, status = verdict(project, fault, setting)
    assert (mended.exit_code, mended.cause) == (ExitCode.PASSED, Cause.NONE), status
    assert "locate" not in status


def renamed(hit: Hit) -> Hit:
    """Return a hit in a repository that has none of these files."""
    return {"path": f"src/module_{len(hit['path'])}.rs", "start": 1, "end": 9}


NO_SETTING: dict[str, tuple[Callable[[Hit], Hit], str, Callable[[Hit], Hit]]] = {
    "no lines": (
        lambda hit: bare(hit, "path"),
        "12 of 12 hits name a file and no lines, and targets of the suite are lines: return start and end",
        lambda hit: bare(hit, "path", "start", "end"),
    ),
    "ids of another index": (
        lambda hit: {"id": f"chunk-{len(hit['path'])}"},
        "12 of 12 hits have an id alone, such as chunk-15, and targets are locations: return the path",
        lambda hit: bare(hit, "path", "start", "end"),
    ),
    "another repository": (
        renamed,
        "12 of 12 hits name files that the corpus does not have, such as src/module_18.rs: index the corpus",
        lambda hit: bare(hit, "path", "start", "end"),
    ),
    "stale index": (
        lambda hit: bare(hit, "path", "text") | {"start": 9, "end": 11},
        "12 of 12 hits have lines that their file does not have or that are not where their text is: index",
        lambda hit: bare(hit, "path", "text", "start", "end"),
    ),
}


@pytest.mark.parametrize("name", NO_SETTING)
def test_where_no_setting_mends_it_the_first_line_says_what_does(project: Path, name: str) -> None:
    fault, said, mended = NO_SETTING[name]
    found, status = verdict(project, fault)
    assert said in status
    assert found.exit_code is not ExitCode.PASSED or name == "stale index"
    found, status = verdict(project, mended)
    assert (found.exit_code, found.cause, status) == (ExitCode.PASSED, Cause.NONE, "1 gate passed")


HARMLESS: dict[str, Callable[[Hit], Hit]] = {
    "backslashes": lambda hit: bare(hit, "start", "end") | {"path": hit["path"].replace("/", "\\")},
    "text only with a header": lambda hit: {"text": f"The book\n{hit['path']}\n\n{hit['text']}"},
    "a prefix beside the text": lambda hit: bare(hit, "text") | {"path": hit["path"]},
    "a summary beside lines": lambda hit: bare(hit, "path", "start", "end") | {"text": "A summary of it"},
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_finds_its_location_all_the_same_is_no_fault(project: Path, name: str) -> None:
    found, status = verdict(project, HARMLESS[name])
    assert (found.exit_code, status) == (ExitCode.PASSED, "1 gate passed")


def test_a_few_hits_elsewhere_are_counted_and_are_no_fault(project: Path) -> None:
    wrong = iter([True, *[False] * 11])
    found, status = verdict(
        project, lambda hit: renamed(hit) if next(wrong) else bare(hit, "path", "start", "end")
    )
    assert found.cause is Cause.NONE
    assert "corpus" not in status


@pytest.mark.parametrize("rule", ["locate", "map"])
def test_names_that_a_rule_makes_files_of_are_no_fault_where_the_text_tells_the_lines(
    project: Path, rule: str
) -> None:
    setting = 'locate = { strip_prefix = "docs/" }' if rule == "locate" else ""
    if rule == "map":
        suite = project / "search.yaml"
        suite.write_text(f"map: [{{from: 'docs/(.*)', to: '\\1'}}]\n{suite.read_text()}")
    found, status = verdict(project, lambda hit: bare(hit, "text") | {"path": f"docs/{hit['path']}"}, setting)
    assert (found.exit_code, status) == (ExitCode.PASSED, "1 gate passed")
