"""A local archive: a tar, plain or compressed by gzip, bzip2, xz or Zstandard, or a zip."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.corpora.cache import open_kept
from rankgate.corpora.options import SELECTION_KEYS, check_options, file_inside, named, sha256_of, under_of
from rankgate.corpora.unpacking.unpack import unpack_archive
from rankgate.errors import Code, FormatError, InputError

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.corpora.corpus import Corpus, OpenContext
    from rankgate.corpora.folder import FolderCorpus
    from rankgate.corpora.unpacking.unpack import Unpacked
    from rankgate.model.suite import CorpusSource


def open_archive(source: CorpusSource, context: OpenContext) -> Corpus:
    """Open the archive that a suite names.

    Raises:
        FormatError: for an archive that is not the pinned one, or is refused.
        InputError: for one that is not there or not allowed.
    """
    check_options(source, ("sha256", "under", *SELECTION_KEYS))
    where, pinned, under = named(source), sha256_of(source), under_of(source)
    path = file_inside(context.here / source.place, context.root, "an archive")
    corpus, found = open_file(path, pinned, under, where, context)
    if pinned is None:
        note = f"not pinned: write sha256: {found} to hold it"
        return replace(corpus, notes=(*corpus.notes, note), pin={"sha256": found})
    return corpus


def open_file(
    path: Path, pinned: str | None, under: str, where: str, context: OpenContext
) -> tuple[FolderCorpus, str]:
    """Check an archive's hash and open what is in it; the hash is given too.

    Raises:
        FormatError: for an archive of another hash, or one that is refused.
        InputError: for one that cannot be read.
    """
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
            if pinned is not None and found != pinned:
                fix = "fetch the archive again, or write its sha256 if the change is meant"
                raise FormatError(Code.HASH_MISMATCH(where, f"sha256 {found}", f"sha256 {pinned}", fix))

            def fill(folder: Path) -> Unpacked:
                context.tell(f"unpacking {path.name}")
                return unpack_archive(file, folder, where)

            return open_kept(context, f"archive-{found}", under, where, fill), found
    except OSError as error:
        raise InputError(
            Code.UNREADABLE_FILE(where, str(error.strerror or error), "a file that can be read")
        ) from error
