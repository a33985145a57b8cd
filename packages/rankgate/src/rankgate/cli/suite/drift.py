"""``rankgate suite drift``: what became of the locations of a suite in a new commit, release or folder."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankgate.cli.options import PATH, exit_codes, format_option
from rankgate.errors import Code, ExitCode, InputError, Problem

if TYPE_CHECKING:
    from rankgate.corpora.corpus import Corpus, OpenContext
    from rankgate.model.suite import CorpusSource, Suite

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command()
@click.argument("suite", type=PATH)
@click.option("--to", "to", required=True, metavar="COMMIT|VERSION|PATH", help="What to move to.")
@click.option("--write", is_flag=True, help="Write the locations that are proven, and the new corpus.")
@format_option("text", "json", words="Layout.")
@click.option("--root", type=_FOLDER, help="The folder that corpora must lie in; by default the project's.")
@exit_codes(ExitCode.WRONG_CALL, passed="nothing needs a person", gate_failed="something does")
def drift(suite: Path, to: str, write: bool, style: str, root: Path | None) -> int:
    """Move the places of a suite to a new commit, release or folder of its corpus.

    \b
    rankgate suite drift search.yaml --to 4f2a91c
    rankgate suite drift search.yaml --to docs-v2/ --write

    Text that stands once in both is followed to its new lines; everything else is listed for a person.
    """
    from rankgate.cli.progress_line import ProgressLine
    from rankgate.cli.suite.options import deprecated
    from rankgate.corpora.corpus import open_source
    from rankgate.evaluation.project.opening import corpus_room
    from rankgate.reports.suite.drift import DriftReport, render_json, render_text
    from rankgate.suites.formats import load_suite
    from rankgate.truth.drift.find import find_drift, write_drift

    deprecated("drift")
    loaded = load_suite(suite)
    source = _source(loaded)
    with ProgressLine() as waiting:
        room = corpus_room(loaded, root, waiting.tell)
        old = open_source(source, room)
        target = _target(source, to, room)
        new = _opened_target(target, to, replace(room, unpinned=True))
        target = replace(target, options={**target.options, **new.pin})
        same = old.fingerprint == new.fingerprint
        if same and _spot(source, old) == _spot(target, new):
            raise InputError(_same_state(to))
        found = find_drift(loaded, old, new, waiting.tell)
        written = write_drift(loaded, found, old, new, target) if write else None
    command = "" if write or not (found.moves or target != source) else _command(suite, to, root)
    report = DriftReport(str(suite), str(source), str(target), found, command, written, same)
    click.echo((render_json if style == "json" else render_text)(report), nl=False)
    return 1 if found.open or (written and written.left) else 0


def _source(suite: Suite) -> CorpusSource:
    if suite.corpus is None:
        fix = "name the corpus that its locations are in"
        raise InputError(
            Code.NO_CORPUS(suite.path or suite.name, "a suite without a corpus", "one to move from", fix)
        )
    return suite.corpus


def _opened_target(target: CorpusSource, to: str, room: OpenContext) -> Corpus:
    """Open the new corpus; what is wrong with it is told of the option, as the suite does not name it."""
    from rankgate.corpora.corpus import open_source

    try:
        return open_source(target, room)
    except InputError as error:
        raise InputError(
            [replace(problem, where=f"--to {to}: {problem.where}") for problem in error.problems]
        ) from error


def _spot(source: CorpusSource, corpus: Corpus) -> CorpusSource:
    """Write a source in the one way in which two are compared."""
    return replace(source, place=os.path.normpath(source.place), options={**source.options, **corpus.pin})


def _same_state(to: str) -> Problem:
    fix = "for a folder that is edited in place run rankgate suite mend, without --to"
    found = "the same state twice: nothing to compare"
    return Code.WRONG_OPTION(f"--to {to}", found, "another state than the suite's corpus", fix)


def _target(source: CorpusSource, to: str, room: OpenContext) -> CorpusSource:
    """Name the new corpus; a path is one of the suite's folder or, where there is no such, of this one."""
    from rankgate.corpora.corpus import moved_to

    if source.kind != "git" and Path(to).exists() and not (room.here / to).exists():
        to = Path(os.path.relpath(to, room.here)).as_posix() + "/" * to.endswith("/")
    return moved_to(source, to)


def _command(suite: Path, to: str, root: Path | None) -> str:
    import shlex

    words = ["rankgate", "suite", "drift", str(suite), "--to", to]
    return shlex.join([*words, *(["--root", str(root)] if root else []), "--write"])
