"""The page of the Python API: what `import rankgate` offers, as its source says it.

Signatures are taken from the source, not from the running program: they read the same in every Python.
"""

from __future__ import annotations

import ast
import inspect
import re
from typing import TYPE_CHECKING

import rankgate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HEAD = """# Python API

Every name that `import rankgate` offers, with what it is for. `just reference-pages` writes this page from
the program, and a test compares it. [Suites](suites.md), [systems](systems.md) and [plugins](plugins.md) show
them in use; most projects need `evaluate` and `load_suite` alone. Names that begin with an underscore, and
modules below `rankgate`, may change without notice.

<!-- fragment: search.yaml is a suite of yours -->

```python
import rankgate as rg


def search(query: str, k: int) -> list[str]:
    return ["keys.md:5-8", "install.md"][:k]


result = rg.evaluate(rg.load_suite("search.yaml"), search, metrics=["ndcg@10", "r@5"])
assert result["ndcg@10"] >= 0.65
```
"""
ERRORS = """Each carries its problems: where, what was found, what was expected, what to do.
"""


def python_page(escaped: Callable[[str], str]) -> str:
    """Return the page; `escaped` makes text of what would be markup."""
    found = {name: getattr(rankgate, name) for name in rankgate.__all__}
    functions = [name for name, one in found.items() if inspect.isfunction(one)]
    errors = [
        name
        for name, one in found.items()
        if inspect.isclass(one) and issubclass(one, rankgate.RankgateError)
    ]
    classes = [name for name, one in found.items() if inspect.isclass(one) and name not in errors]
    others = [name for name in found if name not in {*functions, *errors, *classes}]
    lines = [HEAD, "## Functions", ""]
    for name in functions:
        lines += [
            f"### {name}",
            "",
            *_signature(name, _tree(found[name])),
            "",
            _first(found[name], escaped),
            "",
        ]
    lines += ["## Types", ""]
    for name in classes:
        lines += [f"### {name}", "", _first(found[name], escaped), "", *_members(found[name], escaped)]
    lines += ["## Errors", "", ERRORS]
    lines += [f"- `{name}`: {_first(found[name], escaped)}" for name in errors]
    lines += ["", "## Constants", "", *(f"- `{name}`" for name in others), ""]
    return "\n".join(lines)


def _tree(one: object) -> ast.ClassDef | ast.FunctionDef:
    node = ast.parse(inspect.getsource(one)).body[0]  # type: ignore[arg-type]
    assert isinstance(node, (ast.ClassDef, ast.FunctionDef))
    return node


def _first(one: object, escaped: Callable[[str], str]) -> str:
    """Return the first paragraph of a docstring."""
    return _words(inspect.getdoc(one) or "", escaped)


def _words(doc: str, escaped: Callable[[str], str]) -> str:
    return escaped(" ".join(re.split(r"\n\s*\n", doc.strip())[0].replace("``", "`").split()))


def _signature(name: str, node: ast.AST) -> list[str]:
    """Return a function as it is called."""
    assert isinstance(node, ast.FunctionDef)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    whole = f"{name}({ast.unparse(node.args)}){returns}"
    return [f"    {whole}"]


def _members(kind: type, escaped: Callable[[str], str]) -> Iterator[str]:
    """Return a row a public field, property or method, with the docstring below it.

    What a type has from a base that is not public itself is its own to a reader.
    """
    of = [one for one in kind.__mro__ if one.__module__.startswith("rankgate")]
    nodes = [_tree(one) for one in of if one is kind or one.__name__ not in rankgate.__all__]
    rows = [row for of_kind in (_fields, _methods) for node in nodes for row in of_kind(node, escaped)]
    if rows:
        yield from ("| member | |", "|---|---|", *rows, "")


def _fields(node: ast.AST, escaped: Callable[[str], str]) -> Iterator[str]:
    assert isinstance(node, ast.ClassDef)
    for at, item in enumerate(node.body):
        if not isinstance(item, ast.AnnAssign) or not isinstance(item.target, ast.Name):
            continue
        if item.target.id.startswith("_"):
            continue
        after = node.body[at + 1] if at + 1 < len(node.body) else None
        told = (
            after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
        )
        typed = ast.unparse(item.annotation)
        if typed.startswith("ClassVar["):
            typed = typed.removeprefix("ClassVar[").removesuffix("]")
        yield f"| {_code(f'{item.target.id}: {typed}')} | {_words(str(told), escaped)} |"


def _methods(node: ast.AST, escaped: Callable[[str], str]) -> Iterator[str]:
    assert isinstance(node, ast.ClassDef)
    for item in node.body:
        if not isinstance(item, ast.FunctionDef) or item.name.startswith("_"):
            continue
        marks = {ast.unparse(mark) for mark in item.decorator_list}
        if any(mark.endswith((".setter", "overload")) for mark in marks):
            continue
        returns = ast.unparse(item.returns) if item.returns else ""
        if marks & {"property", "cached_property"}:
            called = f"{item.name}: {returns}"
        else:
            own = [] if "staticmethod" in marks else item.args.args[:1]
            given = ast.unparse(item.args)
            given = given.removeprefix(own[0].arg).removeprefix(", ") if own else given
            called = f"{item.name}({given})" + (f" -> {returns}" if returns else "")
        yield f"| {_code(called)} | {_words(ast.get_docstring(item) or '', escaped)} |"


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|")
