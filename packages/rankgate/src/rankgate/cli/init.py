"""``rankgate init``: a configuration, a suite to fill, and CI for this folder."""

from __future__ import annotations

import json
import os
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankgate.cli.options import echo_names
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.corpora.folder import FolderCorpus
    from rankgate.locations import Location
    from rankgate.project.init.found_search import FoundSearch
    from rankgate.project.init.project_parts import ProjectDocuments

STARTER = "./starter_search.py:search"
"""The system that stands in until the user names one."""
SUITE, CONFIGURATION = "search.yaml", "rankgate.toml"
_CODE = (".py",)
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command()
@click.argument("folder", default=".", type=_FOLDER)
@click.option("--corpus", type=_FOLDER, help="Where the documents are.")
@click.option(
    "--ci",
    type=click.Choice(["github", "gitlab"]),
    help="Write a CI configuration that tests pull requests and the default branch.",
)
def init(folder: Path, corpus: Path | None, ci: str | None) -> None:
    """Look at a folder and write rankgate.toml and search.yaml; nothing is overwritten.

    OpenSearch and Elasticsearch are found by their configuration or by the composition of containers.

    \b
    rankgate init
    rankgate init --corpus handbook/
    rankgate init --ci github
    """
    from rankgate.project.init.found_search import find_search
    from rankgate.project.init.project_parts import find_documents
    from rankgate.project.init.proposals import places_to_ask_for

    if ci and _has_suite(folder):
        _write_ci(folder, ci)
        echo_names("\nNext:\n  rankgate test\n  rankgate baseline set    and commit everything")
        return
    documents = find_documents(folder, corpus)
    search = find_search(folder)
    places, unread = places_to_ask_for(_opened(documents, folder))
    if not places:
        _refuse(documents)
    if search is not None:
        echo_names(f"found  {search.kind or 'a search function'} ({search.where})")
    _write_project(folder, documents, search, places)
    if unread:
        path, why = next(iter(unread.items()))
        echo_names(f"{many(len(unread), 'file')} not outlined, such as {path}: {why}")
    if search is None:
        click.echo("No search was found, so starter_search.py stands in for yours.")
    last = f"rankgate init --ci {ci or 'github'}"
    echo_names(f"\nNext:\n  write a case in {SUITE}\n  rankgate test\n  {last}")


def _has_suite(folder: Path) -> bool:
    """Return whether a folder has a configuration, and the configuration a suite."""
    from rankgate.project.find import find_configuration
    from rankgate.suites.formats import suites_in

    found = find_configuration(folder)
    suites = found.suite_files or [found.root / name for name in suites_in(found.root)]
    return found.path is not None and found.root == folder.resolve() and any(map(Path.is_file, suites))


def _opened(documents: ProjectDocuments, project: Path) -> FolderCorpus:
    """Open the documents as the suite will."""
    from rankgate.corpora.corpus import Selection
    from rankgate.corpora.folder import FolderCorpus

    corpus = FolderCorpus.open(documents.folder, root=project)
    return corpus.only(Selection(documents.include).why_not) if documents.include else corpus


def _refuse(documents: ProjectDocuments) -> None:
    from rankgate.errors import Code, InputError

    fix = "name the folder with --corpus, or write search.yaml by hand"
    found = "no section with a text"
    raise InputError(Code.EMPTY_CORPUS(str(documents.folder), found, "documents or code", fix))


def _write_project(
    folder: Path,
    documents: ProjectDocuments,
    search: FoundSearch | None,
    places: Sequence[Location],
) -> None:
    """Write the files that do not exist yet."""
    relative = _relative(documents.folder, folder)
    files = {CONFIGURATION: _template("rankgate.toml", system=_system(search))}
    if search is None:
        endings = tuple(glob.rpartition("*")[2] for glob in documents.include) or _CODE
        files["starter_search.py"] = _template(
            "starter_search.txt", corpus=json.dumps(relative), endings=repr(endings)
        )
    files[SUITE] = _suite(documents, relative, places)
    for name, text in files.items():
        _write(folder / name, name, text)


def _system(search: FoundSearch | None) -> str:
    """Write the table of the system."""
    if search is None or search.function:
        function = json.dumps(STARTER if search is None else search.function)
        returns = "returns ids, dicts, (id, score) pairs or rankgate.Hit"
        return f"function = {function}  # called as search(query, k); {returns}"
    lines = [f"kind = {json.dumps(search.kind)}  # {search.where}", f"hosts = [{json.dumps(search.host)}]"]
    lines += [f"index = {json.dumps(search.index)}  # the index that your application searches"]
    if search.body:
        lines += [f"body_file = {json.dumps(search.body)}"]
    else:
        lines += ["# Replace the body with the request that your application sends to _search."]
        lines += ['body = { size = "{k}", query = { multi_match = { query = "{query}" } } }']
    lines += ['fields = { id = "_id", path = "_source.path" }  # where a hit says which document it is']
    return "\n".join(lines)


def _suite(
    documents: ProjectDocuments,
    relative: str,
    places: Sequence[Location],
) -> str:
    parts = [f"folder: {relative}"]
    if documents.include:
        parts.append(f"include: {json.dumps(documents.include)}")
    corpus = relative if len(parts) == 1 else f"{{{', '.join(parts)}}}"
    head = _template("search.yaml", corpus=corpus)
    return head + "".join(map(_case, places))


def _case(place: Location) -> str:
    """Write a section as a comment, for the user to add a query to."""
    return f'  # - query: ""\n  #   at: {json.dumps(str(place), ensure_ascii=False)}\n'


def _write_ci(folder: Path, ci: str) -> None:
    """Write the files that test the project in CI."""
    from rankgate.project.init.workflows import (
        ci_values,
        list_needs,
        list_suites,
        not_started,
        repository_root,
    )

    if listed := list_suites(folder):
        echo_names(f"wrote  suites = {json.dumps(listed)} into {CONFIGURATION}: what CI tests")
    if missing := list_needs(folder):
        echo_names(f"wrote  needs = {json.dumps([f'${{{name}}}' for name in missing])} into {CONFIGURATION}")
    root = repository_root(folder.resolve())

    def write(path: str, text: str) -> bool:
        return _write(root / path, Path(os.path.relpath(root / path, folder)).as_posix(), text)

    text = _template(f"{ci}.yml", **ci_values(folder, ci))
    if ci == "github":
        write(".github/workflows/rankgate.yml", text)
    else:
        include = "include: [{local: .gitlab/rankgate.yml}]\n"
        write(".gitlab/rankgate.yml", text)
        if not write(".gitlab-ci.yml", include):
            click.echo(f"       add to it: {include.strip()}")
    if local := not_started(folder, ci):
        fix = f"Set `start` and `ready` of its system in {CONFIGURATION}."
        echo_names(f"Nothing starts {' and '.join(local)} in CI. {fix}")


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
    path.write_text(text, encoding="utf-8", newline="\n")
    echo_names(f"wrote  {name}")
    return True


def _relative(location: Path, folder: Path) -> str:
    relative = location.resolve().relative_to(folder.resolve()).as_posix()
    return "./" if relative == "." else f"{relative}/"
