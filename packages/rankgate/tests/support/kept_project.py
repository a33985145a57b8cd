"""A small project with kept files, and what those files say, read without rankgate: what fuzzers damage.

`out` is a whole run in two shards, `half` one that was stopped after the first, `baselines/` has a baseline
in lines and `large/` one with a folder of Parquet. Every case has two targets that are plain ids, so that
scores can be computed in a few lines from whatever the tables hold.
"""

from __future__ import annotations

import json
import shutil
from contextlib import chdir, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl

from rankgate.suites.formats import load_suite
from rankgate.truth.locations.resolve import resolve
from support.commands import rankgate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

T = TypeVar("T")
CASES = {f"question-{number}": {f"d{number}", f"d{number + 1}"} for number in range(8)}
"""The targets of every query."""
APP = """\
def search(query, k):
    number = int(query.split()[-1])
    return [f"d{(number * 3 + step) % 9}" for step in range(6)]
"""
CONFIGURATION: dict[str, Any] = {
    "suites": ["search.yaml"],
    "system": "app",
    "require_baseline": [],
    "max_errors": 0,
    "on_inconclusive": "fail",
    "corpora_outside": False,
    "systems": {
        "app": {"function": "./app.py:search", "depends": ["app.py"]},
        "stored": {
            "run": "out",
            "concurrency": 2,
            "rate": 10.0,
            "burst": 3,
            "retries": 1,
            "warmup": 0,
            "deadline": "20m",
        },
        "web": {"kind": "http", "url": "http://127.0.0.1:9/s?q={query}", "hits": "items", "timeout": 1},
        "program": {"command": ["./search", "{query}"], "timeout": 2.5},
    },
}
"""The configuration: the first two systems are asked, the others only read."""
_READ = ("query", "status", "rank", "id", "path", "grade", "group")
_GATES = "gates: [rr >= 0.3, drop(rr) < 0.05]"


def toml(table: Mapping[str, Any], path: str = "") -> str:
    """Write a table of TOML; values that TOML does not have are left out."""
    inner = {key: value for key, value in table.items() if isinstance(value, dict)}
    lines = [f"{json.dumps(key)} = {_value(value)}" for key, value in table.items() if key not in inner]
    text = "\n".join(line for line in lines if not line.endswith("= "))
    for key, value in inner.items():
        name = f"{path}{json.dumps(key)}"
        text += f"\n[{name}]\n{toml(value, f'{name}.')}"
    return text


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_value(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(filter(None, map(_value, value))) + "]"
    return "" if value is None else json.dumps(value)


def write_project(folder: Path) -> None:
    """Write it, by the commands that people use."""
    folder.mkdir()
    cases = "".join(
        f"  - {{query: {name.replace('-', ' ')}, id: {json.dumps(sorted(ids))}}}\n"
        for name, ids in CASES.items()
    )
    (folder / "search.yaml").write_text(f"metrics: [rr@10, r@3]\n{_GATES}\ncases:\n{cases}")
    (folder / "app.py").write_text(APP)
    (folder / "rankgate.toml").write_text(toml(CONFIGURATION))
    suite = "search.yaml"
    with chdir(folder):
        _called("test", suite)
        _called("baseline", "set", suite)
        for part in ("1", "2"):
            _called("run", suite, "--shard", f"{part}/2", "-o", f"part-{part}")
        _called("runs", "merge", "part-1", "part-2", "-o", "out")
        (folder / "rankgate.toml").write_text(toml(CONFIGURATION))
    shutil.copytree(folder / "out", folder / "half")
    said = json.loads((folder / "half" / "manifest.json").read_text())
    said |= {"finished": None, "shards": said["shards"][:1]}
    (folder / "half" / "manifest.json").write_text(json.dumps(said))
    home = folder / ".rankgate" / "search" / "app"
    resolve(load_suite(folder / suite), None).judgments.write(folder / "judgments")
    shutil.copy(folder / "judgments" / "judgments.parquet", folder / "judged.parquet")
    (home / "report.html").unlink()
    for place in (folder / "part-1", folder / "part-2"):
        shutil.rmtree(place)


def _called(*words: str) -> None:
    done = rankgate(*words)
    if done.code != 0:
        raise AssertionError((words, done))


@dataclass(frozen=True, slots=True)
class Figures:
    """What every query scores."""

    rr: Mapping[str, float]
    """The reciprocal rank of the first target, by query."""
    recall: Mapping[str, float]
    """The share of the targets in the first three."""

    @property
    def means(self) -> tuple[float, float]:
        """Both over all queries."""
        return _mean(self.rr.values()), _mean(self.recall.values())

    def within(self, depth: int) -> Figures:
        """Return the same where reciprocal ranks look no deeper."""
        return replace(
            self, rr={query: value if value * depth > 0.999 else 0.0 for query, value in self.rr.items()}
        )


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return round(sum(found) / max(1, len(found)), 9)


def figures(
    hits: Iterable[tuple[str, int, object]],
    cases: Mapping[str, set[str]] = CASES,
    groups: Mapping[tuple[str, str], str] | None = None,
) -> Figures:
    """Compute what hits score: query, rank and id of each; targets of one group are found together."""
    groups = groups or {}
    rr, found = dict.fromkeys(cases, 0.0), {query: set[str]() for query in cases}
    for query, rank, name in hits:
        if query in cases and str(name) in cases[query]:
            rr[query] = max(rr[query], 1 / rank)
            if rank <= 3:
                found[query].add(groups.get((query, str(name)), str(name)))
    wanted = {query: {groups.get((query, name), name) for name in ids} for query, ids in cases.items()}
    return Figures(rr, {query: len(found[query]) / len(wanted[query]) for query in cases})


def run_says(
    folder: Path,
    cases: Mapping[str, set[str]] = CASES,
    groups: Mapping[tuple[str, str], str] | None = None,
) -> Figures | None:
    """Read what the tables of a run say; None where they cannot be read."""
    return _readable(lambda: figures(_rows(folder), cases, groups))


def _rows(folder: Path) -> Iterable[tuple[str, int, object]]:
    if any(path.exists() and not path.is_file() for path in folder.glob("*.*")):
        raise OSError("something else than files")
    said = json.loads(_regular(folder / "manifest.json").read_text(encoding="utf-8"))
    numbers = [shard["number"] for shard in said["shards"]]
    # Whichever shard has it, a hit is one of its query.
    tables = {
        name: [_columns(folder / f"{name}-{number:05d}.parquet") for number in numbers]
        for name in ("queries", "hits")
    }
    answered = set[str]()
    for queries in tables["queries"]:
        status = queries["status"].to_list() if "status" in queries.columns else ["ok"] * queries.height
        answered |= {str(query) for query, how in zip(queries["query"], status, strict=True) if how == "ok"}
    for hits in tables["hits"]:
        ids = hits["id"].to_list() if "id" in hits.columns else [None] * hits.height
        for query, rank, name in zip(hits["query"].cast(pl.String), hits["rank"], ids, strict=True):
            if query in answered:
                yield query, int(rank), name


def _columns(path: Path) -> pl.DataFrame:
    """Read what scores are made of; a column that nobody reads may be anything."""
    there = pl.read_parquet_schema(_regular(path))
    return pl.read_parquet(path, columns=[name for name in _READ if name in there], glob=False)


@dataclass(frozen=True, slots=True)
class Kept:
    """What a baseline says."""

    by_id: Figures
    """What its rankings score, by the ids of its queries."""
    by_question: Figures
    """The same of the questions of today that it has, whatever their ids."""


def baseline_says(folder: Path) -> Kept | None:
    """Read what the file of a baseline says; None if it can't be read."""

    def read() -> Kept:
        text = _regular(folder / "search.app.jsonl").read_text(encoding="utf-8-sig")
        _, *lines = [json.loads(line) for line in text.split("\n") if line.strip()]
        names = {line["name"]: line.get("query", "") for line in lines}
        rows = [
            (line["name"], rank, hit.get("id") if isinstance(hit, dict) else hit)
            for line in lines
            for rank, hit in enumerate(line["hits"], start=1)
        ]
        return _kept(names, rows)

    return _readable(read)


def kept_answers_say(folder: Path) -> Kept | None:
    """Read what a run says of its questions, whatever the ids beside them; None where it cannot be read."""

    def read() -> Kept:
        tables = [pl.read_parquet(_regular(path)) for path in sorted(folder.glob("queries-*.parquet"))]
        names = {str(row["query"]): row["asked"] for table in tables for row in table.rows(named=True)}
        return _kept(names, [*_rows(folder)])

    return _readable(read)


def _kept(names: Mapping[str, str], rows: Sequence[tuple[str, int, object]]) -> Kept:
    """Give hits the ids that their questions have today."""
    today = {name.replace("-", " "): name for name in CASES}
    known = {name: today[text] for name, text in names.items() if text in today}
    # Of several with one question, the one with its id.
    first = {new: old for old, new in known.items() if known.get(new) != new or old == new}
    ids = {old: new for new, old in first.items()}
    renamed = [(ids[query], rank, hit) for query, rank, hit in rows if query in ids]
    return Kept(figures(rows), figures(renamed, {name: CASES[name] for name in first}))


def judgments_say(path: Path) -> tuple[dict[str, set[str]], dict[tuple[str, str], str]] | None:
    """Read the relevant ids of every query, and their groups; None where they cannot be read."""

    def read() -> tuple[dict[str, set[str]], dict[tuple[str, str], str]]:
        table = _columns(path)
        found: dict[str, set[str]] = {}
        groups: dict[tuple[str, str], str] = {}
        if table.is_empty():
            return found, groups
        for row in table.rows(named=True):
            # A run of ids has none of the paths.
            name = str(row["id"]) if "id" in row else f"path {row['path']}"
            if row.get("grade", 1.0) > 0:
                found.setdefault(str(row["query"]), set()).add(name)
                if row.get("group") is not None:
                    groups[str(row["query"]), name] = f"group {row['group']}"
        return found, groups

    return _readable(read)


def _regular(path: Path) -> Path:
    """Return a file; whoever opens a pipe waits for ever for somebody who writes to it."""
    if not path.is_file():
        raise OSError(f"{path} is no file")
    return path


def _readable(read: Callable[[], T]) -> T | None:
    with suppress(Exception, pl.exceptions.PanicException):
        return read()
    return None
