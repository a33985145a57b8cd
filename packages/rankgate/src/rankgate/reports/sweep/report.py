"""The report of a sweep over one suite: every number and every string, worked out once."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SweepNumbers:
    """One variant in full, for machines."""

    means: tuple[float | None, ...]
    """Its means, one a metric; null where a metric was not compared."""
    difference: float | None = None
    """That of the first metric to the baseline; null for the baseline itself."""
    low: float | None = None
    """Where the 95 % interval of the difference begins; null where too few queries differ."""
    high: float | None = None
    """Where it ends."""
    p: float | None = None
    """The p value of the randomisation test, as if this were the only variant."""
    holm: float | None = None
    """The same by Holm's rule over the family of all variants."""
    tokens: float | None = None
    """The mean number of tokens that it returns for a query; null where nobody counted."""
    tokens_estimated: bool = False
    """True where these are estimated from the size of the texts."""
    latency: float | None = None
    """The median of its times in ms; null where no pass measured them in turn."""
    latency_p95: float | None = None
    """The 95th percentile of the same."""
    index_seconds: float | None = None
    """How long its index took to build; null where that was before this sweep, or nobody knows."""
    index_bytes: int | None = None
    """The size of its index on disk; null where it does not say where that is."""


@dataclass(frozen=True, slots=True)
class SweepRow:
    """One variant."""

    name: str
    """What people call it."""
    values: tuple[str, ...]
    """Its value of each axis; empty texts for a variant of its own."""
    means: tuple[str, ...]
    """Its means, one a metric."""
    numbers: SweepNumbers
    """The same in full, and what follows from them."""
    difference: str = ""
    """The difference of the first metric to the baseline; empty for the baseline."""
    interval: str = ""
    """The 95 % interval of that difference."""
    p: str = ""
    """The p value by Holm's rule."""
    wins: int = 0
    """How many queries are better than with the baseline."""
    losses: int = 0
    """How many are worse."""
    ties: int = 0
    """How many are the same."""
    finding: str = ""
    """What the test shows by Holm's rule: better, worse, no significant difference, inconclusive, unchanged,
    or not compared; empty for the baseline."""
    measures: tuple[str, ...] = ()
    """What stands beside the metrics, one text for each of `SweepReport.measures`."""
    errors: int = 0
    """How many queries it did not answer."""
    same_as: str = ""
    """That it is the same as another, and in which way; empty where it is not."""
    baseline: bool = False
    """True for the variant that is in use."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What the winner of one part of the queries does on the other."""

    winner: str
    """The variant that was best on the part that variants are ranked on."""
    seen: str
    """How many queries that part has, and the winner's difference there, in words."""
    measured: str
    """The winner's difference on the part that was held out, with its interval, in words."""
    shrinkage: str
    """How much smaller the second is, in words."""
    detectable: str
    """The smallest difference that the held-out part can show, in words."""
    uses: int
    """Which look at the held-out part this is, from 1; from the second on it is exploratory."""
    numbers: tuple[float, float, float | None, float | None, float]
    """The difference on both parts, the ends of the interval of the second, and its p value, in full."""

    @property
    def exploratory(self) -> bool:
        """True where the held-out part was looked at before."""
        return self.uses > 1


@dataclass(frozen=True, slots=True)
class FoundAlone:
    """What one variant finds and no other does."""

    variant: str
    """The variant."""
    queries: tuple[str, ...]
    """The queries in which it alone finds something relevant."""


@dataclass(frozen=True, slots=True)
class SweepReport:
    """A sweep over one suite."""

    title: str
    """The sweep and the suite."""
    headline: str
    """What came of it, in one sentence."""
    metrics: tuple[str, ...]
    """The columns; the first decides."""
    axes: tuple[str, ...]
    """The axes, as their columns are called."""
    rows: tuple[SweepRow, ...]
    """A row a variant, the best first."""
    measures: tuple[str, ...]
    """The columns beside the metrics that some row has a value of: judged@10, tokens, latency, index size."""
    family: str
    """How many variants the p values are corrected for, in words."""
    held_out: HeldOut | None = None
    """What the winner does on the queries that were held out; null where none were."""
    notes: tuple[str, ...] = ()
    """What a reader must know: what was left out, failed or could not be asked."""
    alone: tuple[FoundAlone, ...] = ()
    """What each variant alone finds, those that find most first."""
    unanswered: tuple[str, ...] = ()
    """The queries that no variant answers, though something relevant is known."""
    provenance: tuple[tuple[str, str], ...] = field(default=())
    """What was asked: suite, corpus, k."""
