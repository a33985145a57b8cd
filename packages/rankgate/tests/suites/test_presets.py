"""Presets on files that the tools wrote, compared with a plain reading of ten records."""

from __future__ import annotations

import csv
import gzip
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import InputError
from rankgate.model import CorpusSource
from rankgate.suites.formats import ReadOptions, format_names, format_of, load_suite
from support.formats import judged, read, targets

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankgate.model import Suite

Read = dict[str, dict[str, float]]
FILES = Path(__file__).parent / "written"


def rows(path: Path, **more: Any) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, **more))


def octocode(path: Path) -> Read:
    return {
        row["query"]: {
            cell.rpartition(":")[0]: float(cell.rpartition(":")[2])
            for name, cell in row.items()
            if name != "query" and cell
        }
        for row in rows(path)[:10]
    }


def buildbuddy(path: Path) -> Read:
    return {
        case["query"]["term"]: {one["filename"]: one["relevance"] for one in case["ideal_results"]}
        for case in json.loads(path.read_text())["cases"]
    }


def treenav(path: Path) -> Read:
    return {
        one["query"]: {
            "#".join(each[key] for key in ("docTitle", "nodeTitle") if key in each): each["relevance"]
            for each in one["relevant"]
        }
        for one in json.loads(path.read_text())[:10]
    }


def beir(path: Path) -> Read:
    texts = {
        one["_id"]: one["text"] for one in map(json.loads, (path / "queries.jsonl").read_text().splitlines())
    }
    found: Read = {}
    for row in rows(path / "qrels" / "test.tsv", delimiter="\t"):
        found.setdefault(texts[row["query-id"]], {})[row["corpus-id"]] = float(row["score"])
    return dict(list(found.items())[:10])


def rated(column: str) -> Callable[[Path], Read]:
    def reading(path: Path) -> Read:
        found: Read = {}
        for row in rows(path):
            if row[column]:
                found.setdefault(row["query"], {})[row["docid"]] = float(row[column])
        return dict(list(found.items())[:10])

    return reading


def judgment_list(path: Path) -> Read:
    data = path.read_bytes()
    every = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)["judgmentRatings"]
    return {
        one["query"]: {each["docId"]: float(each["rating"]) for each in one["ratings"]} for one in every[:10]
    }


def words(text: str) -> str:
    return " ".join(text.split())


def chroma(path: Path) -> Read:
    return {
        row["question"]: dict.fromkeys(
            (
                f'{row["corpus_id"]}.md "{words(one["content"])}" from character {one["start_index"]}'
                for one in json.loads(row["references"])
            ),
            1.0,
        )
        for row in rows(path)[:10]
    }


def trec(path: Path) -> Read:
    found: Read = {}
    for query, _, name, grade in (line.split() for line in path.read_text().splitlines()):
        found.setdefault(query, {})[name] = max(float(grade), 0)
    return dict(list(found.items())[:10])


REAL: dict[str, tuple[str, int, int, Callable[[Path], Read]]] = {
    "code/octocode/code.csv": ("octocode", 127, 163, octocode),
    "code/octocode/docs.csv": ("octocode", 127, 147, octocode),
    "code/buildbuddy/ratings.json": ("buildbuddy", 3, 9, buildbuddy),
    "treenav/qrels.json": ("treenav", 67, 103, treenav),
    "beir/scifact": ("beir", 300, 339, beir),
    "relevance/chorus-electronics/Broad_Query_Set_rated.csv": ("quepid", 135, 3668, rated("rating")),
    "relevance/chorus-electronics/Chorus_Electronics_basic.csv": ("quepid", 2, 207, rated("rating")),
    "relevance/chorus-electronics/Broad_Query_Set_unrated.csv": ("quepid", 1, 6, rated("rating")),
    "relevance/chorus-electronics/Broad_Query_Set_individual_ratings.csv": (
        "chorus",
        135,
        3188,
        rated("final_rating"),
    ),
    "relevance/esci-sample/esci_us_judgments.json": ("judgment_list", 150, 6678, judgment_list),
    "ubi/esci_us_judgments.json.gz": ("judgment_list", 150, 6678, judgment_list),
    "chroma/questions_df.csv": ("chroma", 472, 790, chroma),
    "trec/qrels/qrels.cacm.txt": ("trec", 52, 796, trec),
}


def whole(suite: Suite) -> Read:
    return {case.query: {each.location.whole: each.grade for each in case.targets} for case in suite.cases}


@pytest.mark.parametrize("name", REAL)
def test_preset_reads_a_real_file_as_a_person_does(shared_data: Path, name: str) -> None:
    preset, cases, number, reading = REAL[name]
    assert format_of(shared_data / name).name == preset
    suite = load_suite(shared_data / name)
    assert (len(suite.cases), sum(len(case.targets) for case in suite.cases)) == (cases, number)
    expected = reading(shared_data / name)
    found = whole(suite)
    assert {query: found[query] for query in expected} == expected
    pooled = preset not in ("octocode", "buildbuddy", "treenav", "chroma")
    assert suite.unlisted == ("unjudged" if pooled else "irrelevant")


@pytest.mark.parametrize(
    "name",
    [
        "trec/trec_eval-tests/results.test",
        "trec/trec_eval-tests/prefs.test",
        "code/swebench/locagent-claude35.run.jsonl",
        "relevance/esci-sample/esci_us_queryset.json",
        "relevance/esci-sample/schema.json",
        "code/semble/repos.json",
        "code/octocode/RESULTS.json",
    ],
)
def test_another_real_file_is_of_no_format(shared_data: Path, name: str) -> None:
    with pytest.raises(InputError, match="--from"):
        format_of(shared_data / name)


def test_esci_irrelevant_is_zero_and_grades_are_the_gains_of_the_task(tmp_path: Path) -> None:
    # A sample in the documented format of the data set.
    rows = ["q,p1,E", "q,p2,S", "q,p3,C", "q,p4,I", "r,p9,Irrelevant"]
    suite = read(tmp_path / "a.csv", "\n".join(["query,product_id,esci_label", *rows]))
    assert format_of(tmp_path / "a.csv").name == "esci"
    assert judged(suite) == {"q": {"p1": 1, "p2": 0.1, "p3": 0.01, "p4": 0}, "r": {"p9": 0}}
    assert suite.unlisted == "unjudged"


WRITTEN: dict[str, tuple[dict[str, list[str]], tuple[str, ...]]] = {
    "deepeval": (
        {
            "How often are keys rotated?": [
                'docs/keys.md "Rotate each key every 90 days."',
                'docs/keys.md "A rotated key expires after one hour."',
            ],
            "How often is a delivery retried?": [
                'docs/hooks.md "A delivery is retried five times, with "backoff"; then it fails."'
            ],
            "Who may rotate a key?": ['"Owners may rotate keys."'],
        },
        ("Every 90 days.", "Five times.", "An owner, or an admin."),
    ),
    "ragas": (
        {
            "How often are keys rotated?": [
                '"Rotate each key every 90 days."',
                '"Don\'t reuse a "rotated" key."',
            ],
            "How often is a delivery retried?": ['"A delivery is retried five times, then it fails."'],
            "Who may rotate a key?": ['"Owners may rotate keys."'],
        },
        ("Every 90 days.", "Five times.", "An owner, or an admin."),
    ),
    "phoenix": (
        {
            "How often are keys rotated?": [],
            'How often is a "delivery" retried?': [],
            "Who may rotate a key?": [],
        },
        ("Every 90 days.", "Five times,\nthen it fails.", "An owner's admin."),
    ),
}
"""The passages of each query and the answers in the files below `written`, read by hand.

- DeepEval 4.3.1: `EvaluationDataset.save_as`.
- Ragas 0.4.3: `to_csv` and `to_jsonl` of `EvaluationDataset` and `Testset`.
- Arize Phoenix, client 3.5.0: `Dataset.to_dict` and `Dataset.to_dataframe().to_csv`.
- promptfoo 0.121.20: `promptfoo init`, and tests that `promptfoo validate` accepts.
"""


@pytest.mark.parametrize(
    ("name", "preset"),
    [
        ("deepeval.csv", "deepeval"),
        ("deepeval.json", "deepeval"),
        ("deepeval.jsonl", "deepeval"),
        ("ragas.csv", "ragas"),
        ("ragas.jsonl", "ragas"),
        ("ragas-testset.csv", "ragas"),
        ("ragas-testset.jsonl", "ragas"),
        ("phoenix.csv", "phoenix"),
        ("phoenix.json", "phoenix"),
    ],
)
def test_preset_reads_what_the_tool_writes(name: str, preset: str) -> None:
    assert format_of(FILES / name).name == preset
    suite = load_suite(FILES / name)
    passages, answers = WRITTEN[preset]
    assert whole(suite) == {query: dict.fromkeys(some, 1.0) for query, some in passages.items()}
    assert tuple(case.answer for case in suite.cases) == answers
    if "testset" in name:
        several, single = "multi_hop_specific_query_synthesizer", "single_hop_specific_query_synthesizer"
        assert [case.category for case in suite.cases] == [several, single, single]
    if preset == "phoenix":
        assert [case.id for case in suite.cases] == ["RGF0YTox", "RGF0YToy", "RGF0YToz"]


def test_promptfoo_file_of_init_has_one_test_with_a_passage() -> None:
    # The description of the file is not the name of each test.
    assert format_of(FILES / "promptfoo-init.yaml").name == "promptfoo"
    suite = load_suite(FILES / "promptfoo-init.yaml")
    assert [(case.id, whole(suite)) for case in suite.cases] == [
        ("avocado-toast", {"avocado toast": {'"avocado"': 1}})
    ]
    assert "2 queries without targets left out" in suite.notes


def test_promptfoo_file_that_is_valid_gives_passages_locations_and_answers() -> None:
    suite = load_suite(FILES / "promptfoo.yaml")
    assert whole(suite) == {
        "How often are keys rotated?": {'"every 90 days"': 1},
        "Where are retries configured?": {"hooks.md#Retries": 1, '"five times"': 1},
    }
    assert [(case.id, case.answer) for case in suite.cases] == [
        ("rotation", "Rotate each key every 90 days."),
        ("where-are-retries-configured", None),
    ]


def test_deepeval_contexts_in_one_cell_are_several_passages(tmp_path: Path) -> None:
    # A sample in the format of `EvaluationDataset.save_as`, with several contexts in one cell.
    text = (
        "input,actual_output,expected_output,context,retrieval_context,source_file\n"
        'how often,,every 90 days,"Rotate keys | every 90 days.|Old keys expire.",,keys.md\n'
    )
    (case,) = read(tmp_path / "goldens.csv", text).cases
    assert [str(target.location) for target in case.targets] == [
        'keys.md "Rotate keys"',
        'keys.md "every 90 days."',
        'keys.md "Old keys expire."',
    ]
    assert case.answer == "every 90 days"
    # In JSON a context is a list, and a table of Markdown may stand in it.
    content = [{"input": "q", "expected_output": "a", "context": ["| a | b |"]}]
    (case,) = read(tmp_path / "goldens.json", content).cases
    assert list(targets(case)) == ['"| a | b |"']


def test_langsmith_csv_has_json_in_its_cells(tmp_path: Path) -> None:
    # A sample in the documented format: inputs and outputs are objects.
    text = 'id,inputs,outputs\ne1,"{""question"": ""how often""}","{""answer"": ""90 days"", ""score"": 1}"\n'
    suite = read(tmp_path / "a.csv", text)
    assert format_of(tmp_path / "a.csv").name == "langsmith"
    (case,) = suite.cases
    assert (case.id, case.query, case.answer) == ("e1", "how often", "90 days")
    assert suite.notes == ("unused fields: outputs.score (1)",)
    flat = "inputs.question,outputs.answer\nhow often,90 days\n"
    (case,) = read(tmp_path / "b.csv", flat).cases
    assert (case.query, case.answer) == ("how often", "90 days")


def test_phoenix_examples_are_read_from_csv_and_json(tmp_path: Path) -> None:
    # Samples in the documented formats of the API of Arize Phoenix.
    flat = "example_id,input_question,output_answer,metadata_kind\ne1,how often,90 days,exact\n"
    suite = read(tmp_path / "a.csv", flat)
    assert format_of(tmp_path / "a.csv").name == "phoenix"
    assert [(case.id, case.query, case.answer) for case in suite.cases] == [("e1", "how often", "90 days")]
    assert suite.notes == ("unused fields: metadata_kind (1)",)
    example = {
        "id": "e1",
        "input": {"question": "how often"},
        "output": {"answer": "90 days"},
        "metadata": {},
    }
    nested = {"data": {"dataset_id": "d", "version_id": "v", "examples": [example]}}
    suite = read(tmp_path / "a.json", nested)
    assert format_of(tmp_path / "a.json").name == "phoenix"
    assert [(case.id, case.query, case.answer) for case in suite.cases] == [("e1", "how often", "90 days")]


def test_promptfoo_contains_is_a_passage_or_a_file_and_equals_an_answer(tmp_path: Path) -> None:
    checks = [
        {"type": "contains", "value": "every 90 days"},
        {"type": "contains-all", "value": "keys.md#Rotation"},
        {"type": "icontains", "value": "Version 2.5"},
        {"type": "equals", "value": "90 days"},
        {"type": "latency", "threshold": 900},
    ]
    (case,) = read(tmp_path / "a.json", [{"vars": {"query": "how often"}, "assert": checks}]).cases
    assert targets(case) == {'"every 90 days"': 1, "keys.md#Rotation": 1, '"Version 2.5"': 1}
    assert case.answer == "90 days"
    text = "question,__expected,__expected2\nhow often,contains: every 90 days,90 days\n"
    (case,) = read(tmp_path / "a.csv", text).cases
    assert (targets(case), case.answer) == ({'"every 90 days"': 1}, "90 days")
    yaml = "tests:\n  - vars: {query: how often}\n    assert: [{type: contains-all, value: [a.md, b c]}]\n"
    (case,) = read(tmp_path / "a.yaml", yaml).cases
    assert targets(case) == {"a.md": 1, '"b c"': 1}


def test_langfuse_and_squad_leave_out_what_does_not_count(tmp_path: Path) -> None:
    items = [
        {"id": "1", "status": "ACTIVE", "input": {"query": "q"}, "expectedOutput": "a", "datasetName": "d"},
        {"id": "2", "status": "ARCHIVED", "input": "old", "expectedOutput": "b", "datasetName": "d"},
    ]
    suite = read(tmp_path / "a.json", {"data": items})
    assert [(case.id, case.query, case.answer) for case in suite.cases] == [("1", "q", "a")]
    assert suite.notes == ("1 record left out by status",)
    asked = [
        {"id": "1", "question": "q", "answers": [{"text": "every hour", "answer_start": 3}]},
        {"id": "2", "question": "r", "answers": [], "is_impossible": True},
    ]
    paragraphs = [{"context": "We retry every hour.", "qas": asked}]
    suite = read(tmp_path / "b.json", {"version": "2", "data": [{"title": "t", "paragraphs": paragraphs}]})
    (case,) = suite.cases
    assert (targets(case), case.answer, case.category) == ({'"We retry every hour."': 1}, "every hour", "t")


@pytest.mark.parametrize("content", [[{"input": "q", "expected_output": "a"}]])
def test_data_set_with_answers_alone_keeps_its_corpus(tmp_path: Path, content: object) -> None:
    (tmp_path / "a.json").write_text(json.dumps(content))
    suite = load_suite(tmp_path / "a.json", reading=ReadOptions(corpus=CorpusSource("docs/")))
    assert suite.corpus == CorpusSource("docs/")


def test_data_set_with_ids_alone_has_no_corpus_of_files(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query,docid,rating\nq,a,1\n")
    suite = load_suite(tmp_path / "a.csv", reading=ReadOptions(corpus=CorpusSource("docs/")))
    assert suite.corpus is None
    assert suite.notes == ("the corpus docs/ left out: it has files, and each target is an id",)


def test_expected_ids_are_graded_by_position_only_as_the_reader_says(tmp_path: Path) -> None:
    content = {"create an issue": ["a", "b"], "delete": "c"}
    assert judged(read(tmp_path / "a.json", content)) == {
        "create an issue": {"a": 1, "b": 1},
        "delete": {"c": 1},
    }
    graded = read(tmp_path / "a.json", content, grades={"1": 3, "2": 1})
    assert judged(graded)["create an issue"] == {"a": 3, "b": 1}


def test_relevant_ids_may_be_objects_or_have_grades(tmp_path: Path) -> None:
    records = [
        {"question": "a", "metadata": {"relevantIds": ["x", "y"]}},
        {"input": "b", "evidence": [{"doc_id": "x", "grade": 2}, {"source": "z"}]},
        {"query": "c", "relevant_ids": {"x": 3, "y": 0}},
    ]
    assert judged(read(tmp_path / "a.json", records)) == {
        "a": {"x": 1, "y": 1},
        "b": {"x": 2, "z": 1},
        "c": {"x": 3, "y": 0},
    }


def test_buildbuddy_results_of_two_repositories_need_a_choice(tmp_path: Path) -> None:
    results = [
        {"owner": "o", "repo": "one", "filename": "a.go", "relevance": 1},
        {"owner": "o", "repo": "two", "filename": "a.go", "relevance": 2},
    ]
    content = {"cases": [{"query": {"term": "q"}, "ideal_results": results}]}
    with pytest.raises(InputError, match="repo has several values, such as one and two"):
        read(tmp_path / "a.json", content)
    assert judged(read(tmp_path / "a.json", content, only="repo=two")) == {"q": {"a.go": 2}}


def test_buildbuddy_exhaustive_case_without_results_expects_none(tmp_path: Path) -> None:
    cases = [
        {"query": {"term": "q"}, "penalize_unmatched": True},
        {"query": {"term": "r"}, "ideal_results": []},
        {"query": {"term": "s"}, "ideal_results": [{"filename": "a.go"}]},
    ]
    suite = read(tmp_path / "a.json", {"cases": cases})
    assert [(case.query, case.expect_empty) for case in suite.cases] == [("q", True), ("s", False)]
    assert judged(suite)["s"] == {"a.go": 0}


@pytest.mark.parametrize(
    ("file", "table"), [("rankgate.toml", "presets.house"), ("pyproject.toml", "tool.rankgate.presets.house")]
)
def test_project_has_a_preset_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, table: str
) -> None:
    (tmp_path / file).write_text(
        f"[{table}]\n"
        'about = "our sheet"\n'
        'recognise = { columns = ["search term", "page"] }\n'
        'query = "search term"\nat = "page"\ngrade = "stars"\ngrades = { good = 2, bad = 0 }\n'
    )
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("search term,page,stars\nq,keys.md:1-3,good\nq,faq.md,bad\n")
    assert format_of(tmp_path / "a.csv").name == "house"
    assert judged(load_suite("a.csv")) == {"q": {"keys.md:1-3": 2, "faq.md": 0}}
    assert "house" in format_names(tmp_path / "a.csv")
    (tmp_path / file).write_text(f"[{table}]\nqery = 'q'\n")
    with pytest.raises(InputError, match=re.escape(f"{file}: {table}: unknown key 'qery'")):
        format_of(tmp_path / "a.csv")


def test_project_preset_with_unknown_keys_is_an_error_that_names_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rankgate.toml").write_text('[presets.house]\nqery = "q"\ngrade = 3\npattern = "("\n')
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("q,page\n1,2\n")
    with pytest.raises(InputError) as raised:
        format_of(tmp_path / "a.csv")
    said = str(raised.value)
    assert "presets.house: unknown key 'qery'; did you mean query?" in said
    assert "invalid grade 3: write a name of a field, or a list of names" in said
    assert "invalid pattern '('" in said
    for text in ("presets = 3\n", "[presets]\nhouse = 3\n"):
        (tmp_path / "rankgate.toml").write_text(text)
        with pytest.raises(InputError, match=re.escape("presets: a preset is not a table; write [presets.")):
            format_of(tmp_path / "a.csv")
