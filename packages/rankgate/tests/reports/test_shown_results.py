"""What reports show of a result: the fields that a suite names, and its text."""

from __future__ import annotations

import json
from contextlib import chdir
from pathlib import Path

import html5lib

from rankgate.report import Report
from rankgate.reports import json_report
from support.commands import rankgate

IMAGE = "data:image/png;base64,iVBORw0KGgo="
PRODUCT = {
    "title": "Desk lamp",
    "price": 12.5,
    "image": IMAGE,
    "url": "https://shop.example.org/42",
    "stock": 3,
}
SUITE = """\
show: [title, price, image, url]
cases:
  - {query: lamp, id: sku-42}
"""
CONFIGURATION = """\
[systems.shop]
command = ["sh", "-c", "cat answer.json", "{query}"]
hits = "found"
fields = { id = "sku", fields = "{title: name, price: offer.price, image: picture}" }
"""


def report_of(folder: Path, system: str, suite: str = SUITE) -> Report:
    """Test the suite with a system and return the report."""
    (folder / "search.yaml").write_text(suite)
    outputs = ("-o", f"json={folder / 'report.json'}", "-o", f"html={folder / 'page.html'}")
    with chdir(folder):
        assert rankgate("test", "search.yaml", "--system", system, *outputs).code == 0
    (report,) = json_report.read(folder / "report.json")
    return report


def test_fields_of_a_function_are_in_the_report_and_on_the_page(tmp_path: Path) -> None:
    hits = ["sku-7", {"id": "sku-42", "fields": PRODUCT}]
    (tmp_path / "app.py").write_text(f"def search(query, k):\n    return {hits!r}\n")
    first, second = report_of(tmp_path, "app:search").cases[0].hits
    assert (first.fields, first.title) == ({}, "")
    assert second.title == "Desk lamp"
    assert second.fields == {
        "title": "Desk lamp",
        "price": "12.5",
        "image": IMAGE,
        "url": "https://shop.example.org/42",
    }
    page = html5lib.parse(
        (tmp_path / "page.html").read_text(), treebuilder="etree", namespaceHTMLElements=False
    )
    assert {node.attrib["src"] for node in page.iter("img")} == {IMAGE}
    links = [node.attrib["href"] for node in page.iter("a") if "rel" in node.attrib]
    assert set(links) == {"https://shop.example.org/42"}


def test_fields_of_a_json_answer_are_mapped_by_jmespath(tmp_path: Path) -> None:
    found = {"sku": "sku-42", "name": "Desk lamp", "offer": {"price": 12.5}, "picture": None}
    (tmp_path / "answer.json").write_text(json.dumps({"found": [found]}))
    (tmp_path / "rankgate.toml").write_text(CONFIGURATION)
    (hit,) = report_of(tmp_path, "shop").cases[0].hits
    assert hit.fields == {"title": "Desk lamp", "price": "12.5"}


def test_fields_of_a_stored_run_are_read(tmp_path: Path) -> None:
    line = {"query": "lamp", "hits": [{"id": "sku-42", "fields": {"title": "Desk lamp", "price": [1, 2]}}]}
    (tmp_path / "run.jsonl").write_text(json.dumps(line))
    (tmp_path / "rankgate.toml").write_text('[systems.stored]\nrun = "run.jsonl"\n')
    (hit,) = report_of(tmp_path, "stored").cases[0].hits
    assert hit.fields == {"title": "Desk lamp", "price": "1, 2"}


def test_large_image_is_left_out_of_the_report(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(
        "def search(query, k):\n"
        f"    return [{{'id': 'sku-42', 'fields': {{'image': {IMAGE!r} + 'A' * 40_000}}}}]\n"
    )
    assert report_of(tmp_path, "app:search").cases[0].hits[0].fields == {}


def test_text_of_a_location_is_read_from_the_corpus(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text("# Keys\n\n## Rotation\n\nRotate a key every\n90 days.\n")
    (tmp_path / "app.py").write_text(
        "def search(query, k):\n    return [{'path': 'keys.md', 'lines': '3-6'}]\n"
    )
    report = report_of(
        tmp_path, "app:search", "corpus: docs/\ncases: [{query: rotate, at: 'keys.md#Rotation'}]\n"
    )
    (hit,) = report.cases[0].hits
    assert (hit.title, hit.text) == ("Rotation", "## Rotation Rotate a key every 90 days.")
