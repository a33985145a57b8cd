"""What a CI must know of a project to test it: what to install, what to keep, and which secrets are needed.

It is read from the configuration and the suites, so that a workflow fits a project that was there before.
"""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

from rankgate.errors import RankgateError
from rankgate.plugins import IN_EXTRAS
from rankgate.project.configuration import SystemSource, find_configuration
from rankgate.project.toml_edit import add_needs, write_setting
from rankgate.suites.formats import load_suite, suites_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from rankgate.model.suite import Suite
    from rankgate.project.configuration import Configuration, SystemEntry

PYTHON = "3.12"
"""The Python of a written workflow."""
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_CHUNKERS = ("chonkie", "langchain", "llama-index")
_WITHOUT_SECRETS = "github.event.pull_request.head.repo.fork || github.actor == 'dependabot[bot]'"
_GITHUB_SKIP = f" ${{{{ ({_WITHOUT_SECRETS}) && '--skip-missing' || '' }}}}"
_GITHUB_NOTE = """\
        # Pull requests from forks and Dependabot have no secrets: what needs them is not tested there.
"""
_GITLAB_SKIP = (
    ' $([ "$CI_MERGE_REQUEST_SOURCE_PROJECT_PATH" = "$CI_MERGE_REQUEST_PROJECT_PATH" ]'
    " || echo --skip-missing)"
)
_USUAL_BRANCHES = "main, master"
_SAFE_BRANCH = re.compile(r"[\w./-]+")


@dataclass(frozen=True, slots=True)
class CiNeeds:
    """What a CI needs to run `rankgate test` in a project."""

    extras: tuple[str, ...] = ()
    """The extras of rankgate."""
    programs: tuple[str, ...] = ()
    """Packages of the operating system."""
    secrets: tuple[str, ...] = ()
    """The variables that options of systems name."""
    needs: tuple[str, ...] = ()
    """What the system needs to be tested."""
    project: str = ""
    """What installs the project's own code, where the system is a function of it."""
    history: bool = False
    """Whether a corpus is a commit of the repository, which a shallow clone may lack."""
    files: tuple[str, ...] = ()
    """Globs of what answers depend on, whose change makes a new cache."""
    branch: str = _USUAL_BRANCHES
    """The branch that pull requests go to, or several."""

    @property
    def requirement(self) -> str:
        """What pip installs: this version of rankgate, so that an upgrade is a change that is seen."""
        extras = f"[{','.join(self.extras)}]" if self.extras else ""
        return f"rankgate{extras}=={version('rankgate')}"

    def installing(self) -> tuple[str, ...]:
        """Return the commands that install everything."""
        programs = (
            (f"apt-get update && apt-get install --yes {' '.join(self.programs)}",) if self.programs else ()
        )
        project = (f"python -m pip install {self.project}",) if self.project else ()
        return (*programs, *project, f'python -m pip install "{self.requirement}"')


def list_suites(project: Path) -> list[str]:
    """Write the suites that lie beside the configuration into it, where it lists none: CI names no suite.

    Returns:
        The names that were written.

    Raises:
        InputError: where the configuration cannot be read or written.
    """
    found = find_configuration(project)
    names = [] if found.path is None or found.suites else suites_in(found.path.parent)
    return names if names and found.path and write_setting(found.path, "suites", names) else []


def ci_needs(project: Path) -> CiNeeds:
    """Read what a CI needs from the configuration and the suites of a project.

    Raises:
        InputError: where the configuration cannot be read, or has no system to ask.
    """
    configuration = find_configuration(project)
    entry = configuration.entry(None)
    suites = [_read(file) for file in configuration.suite_files]
    corpora = [suite.corpus for suite in suites if suite is not None and suite.corpus is not None]
    extras = {
        *_system_extras(entry),
        *(extra for suite in suites if suite is not None for extra in _suite_extras(suite)),
    }
    return CiNeeds(
        extras=tuple(sorted(extras)),
        programs=tuple(_programs(entry)),
        secrets=_secrets(entry),
        needs=entry.needs,
        project=_own_code(entry, project),
        history=any(source.kind == "git" for source in corpora),
        files=tuple(
            dict.fromkeys(
                _files(configuration, [source.place for source in corpora if source.kind == "folder"])
            )
        ),
        branch=_branch(project),
    )


def list_needs(project: Path) -> tuple[str, ...]:
    """Add the variables that options of the system name to its `needs`, if it has none.

    Returns:
        The names that were added.

    Raises:
        InputError: where the configuration cannot be read.
    """
    found = find_configuration(project)
    entry = found.entry(None)
    names = _secrets(entry)
    written = found.path is not None and names and not entry.needs
    needs = [f"${{{name}}}" for name in names]
    return names if written and found.path and add_needs(found.path, entry.name, needs) else ()


def _secrets(entry: SystemEntry) -> tuple[str, ...]:
    """Return the variables that a system's options and needs name."""
    texts = json.dumps([dict(entry.options), entry.needs], default=str)
    return tuple(sorted(set(_VARIABLE.findall(texts))))


def _read(file: Path) -> Suite | None:
    try:
        return load_suite(file)
    except RankgateError:
        # What is wrong with it is the matter of `rankgate test`.
        return None


def _system_extras(entry: SystemEntry) -> Iterator[str]:
    from rankgate.systems.registry import kind_of

    if entry.source is SystemSource.PLUGIN:
        kind = kind_of(str(entry.target))
        if kind.library and kind.extra:
            yield kind.extra
        elif entry.target in IN_EXTRAS:
            yield IN_EXTRAS[entry.target]
    described = json.dumps(str(entry.chunks)) if entry.chunks else ""
    yield from (name for name in _CHUNKERS if name in described)


def _programs(entry: SystemEntry) -> Iterator[str]:
    from rankgate.systems.registry import kind_of

    if entry.source is SystemSource.PLUGIN:
        kind = kind_of(str(entry.target))
        if kind.program and not kind.library:
            yield kind.extra


def _suite_extras(suite: Suite) -> Iterator[str]:
    """Return the extras that the targets of a suite need: for reStructuredText and symbols."""
    places = [str(target.location) for case in suite.cases for target in case.targets]
    if any(".rst#" in place for place in places):
        yield "rst"
    if any("::" in place and not place.partition("::")[0].endswith(".py") for place in places):
        yield "code"


def _own_code(entry: SystemEntry, project: Path) -> str:
    """Return what pip installs for a function of the project; nothing for the search that `init` wrote."""
    if entry.source is not SystemSource.FUNCTION or "starter_search.py" in str(entry.target):
        return ""
    if (project / "requirements.txt").is_file():
        return "-r requirements.txt"
    return (
        "."
        if (project / "pyproject.toml").is_file() and "[build-system]" in _text(project / "pyproject.toml")
        else ""
    )


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _files(configuration: Configuration, places: list[str]) -> Iterator[str]:
    yield from (
        "rankgate.toml" if configuration.path is None else configuration.path.name,
        *dict.fromkeys(entry.file for entry in configuration.suites),
    )
    yield from (f"{place.strip('/').removeprefix('./')}/**" for place in places if place.strip("./"))


def _branch(project: Path) -> str:
    """Return the default branch of origin; the two usual ones where git does not know it."""
    words = ("git", "-C", str(project), "symbolic-ref", "--short", "refs/remotes/origin/HEAD")
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=10, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return _USUAL_BRANCHES
    name = done.stdout.strip().removeprefix("origin/")
    return name if done.returncode == 0 and _SAFE_BRANCH.fullmatch(name) else _USUAL_BRANCHES


def github_values(needs: CiNeeds) -> Mapping[str, str]:
    """Return what the templates of GitHub's workflows are filled with."""
    secrets = "".join(f"          {name}: ${{{{ secrets.{name} }}}}\n" for name in needs.secrets)
    install = (line.replace("apt-get", "sudo apt-get") for line in needs.installing())
    return {
        "skip": _GITHUB_SKIP if needs.needs or secrets else "",
        "note": _GITHUB_NOTE if needs.needs or secrets else "",
        "env": f"        env:\n{secrets}" if secrets else "",
        "install": "\n".join(f"          {line}" for line in install),
        "hashed": ", ".join(f"'{name}'" for name in needs.files),
        "depth": "0  # the corpus is a commit of this repository" if needs.history else "1",
        "pinned": needs.files[0],
        "branch": needs.branch,
        "python": PYTHON,
        "version": version("rankgate"),
    }


def gitlab_values(needs: CiNeeds) -> Mapping[str, str]:
    """Return what the template of GitLab's jobs is filled with."""
    return {
        "install": "\n".join(f"    - {line}" for line in needs.installing()),
        "skip": _GITLAB_SKIP if needs.needs or needs.secrets else "",
        "depth": "0" if needs.history else "20",
        "python": PYTHON,
        "version": version("rankgate"),
    }
