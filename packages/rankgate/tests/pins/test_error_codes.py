"""Every problem that the source makes has a kind, said by itself or by the class it is raised with."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from rankgate.cli.doctor.explain import explanations
from rankgate.errors import Code, FormatError, InputError, Problem, RankgateError, SystemFailedError
from rankgate.evaluation.stopped import shown_error
from rankgate.files.problems import Problems
from support.commands import rankgate
from support.repository import ROOT

SOURCE = Path(__file__).parents[2] / "src" / "rankgate"
GENERAL = {"RankgateError", "InputError", "SystemFailedError"}
"""Errors whose own kind says no more than the exit code: it is for plugins, which may know no other."""
ELSEWHERE = {
    "codes.py": "the kinds themselves",
    "truth/lint/__init__.py": "a finding of lint is named by its rule",
}


def _own_kinds(trees: list[ast.Module]) -> set[str]:
    """Return the errors whose class says a kind, and those that inherit from them."""
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    found = {
        node.name
        for node in classes
        for line in node.body
        if isinstance(line, ast.AnnAssign) and getattr(line.target, "id", "") == "default_code"
    } - GENERAL
    for _ in range(3):
        found |= {node.name for node in classes if {getattr(base, "id", "") for base in node.bases} & found}
    return found


def _name(call: ast.expr) -> str:
    function = call.func if isinstance(call, ast.Call) else None
    if isinstance(function, ast.Name):
        return function.id
    return f".{function.attr}" if isinstance(function, ast.Attribute) else ""


def without_kind(tree: ast.Module, kinds: set[str]) -> list[int]:
    """Return the lines of a module that make a problem of no kind, or raise words alone."""
    sayers = {*kinds, ".add", ".add_alike"}
    said = {
        id(argument)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _name(node) in sayers
        for argument in node.args
    }
    lines = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        by_itself = len(node.args) > 5 or "code" in {keyword.arg for keyword in node.keywords}
        if _name(node) in {"Problem", ".Problem"} and not by_itself and id(node) not in said:
            lines.append(node.lineno)
        if _name(node) in {"InputError", "RankgateError"} and isinstance(
            node.args[0], (ast.Constant, ast.JoinedStr)
        ):
            lines.append(node.lineno)
    return lines


def test_every_problem_of_the_source_has_a_kind() -> None:
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SOURCE.rglob("*.py"))}
    kinds = _own_kinds(list(trees.values()))
    found = [
        f"{name}:{line}: write Code.KIND(…) for Problem(…), with a kind of codes.py"
        for path, tree in trees.items()
        if (name := path.relative_to(SOURCE).as_posix()) not in ELSEWHERE
        for line in without_kind(tree, kinds)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('raise InputError(Problem("a", "b", "c"))', [1]),
        ('raise SystemFailedError([Problem("a", "b", "c")])', [1]),
        ('raise InputError(f"wrong {x}")', [1]),
        ('raise InputError(Code.CONFLICT("a", "b", "c"))', []),
        ('raise FormatError(Problem("a", "b", "c"))', []),
        ('problems.add(Problem("a", "b", "c"))', []),
        ('Problem("a", "b", "c", code=one.code)', []),
    ],
)
def test_a_problem_without_a_kind_is_found(source: str, lines: list[int]) -> None:
    assert without_kind(ast.parse(source), {"FormatError"}) == lines


def test_every_kind_is_made_somewhere() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    assert [code for code in Code if f"Code.{code.name}" not in source] == []


def test_a_problem_keeps_its_kind_and_takes_that_of_the_error_where_it_has_none() -> None:
    plain, of_kind = Problem("a", "b", "c"), Code.CONFLICT("a", "b", "c")
    assert plain == of_kind
    assert InputError([of_kind, plain]).code is Code.CONFLICT
    assert [one.code for one in SystemFailedError([plain, of_kind]).problems] == ["system-failed", "conflict"]
    assert SystemFailedError(FormatError(plain).problems).code is Code.WRONG_FORMAT
    assert RankgateError("words").code is Code.WRONG_INPUT


def test_what_is_gathered_of_a_file_has_a_kind_before_it_is_refused() -> None:
    problems = Problems("a.qrels")
    problems.add(Problem("a", "b", "c"))
    assert [one.code for one in problems.shown] == [Code.WRONG_FORMAT]


def test_every_kind_is_explained_and_in_the_order_of_the_page() -> None:
    assert list(explanations()) == list(Code)


@pytest.mark.parametrize("code", Code)
def test_a_kind_has_what_it_means_and_the_next_command_or_edit(code: Code) -> None:
    facts = explanations()[code]
    assert facts.means.endswith(".")
    assert facts.do.endswith(".")
    assert not facts.see or (ROOT / "docs" / facts.see).is_file()
    assert f"\n### {code}\n\n{facts.means}\n" in (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")


def test_explain_prints_one_or_lists_all() -> None:
    one = rankgate("explain", "[no-suite]")
    assert one.out.startswith("no-suite: No suite is named")
    assert "docs/errors.md#no-suite" in one.out
    assert len(rankgate("explain").out.splitlines()) == len(Code)
    assert "did you mean no-suite?" in rankgate("explain", "nosuite").err


@pytest.mark.parametrize(
    ("found", "code"),
    [
        ("No such file or directory", Code.NO_SUCH_FILE),
        ("No space left on device", Code.NO_SPACE),
        ("Permission denied", Code.UNREADABLE_FILE),
    ],
)
def test_a_file_that_cannot_be_opened_is_told_apart_by_what_the_system_says(found: str, code: Code) -> None:
    assert Code.UNREADABLE_FILE("a", found, "a file that can be read").code is code
    assert shown_error(OSError(0, found, "a")).code is code
