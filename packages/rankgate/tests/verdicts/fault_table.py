"""The seeded faults, each with the line of rankgate that it replaces.

Most are what rankgate 0.2 once did wrong. The rules of verdicts changed since, so some of its faults have no
place any more. Those are listed in `GONE`, with the fault that takes their place or the reason.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    name: str
    what: str
    """What rankgate does wrong then."""
    file: str
    """The module, below the package."""
    old: str
    """A text that the module has exactly once."""
    new: str
    tests: str = ""
    """Tests that find it, below `tests/`; empty if the examples and the drawn states do."""

    def applied(self, text: str) -> str:
        """Return the source of the module with the fault."""
        if text.count(self.old) != 1:
            raise LookupError(f"{self.name}: {self.file} has {self.old!r} {text.count(self.old)} times")
        return text.replace(self.old, self.new)


_BUILD, _CASES, _COMPARE, _DECIDE = "reports/build.py", "cases.py", "gates/compare.py", "gates/decide.py"
_PROBES, _PROBLEMS = "model.py", "reports/problems.py"
_RUNS, _STORIES = "verdicts/test_stored_runs.py", "verdicts/test_stories.py"
_FLOW, _LANGUAGE, _KEPT, _REPEATS = "flow.py", "gates/language.py", "runs/kept.py", "scoring/repeats.py"

RUNS = (
    Fault(
        "resume",
        "a run is resumed after its system was changed",
        "runs/identity.py",
        "        return (*self.system_differences(now), *self.asking_differences(now))",
        "        return self.asking_differences(now)",
        tests=_RUNS,
    ),
    Fault(
        "variable",
        "another value of an environment variable is no difference",
        "runs/identity.py",
        "        if was == is_:",
        '        if was == is_ or name.startswith("$"):',
        tests=_RUNS,
    ),
    Fault(
        "errors-kept",
        "queries with an error are not run again when a run is resumed",
        "runs/store/run_writer.py",
        '            bad = pl.col("status").is_in([Answer.ERROR.value, Answer.TIMEOUT.value])',
        '            bad = pl.col("status") == "nothing"',
        tests="runs/store/test_resuming.py",
    ),
    Fault(
        "questions",
        "a stored run answers a query that was edited",
        _KEPT,
        "    if changes := [*matched.changes()]:",
        "    if changes := []:",
        tests=_RUNS,
    ),
    Fault(
        "corpus",
        "a stored run is tested with other documents",
        _KEPT,
        "    if manifest.corpus != needs.corpus:",
        "    if manifest.corpus is None and needs.corpus is not None:",
        tests=_RUNS,
    ),
    Fault(
        "part",
        "a part of a run is tested as a whole one",
        _KEPT,
        "    if manifest.part is not None:",
        "    if manifest.part is None and manifest.finished is None:",
        tests=_RUNS,
    ),
    Fault(
        "unfinished",
        "an interrupted run is tested as a whole one",
        _KEPT,
        "    if manifest.finished is None:",
        "    if manifest.shards == () and manifest.finished is None:",
        tests=_RUNS,
    ),
    Fault(
        "merge",
        "parts of two states of a system are merged",
        "runs/parts.py",
        "        if (different := first.differences(replace(run.manifest, part=None)))",
        "        if (different := first.identity.asking_differences(run.manifest.identity))",
        tests=_RUNS,
    ),
    Fault(
        "depth",
        "a stored run serves a metric that is deeper than its results",
        _KEPT,
        "    if None not in (manifest.k, needs.depth) and manifest.k < needs.depth:",
        "    if manifest.k == 0:",
        tests=_RUNS,
    ),
    Fault(
        "repeats",
        "errors in the repeats of a stored run are not counted",
        "project/suite_run.py",
        "        repeats = kept_repeats(suite, run, needs)",
        "        repeats = kept_repeats(suite, run, needs)[:0]",
        tests="cli/test_repeated_runs.py",
    ),
    Fault(
        "names",
        "systems with similar names share a folder and a baseline",
        "io/file_names.py",
        '    return f"{words}~{digest[:_DIGITS]}"',
        "    return words",
        tests="project/test_stored_names.py",
    ),
    Fault(
        "time-outs",
        "time-outs have no latency",
        "runs/asking/ask.py",
        "latency_ms=waited * 1000",
        "latency_ms=None",
        tests="runs/asking",
    ),
)
"""Faults of stored runs."""

BASELINES = (
    Fault(
        "head",
        "the baseline of another system is read",
        "project/baselines.py",
        "        if baseline.system != system:",
        "        if not baseline.system:",
        tests=_STORIES,
    ),
    Fault(
        "against",
        "`against` with an unknown name waits for a baseline",
        _DECIDE,
        "        if gate.against is not None and gate.against not in known",
        "        if gate.against is not None and not known",
    ),
    Fault(
        "required",
        "a required baseline may be missing",
        _FLOW,
        "baselines.required and tested.comparison is None:",
        "baselines.required and gates is None:",
    ),
    Fault(
        "moved",
        "results of a baseline are not followed if lines are added above them",
        "project/baselines.py",
        "    return hit._replace(path=path, start=start, end=end, offsets=offsets)",
        "    return hit._replace(path=hit.path, start=hit.start, end=hit.end, offsets=offsets)",
        tests=_STORIES,
    ),
    Fault(
        "stale",
        "a gate passes although results of the baseline can't be located",
        _DECIDE,
        "    if unlocated > _UNCLEAR * count and state is open_state:",
        "    if unlocated > 10**9 and state is open_state:",
    ),
    Fault(
        "stale-fifth",
        "a gate is inconclusive if a fifth of the baseline's queries can't be located",
        _DECIDE,
        "    if unlocated > _UNCLEAR * count and state is open_state:",
        "    if unlocated >= _UNCLEAR * count and unlocated and state is open_state:",
    ),
    Fault(
        "deeper",
        "a gate passes that reads deeper than the baseline",
        _DECIDE,
        "k > reference.depth and (similar or state is GateState.PASSED):",
        "k > reference.depth and similar:",
    ),
    Fault(
        "removed",
        "queries of the baseline that are not in the suite are not named",
        _COMPARE,
        "    return found, [name for name in asked if name not in used]",
        "    return found, []",
    ),
    Fault(
        "red",
        "a run with missing targets becomes the baseline",
        "cli/baseline.py",
        "    missing = any(one.counts for one in tested.missing)",
        "    missing = False",
        tests=_STORIES,
    ),
    Fault(
        "still-in-suite",
        "a case is compared with the query that has its name, and another text",
        _COMPARE,
        "        if case.id in same:",
        "        if case.id in asked:",
    ),
    Fault(
        "unlike",
        "a drop includes queries that are not in the baseline",
        _DECIDE,
        "    return rows & reference.both\n",
        "    return rows\n",
    ),
)
"""Faults of baselines."""

CASES = (
    Fault(
        "reviewed",
        "gates count judgments of sources that do not gate",
        _CASES,
        '    targets = judgments.targets.filter(gating & pl.col("reviewed"))',
        "    targets = judgments.targets",
    ),
    Fault(
        "outage",
        "errors beyond `max_errors` are exit code 1 if a gate failed",
        _PROBLEMS,
        "    if errors > max_errors:",
        "    if errors > max_errors and errors == len(tested.suite.cases):",
    ),
    Fault(
        "gone-passes",
        "a suite with missing targets passes on the others",
        _PROBLEMS,
        "    if counting:",
        "    if len(counting) > 10**9:",
    ),
    Fault(
        "gone-zero",
        "a case without a target that is left scores 0",
        "scoring/evaluate.py",
        "            columns[metric.label].defined[gone] = False",
        "            columns[metric.label].defined[gone] = True",
    ),
    Fault(
        "gone-ideal",
        "a missing target is not in the ideal, so deleting documents raises scores",
        "truth/resolve.py",
        "            if target.grade > 0 and target.location not in gone:",
        "            if target.grade > 0 and not any(spot for _, spot in found):",
    ),
    Fault(
        "expired",
        "a known miss never expires",
        _PROBES,
        "return self.until is None or today <= self.until",
        "return self.until is None or today.year > 0",
    ),
    Fault(
        "last-day",
        "a known miss expires on its last day",
        _PROBES,
        "return self.until is None or today <= self.until",
        "return self.until is None or today < self.until",
    ),
    Fault(
        "known-checks",
        "a gate on checks counts those of known misses",
        _DECIDE,
        "    found = _checks(tested, pool) if checks",
        "    found = _checks(tested, reads) if checks",
    ),
    Fault(
        "known-gates",
        "gates count known misses",
        _DECIDE,
        "    pool = _pool(gate, tested, reads & tested.counted, reference)",
        "    pool = _pool(gate, tested, reads, reference)",
    ),
    Fault(
        "strict-xfail",
        "a known miss that passes fails without `xfail_strict`",
        _CASES,
        "if passes and tested.xfail_strict else ()",
        "if passes else ()",
    ),
    Fault(
        "several",
        "of several suites, the last one decides the exit code",
        "cli/test.py",
        "    return int(ExitCode.worst(ExitCode(report.exit_code) for report in done))",
        "    return int(done[-1].exit_code)",
        tests=_STORIES,
    ),
    Fault(
        "unasked",
        "a query that is absent from a stored run is an error",
        _FLOW,
        "is_in([Answer.ERROR.value, Answer.TIMEOUT.value])",
        "is_in([Answer.ERROR.value, Answer.TIMEOUT.value, Answer.MISSING.value])",
    ),
    Fault(
        "unknown",
        "a query is called regressed although nobody judged its results",
        _CASES,
        "Change.UNKNOWN if unjudged else",
        "Change.UNKNOWN if unjudged is None else",
    ),
    Fault(
        "first-check",
        "a check that passes in the first repeat passes",
        "gates/checks.py",
        "            if before is None or (before.passed and not result.passed):",
        "            if before is None:",
        tests=_STORIES,
    ),
    Fault(
        "first-answer",
        "an expected answer is searched for in the first repeat only",
        _FLOW,
        "(text for run in runs for text in",
        "(text for run in runs[:1] for text in",
        tests=_STORIES,
    ),
    Fault(
        "absent-repeat",
        "a value that a repeat does not have is 0 in the mean of its query",
        _REPEATS,
        "    return Column(values.sum(axis=0) / np.maximum(number, 1), number > 0)",
        "    return Column(values.sum(axis=0) / len(columns), number > 0)",
        tests="scoring/test_repeats.py",
    ),
    Fault(
        "half",
        "a query is found only if more than half of the repeats find it",
        _REPEATS,
        "    usual = every[(len(ranks) + 1) // 2 - 1]",
        "    usual = every[len(ranks) // 2]",
        tests="scoring/test_repeats.py",
    ),
    Fault(
        "cheaper",
        "a target that is never found costs no tokens to read",
        "scoring/metrics/tokens.py",
        "        values = np.full(matches.size, self.budget)",
        "        values = np.zeros(matches.size)",
        tests="scoring/metrics/test_tokens.py",
    ),
)
"""Faults of cases, judgments and repeats."""

GATES = (
    Fault(
        "none",
        "the cases without a category are a slice of worst(category)",
        _LANGUAGE,
        "        return (case.category,) if case.category else ()",
        '        return (case.category or "",)',
    ),
    Fault(
        "min-n",
        "a slice of fewer than five queries decides nothing",
        _DECIDE,
        "    if not pool.any():",
        "    if pool.sum() < 5:",
    ),
    Fault(
        "no-pool",
        "worst(key) leaves out slices of one query",
        _DECIDE,
        "        name = pick(means, key=means.__getitem__)",
        "        several = {key: means[key] for key, rows in parts.items() if rows.sum() > 1} or means\n"
        "        name = pick(several, key=several.__getitem__)",
    ),
    Fault(
        "best-slice",
        "worst(key) takes the best slice",
        _DECIDE,
        "        pick = min if gate.higher_is_better else max",
        "        pick = max if gate.higher_is_better else min",
    ),
    Fault(
        "share-of-all",
        "a share of lost queries is one of all queries",
        _DECIDE,
        "pool, bad, _names(tested, bad, key=-reference",
        "np.ones_like(pool), bad, _names(tested, bad, key=-reference",
    ),
    Fault(
        "guard-sliced",
        "a `lost` gate on a slice replaces the default gate",
        _LANGUAGE,
        "        gate.kind in kinds and not gate.where and not gate.against and label in (None, gate.label)",
        "        gate.kind in kinds and not gate.against and label in (None, gate.label)",
    ),
    Fault(
        "guard-against",
        "a `lost` gate against another system replaces the default gate",
        _LANGUAGE,
        "        gate.kind in kinds and not gate.where and not gate.against and label in (None, gate.label)",
        "        gate.kind in kinds and not gate.where and label in (None, gate.label)",
    ),
    Fault(
        "two-hundred",
        "one query of 200 may be lost",
        _LANGUAGE,
        '    limit = "<= 0.5%" if queries > MANY else "= 0"',
        '    limit = "<= 0.5%"',
    ),
    Fault(
        "strict",
        "a value at the threshold of `<` passes",
        _LANGUAGE,
        '(-EPS if self.sign == "<" else EPS)',
        "EPS",
    ),
    Fault(
        "rounding",
        "the last bit of a value decides",
        _LANGUAGE,
        "            return value >= self.threshold - EPS",
        "            return value > self.threshold - EPS * 1e-9",
    ),
    Fault(
        "lost",
        "a query whose relevant result falls just below the depth is not lost",
        _DECIDE,
        "((now == 0) | (now > k))",
        "((now == 0) | (now > k + 1))",
    ),
    Fault(
        "weights",
        "a drop is not weighted",
        _DECIDE,
        '        value = aggregate(fell[pool], tested.scores.weights[pool], "mean")',
        '        value = aggregate(fell[pool], np.ones(int(pool.sum())), "mean")',
    ),
    Fault(
        "error-share",
        "a share of errors is a count",
        _DECIDE,
        '    return _Measured(number / count if gate.unit == "%" else float(number), count, queries)',
        "    return _Measured(float(number), count, queries)",
    ),
    Fault(
        "answer-reviews",
        "a text that contains an expected answer counts as a judgment of a person",
        _CASES,
        "if source_kind(name) in sources]",
        'if source_kind(name) in (*sources, "estimated")]',
        tests=_STORIES,
    ),
    Fault(
        "unstable-lost",
        "unstable queries count in `lost` and `regressed`",
        _DECIDE,
        "    if gate.kind in (Kind.LOST, Kind.REGRESSED):\n        rows",
        "    if gate.kind is Kind.DROP and not gate.kind:\n        rows",
    ),
    Fault(
        "error-regressed",
        "an error is not regressed",
        _DECIDE,
        "        bad = pool & ((fell > EPS) | tested.errored)\n    else:",
        "        bad = pool & (fell > EPS)\n    else:",
    ),
    Fault(
        "error-lost",
        "an error is lost",
        _DECIDE,
        " & ~tested.errored\n    return marked",
        "\n    return marked",
    ),
    Fault(
        "selection",
        "means are enforced for a selection",
        _DECIDE,
        "    if tested.selected and not gate.holds_for_selection:",
        "    if tested.selected and gate.against == gate.text:",
    ),
    Fault(
        "inconclusive-warn",
        "`on_inconclusive = warn` hides a failed gate",
        _BUILD,
        "        one.code for one in every if not (about.lenient and one.code is ExitCode.INCONCLUSIVE)",
        "        one.code for one in every if not (about.lenient and GateState.INCONCLUSIVE in states)",
    ),
)
"""Faults of gates."""

FAULTS = (*RUNS, *BASELINES, *CASES, *GATES)

GONE = {
    "matched": "how many cases both sides have decides nothing any more; `removed` names the others",
    "pooled": "slices of few queries decide by themselves; `no-pool` and `min-n` are the faults now",
    "open-worst": "no slice is open any more; `best-slice` takes its place",
    "effective": "no number of queries decides any more, weighted or not; `weights` is about weights",
    "known-latency": "known misses are left out of all gates now, latency included; `known-gates`",
    "empty": "gates leave no results out any more; its code went",
    "thin-fails": "a thin slice that fails is right now; `min-n` is the opposite",
    "still-asked": "the share of common queries decides nothing any more; `still-in-suite` and `removed`",
    "guard-hidden": "gates hide no default gate unless they replace it; `guard-sliced` and `guard-against`",
    "surely": "its code went with `noninferior`",
    "top-weight": "its code went with `noninferior`",
    "scored-weight": "its code went with `noninferior`",
    "group-weight": "its code went with `noninferior`",
    "groups": "its code went with `noninferior`",
    "range": "its code went with `noninferior`",
    "estimates": "the mark of estimated cases decides nothing any more; `answer-reviews`",
    "two-sided": "its code went with `noninferior`",
}
"""Faults of 0.2 without a place, and why."""
