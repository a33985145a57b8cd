"""Verdicts that need several runs, suites or changes of documents, which the reference does not decide."""

from __future__ import annotations

import json
from pathlib import Path

from verdicts.examples import state_of
from verdicts.observed import run_command
from verdicts.project import SUITE, write_project

ALTERNATING = """\
CALLS = [0]


def search(query, k):
    CALLS[0] += 1
    hits = [{"id": "b", "text": "something else"}, {"id": "a", "text": "forty two"}]
    return hits[: 2 if CALLS[0] == 1 else 1]
"""


def report_of(folder: Path, *arguments: str) -> tuple[int, dict[str, list[dict[str, object]]]]:
    code, output = run_command(folder, "test", *arguments, "-o", "json=report.json")
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert report["exit_code"] == code, output
    return code, report


def write_suite(folder: Path, cases: list[dict[str, object]], *gates: str, **keys: object) -> None:
    suite = {"name": "search", **keys, "gates": gates, "cases": cases}
    (folder / SUITE).write_text(json.dumps(suite), encoding="utf-8")


def test_baseline_of_another_system_is_an_error(tmp_path: Path) -> None:
    write_project(tmp_path, state_of(now="1 1", was="1 1", against="1 1"))
    baselines = tmp_path / "baselines"
    (baselines / "search.prod.jsonl").replace(baselines / "search.app.jsonl")
    assert run_command(tmp_path, "test", SUITE)[0] == 2


def test_run_with_an_error_becomes_no_baseline(tmp_path: Path) -> None:
    write_project(tmp_path, state_of(now="1 !", settings={"max_errors": 1}))
    assert run_command(tmp_path, "baseline", "set", SUITE)[0] == 3
    assert run_command(tmp_path, "run", SUITE, "--system", "app", "-o", "stored")[0] == 0
    assert run_command(tmp_path, "baseline", "set", SUITE, "--run", "stored")[0] == 3
    assert not (tmp_path / "baselines" / "search.app.jsonl").exists()


def test_run_with_a_missing_target_becomes_no_baseline(tmp_path: Path) -> None:
    write_project(tmp_path, state_of(now="1 1", cases={"q2": "b!"}))
    assert run_command(tmp_path, "baseline", "set", SUITE)[0] == 2
    assert not (tmp_path / "baselines" / "search.app.jsonl").exists()


def test_results_of_a_baseline_follow_their_lines(tmp_path: Path) -> None:
    write_project(tmp_path, state_of(now="1"))
    document = tmp_path / "docs" / "keys.md"
    document.parent.mkdir()
    text = "# Keys\n\nWhat keys are for.\n\n## Rotation\n\nRotate a key every month.\n"
    document.write_text(text, encoding="utf-8")
    write_suite(tmp_path, [{"query": "rotate", "at": "keys.md#Keys/Rotation"}], corpus="docs/")
    app = "def search(query, k):\n    return [{'path': 'keys.md', 'start': %d, 'end': %d}]\n"
    (tmp_path / "app.py").write_text(app % (7, 7), encoding="utf-8")
    assert run_command(tmp_path, "baseline", "set", SUITE)[0] == 0
    document.write_text("A preface.\n\nOf many lines.\n\n" * 5 + text, encoding="utf-8")
    (tmp_path / "app.py").write_text(app % (27, 27), encoding="utf-8")
    code, report = report_of(tmp_path, SUITE)
    assert (code, report["cases"][0]["change"], report["cases"][0]["rank_before"]) == (0, "unchanged", 1)


def test_exit_code_is_the_worst_of_all_suites(tmp_path: Path) -> None:
    write_project(tmp_path, state_of(now="1 0", gates="rr >= 0.9"))
    suite = (tmp_path / SUITE).read_text(encoding="utf-8")
    (tmp_path / "lenient.yaml").write_text(suite.replace("0.9", "0.1"), encoding="utf-8")
    assert run_command(tmp_path, "test", SUITE, "lenient.yaml")[0] == 1


def test_check_of_repeats_fails_if_one_of_them_fails(tmp_path: Path) -> None:
    write_project(tmp_path, state_of(now="1"))
    (tmp_path / "app.py").write_text(ALTERNATING, encoding="utf-8")
    write_suite(tmp_path, [{"query": "answer", "id": "a", "top": {"within": 2}}])
    assert report_of(tmp_path, SUITE, "--repeat", "2")[0] == 1


def test_expected_answer_is_searched_for_in_every_repeat(tmp_path: Path) -> None:
    write_project(tmp_path, state_of(now="1"))
    app = ALTERNATING.replace("CALLS[0] == 1", "CALLS[0] == 2")
    (tmp_path / "app.py").write_text(app, encoding="utf-8")
    sources = ["person", "import", "estimated"]
    write_suite(tmp_path, [{"query": "q", "answer": "forty two"}], "hit@10 >= 0.5", gating_sources=sources)
    assert report_of(tmp_path, SUITE, "--repeat", "2")[0] == 0


def test_estimated_judgments_do_not_gate(tmp_path: Path) -> None:
    write_project(tmp_path, state_of(now="1"))
    (tmp_path / "app.py").write_text(ALTERNATING, encoding="utf-8")
    cases: list[dict[str, object]] = [{"query": "one", "answer": "forty two"}, {"query": "two", "id": "b"}]
    write_suite(tmp_path, cases, "hit@10 >= 50%")
    code, report = report_of(tmp_path, SUITE)
    assert (code, report["gates"][0]["count"]) == (0, 1)
