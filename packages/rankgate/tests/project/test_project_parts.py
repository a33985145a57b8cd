"""What `rankgate init` finds in a folder: sites, searches, and a gate that holds today."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rankgate.project.init.found_search import FoundSearch, find_search
from rankgate.project.init.project_parts import find_documents

if TYPE_CHECKING:
    from pathlib import Path


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


PAGE = "# Keys\n\n## Rotation\n\nEvery 90 days.\n"


def test_documents_are_those_of_the_first_usual_folder(tmp_path: Path) -> None:
    written(tmp_path, {"docs/keys.md": PAGE, "docs/LICENSE.txt": "free", "other/a.rst": "Keys\n"})
    found = find_documents(tmp_path)
    assert (found.folder, found.include) == (tmp_path / "docs", ("**/*.md",))
    assert find_documents(tmp_path, tmp_path / "other").include == ("**/*.rst",)


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
