"""When nothing may be proposed or written: in CI, and by a run that is not the whole truth about a system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import InputError, Problem
from rankgate.model import Answer
from rankgate.model.wording import many

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.model import Suite
    from rankgate.runs.store.run_folder import StoredRun

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
