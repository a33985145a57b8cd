"""The first screen says what an error is about: the suite, the call, the configuration or the documents."""

from __future__ import annotations

import pytest
from explanations import explanations

from rankgate.errors import Code, CrashedError, InputError, Problem, SystemFailedError
from rankgate.reports.evaluation.refused import refused_report
from rankgate.reports.evaluation.summary.subjects import subject_of
from rankgate.reports.evaluation.terminal import render

SUITE = "Nothing was judged or compared with a baseline."


@pytest.mark.parametrize(
    ("code", "whose"),
    [
        (Code.VARIABLE_NOT_SET, "The configuration or the environment is wrong, not the suite: "),
        (Code.MISSING_EXTRA, "The configuration or the environment is wrong, not the suite: "),
        (Code.TARGET_NOT_FOUND, ""),
        (Code.WRONG_GATE, ""),
    ],
)
def test_the_reason_says_whether_the_suite_is_meant(code: Code, whose: str) -> None:
    error = InputError(code("rankgate.toml", "${TOKEN}, which is not set", "a value", "set it"))
    said = refused_report("search", "api", error, "search.yaml").summary
    assert said.reason == (whose + SUITE[0].lower() + SUITE[1:] if whose else SUITE)
    assert said.headline.startswith("rankgate.toml: found ${TOKEN}")


@pytest.mark.parametrize(
    ("problem", "label"),
    [
        (Code.UNKNOWN_KEY("search.yaml:2:1", "the key 'gaets'", "gates"), "suite error"),
        (
            Code.UNKNOWN_KEY("/home/me/rankgate.toml: suitse", "an unknown key", "suites"),
            "configuration error",
        ),
        (Code.UNKNOWN_KEY("api.max_erors", "an unknown option", "one of url"), "configuration error"),
        (Code.VARIABLE_NOT_SET("api.headers", "${TOKEN}", "a variable"), "configuration error"),
        (Code.MISSING_EXTRA("api", "no urllib3", "urllib3"), "configuration error"),
        (Code.NO_SUITE("rankgate", "no suite", "a suite"), "usage error"),
        (Code.UNKNOWN_SYSTEM("--system", "'apii'", "api"), "usage error"),
        (Code.NO_CORPUS("search.yaml:1:9", "no folder", "a folder"), "corpus error"),
        (Code.NO_SUCH_FILE("corpus dosc", "no such folder", "a folder of text files"), "corpus error"),
        (Code.NO_SUCH_FILE("serach.yaml", "no such file", "a file that can be read"), "file error"),
        (Code.BAD_SYNTAX("search.yaml:3:1", "what is not YAML", "YAML"), "suite error"),
        (Code.NO_BASELINE("baselines/search.api.jsonl", "no such file", "a baseline"), "baseline error"),
        (Code.UNFINISHED_RUN(".rankgate/run", "a run that was stopped", "a whole one"), "run error"),
    ],
    ids=lambda one: one.replace(" ", "-") if isinstance(one, str) else str(one.code),
)
def test_the_headline_says_what_the_error_is_about(problem: Problem, label: str) -> None:
    report = refused_report("search", "api", InputError(problem), "search.yaml")
    assert report.summary.label == label
    assert render(report, colour=False).startswith(f"⛔ {label} · search · api (exit code 2)\n")
    assert report.status.startswith(f"{label}: ")
    assert report.summary.state == "suite error", "programs read the state, which is as it was"


def test_what_is_no_error_of_a_file_or_call_is_called_by_its_state() -> None:
    failed = SystemFailedError(Code.NO_CONNECTION("api", "refused", "an answer"))
    assert refused_report("search", "api", failed).summary.label == "system error"
    assert refused_report("search", "api", CrashedError("x")).summary.label == "internal error"


def test_kinds_of_one_part_of_the_page_of_errors_are_about_the_same() -> None:
    found: dict[str, set[str]] = {}
    for code, facts in explanations().items():
        found.setdefault(facts.group, set()).add(str(subject_of(InputError(code("x", "y", "z")))))
    assert found["Configuration"] == {"configuration"}
    assert found["Metrics and gates"] == {"suite"}
    assert found["Documents"] == {"corpus"}
    assert found["The call"] == {"usage", "suite"}
    assert found["Suites and judgments"] == {"suite", "corpus"}
