"""One suite and one model judge: what it is told, which passages wait for it, what its labels say of it."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
from rankgate.judging.models.adapters import open_judge
from rankgate.judging.models.identity import judge_identity
from rankgate.judging.models.judge_table import judge_entry
from rankgate.judging.models.prompt import read_prompt
from rankgate.judging.opened import read_guidelines, top_grade
from rankgate.judging.pool.gather import PoolWishes, gathered
from rankgate.truth.judgments.labels import MODEL, Label, Labels, labels_folder, read_labels
from rankgate.truth.labelled import current_labels

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.judging.models.adapters import ModelJudge
    from rankgate.judging.models.judge_table import JudgeEntry
    from rankgate.judging.models.prompt import JudgePrompt
    from rankgate.judging.units import JudgingUnit
    from rankgate.model import Suite
    from rankgate.project.project import Project


@dataclass(frozen=True, slots=True)
class JudgeTask:
    """A judge that is open, and what it is told of a suite."""

    entry: JudgeEntry
    """The judge, as the configuration has it."""
    judge: ModelJudge
    """Who is asked."""
    prompt: JudgePrompt
    """What is asked."""
    identity: str
    """What its labels are made of."""
    guidelines: str | None
    """The digest of the guidelines."""

    @property
    def blank(self) -> Label:
        """What every label says of the judge."""
        name = self.entry.name
        return Label(name, "-", "-", source="model", prompt=self.identity, guidelines=self.guidelines)

    def has_made(self, label: Label) -> bool:
        """Check whether a label is of this judge, by the same prompt, model and guidelines."""
        made_of = (label.judge, label.source, label.prompt, label.guidelines)
        return made_of == (self.entry.name, MODEL, self.identity, self.guidelines)


@contextmanager
def open_task(project: Project, suite: Suite, name: str | None) -> Iterator[JudgeTask]:
    """Open a judge for a suite.

    Raises:
        InputError: for a judge, a prompt or guidelines that are not right.
    """
    entry = judge_entry(project.configuration, name)
    guidelines = read_guidelines(suite, project.configuration.corpus_root)
    where = f"{entry.where}.prompt"
    scale = guidelines.scale(top_grade(suite))
    prompt = read_prompt(entry.root / entry.settings.prompt, where, guidelines.text or None, scale)
    judge = open_judge(entry)
    try:
        yield JudgeTask(entry, judge, prompt, judge_identity(entry, prompt), guidelines.digest)
    finally:
        judge.close()


@dataclass(frozen=True, slots=True)
class WaitingPassages:
    """What a judge has not graded yet."""

    units: tuple[JudgingUnit, ...]
    kept: int
    """How many others it graded before, by the same prompt, model and guidelines."""
    notes: tuple[str, ...] = ()
    """What cannot be judged, in words and with counts."""


def waiting_passages(
    project: Project, suite: Suite, task: JudgeTask, sources: tuple[str, ...], depth: int
) -> WaitingPassages:
    """Find the passages that systems found and that neither people nor this judge have graded.

    Raises:
        InputError: where there are no answers of systems, and where the log is a person's.
    """
    labels = read_labels(suite.path or "")
    own = labels.of(task.entry.name)
    if any(label.source != MODEL for label in own):
        path = labels_folder(suite.path or "") / f"{task.entry.name}.jsonl"
        fix = f"give the judge another name than [{task.entry.where}]"
        raise InputError(Code.NO_LABELS(str(path), "labels of a person", "those of a model", fix))
    # Where gates count no people, what they said spares the model nothing.
    counted = {*suite.gating_sources} - {MODEL}
    people = Labels(tuple(label for label in labels.each if label.source in counted))
    wishes = PoolWishes(task.entry.name, sources, depth, plain=False, mending=False)
    found = gathered(project, suite, people, wishes).pool
    current = current_labels(suite, Labels(own), project.corpus(suite))
    made = {(label.unit, label.text) for label in current.each if task.has_made(label)}
    units = tuple(one.unit for one in found.units)
    waiting = tuple(unit for unit in units if (unit.key, unit.digest) not in made)
    return WaitingPassages(waiting, len(units) - len(waiting), (*labels.notes, *found.notes))
