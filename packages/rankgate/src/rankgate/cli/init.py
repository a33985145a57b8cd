"""``rankgate init``: a configuration, ten proposed cases and a CI workflow for this folder."""

from __future__ import annotations

import ast
import json
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankgate.cli.options import echo_names
from rankgate.errors import Code

if TYPE_CHECKING:
    from rankgate.evaluation.project.case_proposals import Proposal

_CORPORA = ("docs", "doc", "documentation", "content", "wiki")
_SKIPPED = {".git", ".venv", "venv", "node_modules", "__pycache__", "build", "dist", "tests", "test"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NAMES = ("search", "retrieve", "find")
STARTER = "./starter_search.py:search"
"""The system that stands in until the user names one."""


_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command()
@click.argument("folder", default=".", type=_FOLDER)
@click.option("--corpus", type=_FOLDER, help="Where the documents are.")
@click.option("--ci", is_flag=True, help="Require a baseline: CI then fails where somebody deletes it.")
def init(folder: Path, corpus: Path | None, ci: bool) -> None:
    """Look at a folder and write rankgate.toml, search.yaml and a CI workflow; nothing is overwritten."""
    from rankgate.corpora.folder import FolderCorpus
    from rankgate.errors import InputError
    from rankgate.evaluation.project.case_proposals import propose
    from rankgate.model.wording import many

    location = corpus or _corpus(folder)
    proposals, unread = propose(FolderCorpus.open(location, root=folder))
    if not proposals:
        fix = "name the folder with --corpus, or write search.yaml by hand"
        found = "no Markdown heading and no Python symbol"
        raise InputError(Code.EMPTY_CORPUS(str(location), found, "documents or code", fix))
    relative = _relative(location, folder)
    function = _function(folder)
    files = {
        "rankgate.toml": _template("rankgate.toml", function=json.dumps(function or STARTER)),
        "search.yaml": _template("search.yaml", corpus=relative) + "".join(map(_case, proposals)),
        ".github/workflows/rankgate.yml": _template("workflow.yml"),
    }
    if function is None:
        files["starter_search.py"] = _template("starter_search.txt", corpus=json.dumps(relative))
    written = [name for name, text in files.items() if _write(folder / name, name, text)]
    if ci:
        _require(folder)
    if "search.yaml" in written:
        echo_names(f"\n{len(proposals)} cases proposed from {relative}, none reviewed yet.")
    if unread:
        path, why = next(iter(unread.items()))
        echo_names(f"{many(len(unread), 'file')} not outlined, such as {path}: {why}")
    if function is None:
        click.echo("No search function was found, so starter_search.py stands in for yours.")
    elif "rankgate.toml" in written:
        echo_names(f"The system is {function}; rankgate.toml says so.")
    last = "\n  rankgate baseline set" if ci else ""
    echo_names(f'\nNext:\n  rankgate ask app "{proposals[0].query}"\n  rankgate test{last}')


def _template(name: str, **values: str) -> str:
    """Fill a file of the templates folder: ``@name@`` stands for a value."""
    text = resources.files("rankgate.cli").joinpath("templates", name).read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    return text


def _write(path: Path, name: str, text: str) -> bool:
    """Write a file that is not there; return whether it was written."""
    if path.exists():
        echo_names(f"kept   {name} (it was there)")
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    echo_names(f"wrote  {name}")
    return True


def _require(folder: Path) -> None:
    from rankgate.evaluation.configuration import find_configuration
    from rankgate.evaluation.project.baseline_set import KEY, require_baselines

    configuration = find_configuration(folder)
    if require_baselines(configuration):
        name = configuration.path.name if configuration.path else ""
        echo_names(f"wrote  {KEY} = true into {name}")


def _corpus(folder: Path) -> Path:
    """Take the documentation folder, where there is one with something in it."""
    for name in _CORPORA:
        if any((folder / name).glob("**/*.md")):
            return folder / name
    return folder


def _relative(location: Path, folder: Path) -> str:
    relative = location.resolve().relative_to(folder.resolve()).as_posix()
    return "./" if relative == "." else f"{relative}/"


def _case(proposal: Proposal) -> str:
    query, at = (json.dumps(text, ensure_ascii=False) for text in (proposal.query, str(proposal.at)))
    return f"  - query: {query}\n    at: {at}\n    reviewed: false\n"


def _function(folder: Path) -> str | None:
    """Look for a function that searches, in the Python files nearest to the top."""
    files = [path for path in folder.rglob("*.py") if not _SKIPPED & set(path.relative_to(folder).parts)]
    for path in sorted(files, key=lambda path: (len(path.parts), path)):
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, ValueError, OSError):
            continue
        for node in tree.body:
            if isinstance(node, _FUNCTIONS) and node.name in _NAMES and _asks(node):
                return f"./{path.relative_to(folder).as_posix()}:{node.name}"
    return None


def _asks(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether this is a search and no helper: its first parameter is a query."""
    return bool(node.args.args) and node.args.args[0].arg in ("query", "q", "text", "question")
