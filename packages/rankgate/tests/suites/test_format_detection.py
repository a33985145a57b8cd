"""Which format a file is, told from its first bytes, however they are laid out and cut."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import FormatError, InputError
from rankgate.suites.formats import ReadOptions, format_for, format_named, format_names, format_of, load_suite

if TYPE_CHECKING:
    from pathlib import Path

LONG = "how to " + "x" * 5000
DOCUMENTS: dict[str, Any] = {
    "buildbuddy": {"cases": [{"query": {"term": LONG}, "idealResults": [{"filename": "a"}]}]},
    "expectedIds": {LONG: ["a"], "other": ["b"]},
    "relevantIds": [{"question": LONG, "metadata": {"relevantIds": ["a"]}}],
    "rank_eval": {"requests": [{"id": "a", "request": {"query": {"match": {"a": LONG}}}, "ratings": []}]},
    "judgment_list": {"name": "n", "judgmentRatings": [{"query": LONG, "ratings": []}]},
    "native": {"cases": [{"query": LONG, "id": "a"}]},
}


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("indent", [None, 2])
def test_json_is_known_however_it_is_laid_out(tmp_path: Path, name: str, indent: int | None) -> None:
    path = tmp_path / "a.json"
    separators = (",", ":") if indent is None else None
    path.write_text(json.dumps(DOCUMENTS[name], indent=indent, separators=separators))
    assert format_of(path).name == name


def test_records_one_a_line_are_known_by_the_first(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(json.dumps(item) for item in DOCUMENTS["relevantIds"] * 3))
    assert format_of(path).name == "relevantIds"


def test_a_file_that_no_format_knows_is_refused_with_their_names(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello\n")
    with pytest.raises(FormatError, match=r"none of beir, buildbuddy.*rankgate list formats"):
        format_of(tmp_path / "a.txt")


def test_the_name_of_a_file_tells_how_to_write_it_where_it_can(tmp_path: Path) -> None:
    assert format_for(tmp_path / "a.YAML").name == "native"
    assert format_for(tmp_path / "a.jsonl.gz").name == "jsonl"
    for name in ("a.csv", "a.json", "a.qrels", "a"):
        with pytest.raises(InputError, match="name the format with --to: one of jsonl, native"):
            format_for(tmp_path / name)


def test_an_option_that_the_format_does_not_know_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("query,docid,rating\nq,1,1\n")
    with pytest.raises(InputError, match=r"format quepid has no option 'pth'; did you mean path\?"):
        load_suite(path, reading=ReadOptions(options={"pth": "x"}))


@pytest.mark.parametrize("name", format_names())
def test_a_format_is_named_as_its_entry_point(name: str) -> None:
    assert format_named(name).name == name
