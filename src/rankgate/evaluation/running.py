"""From a suite and a system to a run: every query asked, as often as wanted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankgate.evaluation.indexing import have_index
from rankgate.evaluation.interview import Interview, questions_of, retried
from rankgate.evaluation.probing import Probed, probe
from rankgate.evaluation.repeats import repeat_folders
from rankgate.model import System
from rankgate.truth.estimate import answered_cases

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rankgate.corpora.corpus import Corpus
    from rankgate.evaluation.asking import Asking
    from rankgate.model import Suite
    from rankgate.runs.tables import Run, RunShard, TextLevel
    from rankgate.truth.itinerary import Itinerary


@dataclass(frozen=True, slots=True, eq=False)
class Answered:
    """What a system answered, and what is to be told of it."""

    run: Run
    """The answers to the cases."""
    probed: Probed = field(default_factory=Probed)
    """What came of its scenarios and invariants."""
    repeats: tuple[Run, ...] = ()
    """The answers to the same, asked again."""
    located: Mapping[str, int] = field(default_factory=dict)
    """How many hits of the run were located how; empty for a run that was made before."""
    notes: tuple[str, ...] = ()
    """What was lost or repeated on the way, with counts."""

    @property
    def name(self) -> str:
        """What reports call the run."""
        return self.run.name

    def shards(self) -> Iterator[RunShard]:
        """Go through the shards of the run, so that answers are a run themselves."""
        return self.run.shards()


def ask_suite(
    suite: Suite,
    system: System | Run,
    corpus: Corpus | None,
    itinerary: Itinerary,
    k: int,
    asking: Asking,
) -> Answered:
    """Ask the system, or take the answers that it gave before."""
    if isinstance(system, Answered):
        return system
    if not isinstance(system, System):
        probed = probe(suite, system, itinerary)
        return Answered(system, probed, notes=(*retried(system), *probed.notes))
    # Estimated labels compare the whole text of a hit with the answer that is expected.
    texts: TextLevel = "full" if answered_cases(suite)[0] else "snippet"
    questions = questions_of(suite, k)
    questions = questions if asking.part is None else asking.part.of(questions)
    index = have_index(system, corpus, asking.chunks, asking.progress)
    with Interview(suite, system, corpus, asking, index) as interview:
        run = interview.ask(questions, asking.folder, texts, k)
        located, notes = interview.located, interview.notes()
        probed = probe(suite, system, itinerary, asking.folder, interview.ask, asking.part)
        repeats = tuple(
            interview.ask(questions, folder, texts, k)
            for folder in repeat_folders(asking.folder, asking.repeat)
        )
    return Answered(run, probed, repeats, located, (*index.notes, *notes, *retried(run), *probed.notes))
