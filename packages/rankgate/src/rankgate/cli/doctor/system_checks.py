"""Whether the system answers: one question is asked, its hits are located, its baseline is read."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from rankgate.cli.doctor.health import HealthResult, wrong
from rankgate.errors import Code, InputError
from rankgate.wording import many, shortest

if TYPE_CHECKING:
    from rankgate.cli.doctor.health import ExaminedProject, ExaminedSuite
    from rankgate.model import Case
    from rankgate.project.configuration import Configuration, SystemEntry
    from rankgate.project.preparation import Prepared
    from rankgate.systems.adapter.launching import Env


def check_system(project: ExaminedProject) -> HealthResult:
    """Ask the system the query of one case; what `prepare` of it would make must be there."""
    from rankgate.cli.one_case import case_query, measure_answer
    from rankgate.model import System
    from rankgate.plugins import exchange_with
    from rankgate.project.indexing import have_index
    from rankgate.project.needs import missing_needs
    from rankgate.project.opening import open_corpus, opened

    configuration, entry = _known(project)
    one = project.suites[0]
    if missing := missing_needs(entry, configuration.root):
        needed = f"systems.{entry.name}.needs: missing: {', '.join(missing)}"
        return replace(wrong(needed), action=f"set up {', '.join(missing)}")
    prepared = _prepared(project)
    if prepared and not prepared.is_done(lambda: open_corpus(one.suite, configuration.corpus_root)):
        return wrong(f"{entry.name} is not prepared, or its documents changed since", _prepare_command(entry))
    with opened(entry, configuration.root, one.suite, configuration.corpus_root) as asked:
        if not isinstance(asked, System):
            return HealthResult(said=f"{entry.name} is a run that was made before; nothing is asked")
        have_index(asked, one.corpus, entry.chunks, None, suite=one.suite)
        case = _case(one)
        wanted = case_query(case.id, [one.file], entry, configuration.corpus_root, None)
        found = exchange_with(asked, wanted.query)
    if found.error:
        return _failed(found.error, project)
    hits = found.ranking.hits
    if not hits:
        said = f"{entry.name} finds nothing for {case.query!r}"
        return wrong(said, _prepare_again(project) or ask_command(project))
    project.tested, _ = measure_answer(wanted, entry, found.ranking, one.corpus)
    return HealthResult(said=f"{entry.name} answers {case.query!r} with {many(len(hits), 'hit')}")


def _prepared(project: ExaminedProject) -> Prepared | None:
    """Return how the system is prepared; None where it is not."""
    from rankgate.project.preparation import Prepared

    configuration, entry = _known(project)
    if not entry.preparation.prepare:
        return None
    return Prepared(entry, configuration.root, cast("Env", entry.options.get("env", ())))


def _prepare_command(entry: SystemEntry) -> str:
    return f"rankgate test --limit 1 --system {shlex.quote(entry.name)}"


def _prepare_again(project: ExaminedProject) -> str:
    """Return the command that prepares a system again; empty for one that is not prepared."""
    from rankgate.project.opening import open_corpus

    configuration, entry = _known(project)
    prepared = _prepared(project)
    if prepared is None:
        return ""
    suite = project.suites[0].suite
    record = prepared.record_file(lambda: open_corpus(suite, configuration.corpus_root))
    return f"rm {shlex.quote(str(shortest(record.resolve())))} && {_prepare_command(entry)}"


def _failed(error: str, project: ExaminedProject) -> HealthResult:
    """Return what to do about a system that did not answer."""
    _, entry = _known(project)
    result = wrong(error, _prepare_again(project) or ask_command(project))
    if error.endswith(f"[{Code.NO_CONNECTION}]") and not entry.preparation.start:
        action = f"start the server that listens at {_address(entry)}"
        return replace(result, action=action, code=Code.NO_CONNECTION)
    return result


def _address(entry: SystemEntry) -> str:
    """Return where a system is asked, without its path and what may be secret; else its name."""
    from urllib.parse import urlsplit

    url = urlsplit(str(entry.options.get("url", "")))
    return f"{url.scheme}://{url.netloc.rpartition('@')[2]}" if url.scheme and url.netloc else entry.name


def _case(one: ExaminedSuite) -> Case:
    """Return a case that expects hits, or else the first."""
    return next((case for case in one.suite.cases if case.targets), one.suite.cases[0])


def ask_command(project: ExaminedProject) -> str:
    """Return the command that shows the one exchange whole."""
    if project.entry is None or not project.suites:
        return ""
    one = project.suites[0]
    parts = [
        "rankgate",
        "query",
        project.entry.name,
        "--case",
        _case(one).id,
        "--suite",
        str(one.file),
        "--raw",
    ]
    return shlex.join(parts)


def check_mapping(project: ExaminedProject) -> HealthResult:
    """Check that hits are where the corpus has something."""
    from rankgate.hit_classes import HitClass
    from rankgate.reports.problems import mapping_problems
    from rankgate.runs.store.hits import hit_counts

    tested, one = project.tested, project.suites[0]
    if tested is None:
        return HealthResult(said="no hits to look at")
    for problem in mapping_problems(tested, one.corpus):
        return wrong(" ".join(" ".join(problem.sentences).split()), ask_command(project))
    if one.corpus is None:
        return HealthResult(said="the suite has ids, which need none")
    classes = hit_counts(tested.run).classes
    total = sum(classes.values())
    nowhere = {HitClass.NO_FILE, HitClass.PAST_END, HitClass.OPAQUE}
    located = sum(number for name, number in classes.items() if HitClass(name) not in nowhere)
    if not located:
        return wrong(f"none of {many(total, 'hit')} has a location in the corpus", ask_command(project))
    return HealthResult(said=f"{located} of {many(total, 'hit')} have a location in the corpus")


def check_baseline(project: ExaminedProject) -> HealthResult:
    """Read the baseline of the system on every suite."""
    from rankgate.project.settings import RunOptions, settings_of

    configuration, entry = _known(project)
    said = []
    for one in project.suites:
        kept = settings_of(entry, one.suite, RunOptions(), configuration.corpus_root).baselines
        if kept is None:
            continue
        again = kept.command()
        try:
            baseline = kept.read()
        except InputError as error:
            removed = f"rm {shlex.quote(str(shortest(kept.path().resolve())))} && {again}"
            return wrong(str(error.problems[0]), removed)
        if baseline is None:
            if kept.required:
                where = str(shortest(kept.path().resolve()))
                problem = Code.NO_BASELINE(where, "no such file", "a baseline (require_baseline)")
                return wrong(str(problem), again)
            said.append("none yet, so that nothing is compared")
            continue
        said.append(f"{shortest(kept.path().resolve())}: {many(len(baseline.queries), 'query', 'queries')}")
    return HealthResult(said=", ".join(dict.fromkeys(said)))


def _known(project: ExaminedProject) -> tuple[Configuration, SystemEntry]:
    if project.configuration is None or project.entry is None:
        message = "the checks of configuration and gates come first"
        raise RuntimeError(message)
    return project.configuration, project.entry
