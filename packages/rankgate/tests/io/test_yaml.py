"""YAML with positions: hostile files end with one error, and large suites load quickly."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import yaml

from rankgate.errors import FormatError
from rankgate.io.yaml import Plain, parse_yaml, read_yaml, typed
from rankgate.suites.native import parse_suite, read_native

HOSTILE = {
    "duplicate key": "cases: [{query: q}]\n" * 2,
    "aliases": "\n".join(
        ["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30))]
    ),
    "nesting": "a: " + "[" * 1_000_000,
    "tag": "cases: !!python/object/apply:os.system [ls]",
    "values": "[" + "a," * 3_000_000 + "a]",
    "two documents": "cases: [{query: q}]\n---\ngates: []\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_file_is_one_error_that_names_the_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / "search.yaml"
    path.write_text(HOSTILE[name])
    with pytest.raises(FormatError) as caught:
        read_native(path)
    assert len(caught.value.problems) == 1
    assert str(caught.value).startswith(f"{path}:")


def test_sparse_file_of_two_gigabytes_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "search.yaml"
    with path.open("wb") as file:
        file.truncate(2_000_000_000)
    started = time.process_time()
    with pytest.raises(FormatError, match="the file has 2,000,000,000 bytes, more than the limit"):
        read_yaml(path)
    assert time.process_time() - started < 1


def test_scalars_keep_their_text_and_free_values_are_typed() -> None:
    data = parse_yaml("[no, 007, 1.10, true, 3, '3', null, 1e3]", "s.yaml").data
    assert data == ["no", "007", "1.10", "true", "3", "3", "null", "1e3"]
    assert [one.__class__ is Plain for one in data] == [True] * 5 + [False, True, True]
    assert typed(data) == ["no", "007", 1.1, True, 3, "3", None, 1000.0]


def test_every_value_and_key_has_a_position() -> None:
    document = parse_yaml("cases:\n  - query: how\n    at: {a.md: 3}\n", "s.yaml")
    assert document.where(("cases", 0)) == "s.yaml:2:5"
    assert document.where(("cases", 0, "query")) == "s.yaml:2:12"
    assert document.where(("cases", 0, "at", "a.md"), key=True) == "s.yaml:3:10"
    assert document.where(("cases", 0, "at", "a.md")) == "s.yaml:3:16"


def test_json_is_read_with_its_escapes() -> None:
    text = '{"query": "\\ud83d\\ude00 \\\\ud83d \\/", "id": 1.50}'
    assert parse_yaml(text, "s.json").data == {"query": "\U0001f600 \\ud83d /", "id": "1.50"}


@pytest.mark.long
def test_suite_of_20000_cases_loads_within_twice_the_time_of_pyyaml(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    targets = ["at: a{}.md#B", "at: {{a{}.md#B: 3, c.md:4-6: 1}}", "at: [a{}.md, c.md:1-3]", "quote: text {}"]
    cases = [f"  - query: how do I rotate key {n}\n    {targets[n % 4].format(n)}\n" for n in range(20_000)]
    path = tmp_path / "search.yaml"
    path.write_text("corpus: docs/\ncases:\n" + "".join(cases))
    text, times = path.read_text(), []
    parse_suite("cases: [{query: q}]", path)  # imports are not counted
    for load in (lambda: yaml.load(text, yaml.CSafeLoader), lambda: read_native(path)):
        started = time.process_time()
        load()
        times.append(time.process_time() - started)
    with capsys.disabled():
        print(f"\n20,000 cases: PyYAML's C loader {times[0]:.2f} s, read_native {times[1]:.2f} s")  # noqa: T201
    assert times[1] <= 2 * times[0]
