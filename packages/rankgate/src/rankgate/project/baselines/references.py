"""Read what a run is compared with: baselines, their results located in today's documents."""

from __future__ import annotations

from collections.abc import Iterable

from rankgate.corpora.corpus import Corpus
from rankgate.gates.compare import Reference
from rankgate.gates.language import Gate
from rankgate.model import Suite
from rankgate.project.baselines.kept import Baselines


def read_references(
    baselines: Baselines | None, gates: Iterable[Gate], suite: Suite, corpus: Corpus | None
) -> dict[str | None, Reference | None]:
    """Read the system's own baseline, and each that a gate names after `against`.

    Raises:
        InputError: for a file that is no baseline of the suite and the system.
    """
    if baselines is None:
        return {}
    names = dict.fromkeys([None, *(gate.against for gate in gates)])
    return {name: read_reference(baselines, name, suite, corpus) for name in names}


def read_reference(
    baselines: Baselines, name: str | None, suite: Suite, corpus: Corpus | None
) -> Reference | None:
    """Read one baseline; null if there is none."""
    baseline = baselines.read(name)
    if baseline is None:
        return None
    about = baseline.about
    run, repeats = baseline.run, baseline.repeats
    unlocated: frozenset[str] = frozenset()
    hits = 0
    changed = corpus is not None and about.corpus != corpus.fingerprint
    if corpus is not None and changed:
        from rankgate.project.baselines.moved import moved_baseline

        moved = moved_baseline(baseline, suite, corpus)
        if moved is None:
            unlocated = frozenset(baseline.asked)
        else:
            run, repeats = moved.run, moved.repeats
            unlocated, hits = moved.left_out, moved.unlocated
    return Reference(
        name="baseline" if name is None else f"baseline of {name}",
        run=run,
        asked=baseline.asked,
        repeats=repeats,
        depth=about.k,
        unstable=frozenset(query for query, one in baseline.asked.items() if one.unstable),
        unlocated=unlocated,
        unlocated_hits=hits,
        notes=tuple(getattr(baseline.run, "notes", ())),
    )
