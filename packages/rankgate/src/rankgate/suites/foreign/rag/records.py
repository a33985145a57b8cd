"""Records of a judged set, whatever the file is: JSON, JSON lines, CSV or YAML.

A field is named by its way into the record, ``outputs.answer``. What the record does not have is looked for
in what holds it, as the paragraph of a question has its context.
"""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankgate.files.tree.json_records import Json, file_text, read_json
from rankgate.files.tree.yaml_tree import read_yaml
from rankgate.suites.foreign.csv_rows import read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.files.tree.values import Value
    from rankgate.suites.foreign.case_collector import CaseCollector

_YAML = (".yaml", ".yml")
_TABLES = (".csv", ".tsv")


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One entry of a file, and what holds it, from the inside out."""

    holders: tuple[Json, ...]
    """The entry itself comes first."""

    @property
    def own(self) -> Json:
        """The entry itself."""
        return self.holders[0]

    def values(self, *names: str) -> list[Json]:
        """Return what stands under the first name that is there, in each item of lists on its way."""
        for name in names:
            for holder in self.holders:
                if found := [
                    each for each in _walked(holder, name.split(".")) if each.value not in (None, "")
                ]:
                    return found
        return []

    def text(self, *names: str) -> str | None:
        """Return the first text of that; of an object the only text that it has."""
        for found in self.values(*names):
            value = found.value
            if isinstance(value, dict):
                texts = [each for each in value.values() if isinstance(each, str) and each.strip()]
                value = texts[0] if len(texts) == 1 else None
            elif isinstance(value, list):
                value = next((each for each in value if isinstance(each, str)), None)
            if isinstance(value, (str, int)) and not isinstance(value, bool) and str(value).strip():
                return str(value)
        return None

    def several(self, *names: str) -> list[Json]:
        """Return the items of that: a list, what a cell of CSV spells as one, or what stands there alone."""
        found: list[Json] = []
        for each in self.values(*names):
            value = _spelt(each.value)
            found += (
                Json(value, each.file, each.problems, each.path).items()
                if isinstance(value, list)
                else [each]
            )
        return found


def read_entries(cases: CaseCollector, within: str) -> list[Entry]:
    """Read the entries of a file: the rows of CSV, objects one a line, a list, or what stands at a path.

    Args:
        cases: What gathers them.
        within: The way to them where the whole is one object, such as ``data.paragraphs.qas``.
    """
    path = cases.path
    if path.suffix.lower() in _TABLES:
        _, rows = read_rows(path, cases.problems)
        return [Entry((Json(dict(row.cells), row.where, cases.problems),)) for row in rows]
    if path.suffix.lower() in _YAML:
        root = read_yaml(file_text(path), str(path), cases.problems)
        whole = Json(_plain(root), str(path), cases.problems)
        cases.problems.check()
    elif _is_one_object(file_text(path), within):
        whole = read_json(path, cases.problems)
    else:
        return [Entry((found,)) for found in cases.records()]
    if isinstance(whole.value, dict) and within:
        return list(_inside((whole,), within.split(".")))
    return [Entry((found,)) for found in (whole.items() if isinstance(whole.value, list) else [whole])]


def _is_one_object(text: str, within: str) -> bool:
    """Tell one object from records one a line: it has the first step of the way to its entries."""
    if not within or not text.lstrip().startswith("{"):
        return False
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and within.partition(".")[0] in found


def _inside(holders: tuple[Json, ...], names: Sequence[str]) -> Iterator[Entry]:
    if not names:
        yield Entry(holders)
        return
    for item in holders[0].at(names[0]).items(f"a list of {names[0]}"):
        if item.is_object("an object"):
            yield from _inside((item, *holders), names[1:])


def _walked(value: Json, names: Sequence[str]) -> Iterator[Json]:
    if names and isinstance(value.value, list):
        for item in value.items():
            yield from _walked(item, names)
    elif names:
        yield from _walked(value.at(names[0]), names[1:]) if isinstance(value.value, dict) else ()
    else:
        yield value


def _spelt(value: object) -> object:
    """Take the list that a text spells, as JSON or as Python writes it; anything else is as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith("["):
        return value
    for parse in (json.loads, ast.literal_eval):
        try:
            found = parse(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        return found if isinstance(found, list) else value
    return value


def _plain(value: Value) -> Any:
    """Make of YAML what JSON would be; numbers and dates stay the text that they are written as."""
    if value.kind == "mapping":
        return {key.raw: _plain(item) for key, item in value.pairs()}
    if value.kind == "list":
        return [_plain(item) for item in value.items()]
    if value.kind == "flag":
        return value.raw.lower() == "true"
    return None if value.kind == "nothing" else value.raw
