"""The CI files of `rankgate init --ci`: what to install, build and start before a project is tested."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

from rankgate.errors import RankgateError
from rankgate.plugins import IN_EXTRAS
from rankgate.project.configuration import VARIABLE, SystemSource
from rankgate.project.find import find_configuration
from rankgate.project.init.found_search import COMPOSE
from rankgate.project.toml_edit import add_needs, write_setting
from rankgate.suites.formats import load_suite, suites_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from rankgate.project.configuration import Configuration, SystemEntry

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
"""The Python of a workflow: the one that `init` runs in, because the search works there."""
_SETUP_NODE = """\
      - uses: actions/setup-node@v4
        with:
          node-version: "22"
"""
_NOT_SECRETS = frozenset({"HOME", "PATH", "PWD", "TMPDIR", "USER"})
"""Variables that each machine sets."""
_CHUNKERS = ("chonkie", "langchain", "llama-index")
_USUAL_BRANCHES = "main, master"
_SAFE_BRANCH = re.compile(r"[\w./-]+")
_LOCAL = re.compile(r"(?:https?://)?\b(?:localhost|127\.0\.0\.1)\b(?::\d+)?")
_NODE_INSTALL = {
    "package-lock.json": ("npm ci",),
    "pnpm-lock.yaml": ("corepack enable", "pnpm install --frozen-lockfile"),
    "yarn.lock": ("corepack enable", "yarn install --frozen-lockfile"),
    "package.json": ("npm install",),
}
"""The commands that install the packages of Node.js, by the first of these files that exists."""


def list_suites(project: Path) -> list[str]:
    """Write the suites beside the configuration into it if it lists none, and return their names.

    Raises:
        InputError: if the configuration can't be read or written.
    """
    found = find_configuration(project)
    names = [] if found.path is None or found.suites else suites_in(found.path.parent)
    return names if names and found.path and write_setting(found.path, "suites", names) else []


def list_needs(project: Path) -> tuple[str, ...]:
    """Add the variables that a tested system names to its `needs`, if it has none, and return them.

    Raises:
        InputError: if the configuration can't be read.
    """
    found = find_configuration(project)
    added: list[str] = []
    for entry in _tested_systems(found):
        names = _secrets(entry)
        if found.path and names and not entry.needs:
            needs = [f"${{{name}}}" for name in names]
            added += names if add_needs(found.path, entry.name, needs) else ()
    return tuple(dict.fromkeys(added))


def repository_root(folder: Path) -> Path:
    """Return the folder of the git repository; the folder itself if it is in none."""
    return next((one for one in (folder, *folder.parents) if (one / ".git").exists()), folder)


def ci_values(project: Path, ci: str) -> Mapping[str, str]:
    """Return the values of the template for GitHub or GitLab.

    Raises:
        InputError: if the configuration can't be read, or names no system to test.
    """
    configuration = find_configuration(project)
    entries, root = _tested_systems(configuration), configuration.root
    prefix = f"{root.relative_to(repository_root(root)).as_posix()}/".removeprefix("./")
    extras, programs = _packages(entries)
    listed = ",".join(sorted({*extras, *_suite_extras(configuration)}))
    requirement = f"rankgate{f'[{listed}]' if listed else ''}=={version('rankgate')}"
    node = list(_node(root)) if any(map(_runs_program, entries)) else []
    install = [*node, f'python -m pip install {_own_python(root, entries)}"{requirement}"']
    if node and ci == "gitlab":
        programs += ["nodejs", "npm"]
    if programs:
        apt = "sudo apt-get" if ci == "github" else "apt-get"
        install[:0] = [f"{apt} update", f"{apt} install --yes {' '.join(dict.fromkeys(programs))}"]
    if prefix and ci == "gitlab":
        install.insert(0, f"cd {json.dumps(prefix)}")
    local = _local_addresses(entries) if _has_compose(root) else []
    wait = "curl --silent --show-error --output /dev/null --retry 60 --retry-delay 2 --retry-all-errors"
    start = ["docker compose up --detach --wait", *(f"{wait} {one}" for one in local if "://" in one)]
    services = f"      - name: Start the services\n        run: |\n{_lines('          ', start)}"
    secrets = sorted({name for entry in entries for name in _secrets(entry)})
    return {
        "branch": _branch(root),
        "defaults": f"    defaults: {{run: {{working-directory: {json.dumps(prefix)}}}}}\n" if prefix else "",
        "env": _lines("          ", (f"{name}: ${{{{ secrets.{name} }}}}" for name in secrets)),
        "install": _lines("          " if ci == "github" else "    - ", install),
        "node": _SETUP_NODE if node else "",
        "pinned": json.dumps(prefix + (configuration.path.name if configuration.path else "")),
        "prefix": prefix,
        "python": PYTHON,
        "services": services if local else "",
        "version": version("rankgate"),
    }


def not_started(project: Path, ci: str) -> list[str]:
    """Return the addresses of this machine at which a tested system is, and where nothing starts it in CI."""
    configuration = find_configuration(project)
    started = ci == "github" and _has_compose(configuration.root)
    return [] if started else _local_addresses(_tested_systems(configuration))


def _lines(before: str, texts: Iterable[str]) -> str:
    return "".join(f"{before}{text}\n" for text in texts)


def _has_compose(root: Path) -> bool:
    return any((root / name).is_file() for name in COMPOSE)


def _tested_systems(configuration: Configuration) -> list[SystemEntry]:
    """Return the systems that `rankgate test` tests."""
    named = [name for file in configuration.suite_files for name in configuration.tested_systems(file)]
    return [configuration.entry(name) for name in dict.fromkeys(named or [None])]


def _secrets(entry: SystemEntry) -> tuple[str, ...]:
    """Return the variables that a system names."""
    programs = [entry.target, entry.preparation.start, entry.preparation.prepare]
    texts = json.dumps([dict(entry.options), entry.needs, programs], default=str)
    return tuple(sorted({*VARIABLE.findall(texts)} - _NOT_SECRETS))


def _packages(entries: list[SystemEntry]) -> tuple[set[str], list[str]]:
    """Return the extras of rankgate and the packages of Debian that the systems need."""
    from rankgate.systems.registry import kind_of

    extras, programs = set(), []
    for entry in entries:
        if entry.source is SystemSource.PLUGIN:
            kind = kind_of(str(entry.target))
            if kind.library and kind.extra:
                extras.add(kind.extra)
            elif entry.target in IN_EXTRAS:
                extras.add(IN_EXTRAS[entry.target])
            if kind.program and not kind.library:
                programs.append(kind.extra)
        extras.update(name for name in _CHUNKERS if entry.chunks and name in str(entry.chunks))
    return extras, programs


def _suite_extras(configuration: Configuration) -> Iterator[str]:
    """Return the extras that the targets of the suites need: for reStructuredText and for symbols."""
    for file in configuration.suite_files:
        try:
            suite = load_suite(file)
        except RankgateError:  # `rankgate test` reports it
            continue
        places = [str(target.location) for case in suite.cases for target in case.targets]
        if any(".rst#" in place for place in places):
            yield "rst"
        if any("::" in place and not place.partition("::")[0].endswith(".py") for place in places):
            yield "code"


def _runs_program(entry: SystemEntry) -> bool:
    """Return whether the system runs a program of the project."""
    ready = entry.preparation
    return bool(
        entry.source is SystemSource.COMMAND or ready.start or ready.prepare or entry.options.get("command")
    )


def _own_python(root: Path, entries: list[SystemEntry]) -> str:
    """Return the arguments of pip for the project's own code; empty if no tested system runs any."""
    functions = [str(entry.target) for entry in entries if entry.source is SystemSource.FUNCTION]
    own = any("starter_search.py" not in target for target in functions)
    if not own and not any(map(_runs_program, entries)):
        return ""
    if (root / "requirements.txt").is_file():
        return "-r requirements.txt "
    project = root / "pyproject.toml"
    built = project.is_file() and "[build-system]" in project.read_text(encoding="utf-8", errors="replace")
    return "--editable . " if built or (root / "setup.py").is_file() else ""


def _node(root: Path) -> Iterator[str]:
    """Return the commands that install and build a project of Node.js."""
    if not (root / "package.json").is_file():
        return
    yield from next(commands for name, commands in _NODE_INSTALL.items() if (root / name).is_file())
    try:
        scripts = json.loads((root / "package.json").read_text(encoding="utf-8")).get("scripts", {})
    except (ValueError, AttributeError):
        return
    if "build" in scripts:
        yield "npm run build"


def _local_addresses(entries: list[SystemEntry]) -> list[str]:
    """Return the addresses of this machine at which systems are that have no `start`."""
    options = [
        json.dumps(dict(entry.options), default=str) for entry in entries if not entry.preparation.start
    ]
    return list(dict.fromkeys(found[0] for text in options if (found := _LOCAL.search(text))))


def _branch(project: Path) -> str:
    """Return the default branch of origin; the two usual ones if git does not know it."""
    words = ("git", "-C", str(project), "symbolic-ref", "--short", "refs/remotes/origin/HEAD")
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=10, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return _USUAL_BRANCHES
    name = done.stdout.strip().removeprefix("origin/")
    return name if done.returncode == 0 and _SAFE_BRANCH.fullmatch(name) else _USUAL_BRANCHES
