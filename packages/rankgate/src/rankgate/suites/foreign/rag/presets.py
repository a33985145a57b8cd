"""Where the tools of RAG keep the query, the passages and the answer of their judged sets.

Each follows what the tool documents of its own files; docs/suite-formats.md has an example of each.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rankgate.files.tree.json_records import EACH, Json, read_json, record, shape_of
from rankgate.suites.foreign.csv_rows import header_of
from rankgate.suites.foreign.rag.mapped import FieldMap, judged_set
from rankgate.suites.foreign.rag.records import Entry, read_entries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from rankgate.suites.foreign.case_collector import CaseCollector

_QUESTION = ("question", "query", "input", "prompt", "user_input")


def _records_with(
    *every: str, some: tuple[str, ...] = (), none: tuple[str, ...] = ()
) -> Callable[[Path, bytes], bool]:
    """Make a check that records, or the columns of CSV, have all of some names, and one or none of others."""

    def fits(path: Path, start: bytes) -> bool:
        if path.suffix.lower() in {".csv", ".tsv"}:
            names = set(header_of(start))
        else:
            shape = shape_of(start)
            at = record(shape)
            if at == () and shape.kind("data", EACH) == "object":
                at = ("data", EACH)
            names = set() if at is None else shape.keys(*at)
        return set(every) <= names and (not some or bool(names & set(some))) and not names & set(none)

    return fits


CHROMA = judged_set(
    "chroma",
    "questions with references by their characters, in CSV (Chroma's chunking evaluation)",
    FieldMap(("question",), ("references",), ("{corpus_id}.md",), category=("corpus_id",)),
    _records_with("question", "references", "corpus_id"),
)


def _unanswerable(found: Entry) -> str | None:
    return (
        "{} question{s} without an answer in the text left out"
        if found.own.at("is_impossible").flag()
        else None
    )


def _is_squad(path: Path, start: bytes) -> bool:
    nested = {"context", "qas"} <= shape_of(start).keys("data", EACH, "paragraphs", EACH)
    return nested or _records_with("question", "context", "answers")(path, start)


SQUAD = judged_set(
    "squad",
    "questions with the paragraph that answers each, in JSON (SQuAD and sets like it)",
    FieldMap(
        ("question",),
        ("context",),
        answer=("answers.text",),
        id=("id",),
        category=("title",),
        records="data.paragraphs.qas",
        known=("is_impossible", "plausible_answers"),
        skip=_unanswerable,
    ),
    _is_squad,
)

_RAGAS = ("reference_contexts", "reference", "reference_context_ids")
_OLD_RAGAS = _records_with("question", "ground_truth", some=("contexts", "evolution_type"))
RAGAS = judged_set(
    "ragas",
    "samples of user_input, reference_contexts and reference, in JSON lines, JSON or CSV (ragas)",
    FieldMap(
        ("user_input", "question"),
        ("reference_contexts",),
        ids=("reference_context_ids",),
        answer=("reference", "ground_truth"),
        category=("synthesizer_name", "evolution_type"),
        known=("",),
    ),
    lambda path, start: _records_with("user_input", some=_RAGAS)(path, start) or _OLD_RAGAS(path, start),
)

_LANGFUSE = ("datasetId", "datasetName", "sourceTraceId", "dataset_id", "dataset_name")
DEEPEVAL = judged_set(
    "deepeval",
    "goldens of input, context and expected_output, in JSON or CSV (DeepEval)",
    FieldMap(
        ("input",),
        ("context",),
        ("source_file", "sourceFile"),
        answer=("expected_output", "expectedOutput"),
    ),
    _records_with("input", some=("expected_output", "expectedOutput"), none=_LANGFUSE),
)


def _qa_pairs(cases: CaseCollector, _fields: FieldMap) -> Iterator[Entry]:
    """Put the texts of the nodes beside each query."""
    whole = read_json(cases.path, cases.problems)
    texts = whole.at("corpus")
    for name, query in whole.at("queries").pairs():
        docs = whole.at("relevant_docs").at(name)
        ids = [each for item in docs.items("a list of ids") if (each := item.text("an id")) is not None]
        for lost in (each for each in ids if not isinstance(texts.at(each).value, str)):
            docs.wrong("ids of the corpus", found=f"the id {lost!r}, which the corpus does not have")
        row = {"id": name, "query": query.value, "docs": ids, "texts": [texts.at(each).value for each in ids]}
        yield Entry((Json(row, query.where, cases.problems),))


LLAMA_INDEX = judged_set(
    "llama_index",
    "queries, corpus and relevant_docs, in JSON (LlamaIndex's EmbeddingQAFinetuneDataset)",
    FieldMap(("query",), ("texts",), ids=("docs",), id=("id",)),
    lambda _path, start: {"queries", "corpus", "relevant_docs"} <= shape_of(start).keys(),
    _qa_pairs,
)


def _example(holder: str, *names: str) -> tuple[str, ...]:
    """Name fields inside an object, and the object, of which the only text is taken."""
    return (*(f"{holder}.{name}" for name in names), holder)


_ANSWER = ("answer", "output", "expected_output", "reference", "ground_truth", "expected")
LANGSMITH = judged_set(
    "langsmith",
    "examples of inputs and outputs, in JSON or JSON lines (LangSmith)",
    FieldMap(
        _example("inputs", *_QUESTION),
        answer=_example("outputs", *_ANSWER),
        id=("id",),
        known=("dataset_id", "source_run_id", "created_at", "modified_at", "name", "split"),
    ),
    lambda path, start: _records_with("inputs", "outputs")(path, start) and not _has_labels(start),
)
LANGFUSE = judged_set(
    "langfuse",
    "dataset items of input and expectedOutput, in JSON or JSON lines (Langfuse)",
    FieldMap(
        _example("input", *_QUESTION),
        answer=(*_example("expectedOutput", *_ANSWER), *_example("expected_output", *_ANSWER)),
        id=("id",),
        records="data",
        known=(*_LANGFUSE, "datasetId", "createdAt", "updatedAt", "status", "sourceObservationId"),
        skip=lambda found: (
            "{} archived item{s} left out" if found.own.at("status").value == "ARCHIVED" else None
        ),
    ),
    _records_with("input", some=_LANGFUSE),
)


def _has_labels(start: bytes) -> bool:
    """Check for the labels of another format, whose records have inputs, too."""
    return re.search(rb'"(?:relevant|evidence|answer_?[cC]orpus)\w*[iI]ds"', start) is not None


_FILE = re.compile(r"[^\s]+\.[A-Za-z0-9]{1,5}(?:#\S+)?")
_STATED = ("context-recall", "factuality", "similar", "equals", "contains", "icontains")
"""The assertions whose value is the expected answer, the most telling first."""
_KIND = re.compile(
    r"((?:not-)?[a-z]+(?:-[a-z]+)+|similar|equals|i?contains|factuality|fn|python|regex)(?:\([^)]*\))?:(.*)",
    re.DOTALL,
)
"""An assertion as a cell of CSV writes it, such as ``similar(0.8): the answer``."""
_LISTED = ("contains-all", "icontains-all", "contains")


def _tests(cases: CaseCollector, fields: FieldMap) -> Iterator[Entry]:
    """Put what the assertions of a test expect beside its variables."""
    for found in read_entries(cases, fields.records):
        own = found.own
        checks = own.at("assert").items("a list of assertions")
        typed = [(check.at("type").text("the type of an assertion"), check) for check in reversed(checks)]
        stated = {kind: check.at("value") for kind, check in typed if kind is not None}
        cell = own.at("__expected").value
        if isinstance(cell, str) and cell.strip():
            # A cell without the name of an assertion is what the output equals.
            kind, value = said.groups() if (said := _KIND.match(cell)) else ("equals", cell)
            stated[kind] = Json(value.strip(), own.file, own.problems, "__expected")
        listed = [each for name in _LISTED if name in stated for each in _texts(stated[name])]
        files = [each for each in listed if _FILE.fullmatch(each)]
        answers = (each for name in _STATED if name in stated for each in _texts(stated[name]))
        answer = next((each for each in answers if each not in files), None)
        row = {"vars": own.at("vars").value or own.value, "files": files, "answer": answer}
        yield Entry((Json(row, own.file, own.problems, own.path),))


def _texts(value: Json) -> list[str]:
    values = value.value if isinstance(value.value, list) else [value.value]
    return [each for each in values if isinstance(each, str) and each.strip()]


_CONFIGURED = re.compile(rb"(?m)^(?:tests|prompts|providers)\s*:")


def _is_promptfoo(path: Path, start: bytes) -> bool:
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return any(name.startswith("__expected") for name in header_of(start))
    if suffix in {".yaml", ".yml"}:
        return _CONFIGURED.search(start) is not None or re.search(rb"(?m)^-?\s+vars\s*:", start) is not None
    shape = shape_of(start)
    at = record(shape)
    return at is not None and ("vars" in shape.keys(*at) or shape.kind("tests", EACH, "vars") is not None)


PROMPTFOO = judged_set(
    "promptfoo",
    "tests with vars and assertions, in YAML, JSON or CSV (promptfoo)",
    FieldMap(_example("vars", *_QUESTION), at=("files",), answer=("answer",), records="tests"),
    _is_promptfoo,
    _tests,
)
MAPPED = judged_set(
    "mapped",
    "any JSON, JSON lines, CSV or YAML whose fields the options name",
    FieldMap(),
    lambda _path, _start: False,
)
