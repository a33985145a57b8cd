"""What a change of the documents does to a suite and to a search, for whoever reviews the change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.corpora.programs import Git
from rankgate.errors import Code, InputError, RankgateError
from rankgate.evaluation.changes.findability import DocumentState, findability
from rankgate.evaluation.configuration import configuration_for
from rankgate.evaluation.project.suite_mend import open_mending
from rankgate.reports.suite.changes import ChangedFiles, DocumentChange
from rankgate.suites.native.yaml_suite import parse_suite
from rankgate.truth.drift.documents import DriftStatus

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankgate.corpora.corpus import Corpus
    from rankgate.model import Suite
    from rankgate.review.mending import Mending


def document_change(
    path: Path,
    since: str | None,
    system: str | None,
    tell: Callable[[str], None],
) -> DocumentChange:
    """Find out what a change of the documents does.

    Args:
        path: The suite.
        since: The documents as they were: a commit, a release or a path; None for what the anchors know.
        system: The system to ask over both states; None to ask none.
        tell: Told in words what is under way.

    Raises:
        InputError: where the documents as they were cannot be had.
        SystemFailedError: for a system that cannot be prepared.
    """
    mending = open_mending(path, since, None, None, tell)
    if mending.old is None:
        fix = "name the state to compare with: --from COMMIT, a release or a folder"
        raise InputError(Code.NO_CORPUS(str(path), "no documents as they were", "two states of them", fix))
    old, new = mending.old.corpus, mending.today.corpus
    plan = mending.plan
    changed = [one for one in plan.targets if one.drift.status is not DriftStatus.UNCHANGED]
    touched = {case for one in changed for case in one.cases}
    found = None
    if system is not None:
        tell("asking over both states of the documents")
        before = DocumentState(_suite_then(mending, since), old)
        after = DocumentState(mending.mended(mending.sure()).revised.suite, new)
        found = findability(configuration_for(path), system, before, after)
    return DocumentChange(
        mending.suite,
        mending.said or "the documents that were anchored",
        _changed_files(old, new),
        plan.moved,
        plan.open,
        tuple(case.id for case in mending.suite.cases if case.id in touched),
        found,
    )


def _suite_then(mending: Mending, since: str | None) -> Suite:
    """Return the suite as it was at a commit, since its targets may have moved with the documents."""
    suite = mending.suite
    path = Path(str(suite.path)).resolve()
    top = next((folder for folder in path.parents if (folder / ".git").exists()), None)
    if since is None or top is None:
        return suite
    name = path.relative_to(top).as_posix()
    try:
        said = Git(top, f"git repository {top}").ask("cat-file", "blob", f"{since}:{name}")
        return suite if said is None else parse_suite(said.decode(), Path(str(suite.path)))
    except (RankgateError, UnicodeDecodeError):
        # A release or a folder is no commit, and a suite that could not be read then is none to go by.
        return suite


def _changed_files(old: Corpus, new: Corpus) -> ChangedFiles:
    before, after = set(old.paths()), set(new.paths())
    edited = (path for path in before & after if old.text(path) != new.text(path))
    return ChangedFiles(tuple(sorted(edited)), tuple(sorted(after - before)), tuple(sorted(before - after)))
