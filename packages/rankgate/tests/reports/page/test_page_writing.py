"""The page as one file: its policy fits, its data comes back, and nothing in it can become markup."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.errors import FormatError
from rankgate.reports.page.document import (
    Assets,
    assemble,
    data_of,
    packed,
    read_assets,
    render,
)
from rankgate.reports.page.model import ReportPage
from support.odd_pages import nothing
from support.pages import small
from support.written_pages import page_data

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATE = """\
<!doctype html><meta http-equiv="Content-Security-Policy" content="{{policy}}"><title>{{title}}</title>
<style>{{style}}</style>{{verdict}}<noscript>{{plain}}</noscript>
<script type="application/octet-stream;base64" id="data">{{data}}</script>
<script type="application/octet-stream;base64" id="parts">{{parts}}</script>
<script>{{script}}</script>
"""
ASSETS = Assets(TEMPLATE, "body { color: red }", "console.log('{{title}} & <b>')")
HOSTILE = [
    "</title><script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "{{script}} {{data}} \\1 \\g<0>",
    "\u2028\u2029]]>&lt;\x00",
    "' onload='x' \" x=\"",
]


@pytest.fixture(scope="module")
def page() -> ReportPage:
    return small()


def test_the_policy_allows_the_style_and_the_script_and_nothing_else(page: ReportPage) -> None:
    text = render(page, ASSETS)
    (policy,) = re.findall(r'content="([^"]*)"', text)
    (style,), (script,) = (
        re.findall(r"<style>(.*?)</style>", text, re.DOTALL),
        re.findall(r"<script>(.*?)</script>", text, re.DOTALL),
    )
    hashes = [base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in (style, script)]
    assert html.unescape(policy) == (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def test_the_data_of_the_file_is_the_page_again(page: ReportPage) -> None:
    data = page_data(render(page, ASSETS))
    assert data == json.loads(json.dumps(data_of(page)))


def test_equal_pages_are_equal_files_whatever_the_hour(page: ReportPage) -> None:
    assert render(page, ASSETS) == render(small(), ASSETS)


def test_two_times_differ_in_the_header_alone(page: ReportPage) -> None:
    later = replace(page, report=replace(page.report, header=(("time", "2027-01-01T00:00:00+00:00"),)))
    first, second = (json.loads(gzip.decompress(packed(data_of(one)))) for one in (page, later))
    assert first["report"].pop("header") != second["report"].pop("header")
    assert first == second


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_becomes_markup(name: str) -> None:
    page = small(name, hostile=name.replace("\x00", "") + ".")
    text = render(page, ASSETS)
    # A command that cannot be pasted is left out: one line more or less, and never another tag.
    assert set(_tags(text)) == set(_tags(render(small("plain", hostile="plain."), ASSETS)))
    assert text.count("<script") == 3
    assert page_data(text) == json.loads(json.dumps(data_of(page)))


def _tags(text: str) -> list[str]:
    return re.findall(r"<[^>]*>", text)


@given(st.text(max_size=80), st.text(max_size=80))
def test_whatever_the_data_and_the_title_are_the_markup_is_the_same(words: str, title: str) -> None:
    page = ReportPage(replace(EMPTY, title=words, status=words), (), ())
    text = assemble(packed(data_of(page)), title, ASSETS)
    assert _tags(text) == _tags(assemble(packed(data_of(ReportPage(EMPTY, (), ()))), "", ASSETS))


EMPTY = nothing().report


def test_an_asset_that_would_end_its_element_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.txt").write_text("a.js\n")
    (tmp_path / "page.html").write_text(TEMPLATE)
    (tmp_path / "a.js").write_text("const end = '</script>';")
    with pytest.raises(FormatError, match=r"a\.js"):
        read_assets(tmp_path)


def test_assets_are_joined_in_the_order_of_their_list(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name, text in {"b.js": "two", "sub/a.js": "one", "c.css": "body", "page.html": TEMPLATE}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "manifest.txt").write_text("sub/a.js\nc.css\nb.js\n")
    assert read_assets(tmp_path) == Assets(TEMPLATE, "body", "one\ntwo")


def test_a_template_without_a_hole_for_the_data_is_refused(page: ReportPage) -> None:
    with pytest.raises(FormatError, match="placeholders"):
        render(page, Assets(TEMPLATE.replace("{{data}}", ""), "", ""))
