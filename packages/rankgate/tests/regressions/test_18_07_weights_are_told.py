"""A weighted mean says how few cases decide it, and a slice needs enough that count."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

APP = "def search(query, k):\n    return ['d' + query.split()[1]]\n"


def outcome(project: Path, gate: str) -> tuple[int | str | None, str, dict[str, object]]:
    """Test ten cases of which the heavy one alone is right."""
    told = [("d0", 100), *[("x", 1)] * 9]
    cases = "".join(
        f"  - {{query: number {n}, id: {right}, weight: {weight}, category: one}}\n"
        for n, (right, weight) in enumerate(told)
    )
    (project / "search.yaml").write_text(f"metrics: [rr]\ngates: ['{gate}']\ncases:\n{cases}")
    (project / "app.py").write_text(APP)
    (project / "rankgate.toml").write_text(
        "suites = ['search.yaml']\n[systems.app]\nfunction = './app.py:search'\n"
    )
    done = rankgate("test", "--report", "json=report.json")
    (verdict,) = json.loads((project / "report.json").read_text())["verdicts"]
    return done.code, " ".join(done.out.split()), verdict


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_one_case_of_weight_100_is_told_beside_the_mean(tmp_path: Path) -> None:
    code, said, verdict = outcome(tmp_path, "rr >= 0.9")
    assert code == 0
    assert "10 queries; weighted: 1.2 effective, largest share 92%, unweighted 0.1000" in said
    assert verdict["weighting"] == {
        "effective": pytest.approx(109**2 / 10_009),
        "largest": pytest.approx(100 / 109),
        "unweighted": pytest.approx(0.1),
    }


@pytest.mark.parametrize("gate", ["rr >= 0.9 where category = one", "worst(category) rr >= 0.9"])
def test_a_slice_that_one_case_decides_decides_nothing(gate: str, tmp_path: Path) -> None:
    code, said, _ = outcome(tmp_path, gate)
    assert (code, "effective" in said) == (4, True)
