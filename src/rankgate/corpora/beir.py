"""The documents of a BEIR data set: ``corpus.jsonl`` in its folder, with ``_id``, ``title`` and ``text``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.corpora.boundary import file_inside, folder_inside
from rankgate.corpora.jsonl import TITLE, read_records
from rankgate.corpora.options import check_options, named
from rankgate.errors import InputError, Problem

if TYPE_CHECKING:
    from rankgate.corpora.corpus import Corpus, Room
    from rankgate.model.suite import CorpusSource

NAMES = ("corpus.jsonl", "corpus.jsonl.gz", "corpus.jsonl.zst")
"""What the file may be called, in the order in which it is looked for."""


def open_beir(source: CorpusSource, room: Room) -> Corpus:
    """Open the data set that a suite names; the text is the title, a blank line and the text.

    Raises:
        FormatError: with all that is wrong with the file.
        InputError: for a folder that is not there, not allowed, or has no such file.
    """
    check_options(source, ())
    folder = folder_inside(room.here / source.place, room.root, "a folder with corpus.jsonl")
    path = next((folder / name for name in NAMES if (folder / name).exists()), None)
    if path is None:
        raise InputError(Problem(named(source), "a folder without it", "a folder with corpus.jsonl"))
    inside = file_inside(path, room.root, "a file of JSON objects, one a line")
    fields = (TITLE, "text")
    return read_records(inside, "_id", fields, named(source))
