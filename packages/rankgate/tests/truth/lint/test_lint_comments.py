"""Comments are told from strings, in Python as its own tokenizer tells them."""

from __future__ import annotations

import ast
import io
import time
import tokenize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.truth.lint.comments import comments
from support.sdists import unpacked


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.go", 'x := "// no" // yes\ny := `// no\n`', [(1, "// yes")]),
        ("a.rs", "fn f<'a>(x: &'a str) {} // yes", [(1, "// yes")]),
        ("a.c", "char c = '\"'; /* one\ntwo */ int x;", [(1, "/* one"), (2, "two */")]),
        ("a.ts", "const s = 'it\\'s // no'; // yes", [(1, "// yes")]),
        ("a.sh", "echo $# 'a # no' # yes", [(1, "# yes")]),
        ("a.yaml", "note: it's # yes", [(1, "# yes")]),
        ("a.sql", "select '--no' -- yes", [(1, "-- yes")]),
        ("a.html", "<p><!-- yes\nmore --></p>", [(1, "<!-- yes"), (2, "more -->")]),
        ("a.php", "$a = 1; // yes\n# more", [(1, "// yes"), (2, "# more")]),
        ("a.lua", "x = 1 -- yes", [(1, "-- yes")]),
        ("a.clj", '(str ";no") ; yes', [(1, "; yes")]),
        ("a.erl", "f() -> 1. % yes", [(1, "% yes")]),
        ("a.css", "a { } /* yes */", [(1, "/* yes */")]),
        ("a.md", "# no comment", []),
        ("a.py", "# yes\nx = '# no'\ndef (:", [(1, "# yes")]),
        (
            "a.py",
            'def f():\n    """Yes.\n\n    More."""\n    "no"',
            [(2, '    """Yes.'), (3, ""), (4, '    More."""')],
        ),
    ],
)
def test_comments_are_found_and_strings_are_not(
    name: str, text: str, expected: list[tuple[int, str]]
) -> None:
    assert list(comments(name, text)) == expected


@pytest.mark.parametrize("name", ["click-8.3.2", "flask-3.1.3"])
def test_python_comments_are_those_of_its_tokenizer_and_docstrings_those_of_its_parser(name: str) -> None:
    seen = 0
    for path in sorted(unpacked(name).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        found = list(comments("a.py", text))
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        hashes = [(token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT]
        assert found[len(found) - len(hashes) :] == hashes
        documented = {
            node.body[0].lineno
            for node in ast.walk(ast.parse(text))
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
            and ast.get_docstring(node) is not None
        }
        assert documented <= {line for line, _ in found[: len(found) - len(hashes)]}
        seen += len(hashes) + len(documented)
    assert seen > 300


@given(
    st.sampled_from(["py", "rs", "go", "js", "sh", "html", "sql", "php", "clj", "tex", "txt"]),
    st.text("\"'`/*#-<!>;%\\\n a", max_size=60),
)
def test_any_text_has_comments_in_lines_that_it_has(suffix: str, text: str) -> None:
    for line, comment in comments(f"a.{suffix}", text):
        assert comment in text.split("\n")[line - 1]


@pytest.mark.parametrize("piece", ['"\\', "'\\", "/*", "`\\", '"""', "'''", "<!-", "\n'"])
def test_no_text_takes_long(piece: str) -> None:
    start = time.process_time()
    for suffix in ("py", "js", "rs", "sh", "html"):
        list(comments(f"a.{suffix}", piece * 100_000))
    assert time.process_time() - start < 5
