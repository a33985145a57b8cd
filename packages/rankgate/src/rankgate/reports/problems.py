"""What decides the exit code beside gates: a wrong suite, a system that failed, hits without a location."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import polars as pl

from rankgate.cases import judgment_kind
from rankgate.corpora.corpus import Corpus
from rankgate.errors import ExitCode
from rankgate.gates.decide import Tested
from rankgate.gates.language import Gate, Kind
from rankgate.report import GateResult, GateState
from rankgate.runs.store.hits import error_texts
from rankgate.runs.store.tables import Run
from rankgate.suites.asked_suite import is_gating
from rankgate.wording import many

_SHOWN = 5
NOT_LOCATED = "hits could not be located"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something other than a gate that decides the exit code."""

    code: ExitCode
    cause: str
    """A few words for the headline, such as ``2 missing targets``."""
    sentences: tuple[str, ...] = ()
    """What is wrong and how to fix it."""
    command: str = ""
    """The command to run next."""


def suite_problems(tested: Tested, gates: Sequence[tuple[Gate, GateResult]]) -> Iterator[Problem]:
    """Return what is wrong with a suite: missing targets, gates over nothing, judgments that don't count."""
    counting = [one for one in tested.missing if one.counts]
    if counting:
        file = tested.suite.path or "SUITE"
        shown = [
            f"{one.where + ': ' if one.where else ''}"
            f"the target {one.target!r} is not in the documents: {one.why}." + _sentence(one.likely)
            for one in counting[:_SHOWN]
        ]
        more = [f"{len(counting) - _SHOWN} more targets are missing."] if len(counting) > _SHOWN else []
        yield Problem(
            ExitCode.WRONG_CALL,
            many(len(counting), "missing target"),
            (*shown, *more),
            f"rankgate suite fix {file}",
        )
    nothing = [gate for _, gate in gates if gate.state is GateState.OVER_NOTHING]
    if nothing:
        sentences = tuple(
            f"{gate.where + ': ' if gate.where else ''}the gate {gate.gate!r} reads nothing. {gate.reason}"
            for gate in nothing
        )
        yield Problem(ExitCode.WRONG_CALL, f"{many(len(nothing), 'gate')} over nothing", sentences)
    sources = other_sources(tested)
    whole = tested.suite.whole or tested.suite
    gating = any(is_gating(target, whole) for case in whole.cases for target in case.targets)
    if sources and not (could_have_failed(tested, gates) or gating or tested.judged.any()):
        file = tested.suite.path or "the suite"
        # A proposed target counts when a person has checked it, and never by its source.
        allowed = [source for source in sources if source != "proposed"]
        line = f"gating_sources: [{', '.join(dict.fromkeys((*tested.suite.gating_sources, *allowed)))}]"
        fix = f"To let them count, add to {file}: {line}"
        if not allowed:
            fix = f"A command proposed all targets of {file}. Check them, and delete `source: proposed`."
        yield Problem(ExitCode.WRONG_CALL, "no judgment gates", (fix,))


def _sentence(text: str) -> str:
    """Return a text as a sentence after another one; empty for no text."""
    end = "" if text.endswith(("?", ".")) else "."
    return f" {text[:1].upper()}{text[1:]}{end}" if text else ""


def other_sources(tested: Tested) -> list[str]:
    """Return the kinds of sources of relevant judgments that gates don't count."""
    gating = tested.suite.gating_sources
    rows = tested.judgments.targets.filter(pl.col("grade") > 0).iter_rows(named=True)
    kinds = dict.fromkeys(judgment_kind(row, gating) for row in rows)
    return [kind for kind in kinds if kind not in gating]


def could_have_failed(tested: Tested, gates: Sequence[tuple[Gate, GateResult]]) -> bool:
    """Check whether a gate on results was enforced, or a check evaluated: only then a test *passed*."""
    enforced = (GateState.PASSED, GateState.FAILED, GateState.INCONCLUSIVE)
    counted = (case for case, rows in zip(tested.suite.cases, tested.counted.tolist(), strict=True) if rows)
    return any(gate.kind is not Kind.ERRORS and one.state in enforced for gate, one in gates) or any(
        tested.checks.get(case.id) for case in counted
    )


def no_baseline(system: str, command: str) -> Problem:
    """Return the problem of a system that the project requires a baseline of, and that has none."""
    sentence = f"The project requires a baseline of {system}. Run: {command}"
    return Problem(ExitCode.WRONG_CALL, f"no baseline of {system}", (sentence,), command)


def system_problems(
    tested: Tested,
    corpus: Corpus | None,
    max_errors: int,
    probe_errors: int = 0,
    silent_rules: Sequence[str] = (),
) -> Iterator[Problem]:
    """Return why results can't be believed: hits without a location, too many errors, or no result at all.

    Args:
        tested: The results.
        corpus: The documents.
        max_errors: The number of errors that are allowed.
        probe_errors: The number of scenarios and invariants with an error.
        silent_rules: The extraction rules that found nothing in answers that are not empty.
    """
    yield from mapping_problems(tested, corpus)
    errors = int(tested.errored.sum()) + probe_errors
    if errors > max_errors:
        allowed = f", {max_errors} allowed" if max_errors else ""
        yield Problem(ExitCode.SYSTEM_FAILED, f"{many(errors, 'error')}{allowed}")
    elif not tested.results[tested.own].any() and not bool(tested.expects_empty[tested.own].all()):
        count = many(len(tested.suite.cases), "query", "queries")
        sentence = f"The system returned no result for any of {count}."
        rules = (f"{rule}. Correct the rule of the system." for rule in silent_rules)
        yield Problem(ExitCode.SYSTEM_FAILED, "no query has any result", (sentence, *rules))


def against_problems(
    tested: Tested, corpus: Corpus | None, max_errors: int, runs: Sequence[Run]
) -> Iterator[Problem]:
    """Return why the results of another system, which ran the same queries, can't be compared with.

    Args:
        tested: The results, compared with those of the other system.
        corpus: The documents.
        max_errors: The number of errors that are allowed.
        runs: The runs of the other system; empty without one.
    """
    compared = tested.comparison
    if not runs or compared is None:
        return
    name, nothing = compared.name, bool(tested.expects_empty.all())
    if not nothing and not any(shard.queries["hits"].sum() for shard in compared.run.shards()):
        sentence = (
            f"{name} returned no result for any of {many(len(tested.suite.cases), 'query', 'queries')}."
        )
        yield Problem(ExitCode.SYSTEM_FAILED, f"no query has any result of {name}", (sentence,))
    errors = {query: text for run in runs for query, text in error_texts(run).items()}
    if len(errors) > max_errors:
        allowed = f", {max_errors} allowed" if max_errors else ""
        shown = tuple(f"{name}: {query}: {text}" for query, text in islice(errors.items(), _SHOWN))
        more = (f"{name}: {len(errors) - _SHOWN:,} more errors",) if len(errors) > _SHOWN else ()
        yield Problem(
            ExitCode.SYSTEM_FAILED, f"{many(len(errors), 'error')} of {name}{allowed}", (*shown, *more)
        )
    yield from _mapping_problems(tested, compared.run, corpus, bool(compared.hits.found), of=name)


_LOCATED = ("query", "rank", "id", "path", "start", "end", "text", "start_char", "class", "strategy", "given")
"""The columns of hits that show how they were located."""


def mapping_problems(tested: Tested, corpus: Corpus | None) -> Iterator[Problem]:
    """Return why hits could not be located, if that is the problem of a run."""
    located = tested.comparison is not None and bool(tested.comparison.hits.found)
    yield from _mapping_problems(tested, tested.run, corpus, bool(tested.hits.found), located=located)


def _mapping_problems(
    tested: Tested, run: Run, corpus: Corpus | None, reached: bool, *, located: bool = False, of: str = ""
) -> Iterator[Problem]:
    from rankgate.truth.mapping import mapping_problem

    suite = tested.suite
    hits = [shard.scan_hits(_LOCATED).collect() for shard in run.shards()]
    relevant = tested.judgments.targets.filter((pl.col("grade") > 0) & pl.col("text_hash").is_null())
    if not hits or relevant.is_empty():
        return
    found = mapping_problem(
        pl.concat(hits),
        relevant,
        corpus,
        reached=reached,
        baseline_located=located,
        match_path=str(suite.matching.by) == "path",
        map_rules=suite.map_rules,
    )
    if found is not None:
        lines = "".join(f"\n  {line}" for line in found.lines)
        fix = f"Add to {suite.path or 'the suite'}:{lines}" if lines else ""
        cause = f"hits of {of} could not be located" if of else NOT_LOCATED
        yield Problem(ExitCode.SYSTEM_FAILED, cause, (*found.problems, *([fix] if fix else [])))
