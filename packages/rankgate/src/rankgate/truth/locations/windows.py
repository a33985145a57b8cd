"""Windows of bytes, chosen by their content, and where in a long text each stands.

The same bytes have the same windows wherever they stand, so that a few windows of a text say where it may
be, at the cost of the text and not of what it is looked for in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SIZE = 16
_SAMPLE = np.uint64(7)
"""One window in eight is kept, by the last bits of its hash."""
_FREQUENT = 64
"""A window that stands in more places than that says too little."""
_MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


class WindowIndex:
    """Where the windows of a long text stand.

    >>> index = WindowIndex(b"the api key is rotated when somebody leaves the team " * 2)
    >>> index.candidates(b"is rotated when somebody leaves the team")
    [12, 65]
    """

    def __init__(self, whole: bytes) -> None:
        """Index a text."""
        keys, places = _windows(whole)
        # A table over the first bits: most entries hold one window or none, so that a look costs two reads
        # and not a binary search.
        bits = max(1, len(keys).bit_length())
        self._shift = np.uint64(64 - bits)
        entries = keys >> self._shift
        order = np.argsort(entries, kind="stable")
        self._keys, self._places = keys[order], places[order]
        counts = np.bincount(entries.astype(np.int64), minlength=1 << bits)
        self._first = np.concatenate([[0], np.cumsum(counts)])

    def _entries(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where what may be each window begins, and how many there are."""
        entries = (keys >> self._shift).astype(np.int64)
        first = self._first[entries]
        return first, self._first[entries + 1] - first

    def candidates(self, wanted: bytes) -> list[int] | None:
        """Return where a text may stand as it is, by its rarest window; None where it has no window."""
        keys, here = _windows(wanted[: 8 * _SIZE])
        if not len(keys):
            return None
        first, count = self._entries(keys)
        rarest = count.argmin()
        start = first[rarest]
        found: list[int] = (self._places[start : start + count[rarest]] - here[rarest]).tolist()
        return found

    def shifts(self, wanted: bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return how far a text must be moved so that windows of it stand where they do, and how many do."""
        keys, here = _windows(wanted)
        first, count = self._entries(keys)
        # What stands in a great many places is not even listed; an entry may hold two windows.
        count = np.where(count > 2 * _FREQUENT, 0, count)
        behind = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        found, window = np.repeat(first, count) + behind, np.repeat(np.arange(len(keys)), count)
        same = self._keys[found] == keys[window]
        found, window = found[same], window[same]
        rare = (np.bincount(window, minlength=len(keys)) <= _FREQUENT)[window]
        moved, times = np.unique(self._places[found[rare]] - here[window[rare]], return_counts=True)
        return moved, times


def _windows(data: bytes) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the hashes of the windows that are kept, and where each begins."""
    size = len(data) - _SIZE + 1
    if size <= 0:
        return np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
    words = np.ndarray((len(data) - 7,), dtype="<u8", buffer=data, strides=(1,))
    mixed = words[:size] * _MIX[0] ^ words[8 : 8 + size] * _MIX[1]
    mixed ^= mixed >> np.uint64(29)
    mixed *= _MIX[0]
    mixed ^= mixed >> np.uint64(32)
    places = (mixed & _SAMPLE == 0).nonzero()[0]
    return mixed[places], places
