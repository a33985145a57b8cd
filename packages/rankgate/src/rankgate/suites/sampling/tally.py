"""How often every query of a log was asked, held as numbers, and the texts of those that may be drawn.

A query's number is a hash of the seed and its text, and where it lies between 0 and 1 is its chance. What is
drawn are the queries with the smallest chance for how often they were asked. That quotient only falls while a
log is read, and so does the bound that it must be under; a query that is drawn in the end is therefore under
the bound when it comes for the last time, and only texts that are need to be held.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.errors import Code, InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankgate.suites.sampling.choose import By, Floats, Ints

    Keys = NDArray[np.uint64]

MOST_STRATA = 1000
_AHEAD = 50
_CHUNK = 500_000


class QueryTally:
    """Counts queries, and holds the texts of those that are likely to be drawn."""

    def __init__(self, size: int, *, seed: int = 0, by: By = "traffic", least: int = 1) -> None:
        """Prepare to hold at least `size` texts of every stratum, of queries asked `least` times or more."""
        self._size = size + _AHEAD
        self._seed, self._by, self._least = seed.to_bytes(16, "little", signed=True), by, least
        self.strata: list[str | None] = []
        """The names of the strata, by their numbers."""
        self.keys: Keys = np.empty(0, dtype=np.uint64)
        """The hashes of the queries, in order."""
        self.seen: Ints = np.empty(0, dtype=np.int64)
        """How often each was asked."""
        self.stratum: NDArray[np.uint16] = np.empty(0, dtype=np.uint16)
        """The stratum of each."""
        self._texts: dict[int, str] = {}

    @property
    def chance(self) -> Floats:
        """The number between 0 and 1 of each."""
        return self.keys / 2.0**64

    def add(self, counts: pl.DataFrame) -> None:
        """Count more queries: `query`, `stratum` and `seen`."""
        if counts.is_empty():
            return
        names = counts["stratum"].unique(maintain_order=True).to_list()
        self.strata += [name for name in names if name not in self.strata]
        if len(self.strata) > MOST_STRATA:
            found = f"more than {MOST_STRATA} values, such as {self.strata[0]!r}"
            fix = "choose a column with few values, such as a market or a language"
            raise InputError(Code.WRONG_OPTION("--stratify", found, f"at most {MOST_STRATA}", fix))
        number = {name: at for at, name in enumerate(self.strata)}
        codes = np.array([number[name] for name in names], dtype=np.uint16)
        which = codes[_positions(counts["stratum"], names)]
        keys = self._hashes(counts["query"], which)
        every = np.concatenate([self.keys, keys])
        self.keys, first, back = np.unique(every, return_index=True, return_inverse=True)
        del every
        self.stratum = np.concatenate([self.stratum, which])[first]
        more = counts["seen"].to_numpy().astype(np.int64)
        self.seen = np.bincount(back, np.concatenate([self.seen, more])).astype(np.int64)
        self._hold(counts["query"], keys)

    def text(self, row: int) -> str | None:
        """Return the text of a query; None where it was not held, as it was not likely to be drawn."""
        return self._texts.get(int(self.keys[row]))

    def _hold(self, queries: pl.Series, keys: Keys) -> None:
        """Hold the texts that are under the bound now, and no others."""
        likely = set(self.keys[self._likely()].tolist())
        self._texts = {key: text for key, text in self._texts.items() if key in likely}
        here = np.flatnonzero(np.isin(keys, np.fromiter(likely, np.uint64, len(likely))))
        self._texts.update(zip(keys[here].tolist(), queries.gather(here), strict=True))

    def _likely(self) -> NDArray[np.bool_]:
        bar = self.chance / self.seen if self._by == "traffic" else self.chance
        bar = np.where(self.seen >= self._least, bar, np.inf)
        found = np.zeros(len(bar), dtype=bool)
        for number in range(len(self.strata)):
            part = np.flatnonzero(self.stratum == number)
            some = bar[part]
            if len(part) > self._size:
                some = np.where(some <= np.partition(some, self._size)[self._size], some, np.inf)
            found[part] = np.isfinite(some)
        return found

    def _hashes(self, queries: pl.Series, stratum: NDArray[np.uint16]) -> Keys:
        """Hash queries with their strata, the same on every machine and in every version."""
        found = np.empty(len(queries), dtype=np.uint64)
        salts = [hashlib.blake2b((name or "").encode(), digest_size=16).digest() for name in self.strata]
        for start in range(0, len(queries), _CHUNK):
            some = zip(queries.slice(start, _CHUNK), stratum[start : start + _CHUNK].tolist(), strict=True)
            hashes = [
                hashlib.blake2b(text.encode(), digest_size=8, key=self._seed, salt=salts[at]).digest()
                for text, at in some
            ]
            found[start : start + len(hashes)] = np.frombuffer(b"".join(hashes), dtype="<u8")
        return found


def _positions(values: pl.Series, names: list[str | None]) -> Ints:
    """Return which of the names each value is."""
    known = pl.DataFrame({"name": names, "at": range(len(names))}, schema={"name": pl.String, "at": pl.Int64})
    rows = values.alias("name").to_frame()
    return rows.join(known, on="name", how="left", nulls_equal=True, maintain_order="left")["at"].to_numpy()
