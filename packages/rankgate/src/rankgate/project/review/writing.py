"""Writing what was accepted: when nothing may be, the suite's file, and the anchors beside it.

Nothing is proposed or written in CI, nor by a run that is not the whole truth about a system.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
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
            raise InputError(
                Code.NEEDS_CONSENT("rankgate suite update", found, "a person who reads them", fix)
            )


def refuse_failed(run: StoredRun, again: str) -> None:
    """Refuse a run in which the system failed to answer some query.

    Args:
        run: The run, which answers today's suite over today's corpus.
        again: The command that makes a run that will do.

    Raises:
        InputError: with how many there are.
    """
    failed = sum(int((shard.queries["status"] != Answer.OK.value).sum()) for shard in run.shards())
    if failed:
        found = f"{many(failed, 'query', 'queries')} that the system failed to answer"
        raise InputError(
            Code.MISSING_ANSWERS(
                str(run.folder), found, "an answer to every query", f"test it again: {again}"
            )
        )


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
    moves = {edit.old.whole: edit.new.whole for edit in edits if isinstance(edit, Move) and edit not in left}
    named = {location for anchors in cases.values() for location in anchors}
    texts = {moves.get(name, name): record for name, record in kept.texts.items()}
    texts = {name: record for name, record in texts.items() if name in named}
    write_anchors(replace(kept, cases=cases, texts=texts), path)
    return True


def _anchors(
    kept: Mapping[str, Mapping[str, str]], suite: Suite, edits: Sequence[Edit]
) -> dict[str, dict[str, str]]:
    moves = {edit.old.whole: edit.new.whole for edit in edits if isinstance(edit, Move)}
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
            stay = {each.location.whole for at, each in enumerate(case.targets) if at not in numbers}
            stay |= {top.location.whole for top in case.top}
            lost = {case.targets[at].location.whole for at in numbers} - stay
        left = {moves.get(at, at): anchor for at, anchor in anchors.items() if at not in lost}
        if name not in gone and left:
            found[name] = left
    return found
