"""Whether an answer has a hit is told by the first: a baseline of fewer hits than today's knows it too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

APP = """\
def search(query, k):
    return {answer}
"""


def write(project: Path, answer: str, gates: str, k: int) -> None:
    (project / "app.py").write_text(APP.format(answer=answer))
    cases = "".join(f"  - {{query: query {n}, id: d{n}}}\n" for n in range(10))
    (project / "search.yaml").write_text(f"k: {k}\nmetrics: [zero]\ngates: [{gates}]\ncases:\n{cases}")
    (project / "rankgate.toml").write_text(
        "suites = ['search.yaml']\n[systems.app]\nfunction = './app.py:search'\n"
    )


@pytest.mark.parametrize("gate", ["drop(zero) < 0.1", "drop(0.5*hit@5 - 0.5*zero) < 0.1"])
def test_more_empty_answers_fail_against_a_baseline_of_fewer_hits(
    gate: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "['d' + query.split()[1]]", "'rr@10 >= 0'", 10)
    assert rankgate("test").code == 0
    rankgate("baseline", "set").printed()
    write(tmp_path, "[]", f"'{gate}', 'lost(1 -> absent@1) <= 100%'", 20)
    done = rankgate("test")
    assert (done.code, "hits a query" in done.out) == (1, False)


def test_a_metric_without_a_cut_still_looks_at_all_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "['d' + query.split()[1]]", "'rr@10 >= 0'", 10)
    assert rankgate("test").code == 0
    rankgate("baseline", "set").printed()
    write(tmp_path, "[]", "'drop(rr) < 0.1', 'lost(1 -> absent@1) <= 100%'", 20)
    done = rankgate("test")
    assert (done.code, "has 10 hits a query, 20 are needed" in " ".join(done.out.split())) == (4, True)
