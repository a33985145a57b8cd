"""What a project says of itself: its configuration, suites, documents, targets and gates."""

from __future__ import annotations

import shlex
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.cli.doctor.edits import edit_for, word_edit
from rankgate.cli.doctor.health import ExaminedSuite, HealthResult, wrong
from rankgate.errors import InputError
from rankgate.wording import many

if TYPE_CHECKING:
    from rankgate.cli.doctor.health import ExaminedProject
    from rankgate.project.configuration import Configuration

_SUITES = (".yaml", ".yml", ".json", ".jsonl", ".toml")


def check_configuration(project: ExaminedProject) -> HealthResult:
    """Read the configuration."""
    from rankgate.project.find import configuration_for
    from rankgate.wording import shortest

    found = configuration_for(project.files[0] if project.files else None)
    project.configuration = found
    if found.path is None:
        if project.files and project.system:
            return HealthResult(said="none, which a suite and a system that are named do not need")
        return wrong("there is no rankgate.toml here or above", "rankgate init")
    systems = many(len(found.systems), "system")
    return HealthResult(said=f"{shortest(found.path)}, {systems}, {many(len(found.suite_files), 'suite')}")


def check_suites(project: ExaminedProject) -> HealthResult:
    """Read every suite."""
    from rankgate.suites.asked_suite import asked_suite
    from rankgate.suites.formats import load_suite

    configuration = _configuration(project)
    try:
        files = configuration.chosen_suites(project.files)
    except InputError as error:
        # Where there is a suite that nobody named, the problem stands at its file.
        (problem,) = error.problems
        there = Path(problem.where).is_file()
        return wrong(
            str(problem), f"rankgate doctor {_word(Path(problem.where))}" if there else "rankgate init"
        )
    for file in files:
        if not file.exists():
            return _absent(file, configuration)
        suite = asked_suite(load_suite(file))
        if not len(suite.cases):
            command = f"rankgate query SYSTEM QUERY --save-case --suite {_word(file)}"
            return wrong(f"{file} has no case", command)
        project.suites.append(ExaminedSuite(file, suite))
    cases = sum(len(one.suite.cases) for one in project.suites)
    return HealthResult(said=f"{', '.join(map(str, files))}, {many(cases, 'case')}")


def _absent(file: Path, configuration: Configuration) -> HealthResult:
    """Return what to do about a suite that does not exist."""
    folder = file.parent if file.parent.is_dir() else Path.cwd()
    names = [one.name for one in folder.iterdir() if one.suffix in _SUITES]
    near = get_close_matches(file.name, names, 1)
    edit = word_edit(configuration.path, file.name, near[0]) if near and configuration.path else None
    return wrong(f"{file} does not exist", "" if edit else "rankgate init", edit)


def check_corpora(project: ExaminedProject) -> HealthResult:
    """Open the documents of every suite."""
    from rankgate.project.opening import open_corpus

    root, said = _configuration(project).corpus_root, []
    for one in project.suites:
        source = one.suite.corpus
        if source is not None and source.kind == "folder":
            folder = one.file.parent / source.place
            if not folder.is_dir():
                return _no_folder(one.file, str(source.place))
        one.corpus = open_corpus(one.suite, root)
        if one.corpus is None:
            said.append(f"{one.file} has ids and no documents")
        elif not len(one.corpus):
            return wrong(
                f"the corpus of {one.file} has no document", f"rankgate suite lint {_word(one.file)}"
            )
        else:
            said.append(many(len(one.corpus), "document"))
    return HealthResult(said=", ".join(said))


def _no_folder(file: Path, place: str) -> HealthResult:
    name = Path(place).name
    parent = (file.parent / place).parent
    folders = [one.name for one in parent.iterdir() if one.is_dir()] if parent.is_dir() else []
    near = get_close_matches(name, [one for one in folders if not one.startswith(".")], 1)
    edit = word_edit(file, name, near[0]) if near else None
    return wrong(f"{place}, the corpus of {file}, does not exist", "", edit)


def check_targets(project: ExaminedProject) -> HealthResult:
    """Find every target in the documents."""
    from rankgate.truth.resolve import resolve

    number = 0
    for one in project.suites:
        one.truth = resolve(one.suite, one.corpus)
        gone = [place for place in one.truth.gone if place.counts]
        if gone:
            told = f"{many(len(gone), 'target')} of {one.file} not in the documents"
            mend = f"rankgate suite fix {_word(one.file)}"
            if commit := _judged_commit(one, _configuration(project).corpus_root):
                # It was there, and is no misspelt name.
                first = replace(gone[0], likely="").problem
                return wrong(f"{told}: {first}", f"{mend} --from {commit} --yes")
            edit = edit_for(gone[0].problem)
            return wrong(f"{told}: {gone[0].problem}", "" if edit else mend, edit)
        number += sum(one.truth.counts.values())
    return HealthResult(said=f"{many(number, 'target')} found in the documents")


def _judged_commit(one: ExaminedSuite, root: Path) -> str:
    """Return the commit whose documents have targets that are missing and have no anchor; empty without."""
    from rankgate.project.old_state import judged_state, unrecorded
    from rankgate.project.opening import corpus_room
    from rankgate.truth.anchors import kept_anchors

    if one.corpus is None or one.corpus.records:
        return ""
    try:
        lost = unrecorded(one.suite, one.corpus, kept_anchors(one.suite))
        return (
            judged_state(one.suite, lost, corpus_room(one.suite, root, lambda _: None)).commit if lost else ""
        )
    except InputError:
        return ""


def check_gates(project: ExaminedProject) -> HealthResult:
    """Read the gates of every suite and of its entries in the configuration."""
    from rankgate.project.settings import RunOptions, read_rules, settings_of

    configuration = _configuration(project)
    project.entry = configuration.entry(project.system)
    number = 0
    for one in project.suites:
        settings = settings_of(project.entry, one.suite, RunOptions(), configuration.corpus_root)
        number += len(read_rules(one.suite, settings).gates)
    if not number:
        return HealthResult(said="none yet, so that a test says no pass or fail")
    return HealthResult(said=many(number, "gate"))


def lint_command(project: ExaminedProject) -> str:
    """Return the command that shows all that is wrong with the suites."""
    return " ".join(["rankgate suite lint", *(_word(one) for one in project.files)])


def _word(file: Path) -> str:
    return shlex.quote(str(file))


def _configuration(project: ExaminedProject) -> Configuration:
    if project.configuration is None:
        message = "the check of the configuration comes first"
        raise RuntimeError(message)
    return project.configuration
