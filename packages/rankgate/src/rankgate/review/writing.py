"""Writing what was accepted: when nothing may be, the suite's file, and the anchors beside it.

Nothing is proposed or written in CI, nor by a run that is not the whole truth about a system.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import InputError, Problem
from rankgate.model import Answer
from rankgate.model.wording import many
from rankgate.suites.editing.edits import DropCase, DropTarget, Move
from rankgate.suites.editing.revision import write_revision
from rankgate.truth.anchors import anchors_path, read_anchors, write_anchors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.model import Suite
    from rankgate.runs.store.run_folder import StoredRun
    from rankgate.suites.editing.edits import Edit
    from rankgate.suites.editing.revision import Revised

_CI = (
    *("CI", "GITHUB_ACTIONS", "GITLAB_CI", "BUILDKITE", "CIRCLECI", "TRAVIS", "APPVEYOR", "DRONE"),
    *("JENKINS_URL", "TEAMCITY_VERSION", "TF_BUILD", "BITBUCKET_BUILD_NUMBER", "CODEBUILD_BUILD_ID"),
)
_NO = ("", "0", "false", "no", "off")


def refuse_in_ci(environment: Mapping[str, str], what: str) -> None:
    """Refuse to write where no person reads what is written.

    Raises:
        InputError: where a variable says that this is CI.
    """
    for name in _CI:
        if environment.get(name, "").strip().lower() not in _NO:
            found = f"{what} in CI ({name} is set)"
            fix = "run it where somebody reads the changes, and commit what they accept; --check works here"
            raise InputError(Problem("rankgate suite update", found, "a person who reads them", fix))


def refuse_partial(run: StoredRun, suite: Suite, corpus: str | None, again: str) -> None:
    """Refuse a run that does not answer all of today's suite over today's corpus.

    Args:
        run: The run.
        suite: What should have been asked.
        corpus: The fingerprint of its corpus, today.
        again: The command that makes a run that will do.

    Raises:
        InputError: with everything that is wrong with it.
    """
    manifest, where, fix = run.manifest, str(run.folder), f"test it again: {again}"
    problems: list[Problem] = []
    if manifest.part is not None:
        merge = "merge the parts: rankgate runs merge"
        problems.append(Problem(where, f"part {manifest.part} of a run", "a whole run", merge))
    if manifest.finished is None:
        problems.append(Problem(where, "a run that was cut short", "a whole run", fix))
    if manifest.suite != suite.fingerprint:
        found = "a run that was asked before the suite was changed"
        found = "a run that does not say which suite it answers" if manifest.suite is None else found
        problems.append(Problem(where, found, "the answers to today's suite", fix))
    if manifest.corpus != corpus:
        found = "a run over another state of the corpus"
        problems.append(Problem(where, found, "the corpus as it is today", fix))
    failed = _failed(run)
    if failed:
        found = f"{many(failed, 'query', 'queries')} that the system failed to answer"
        problems.append(Problem(where, found, "an answer to every query", fix))
    missing = _missing(run, suite) if manifest.part is None and manifest.suite == suite.fingerprint else 0
    if missing:
        found = f"{many(missing, 'query', 'queries')} missing"
        problems.append(Problem(where, found, "an answer to every query", fix))
    if problems:
        raise InputError(problems)


def _failed(run: StoredRun) -> int:
    return sum(int((shard.queries["status"] != Answer.OK.value).sum()) for shard in run.shards())


def _missing(run: StoredRun, suite: Suite) -> int:
    there = [shard.queries["query"] for shard in run.shards()]
    known = set(pl.concat(there)) if there else set()
    return sum(case.id not in known for case in suite.cases)


def apply(suite: Suite, written: str, revised: Revised, edits: Sequence[Edit]) -> bool:
    """Write a revised suite, and move and drop anchors with its locations.

    Args:
        suite: The suite, as it was read.
        written: The text that it was read from.
        revised: What to write.
        edits: What was done.

    Returns:
        True where the file of anchors was written, too.

    Raises:
        FormatError: where the suite was changed meanwhile; nothing is written then.
    """
    path = anchors_path(str(suite.path))
    kept = read_anchors(path)
    write_revision(suite, written, revised)
    if kept is None:
        return False
    left = {each.edit for each in revised.left}
    cases = _anchors(kept.cases, suite, [edit for edit in edits if edit not in left])
    if cases == kept.cases:
        return False
    write_anchors(replace(kept, cases=cases), path)
    return True


def _anchors(
    kept: Mapping[str, Mapping[str, str]], suite: Suite, edits: Sequence[Edit]
) -> dict[str, dict[str, str]]:
    moves = {str(edit.old): str(edit.new) for edit in edits if isinstance(edit, Move)}
    gone = {edit.case for edit in edits if isinstance(edit, DropCase)}
    dropped: dict[str, set[int]] = {}
    for edit in edits:
        if isinstance(edit, DropTarget):
            dropped.setdefault(edit.case, set()).add(edit.number)
    cases = {case.id: case for case in suite.cases}
    found: dict[str, dict[str, str]] = {}
    for name, anchors in kept.items():
        case = cases.get(name)
        lost: set[str] = set()
        if case is not None:
            numbers = dropped.get(name, set())
            stay = {str(each.location) for at, each in enumerate(case.targets) if at not in numbers}
            stay |= {str(top.location) for top in case.top}
            lost = {str(case.targets[at].location) for at in numbers} - stay
        left = {moves.get(at, at): anchor for at, anchor in anchors.items() if at not in lost}
        if name not in gone and left:
            found[name] = left
    return found
