"""The annotations of CodeSearchNet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.errors import FormatError, InputError
from support.formats import read, targets

if TYPE_CHECKING:
    from pathlib import Path

TEXT = (
    "Language,Query,GitHubUrl,Relevance,Notes\n"
    "Go,sort a list,https://x/a#L1-L9,2,\n"
    "Go,sort a list,https://x/a#L1-L9,3,not quite\n"
    "PHP,sort a list,https://x/b,1,\n"
)


def test_judges_who_disagree_are_settled_only_as_the_reader_says(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as error:
        read(tmp_path / "a.csv", TEXT + "PHP,sort a list,https://x/b,0,\n")
    (problem,) = error.value.problems
    assert problem.found.startswith(
        "2 pairs judged differently, such as 'sort a list' in Go with https://x/a"
    )
    assert "--option judges=mean" in problem.fix
    suite = read(tmp_path / "a.csv", TEXT, judges="mean")
    assert [case.id for case in suite.cases] == ["sort-a-list-go", "sort-a-list-php"]
    assert targets(suite.cases[0]) == {"https://x/a#L1-L9": 2.5}
    assert suite.cases[1].tags == {"language=PHP"}
    assert suite.notes[0] == "1 pair judged differently, settled by mean"
    with pytest.raises(InputError, match="option judges"):
        read(tmp_path / "a.csv", TEXT, judges="vote")
