"""Every definition of Django and flask, with exact lines: two parsers against a walk written apart."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from rankgate.outline import read_outline
from rankgate.outline.code import outline_code
from support.sdists import unpacked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("tree_sitter_python", reason="the extra `code` is not installed")

Found = tuple[str, str, int, int]


def comments(text: str) -> dict[int, int]:
    """Return the columns of the comments that have a line to themselves, by their lines."""
    tokens = tokenize.generate_tokens(io.StringIO(text, newline="").readline)
    return {
        token.start[0]: token.start[1]
        for token in tokens
        if token.type == tokenize.COMMENT
        and not token.line[: token.start[1]].strip()
        and not (token.start == (1, 0) and token.string.startswith("#!"))
    }


def with_comments(first: int, column: int, above: dict[int, int]) -> int:
    while above.get(first - 1) == column:
        first -= 1
    return first


def walk(
    node: ast.AST, said: dict[int, int], above: tuple[str, ...] = (), inside: str = ""
) -> Iterator[Found]:
    """Go down the statements, with the names above in hand."""
    for field in ("body", "handlers", "orelse", "finalbody", "cases"):
        children = getattr(node, field, ())
        for child in children if isinstance(children, list) else ():
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                kind = "class" if isinstance(child, ast.ClassDef) else "method" if inside else "function"
                first = child.decorator_list[0].lineno if child.decorator_list else child.lineno
                assert child.end_lineno is not None
                names = (*above, child.name)
                yield kind, ".".join(names), with_comments(first, child.col_offset, said), child.end_lineno
                yield from walk(child, said, names, "class" if kind == "class" else "")
            else:
                yield from walk(child, said, above, inside)


def parsed(folder: Path) -> Iterator[tuple[str, str, list[Found]]]:
    for file in sorted(folder.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                module = ast.parse(text)
        except SyntaxError:
            continue
        yield file.relative_to(folder).as_posix(), text, sorted(walk(module, comments(text)))


@pytest.mark.parametrize(
    ("name", "files", "kinds"),
    [
        pytest.param(
            *("django-5.2.8", 2817, {"class": 10596, "method": 27556, "function": 2723}),
            marks=pytest.mark.long,
        ),
        ("flask-3.1.3", 83, {"class": 155, "method": 387, "function": 1032}),
    ],
)
def test_every_definition_is_found_with_its_lines(name: str, files: int, kinds: dict[str, int]) -> None:
    counts: Counter[str] = Counter()
    number = 0
    for path, text, expected in parsed(unpacked(name)):
        number += 1
        counts.update(kind for kind, _, _, _ in expected)
        nodes = read_outline(path, text)
        assert nodes is not None
        assert sorted((node.kind, node.qualified, node.start, node.end) for node in nodes[1:]) == expected
        others = outline_code(path, text, ".py")
        assert sorted((node.kind, node.qualified, node.start, node.end) for node in others) == expected
    assert (number, dict(counts)) == (files, kinds)


def test_the_file_of_django_that_python_refuses_is_read_by_tree_sitter() -> None:
    file = unpacked("django-5.2.8") / "tests/test_runner_apps/tagged/tests_syntax_error.py"
    nodes = read_outline("tests_syntax_error.py", file.read_text(encoding="utf-8"))
    assert nodes is not None
    assert [(node.kind, node.qualified) for node in nodes[1:]] == [
        ("class", "SyntaxErrorTestCase"),
    ]
