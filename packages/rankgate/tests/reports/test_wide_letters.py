"""Letters that take two columns keep the columns of a terminal report straight."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from rankgate.reports.text.printable import columns, fitted
from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

SUITE = """\
corpus: docs/
metrics: [hit@1, ndcg@10]
gates: [hit@1 >= 1]
cases:
  - {query: 撤销密钥, at: {'zh.md#轮换': 1, 'en.md#A section with a long title': 1}, category: 中文}
  - {query: 認証サーバー, at: ja.md#ログイン, category: 日本語の質問}
  - {query: 결제, at: ko.md#결제, category: 한국어}
  - {query: keys, at: en.md#Keys, category: en}
"""
FILES = {
    "zh.md": "# 手册\n\n## 轮换\n\n每九十天。\n",
    "ja.md": "# 案内\n\n## ログイン\n\n二段階。\n",
    "ko.md": "# 안내\n\n## 결제\n\n카드.\n",
    "en.md": "# Guide\n\n## Keys\n\nOnce.\n\n## A section with a long title\n\nTwice.\n",
}
ANSWERS = """\
def search(query, k):
    return [{"path": "en.md", "start": 3, "end": 5}]
"""


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    for name, text in FILES.items():
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
    (tmp_path / "search.yaml").write_text(SUITE, encoding="utf-8")
    (tmp_path / "found.py").write_text(ANSWERS)
    return rankgate("test", "search.yaml", "--system", "./found.py:search").out.splitlines()


def test_values_of_categories_end_in_one_column(shown: list[str]) -> None:
    rows = [line for line in shown if re.match(r"\W*(中文|日本語の質問|한국어|en) +.*\d\.\d{3}", line)]
    assert len(rows) == 4
    ends = [[cell_len(line[: found.end()]) for found in re.finditer(r"\d\.\d{3}", line)] for line in rows]
    assert len(set(map(tuple, ends))) == 1, ends


def test_changes_of_queries_begin_in_one_column(shown: list[str]) -> None:
    found = [re.match(r" +(?:撤销密钥|認証サーバー|결제) +(?=not found)", line) for line in shown]
    widths = [cell_len(one[0]) for one in found if one][:3]
    assert len(widths) == 3, shown
    assert len(set(widths)) == 1, widths


LETTERS = st.text("aé密钥サｻ결。Ａ ー", max_size=30)


@given(LETTERS)
def test_columns_are_those_that_a_terminal_has(text: str) -> None:
    for form in ("NFC", "NFD"):
        written = unicodedata.normalize(form, text)
        assert columns(written) == cell_len(written)


@given(LETTERS, st.integers(1, 20))
def test_a_fitted_text_takes_its_columns_and_says_that_it_was_cut(text: str, width: int) -> None:
    found = fitted(text, width)
    assert cell_len(found) == width
    assert found.rstrip(" ") == text.rstrip(" ") if columns(text) <= width else "…" in found
