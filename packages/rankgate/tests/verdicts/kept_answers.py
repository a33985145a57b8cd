"""What rankgate says of kept answers: a material is scored once, and judged by many lists of gates.

Nothing is asked. The suite and the baselines are files, the answers are tables in memory, and they are judged
by what `rankgate.evaluation` puts together once a system was asked.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankgate.model.search import Query
from verdicts.gate_drawing import RUN
from verdicts.project import TODAY, suite_text
from verdicts.state import text_of, tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    import polars as pl

    from rankgate.gates.checks import Checks
    from rankgate.gates.scored import Scored
    from rankgate.model import Suite
    from rankgate.project.settings import Settings
    from rankgate.runs.store.manifest import Manifest
    from rankgate.runs.store.tables import MemoryRun
    from rankgate.truth.locations.probe_plan import ProbePlan
    from verdicts.gate_drawing import Material
    from verdicts.state import Answer, Baseline, System

_STATUS = {"error": "error", "late": "timeout"}


@dataclass(frozen=True)
class Said:
    """What is said of one gate."""

    status: str
    value: float | None
    counts: tuple[int, ...]
    """Scored, undefined, unreviewed, errored."""
    lost: tuple[str, ...] = ()


@dataclass(frozen=True)
class Judged:
    """What is said of all of them."""

    code: int | str
    gates: Mapping[str, Said] | None = None
    why: str = ""


class KeptAnswers:
    """A material, scored by rankgate."""

    def __init__(self, material: Material, folder: Path) -> None:
        self.material, self.folder = material, folder
        self._scored: Scored | None = None
        self.suite = self._written()

    def _written(self) -> Suite:
        from rankgate.suites.formats import load_suite

        material = self.material
        path = self.folder / material.suite.path
        path.write_text(suite_text(material.suite), encoding="utf-8")
        there = self.folder / "baselines"
        there.mkdir(exist_ok=True)
        for old in there.iterdir():
            old.unlink()
        for (_, system), baseline in material.state.baselines.items():
            (there / f"s.{system}.jsonl").write_text(baseline_text(baseline), encoding="utf-8")
        return load_suite(path)

    def settings(self, rules: System) -> Settings:
        """Return how rankgate evaluates under some rules, as it reads them from a configuration."""
        from rankgate.model import GateText
        from rankgate.project.baselines.kept import Baselines
        from rankgate.project.settings import Settings

        state = self.material.state
        names = tuple(one.name for one in state.systems)
        return Settings(
            gates=tuple(GateText(gate.text) for gate in rules.gates or ()),
            enforce=rules.gate,
            max_errors=rules.max_errors,
            on_inconclusive="warn" if rules.lenient else "fail",
            baselines=Baselines(self.suite, rules.name, names, required=state.require_baseline),
            today=TODAY,
        )

    def judge(self, rules: System, every: Iterable[System]) -> Judged:
        """Judge by some rules; what any of them need is scored together, the first time."""
        from rankgate.errors import InputError
        from rankgate.gates.judge import judge_run
        from rankgate.project.settings import judging_rules

        try:
            if self._scored is None:
                self._scored = self._score(every)
            read = replace(judging_rules(self.suite, self.settings(rules)), min_n=self.material.min_n)
            judged = judge_run(self._scored, read)
        except InputError as error:
            return Judged(2, None, str(error))
        gates = {}
        for one in judged.verdicts:
            counts = one.counts
            gates[one.gate] = Said(
                str(one.status),
                one.value,
                (counts.scored, counts.undefined, counts.unreviewed, counts.errored),
                tuple(lost.query for lost in one.lost),
            )
        if len(gates) < len(judged.verdicts):
            return Judged("a gate is judged twice", gates)
        return Judged(int(judged.verdict.exit_code), gates)

    def _score(self, every: Iterable[System]) -> Scored:
        from rankgate.gates.scored import score_run
        from rankgate.project.baselines.held import held_against
        from rankgate.project.settings import judging_rules
        from rankgate.truth.locations.probe_plan import plan
        from rankgate.truth.locations.resolve import resolve

        gates = tuple({gate.text: gate for rules in every for gate in rules.gates or ()}.values())
        settings = self.settings(replace(self.material.system, gates=gates))
        rules = judging_rules(self.suite, settings)
        truth, answers = resolve(self.suite, None), self.material.answers
        runs = [
            run_of(given, times)
            for given, times in zip((answers.by_case, *answers.repeats), answers.times, strict=True)
        ]
        probed = self._probed(plan(self.suite, None)) if self.material.suite.probes else None
        scored = score_run(
            self.suite, truth, runs[0], rules.metrics, rules.today, probed, tuple(runs[1:]), rules.depth
        )
        held = held_against(scored, rules.gates, settings.baselines, rules.depth, None)
        return replace(scored, baselines=held)

    def _probed(self, probe_plan: ProbePlan) -> Checks:
        from rankgate.project.probes import Probed, check_probes

        return check_probes(self.suite, Probed(self.probes_run()), probe_plan)

    def probes_run(self) -> MemoryRun:
        """Return the answers to scenarios and invariants as a run, under the names that these have there."""
        from rankgate.model.suite import probes

        names = {query.text: name for name, query in probes(self.suite)}
        given = self.material.answers.probes
        return run_of({names[one.query]: given[one.name] for one in self.material.suite.probes}, {})

    def store(self) -> None:
        """Write the answers as the folder of a run, with its repeats and what was asked beside the cases."""
        from rankgate.model.suite import map_fingerprint, probes
        from rankgate.project.probes import probes_fingerprint
        from rankgate.runs.store.manifest import Manifest
        from rankgate.runs.store.questions import fingerprint_of, question_table
        from rankgate.runs.store.run_folder import PROBES, repeat_folder

        suite, answers = self.suite, self.material.answers
        asked = question_table((case.id, Query(case.query, filters=case.filters)) for case in suite.cases)
        manifest = Manifest(
            "app",
            suite=suite.fingerprint,
            k=answers.k,
            questions=fingerprint_of(asked),
            rules=map_fingerprint(suite),
            texts="full",
        )
        home = self.folder / RUN
        for number, given in enumerate((answers.by_case, *answers.repeats), 1):
            folder = home if number == 1 else repeat_folder(home, number)
            _store(folder, manifest, asked, run_of(given, answers.times[number - 1]))
        if self.material.suite.probes:
            manifest = replace(manifest, k=None, questions=probes_fingerprint(suite))
            asked = question_table(probes(suite), own_depth=True)
            _store(home / PROBES, manifest, asked, self.probes_run())


def _store(folder: Path, manifest: Manifest, asked: pl.DataFrame, run: MemoryRun) -> None:
    from rankgate.runs.store.run_writer import RunWriter
    from rankgate.runs.store.tables import Shard

    with RunWriter(folder, manifest) as writer:
        for shard in run.shards():
            queries = shard.queries.drop("question", "asked").join(asked, on="query", maintain_order="left")
            writer.add(Shard.of(queries, shard.hits, shard.texts))


def run_of(given: Mapping[str, Answer], times: Mapping[str, float]) -> MemoryRun:
    """Make a run of answers; what is missing is not in it."""
    from rankgate.model.search import Hit, Ranking
    from rankgate.runs.store.schemas import QUERIES
    from rankgate.runs.store.tables import MemoryRun, Shard

    there = {name: one for name, one in given.items() if one != "missing"}
    rankings = {
        name: Ranking(
            ()
            if isinstance(one, str)
            else tuple(Hit(id=place, text=text_of(place), tokens=tokens_of(place)) for place in one)
        )
        for name, one in there.items()
    }
    rows = [
        (
            name,
            _STATUS[one] if isinstance(one, str) else "ok",
            "the index is gone" if isinstance(one, str) else None,
            1,
            None if one == "error" else times.get(name),
            None,
            len(rankings[name].hits),
            None,
            None,
        )
        for name, one in there.items()
    ]
    return MemoryRun("app", [Shard.of_answers(QUERIES.of_rows(rows), rankings, "full")])


def said_in(report: Path) -> dict[str, Said]:
    """Read what a JSON report says of each gate."""
    names = ("scored", "undefined", "unreviewed", "errored")
    return {
        one["gate"]: Said(
            one["status"],
            one["number"],
            tuple(one["counts"][name] for name in names),
            tuple(lost["query"] for lost in one.get("lost", ())),
        )
        for one in json.loads(report.read_text(encoding="utf-8"))["verdicts"]
    }


def baseline_text(baseline: Baseline) -> str:
    """Write a baseline as its file has it."""
    head: dict[str, object] = {"baseline": 2, "suite": baseline.suite, "system": baseline.system}
    head |= {} if baseline.k is None else {"k": baseline.k}
    head |= {"times": len(baseline.repeats) + 1} if baseline.repeats else {}
    lines: list[dict[str, object]] = [head]
    for name, (question, _) in sorted(baseline.answers.items()):
        hits, *again = ([_kept_hit(place) for place in one] for one in baseline.every(name))
        line = {"query": name, "asked": question.query, "hits": hits}
        lines.append(line | ({"repeats": again} if any(one != hits for one in again) else {}))
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def _kept_hit(place: str) -> dict[str, object]:
    return {"id": place, "tokens": tokens_of(place)}
