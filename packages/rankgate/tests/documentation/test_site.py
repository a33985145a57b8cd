"""The documentation is whole: no dead link, no orphan, no block without a test or a reason, nothing stale."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from generated_reference import PAGES

import documentation
import rankgate
from rankgate.project.configuration import SystemSource
from rankgate.project.schema import ConfigurationKeys, SuiteKeys, SystemKeys
from support.repository import ROOT
from support.transcripts import agrees, blocks, run_page, steps, undeclared

if TYPE_CHECKING:
    from pathlib import Path

DOCS = ROOT / "docs"
NEW = sorted(path for part in ("tutorials", "guides", "concepts") for path in (DOCS / part).glob("*.md"))


def test_no_link_is_dead_and_no_page_is_left_out_of_the_navigation() -> None:
    assert documentation.gather().problems == []


def test_a_dead_link_and_an_orphan_are_found(tmp_path: Path) -> None:
    (tmp_path / "docs" / "images").mkdir(parents=True)
    (tmp_path / "mkdocs.yml").write_text("site_name: x\nnav:\n  - Home: index.md\n  - Gone: gone.md\n")
    (tmp_path / "tool.py").write_text("print('a')\n")
    page = "# Home\n\n[a](other.md) [b](nosuch.md) [c](../tool.py)\n\n    [d](code.md)\n\n`[e](code.md)`\n"
    (tmp_path / "docs" / "index.md").write_text(page)
    (tmp_path / "docs" / "other.md").write_text("# Other\n")
    site = documentation.gather(tmp_path)
    assert site.problems == [
        "mkdocs.yml: nav names gone.md, and docs/gone.md does not exist",
        "docs/index.md:3: links to nosuch.md, which does not exist",
        "docs/other.md: not in the navigation of mkdocs.yml",
    ]
    assert " c\n" in site.pages["index.md"]


def test_the_readme_links_to_what_is_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = [target for target, _ in re.findall(r"\]\(([^)#\s]+)(#[^)]*)?\)", text) if ":" not in target]
    assert named
    assert [target for target in named if not (ROOT / target).exists()] == []


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_what_the_program_says(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "just reference-pages"


def test_every_key_of_the_configuration_is_described() -> None:
    text = (DOCS / "configuration.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \|", text.partition("## The environment")[0], re.MULTILINE)
    read = [key for kind in (ConfigurationKeys, SuiteKeys, SystemKeys) for key in kind.model_fields]
    assert sorted(listed) == sorted([*read, *SystemSource])


def test_every_variable_of_the_environment_is_described() -> None:
    text = (DOCS / "configuration.md").read_text(encoding="utf-8").partition("## The environment")[2]
    sources = (ROOT / "packages").glob("*/src/**/*.py")
    read = {
        name for path in sources for name in re.findall(r"RANKGATE_[A-Z_]+", path.read_text(encoding="utf-8"))
    }
    assert set(re.findall(r"`(RANKGATE_[A-Z_]+)`", text)) == read


@pytest.mark.parametrize("path", NEW, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_block_of_a_page_is_run_or_says_why_not(path: Path) -> None:
    assert undeclared(path.read_text(encoding="utf-8")) == []


def test_lines_shown_must_be_printed_and_all_of_them() -> None:
    assert agrees(["a", "…", "d"], "a\nb\nc\nd\n")
    assert agrees([], "")
    assert not agrees(["a", "d"], "a\nb\nd\n")
    assert not agrees(["a", "…", "x"], "a\nb\n")


def test_a_block_may_take_the_place_of_one_key_of_a_file(tmp_path: Path) -> None:
    page = (
        '```yaml title="a.yaml"\nk: 1\ngates:\n  - old\n  - older\ncases: []\n```\n'
        '\n<!-- replaces: gates -->\n\n```yaml title="a.yaml"\ngates: [new]\n```\n'
    )
    assert run_page(page, tmp_path / "project", {}) == []
    assert (tmp_path / "project" / "a.yaml").read_text() == "k: 1\ngates: [new]\ncases: []\n"


def test_the_python_page_has_every_public_name_with_its_words() -> None:
    page = PAGES["python.md"]()
    missing = [name for name in rankgate.__all__ if f"### {name}\n" not in page and f"- `{name}`" not in page]
    assert not missing
    # What a metric of one's own is given.
    assert "| `hit_spans: Spans \\| None` | Lines of every hit, where a metric needs them. |" in page


def test_blocks_are_files_commands_and_fragments() -> None:
    page = '```yaml title="a.yaml"\nk: 1\n```\n'
    page += "\n```console\n$ false  # exit code 1\n$ cat <<'END'\nx\nEND\nx\n```\n"
    page += "\n<!-- fragment: needs a server -->\n```toml\nx = 1\n```\n\n```python\nbare\n```\n"
    first, second, third, _ = blocks(page)
    assert (first.file, first.text) == ("a.yaml", "k: 1\n")
    assert [(step.command, step.code, step.shown) for step in steps(second.text)] == [
        ("false", 1, []),
        ("cat <<'END'\nx\nEND", 0, ["x"]),
    ]
    assert third.fragment == "needs a server"
    assert undeclared(page) == ["bare"]
