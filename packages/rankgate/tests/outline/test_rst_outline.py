"""reStructuredText: sections as docutils finds them, with their lines, and no harm from what they hold."""

from __future__ import annotations

import re
import sys
import time
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import FormatError
from rankgate.outline import read_outline
from support.sdists import unpacked

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("docutils", reason="the extra `rst` is not installed")


def sections(text: str, path: str = "a.rst") -> list[tuple[str, int, int, int]]:
    nodes = read_outline(path, text)
    assert nodes is not None
    assert all(node.kind == "section" for node in nodes[1:])
    return [(node.name, node.level, node.start, node.end) for node in nodes[1:]]


def test_a_section_starts_at_its_title_or_at_the_line_above_it() -> None:
    text = "====\nBook\n====\n\nPart\n====\n\ntext\n\nChapter\n-------\n\n~~~\nend\n~~~\n\nPart 2\n======\n"
    assert sections(text) == [
        ("Book", 1, 1, 18),
        ("Part", 2, 5, 16),
        ("Chapter", 3, 10, 16),
        ("end", 4, 13, 16),
        ("Part 2", 2, 17, 18),
    ]


def test_an_underline_is_no_overline_of_the_next_title() -> None:
    assert sections("A\n=====\nTitle\n=====\n") == [("A", 1, 1, 2), ("Title", 1, 3, 4)]


def test_nodes_know_their_paths_and_what_stands_above() -> None:
    nodes = read_outline("a.rst", "A\n=\n\nB\n-\n\nC\n=\n\nB\n-\n")
    assert nodes is not None
    assert [(node.path, node.parent) for node in nodes] == [
        ((), None), (("A",), 0), (("A", "B"), 1), (("C",), 0), (("C", "B"), 3),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "A literal::\n\n    Title\n    =====\n",
        ".. note::\n\n   Title\n   =====\n",
        "- Title\n  =====\n",
        "..\n  Title\n  =====\n",
        "=====\n\ntext\n\n=====\n",
        "===== =====\na     b\n===== =====\n",
        "Title\n==\n",
    ],
)
def test_what_only_looks_like_a_title_is_none(text: str) -> None:
    assert sections(text) == []


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("The ``code`` and *more*", "The code and more"),
        ("The :class:`Store` of :mod:`app`", "The Store of app"),
        ("A :class:`~app.keys.Store`", "A Store"),
        ("All :doc:`the keys </keys/index>`", "All the keys"),
        ("Not :func:`!linked`", "Not linked"),
        ("A `link <https://example.org>`_", "A link"),
        ("An \\*escape", "An *escape"),
        ("2 * 3 and snake_case", "2 * 3 and snake_case"),
        ("A broken `role", "A broken `role"),
        ("Größe 東京", "Größe 東京"),
    ],
)
def test_titles_lose_their_markup(title: str, name: str) -> None:
    assert sections(f"{title}\n{'=' * 60}\n") == [(name, 1, 1, 2)]


def test_characters_that_only_python_takes_for_line_ends_are_none() -> None:
    assert sections("a\x85b\u2028c\x0cd\n\nTitle\n=====\n") == [("Title", 1, 3, 4)]


def test_a_line_may_be_long() -> None:
    assert sections("x" * 20_000 + "\n\nTitle\n=====\n") == [("Title", 1, 3, 4)]


def test_nothing_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    sections(".. unknown:: x\n\n:unknown:`x` |y| `z`_ *\n\nA\n=\n\nB\n~\n\nC\n-\n\nD\n=\n\nE\n-\n")
    assert capsys.readouterr() == ("", "")


def test_no_file_is_opened_whatever_the_text_asks(tmp_path: Path) -> None:
    secret = tmp_path / "secret.rst"
    secret.write_text("Secret\n======\n", encoding="utf-8")
    opened: list[str] = []

    def audit(event: str, args: tuple[object, ...]) -> None:
        if event in {"open", "subprocess.Popen", "socket.connect"} and watching:
            opened.append(f"{event} {args[0]}")

    sys.addaudithook(audit)
    watching = False
    name = secret.as_posix()
    text = (
        f".. include:: {name}\n\n.. raw:: html\n   :file: {name}\n\n.. csv-table::\n   :file: {name}\n\n"
        f".. csv-table::\n   :url: file://{name}\n\n.. figure:: {name}\n   :figwidth: image\n\n"
        f".. literalinclude:: {name}\n\n.. |x| include:: {name}\n\n- .. include:: {name}\n\nTitle\n=====\n"
    )
    sections(text)  # imports what it needs, which opens files of docutils
    watching = True
    try:
        found = sections(text)
    finally:
        watching = False
    assert [section[0] for section in found] == ["Title"]
    assert opened == []


def test_a_role_that_one_file_defines_is_unknown_to_the_next() -> None:
    from docutils.parsers.rst import roles

    known = vars(roles)["_roles"]
    before = dict(known)
    sections(".. role:: mine(raw)\n   :format: html\n\n.. default-role:: mine\n\nA\n=\n")
    assert known == before


def test_docutils_itself_still_runs_directives_afterwards() -> None:
    from docutils.core import publish_doctree

    sections("- .. note:: x\n\nA\n=\n")
    tree = publish_doctree("- .. note:: inside\n", settings_overrides={"report_level": 5})
    assert "<note>" in tree.pformat()


@pytest.mark.parametrize("path", ["a.rst", "a.rest", "A.RST", "docs/index.txt"])
def test_the_suffix_tells_what_is_restructuredtext(path: str) -> None:
    assert sections("Title\n=====\n", path) == [("Title", 1, 1, 2)]


@pytest.mark.parametrize(
    "text", ["", "just text\n", "   a\n  =====\n", "# Title\n", "x\n--\n", "a\n\n====\n"]
)
def test_plain_text_without_titles_has_no_outline(text: str) -> None:
    assert read_outline("a.txt", text) is None


def test_text_with_a_table_but_no_title_has_no_outline() -> None:
    assert read_outline("a.txt", "  a\n\n==== ====\nx    y\n==== ====\n") is None


def test_without_the_extra_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "docutils", None)
    with pytest.raises(FormatError) as caught:
        read_outline("docs/a.rst", "A\n=\n")
    assert str(caught.value) == (
        "docs/a.rst: found reStructuredText, whose outline needs an extra, expected docutils to be "
        "installed; pip install 'rankgate[rst]', or name lines, path:10-50"
    )
    assert read_outline("a.txt", "no titles here\n") is None


@pytest.mark.parametrize(
    "text",
    [
        "".join(" " * depth + "- a\n\n" for depth in range(1500)),
        ":a: " * 100_000,
        "`" * 200_000,
        "*a " * 100_000,
    ],
)
def test_nesting_and_open_markup_do_no_harm(text: str) -> None:
    assert sections(text) == []


def test_a_file_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankgate.outline.rst._SECONDS", 0.5)
    began = time.thread_time()
    with pytest.raises(FormatError, match="what docutils cannot parse in good time"):
        read_outline("a.rst", "=\n" * 200_000)
    assert time.thread_time() - began < 5


_MARKUP = re.compile(r"[`*\\|~]")
_MARK = re.compile(r"([!-/:-@\[-`{-~])\1+\Z")


def titles(text: str) -> list[tuple[str, int]]:
    """Read titles by lines alone: a line of one repeated mark below a text, and perhaps the same above it."""
    lines = [line.rstrip() for line in text.split("\n")]
    marks = [bool(_MARK.match(line)) for line in lines]
    found = []
    for at, line in enumerate(lines[:-1]):
        long_enough = len(lines[at + 1]) >= min(len(line), 4)
        if line.strip() and not marks[at] and marks[at + 1] and long_enough:
            over = at > 0 and lines[at - 1] == lines[at + 1] and (at == 1 or not lines[at - 2])
            first = at - 1 if over else at
            if (over or not line[0].isspace()) and (first == 0 or not lines[first - 1]):
                found.append((line.strip(), first + 1))
    return found


def plain(title: str) -> str:
    """Take markup off by regular expressions: what a role shows, then the marks."""
    shown = re.sub(r":[\w:.-]+:`(?:~[\w.]*\.)?([^`<]*?)(?: ?<[^`]*>)?`", r"\1", title)
    shown = re.sub(r"`([^`<]*?) <[^`]*>`__?", r"\1", shown)
    return _MARKUP.sub("", shown)


@pytest.mark.parametrize(
    ("name", "pattern", "files", "count"),
    [("flask-3.1.3", "*.rst", 79, 464), ("django-5.2.8", "docs/**/*.txt", 639, 6369)],
)
def test_every_title_of_real_documents_is_found_at_its_line(
    name: str, pattern: str, files: int, count: int
) -> None:
    outlined = total = 0
    for file in sorted(unpacked(name).rglob(pattern)):
        text = file.read_text(encoding="utf-8")
        nodes = read_outline(file.name, text)
        expected = titles(text)
        if nodes is None:
            assert expected == []
            continue
        outlined, total = outlined + 1, total + len(expected)
        assert [node.start for node in nodes[1:]] == [line for _, line in expected]
        for node, (title, _) in zip(nodes[1:], expected, strict=True):
            assert _MARKUP.sub("", node.name) == plain(title)
    assert (outlined, total) == (files, count)
