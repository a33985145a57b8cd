"""Reading hits out of text: what is found, what is an error, and what says that there is nothing."""

from __future__ import annotations

from typing import Any

import pytest

from rankgate.errors import InputError, SystemFailedError
from rankgate.systems.adapter.answers import KEYS
from rankgate.systems.adapter.mapping import Mapper, MappingRules
from rankgate.systems.adapter.records import AnswerReader, ReadingRules

BLOCKS = "Found 2:\n\n# a.md\nscore 3.5\nfirst line\nsecond line\n\n# b.md\nscore 1\nthird line\n\nThe end."
PATTERN = r"(?m)^# (?P<path>\S+)\nscore (?P<score>\S+)\n(?P<text>(?:.+\n)+)"
HEADS = (
    "---\npath: a.md\nid: 007\nstart: 3\n---\nSome text.\n\n---\nNo head, a rule.\n\n"
    "---\npath: b.md\n---\nMore.\n"
)


def read(text: str, output: Any = "text", **more: Any) -> Any:
    return AnswerReader(ReadingRules(output, **more), KEYS, "app").read(text.encode()).value


def test_each_match_in_the_text_is_a_record_and_may_span_lines() -> None:
    assert read(BLOCKS, pattern=PATTERN) == [
        {"path": "a.md", "score": 3.5, "text": "first line\nsecond line\n"},
        {"path": "b.md", "score": 1.0, "text": "third line\n"},
    ]


def test_a_number_that_is_none_is_named_with_its_line() -> None:
    with pytest.raises(
        SystemFailedError, match=r"output, line 8: score: found str 'high', expected a number"
    ):
        read(BLOCKS.replace("score 1", "score high"), pattern=PATTERN)


def test_a_number_that_is_none_is_no_empty_answer() -> None:
    with pytest.raises(SystemFailedError, match="a number"):
        read(BLOCKS.replace("score 1", "score high"), pattern=PATTERN, empty="The end")


@pytest.mark.parametrize("output", ["text", "front_matter", "fenced_json", "json", "jsonl", "lines"])
def test_an_error_message_is_no_empty_answer_in_any_form(output: str) -> None:
    rules = {"pattern": "^# (?P<path>.*)"} if output in ("text", "lines") else {}
    with pytest.raises(SystemFailedError, match="still being built"):
        read("Error: the index is still being built", output, **rules)
    assert read("No results for it.", output, empty="^No results", **rules) == []


@pytest.mark.parametrize("output", ["text", "front_matter", "lines"])
def test_no_text_at_all_is_an_empty_answer(output: str) -> None:
    assert read(" \n", output, **({} if output == "front_matter" else {"pattern": "(?P<id>x)"})) == []


def test_a_head_between_rules_begins_a_record_and_a_rule_between_paragraphs_does_not() -> None:
    assert read(HEADS, "front_matter") == [
        {"text": "Some text.\n\n---\nNo head, a rule.", "path": "a.md", "id": "007", "start": "3"},
        {"text": "More.", "path": "b.md"},
    ]


def test_the_numbers_of_a_head_are_numbers_where_a_field_is_one() -> None:
    mapped = Mapper(MappingRules("front_matter"), "app").mapped(HEADS.encode(), 10)
    assert [(hit.path, hit.id, hit.lines and hit.lines.start) for hit in mapped.ranking.hits] == [
        ("a.md", "007", 3),
        ("b.md", None, None),
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Here:\n```json\n[1, 2]\n```\nDone.", [1, 2]),
        ("```\n[1]\n```", [1]),
        ("```python\nprint()\n```\n~~~JSON\n{}\n~~~", {}),
        ("````json\n[\n```\n]\n````".replace("\n```\n", "\n"), []),
        ("```json\n[1]\n```\n```json\n[2]\n```", [[1], [2]]),
        ("```json\n[1]", [1]),
        ("   ```json title=x\r\n[1]\r\n   ```\r\n", [1]),
    ],
)
def test_json_is_taken_out_of_its_fences(text: str, value: object) -> None:
    assert read(text, "fenced_json") == value


def test_what_is_wrong_in_a_fence_is_named_with_its_line() -> None:
    with pytest.raises(SystemFailedError, match=r"output, line 3: found str '\{oops\}' .*expected JSON"):
        read("Here:\n```json\n{oops}\n```", "fenced_json", empty="Here")


def test_the_groups_that_found_nothing_are_named() -> None:
    rules = ReadingRules("text", r"(?P<path>\w+\.md)(?P<score> \d)?")
    assert AnswerReader(rules, KEYS, "app").read(b"a.md b.md").unmatched_rules == ("pattern.score",)


def test_lines_between_two_matches_are_counted_since_a_record_may_be_missed_there() -> None:
    rules = ReadingRules("text", r"(?m)^# (?P<path>\S+)\nscore (?P<score>[\d.]+)$")
    missed = b"Found 3:\n\n# a.md\nscore 3\n\n# b.md\nno score\n\n# c.md\nscore 1\n\nThe end."
    found = AnswerReader(rules, KEYS, "app").read(missed)
    assert [row["path"] for row in found.value] == ["a.md", "c.md"]
    assert (found.unmatched_lines, found.unmatched_rules) == (2, ("pattern (2 lines between matches)",))


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({"output": "text"}, "output text without a pattern"),
        ({"output": "json", "pattern": "(?P<id>x)"}, "output = 'lines' or output = 'text'"),
        ({"output": "text", "pattern": "(?P<title>x)"}, "the groups title"),
        ({"output": "text", "pattern": "x"}, "no named group"),
        ({"output": "text", "pattern": "(?P<id>x", "empty": "y"}, "a regular expression"),
        ({"output": "lines", "empty": "x"}, "no pattern"),
        ({"output": "text", "pattern": "(?P<id>x)", "hits": "hits"}, "text is read by a pattern"),
    ],
)
def test_rules_that_do_not_go_together_are_refused(rules: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Mapper(MappingRules(**rules), "app")
