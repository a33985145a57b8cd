"""Words of scripts without spaces: cut into pairs for index and query alike, and nothing else is touched."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.model import Document, Query
from rankgate_engines.scripts import index_text, query_expression, query_text
from rankgate_engines.tantivy import TantivyOptions, TantivySystem

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = {
    "keys": "每九十天更换密钥，API返回429。",
    "files": "服务器读取配置文件 server.yaml",
    "login": "認証に失敗すると待ちます",
    "pay": "고객이 결제를 마치면",
}
BEFORE = st.characters(max_codepoint=0x10FF)
BEHIND = st.characters(min_codepoint=0x1200, max_codepoint=0x2FFF)


@given(st.text(BEFORE | BEHIND))
def test_a_text_of_other_scripts_is_indexed_and_asked_as_it_is(text: str) -> None:
    assert index_text(text) == query_text(text) == query_expression(text) == text


@given(st.text("密钥配置サーバー결제 aB。，・", min_size=1), st.data())
def test_whatever_part_of_a_text_is_asked_for_is_indexed(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    part = text[start : data.draw(st.integers(start + 1, len(text)))]
    indexed = set(index_text(text).split())
    # A Latin word may have been cut in two by asking for a part of it; nobody promised to find that.
    asked = [word for word in query_text(part).split() if not word.strip("。，・").isascii()]
    assert {word for word in asked if word.isalnum()} <= indexed


def test_forms_of_one_letter_are_one() -> None:
    for written in ("결제", "サーバー", "が"):
        for form in ("NFD", "NFKD"):
            assert query_text(unicodedata.normalize(form, written)).split() == query_text(written).split()
    assert query_text("ｻｰﾊﾞｰ ＡＰＩ密钥").split() == ["サー", "ーバ", "バー", "API", "密钥"]


@pytest.mark.parametrize(
    ("query", "name"),
    [("title:密钥 OR text:密钥", "keys"), ('text:"读取配置"', "files"), ("+결제 -密钥", "pay")],
)
def test_a_word_in_tantivys_own_language_is_a_phrase_of_its_pairs(
    tmp_path: Path, query: str, name: str
) -> None:
    system = TantivySystem(TantivyOptions(folder=str(tmp_path), syntax="tantivy"))
    system.build([Document(one, text) for one, text in TEXTS.items()], "texts")
    assert [hit.id for hit in system.search(Query(query)).hits] == [name]
    # The letters are there, but not side by side.
    assert not system.search(Query("text:配件")).hits
