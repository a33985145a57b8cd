"""The faults that the oracle must see: a line of rankgate each, and what stands there instead.

Most put back what the project once did wrong. What is replaced must stand in the source exactly once, so that
a table that is out of date is told by a test.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """One fault."""

    name: str
    what: str
    """What is wrong then, in words."""
    file: str
    """The module, below the package."""
    old: str
    new: str
    by: str = ""
    """The module of this package that draws the states in which it shows; histories where none is named."""

    def applied(self, text: str) -> str:
        """Return the text of the module with the fault in it."""
        if text.count(self.old) != 1:
            raise LookupError(f"{self.name}: {self.file} has {self.old!r} {text.count(self.old)} times")
        return text.replace(self.old, self.new)


FAULTS = (
    Fault(
        "resume",
        "a run is resumed after its system was changed",
        "model/identity.py",
        "        return (*self.system_differences(now), *self.asking_differences(now))",
        "        return self.asking_differences(now)",
    ),
    Fault(
        "variable",
        "another value of a variable is no difference",
        "model/identity.py",
        "        if was == is_:",
        '        if was == is_ or name.startswith("$"):',
    ),
    Fault(
        "errors-kept",
        "what failed is not asked again when a run is resumed",
        "runs/store/run_writer.py",
        '            bad = pl.col("status").is_in([Answer.ERROR.value, Answer.TIMEOUT.value])',
        '            bad = pl.col("status") == "nothing"',
    ),
    Fault(
        "questions",
        "a stored run answers a question that was edited",
        "runs/kept.py",
        "    if changes := [*matched.changes()]:",
        "    if changes := []:",
    ),
    Fault(
        "unasked",
        "a case that a stored run was never asked counts as one without hits",
        "runs/kept.py",
        "    if matched.missing.height and whole and not needs.lenient:",
        "    if matched.missing.height and whole and needs.lenient:",
    ),
    Fault(
        "corpus",
        "a stored run is read over another corpus",
        "runs/kept.py",
        "    if manifest.corpus != needs.corpus:",
        "    if manifest.corpus is None and needs.corpus is not None:",
    ),
    Fault(
        "hashes",
        "a changed file of a run is read without a word",
        "runs/store/run_folder.py",
        "    if not has_digest(path, said.sha256):",
        "    if path.stat().st_size == 0:",
    ),
    Fault(
        "part",
        "a part of a run is tested as a whole one",
        "runs/kept.py",
        "    if manifest.part is not None:",
        "    if manifest.part is None and manifest.finished is None:",
    ),
    Fault(
        "unfinished",
        "an interrupted run is tested as a whole one",
        "runs/kept.py",
        "    if manifest.finished is None:",
        "    if manifest.shards == () and manifest.finished is None:",
    ),
    Fault(
        "merge",
        "parts of two states of a system are joined",
        "runs/parts.py",
        "        if (different := first.differences(replace(run.manifest, part=None)))",
        "        if (different := first.identity.asking_differences(run.manifest.identity))",
    ),
    Fault(
        "depth",
        "a stored run serves a deeper metric than it was asked for",
        "runs/kept.py",
        "    if None not in (manifest.k, needs.depth) and manifest.k < needs.depth:",
        "    if manifest.k == 0:",
    ),
    Fault(
        "repeats",
        "an outage in the repeats of a stored run is not counted",
        "project/suite_run.py",
        "        repeats = kept_repeats(suite, run, needs)",
        "        repeats = kept_repeats(suite, run, needs)[:0]",
    ),
    Fault(
        "names",
        "systems whose names look alike share a folder and a baseline",
        "model/file_names.py",
        '    return f"{words}~{digest[:_DIGITS]}"',
        "    return words",
    ),
    Fault(
        "head",
        "a baseline that is headed with another system is taken",
        "project/baselines/kept.py",
        "        if (about.suite, about.system) != (self.suite.name, system):",
        "        if about.suite != self.suite.name:",
    ),
    Fault(
        "against",
        "against a name that nobody has waits for a baseline",
        "project/baselines/kept.py",
        "            if gate.against and gate.against not in known and not self.path(gate.against).is_file()",
        "            if gate.against and not gate.against",
    ),
    Fault(
        "required",
        "a baseline that is deleted is not missed",
        "project/baselines/held.py",
        "        required = baselines.required and name is None",
        "        required = False",
    ),
    Fault(
        "moved",
        "the hits of a baseline stay where they were when lines are put on top of their document",
        "project/baselines/moved.py",
        "        return name, now.path, now.start, now.end, *now.characters(first, behind), None",
        "        return name, path, start, end, first, behind, None",
    ),
    Fault(
        "stale",
        "a baseline of other documents is compared with nothing, and nothing is open",
        "project/baselines/held.py",
        "    if about.corpus != judgments.corpus and corpus is not None:",
        "    if about.corpus is None and corpus is not None:",
    ),
    Fault(
        "matched",
        "a comparison over a tenth of the cases decides",
        "gates/scored.py",
        "    return 5 * part >= 4 * whole",
        "    return 10 * part >= whole",
    ),
    Fault(
        "deeper",
        "a baseline is compared deeper than it goes",
        "gates/scored.py",
        "        return self.depth is not None and min(hits, self.k) > self.depth",
        "        return False",
    ),
    Fault(
        "red",
        "a red run becomes the baseline without a word",
        "project/baseline_set.py",
        "    if code is ExitCode.PASSED or",
        "    if code is not ExitCode.SYSTEM_FAILED or",
    ),
    Fault(
        "time-outs",
        "time-outs leave the gates on latency",
        "runs/asking/ask.py",
        "latency_ms=waited * 1000",
        "latency_ms=None",
    ),
    Fault(
        "reviewed",
        "gates score targets that nobody has reviewed",
        "scoring/reviewed.py",
        '    return (named["reviewed"] & (named["grade"] > 0)).any()',
        "    return False",
    ),
    Fault(
        "none",
        "worst(lang) leaves out the cases without lang",
        "gates/context.py",
        "        return {**found, NONE: without} if without.any() else found",
        "        return found",
    ),
    Fault(
        "pooled",
        "a slice of five decides for all that lie in smaller ones",
        "gates/slicing.py",
        "counted * 100 < int(every.sum()) * ENOUGH",
        "counted * 100 < int(every.sum())",
    ),
    Fault(
        "outage",
        "gate = false hides an outage",
        "gates/exit_code.py",
        "    code = exit_code(scored.verdicts, scored.scores, max_errors, scored.checks)",
        "    code = exit_code(scored.verdicts, scored.scores, max_errors if enforce else 10**9)",
    ),
    Fault(
        "gone-passes",
        "a suite of which targets are gone passes on what is left",
        "gates/exit_code.py",
        "    if gone > max_gone:",
        "    if gone > max_gone + 10**9:",
    ),
    Fault(
        "gone-zero",
        "a case whose targets are gone scores 0",
        "scoring/evaluate.py",
        "            columns[metric.label].defined[gone] = False",
        "            columns[metric.label].defined[gone] = True",
    ),
    Fault(
        "gone-ideal",
        "what is gone leaves the ideal, so that deleting documents raises scores",
        "truth/locations/resolve.py",
        "            if target.grade > 0 and target.location not in gone:",
        "            if target.grade > 0 and not any(spot for _, spot in found):",
    ),
    Fault(
        "expired",
        "a known miss never expires",
        "gates/scored.py",
        "self.today <= case.xfail.until",
        "self.today.year > 0",
    ),
    Fault(
        "min-n",
        "a slice of four decides",
        "gates/slicing.py",
        "MIN_N = 5",
        "MIN_N = 4",
    ),
    Fault(
        "lost",
        "a query whose relevant hit falls just below the depth is not lost",
        "scoring/comparison.py",
        "(self.first_after > depth)",
        "(self.first_after > depth + 1)",
    ),
    Fault(
        "weights",
        "weights count for nothing in a drop",
        "scoring/comparison.py",
        "            self.after.weights[rows],",
        "            np.ones(int(rows.sum())),",
    ),
    Fault(
        "several",
        "of several systems the last one decides",
        "cli/test.py",
        "    return int(ExitCode.worst(report.exit_code for report in told))",
        "    return int(told[-1].exit_code)",
    ),
)
"""Each fault, about in the order of the way of a suite."""
