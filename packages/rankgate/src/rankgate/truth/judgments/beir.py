"""BEIR: a table of query-id, corpus-id and score, and the texts of the queries beside it.

Texts come as JSON lines of ``_id`` and ``text``, or as lines of an id, a tab and the text.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import Code, FormatError, Problem
from rankgate.io.compressed import read_start
from rankgate.io.problems import Problems
from rankgate.io.records import looks_like_objects, read_objects
from rankgate.io.text import read_text
from rankgate.io.words import numbers, read_tabbed
from rankgate.truth.judgments.table import Judgments
from rankgate.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER = ("query-id", "corpus-id", "score")
_QUERIES = ("queries.jsonl", "queries.jsonl.gz", "queries.jsonl.zst")


def read_beir(path: str | Path, split: str = "test") -> Judgments:
    """Read a folder: ``qrels/<split>.tsv`` with the texts from ``queries.jsonl``; or a table of judgments.

    The texts for a table stand in its folder or in the one above.

    Raises:
        FormatError: with all that is wrong with the files.
    """
    path = Path(path)
    if not path.is_dir():
        return _with_texts(path, (path.parent, path.parent.parent))
    table = path / "qrels" / f"{split}.tsv"
    if not table.is_file():
        others = ", ".join(sorted(file.stem for file in (path / "qrels").glob("*.tsv"))) or "none"
        raise FormatError(
            Code.NO_SUCH_FILE(str(table), "no such file", "the judgments of a split", f"there are: {others}")
        )
    return _with_texts(table, (path,), ("no queries.jsonl: no query texts",))


def _with_texts(table: Path, folders: tuple[Path, ...], notes: tuple[str, ...] = ()) -> Judgments:
    """Read a table with the texts from the first of some folders that has them; `notes` where none has."""
    targets = _read_table(table)
    found = (folder / name for folder in folders for name in _QUERIES)
    queries = next((file for file in found if file.is_file()), None)
    if queries is None:
        return Judgments.of(targets, where=str(table), notes=notes)
    known = read_texts(queries)
    texts = pl.DataFrame(list(known.items()), schema={"query": pl.String, "text": pl.String}, orient="row")
    judged = targets.select("query").unique(maintain_order=True)
    cases = judged.join(texts, on="query", how="left", maintain_order="left")
    unjudged = texts.join(judged, on="query", how="anti").height
    textless = cases["text"].null_count()
    said = [f"{unjudged} queries without judgments left out"] if unjudged else []
    said += [f"{textless} judged queries have no text"] if textless else []
    return Judgments.of(targets, cases, where=str(table), notes=tuple(said))


def _read_table(path: Path) -> pl.DataFrame:
    words = read_tabbed(path, HEADER, kind="a BEIR table of judgments")
    problems = Problems(str(path))
    grades = numbers(words, "score", path, problems)
    problems.check()
    return words.select(
        query="query-id", id="corpus-id", grade=grades, strategy=pl.lit("id"), source=pl.lit("import")
    )


def read_texts(path: Path) -> dict[str, str | None]:
    """Read the texts of queries; None for one that has an id and no text.

    Raises:
        FormatError: with all that is wrong with the file.
    """
    problems = Problems(str(path))
    texts: dict[str, str | None] = {}
    lines = _objects(path, problems) if looks_like_objects(read_start(path)) else _tabbed(path, problems)
    for where, name, text in lines:
        if name in texts:
            problems.add(Code.REPEATED(where, f"the query {quoted(name)} a second time", "each query once"))
        texts[name] = text
    problems.check()
    return texts


def _objects(path: Path, problems: Problems) -> Iterator[tuple[str, str, str | None]]:
    for where, found in read_objects(path, problems):
        name, text = found.get("_id"), found.get("text")
        if not name or not isinstance(name, str) or not isinstance(text, str | None):
            said = f"{where}: `_id` and `text` should be texts, and `_id` is required."
            problems.add(Code.WRONG_VALUE(where, said, "", "", said))
        else:
            yield where, name, text


def _tabbed(path: Path, problems: Problems) -> Iterator[tuple[str, str, str | None]]:
    for number, line in enumerate(read_text(path).decode().split("\n"), 1):
        name, tab, text = line.partition("\t")
        if tab and name.strip() and text.strip():
            yield f"{path}:{number}", name.strip(), text.strip()
        elif line.strip():
            expected = "an id, a tab and the text of a query"
            problems.add(Problem(f"{path}:{number}", quoted(line), expected))
