"""Opening the corpus that a suite names."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rankgate.corpora.corpus import GROUP
from rankgate.plugins import load

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankgate.corpora.corpus import Corpus, Room
    from rankgate.model.suite import CorpusSource


def open_source(source: CorpusSource, room: Room) -> Corpus:
    """Open a corpus through the plugin of its kind.

    Raises:
        PluginError: for a kind that no plugin brings.
        InputError: for a source that is not there, not allowed, or not what it was pinned to.
    """
    opener = cast("Callable[[CorpusSource, Room], Corpus]", load(GROUP, source.kind))
    return opener(source, room)
