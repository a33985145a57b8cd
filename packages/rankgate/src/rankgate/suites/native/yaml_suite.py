"""rankgate's own suites, in YAML. The format is in docs/suites.md, and for editors in suite.schema.json."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import Code, FormatError
from rankgate.files.problems import Problems
from rankgate.files.text import read_text
from rankgate.files.tree.yaml_tree import LIMIT, read_yaml
from rankgate.model.suite import Suite
from rankgate.suites.formats import SuiteFormat
from rankgate.suites.native.cases import read_cases
from rankgate.suites.native.settings import metric_texts, read_settings, suite_fields

if TYPE_CHECKING:
    from rankgate.suites.formats import ReadOptions


def _write(suite: Suite, path: str | Path) -> tuple[str, ...]:
    from rankgate.suites.native.dump import write_native

    return write_native(suite, path)


FORMAT = SuiteFormat(
    "native",
    "rankgate's own suites, in YAML or JSON",
    lambda path, reading: parse_suite(_text(path), path, reading),
    lambda path, start: path.suffix.lower() == ".json" and b'"cases"' in start and b'"query": {' not in start,
    _write,
)


def read_native(path: str | Path) -> Suite:
    """Read a suite.

    Raises:
        InputError: for a file that cannot be read.
        FormatError: with all that is wrong with the file, each where it stands.
    """
    return parse_suite(_text(Path(path)), Path(path))


def parse_suite(text: str, path: Path, reading: ReadOptions | None = None) -> Suite:
    """Read a suite from the text of its file.

    A corpus that the reader is told stands in for the one that the file names.

    Raises:
        FormatError: with all that is wrong with the text.
    """
    problems = Problems(str(path))
    root = read_yaml(text, str(path), problems)
    if root.kind != "mapping":
        root.wrong("a mapping with cases", "the least is cases:, and below it - query: and at:")
        problems.refuse()
    fields = suite_fields(root)
    cases = fields.get("cases")
    if cases is None:
        root.wrong("cases", found="a suite without cases")
    settings, defaults = read_settings(fields, path.stem, reading)
    if cases is not None and (cases.kind != "list" or not cases.content):
        code = Code.NO_CASES if not cases.content else None
        cases.wrong("a list of cases", "the least is - query: and at:", code=code)
    read = () if cases is None else read_cases(cases.items(), defaults)
    problems.check()
    return Suite(cases=read, path=str(path), **settings)


def metric_locations(path: Path) -> dict[str, str]:
    """Return the file, line and column of every metric that a suite names; none where it is not YAML or JSON.

    Raises:
        InputError: for a file that cannot be read.
    """
    if path.suffix.lower() not in {".yaml", ".yml", ".json"}:
        return {}
    problems = Problems(str(path))
    root = read_yaml(_text(path), str(path), problems)
    named = root.under("metrics") if root.kind == "mapping" else None
    return {
        text: item.where for item in (named.one_or_more() if named else ()) for text in metric_texts(item)
    }


def _text(path: Path) -> str:
    if path.is_file() and path.stat().st_size > LIMIT:
        fix = "split the suite, or write it as JSONL or Parquet: rankgate suite convert"
        raise FormatError(Code.TOO_LARGE(str(path), f"{path.stat().st_size} bytes", f"at most {LIMIT}", fix))
    return read_text(path, limit=LIMIT).decode()
