"""What `rankgate init` finds in a folder: sites, searches, and a gate that holds today."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rankgate.evaluation.starting.found_search import FoundSearch, find_search
from rankgate.evaluation.starting.project_parts import find_documents

if TYPE_CHECKING:
    from pathlib import Path


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


PAGE = "# Keys\n\n## Rotation\n\nEvery 90 days.\n"


def test_mkdocs_says_where_its_documents_are_and_what_it_leaves_out(tmp_path: Path) -> None:
    settings = (
        "docs_dir: handbook\nexclude_docs: |\n  drafts/\n  /internal.md\n  nothing-here.md\n"
        "plugins: [!ENV [X, y]]\nmarkdown_extensions: [!!python/name:a.b '']\n"
    )
    files = {"mkdocs.yml": settings, "handbook/keys.md": PAGE, "handbook/site.css": "a {}"}
    files |= {"handbook/drafts/a.md": PAGE, "handbook/internal.md": PAGE, "docs/other.md": PAGE}
    found = find_documents(written(tmp_path, files))
    assert (found.folder, found.program, found.configuration) == (
        tmp_path / "handbook",
        "mkdocs",
        "mkdocs.yml",
    )
    assert found.include == ("**/*.md",)
    assert found.exclude == ("**/drafts/**", "internal.md")


def test_sphinx_is_read_and_never_run(tmp_path: Path) -> None:
    conf = (
        "import os\nopen('ran', 'w')\nproject = os.getcwd()\nextensions = []\n"
        "exclude_patterns = ['_build', 'old/*', 'inc.rst']\nsource_suffix = {'.rst': 'restructuredtext'}\n"
    )
    files = {
        "doc/source/conf.py": conf,
        "doc/source/keys.rst": "Keys\n====\n",
        "doc/source/old/a.rst": "A\n=",
    }
    files |= {"doc/source/inc.rst": "x", "doc/source/notes.md": PAGE}
    found = find_documents(written(tmp_path, files))
    assert (found.program, found.configuration) == ("sphinx", "doc/source/conf.py")
    assert found.include == ("**/*.rst",)
    assert found.exclude == ("old/*/**", "inc.rst")
    assert not list(tmp_path.rglob("ran"))


def test_markdown_of_myst_is_read_though_its_ending_is_not_listed(tmp_path: Path) -> None:
    conf = "extensions = ['myst_parser']\nsource_suffix = '.rst'\n"
    files = {"docs/conf.py": conf, "docs/keys.rst": "Keys\n====\n", "docs/notes.md": PAGE}
    assert find_documents(written(tmp_path, files)).include == ("**/*.rst", "**/*.md")


def test_docusaurus_says_where_its_documents_are(tmp_path: Path) -> None:
    config = "module.exports = {presets: [['classic', {docs: {sidebarPath: 'x', path: 'manual'}}]]}"
    files = {
        "website/docusaurus.config.js": config,
        "website/manual/keys.mdx": PAGE,
        "website/manual/a.md": PAGE,
    }
    files |= {"website/manual/_part.md": PAGE}
    found = find_documents(written(tmp_path, files))
    assert (found.folder, found.program) == (tmp_path / "website" / "manual", "docusaurus")
    assert found.include == ("**/*.md", "**/*.mdx")
    assert found.exclude == ("**/_*/**",)


def test_a_site_outside_of_the_project_is_not_taken(tmp_path: Path) -> None:
    project = written(tmp_path / "project", {"mkdocs.yml": "docs_dir: ../secret\n", "docs/a.md": PAGE})
    written(tmp_path / "secret", {"a.md": PAGE})
    assert find_documents(project).folder == project / "docs"


@pytest.mark.parametrize(
    "text", ["", "- a\n", "docs_dir: [1]\n", "{", "a: !!python/object/apply:os.abort []\n"]
)
def test_a_configuration_that_says_nothing_is_passed_over(text: str, tmp_path: Path) -> None:
    found = find_documents(written(tmp_path, {"mkdocs.yml": text, "doc/a.rst": "A\n=\n"}))
    assert (found.folder, found.include, found.program) == (tmp_path / "doc", ("**/*.rst",), "")


def test_opensearch_is_found_by_the_composition_of_containers(tmp_path: Path) -> None:
    compose = (
        "services:\n  web: {image: nginx}\n"
        '  search:\n    image: opensearchproject/opensearch:2.11\n    ports: ["9600:9600", "9201:9200"]\n'
    )
    found = find_search(written(tmp_path, {"docker-compose.yml": compose}))
    assert found == FoundSearch(
        kind="opensearch", host="http://localhost:9201", index="*", where="docker-compose.yml"
    )


def test_an_index_and_a_request_of_ones_own_are_taken(tmp_path: Path) -> None:
    body = {"size": "{k}", "query": {"match": {"body": "{query}"}}}
    files = {"config/elasticsearch.yml": "http.port: 9210\n", "search/query.json": json.dumps(body)}
    files[".env.example"] = "ELASTICSEARCH_INDEX=pages\nELASTICSEARCH_URL=https://user:pw@x.example\n"
    found = find_search(written(tmp_path, files))
    assert found == FoundSearch(
        kind="elasticsearch",
        host="http://localhost:9210",
        index="pages",
        body="search/query.json",
        where="config/elasticsearch.yml",
    )


def test_a_function_comes_before_an_engine(tmp_path: Path) -> None:
    files = {
        "compose.yml": "services: {s: {image: 'opensearch'}}\n",
        "app/find.py": "def search(query, k): ...\n",
    }
    found = find_search(written(tmp_path, files))
    assert found is not None
    assert found.function == "./app/find.py:search"
