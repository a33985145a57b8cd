"""``rankgate list metrics``: every metric, or those named in any spelling."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from rankgate.cli.main import cli
from rankgate.plugins import listed
from rankgate.scoring.expressions import GROUP
from support.commands import rankgate, rankgate_alone

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def described(*names: str) -> str:
    result = CliRunner().invoke(cli, ["list", "metrics", *names])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_every_metric_is_described() -> None:
    text = described()
    titles = [line for line in text.splitlines() if line and not line.startswith(" ")]
    assert [title.split()[0].split("(")[0].split("[")[0].split(".")[0] for title in titles] == sorted(
        listed(GROUP)
    )
    for heading in ("What it measures:", "Use it when:", "Edge cases:", "Example:", "Reference:"):
        assert text.count(f"  {heading}") == len(titles)


def test_some_metrics_are_described_as_they_should_be(golden: Callable[[str, str], None]) -> None:
    golden("list_metrics", described("ndcg", "rr", "r", "latency"))


@pytest.mark.parametrize(("alias", "name"), [("MRR", "rr"), ("recall", "r"), ("nDCG", "ndcg"), ("map", "ap")])
def test_an_alias_is_described_as_what_it_means(alias: str, name: str) -> None:
    assert described(alias) == described(name)


def test_the_other_names_of_a_metric_stand_beside_it() -> None:
    assert described("rr").splitlines()[0].endswith("also: mrr, recip_rank, reciprocal_rank")


def test_an_unknown_metric_is_refused_with_what_is_near() -> None:
    message = rankgate("list", "metrics", "ndgc").refused()
    assert "found metric 'ndgc'" in message
    assert "did you mean ndcg" in message


def test_a_metric_of_one_s_own_is_described(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from dataclasses import dataclass\n"
        "from rankgate.scoring.metrics.rr import RR\n"
        "@dataclass(frozen=True)\n"
        "class Mine(RR):\n"
        "    'Mine: as RR.'\n"
        "    name = 'mine'\n"
    )
    assert "Mine: as RR." in rankgate("list", "metrics", f"{tmp_path}/mine.py:Mine").printed()


OWN = """
from dataclasses import dataclass
from typing import ClassVar
import rankgate as rg

@dataclass(frozen=True)
class Files(rg.Metric):
    'Files: how many of them, right or not.'
    name: ClassVar[str] = 'files'
    cut_by: ClassVar[tuple[str, ...]] = ('rank',)
    cut_required: ClassVar[bool] = True
    cut: rg.Cut | None = None

    @property
    def range(self):
        return rg.ValueRange(0.0, HIGHEST)

    def values(self, matches):
        raise NotImplementedError
"""


@pytest.mark.parametrize(
    ("highest", "said"),
    [
        ("float(self.cut.size)", "0 to k"),
        ("2.0 * self.cut.size", "0 to 20 where the cut is 10"),
        ("7.0", "0 to 7"),
    ],
)
def test_a_metric_of_one_s_own_is_described_by_what_it_declares(
    tmp_path: Path, highest: str, said: str
) -> None:
    (tmp_path / "files.py").write_text(OWN.replace("HIGHEST", highest))
    text = rankgate("list", "metrics", f"{tmp_path}/files.py:Files").printed()
    assert f"  Range:     {said}\n" in text
    assert "Failure:" not in text


def test_it_works_in_a_process_of_its_own() -> None:
    done = rankgate_alone("list", "metrics", "ap")
    assert done.printed() == described("ap")


@pytest.mark.parametrize("name", ["json:dumps", ":x"])
def test_what_is_no_metric_is_refused(name: str) -> None:
    rankgate("list", "metrics", name).refused()
