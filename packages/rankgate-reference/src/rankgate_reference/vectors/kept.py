"""Vectors of texts that were embedded before, whatever corpus they stood in.

An index keeps the vectors of its own nodes. A text that is in another corpus as well, in another release, or
in an index that was made anew, would be embedded again, which is what takes long. So vectors are kept beside
the indexes too: a file of SQLite for each model, by the hash of the text. Only models that say by a `digest`
what their vectors are made of are kept; a name alone would give old vectors to a model that has changed.
The texts themselves are not kept. Whatever is wrong with the file, texts are embedded as if it was not there.
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from rankgate_reference.vectors.models import Embedder

MOST_BYTES = 500_000_000
"""How large the file of a model may become; what was not used for longest then goes."""

_LEFT = 0.8
_A_ROW = 100
_SECONDS = 30.0
_AT_ONCE = 500
_DAY = 86400
_ALIKE = 1e-5
"""How far the square of a length may be from 1: what rounding leaves is a hundredth of that."""
_TABLE = (
    "CREATE TABLE IF NOT EXISTS vectors"
    " (text BLOB PRIMARY KEY, used INTEGER NOT NULL, vector BLOB NOT NULL) WITHOUT ROWID"
)


def kept_vectors(
    embedder: Embedder,
    texts: Sequence[str],
    embed: Callable[[Sequence[str]], NDArray[np.float32]],
    folder: Path | None = None,
) -> NDArray[np.float32]:
    """Return the vectors of texts: those that are kept, and for the others what the model makes of them.

    Args:
        embedder: The model; without a `digest` nothing of it is kept.
        texts: What is embedded.
        embed: Makes vectors of length 1, or of zeros, of the texts that are not there yet.
        folder: Where files of vectors are; by default in rankgate's cache.
    """
    import numpy as np

    digest = getattr(embedder, "digest", None)
    if not isinstance(digest, str) or not digest:
        return embed(texts)
    file = (folder or vectors_folder()) / _file_name(embedder.name, digest)
    names = [hashlib.sha256(text.encode(errors="surrogatepass")).digest() for text in texts]
    known = _read(file, sorted(set(names)), embedder.dimensions)
    missing = {name: text for name, text in zip(names, texts, strict=True) if name not in known}
    if missing:
        made = dict(zip(missing, embed(list(missing.values())), strict=True))
        _write(file, {name: np.asarray(vector, "<f4").tobytes() for name, vector in made.items()})
        known |= made
    rows = [known[name] for name in names]
    return np.array(rows, dtype=np.float32).reshape(len(rows), embedder.dimensions)


def vectors_folder() -> Path:
    """Return where the vectors of all corpora are: in rankgate's cache."""
    import platformdirs

    kept = os.environ.get("RANKGATE_CACHE") or platformdirs.user_cache_path("rankgate")
    return Path(kept) / "vectors"


def _file_name(name: str, digest: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
    return f"{plain}-{hashlib.sha256(f'{name} {digest}'.encode()).hexdigest()[:16]}.sqlite"


def _read(file: Path, names: Sequence[bytes], dimensions: int) -> dict[bytes, NDArray[np.float32]]:
    """Read the vectors that are there; what cannot be one is left out, and is made again."""
    import numpy as np

    found: dict[bytes, NDArray[np.float32]] = {}
    if not file.exists():
        return found
    today, old = int(time.time() // _DAY), []
    with suppress(OSError, sqlite3.Error), closing(_opened(file)) as data:
        for start in range(0, len(names), _AT_ONCE):
            some = names[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            rows = data.execute(f"SELECT text, used, vector FROM vectors WHERE text IN ({marks})", some)  # noqa: S608
            for name, used, vector in rows:
                if isinstance(vector, bytes) and len(vector) == 4 * dimensions:
                    found[name] = np.frombuffer(vector, "<f4")
                    if used != today:
                        old.append((today, name))
        if old:
            with data:
                data.executemany("UPDATE vectors SET used = ? WHERE text = ?", old)
    return {name: vector for name, vector in found.items() if _is_vector(vector)}


def _is_vector(vector: NDArray[np.float32]) -> bool:
    """Check that a vector has the length 1, or is zeros: SQLite itself has no checksum."""
    length = float((vector.astype(float) ** 2).sum())
    return length == 0 or abs(length - 1) < _ALIKE


def _write(file: Path, vectors: Mapping[bytes, bytes], *, again: bool = True) -> None:
    """Write vectors; into a new file where the old one is damaged."""
    today = int(time.time() // _DAY)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with closing(_opened(file)) as data:
            with data:
                data.execute(_TABLE)
                data.executemany(
                    "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
                    [(name, today, vector) for name, vector in vectors.items()],
                )
            _shrink(data)
    except sqlite3.OperationalError:
        # Busy, full or read-only: the next time will do.
        return
    except sqlite3.DatabaseError:
        # Not a database any more; whoever has it open keeps reading the old file.
        for end in ("", "-wal", "-shm"):
            with suppress(OSError):
                file.with_name(f"{file.name}{end}").unlink(missing_ok=True)
        if again:
            _write(file, vectors, again=False)
    except OSError:
        return


def _shrink(data: sqlite3.Connection) -> None:
    """Remove what was not used for longest, where the file is too large."""
    if _size(data) <= MOST_BYTES:
        return
    with data:
        # One at a time, and whoever waited finds the work done.
        data.execute("BEGIN IMMEDIATE")
        count, each = data.execute("SELECT count(*), avg(length(vector)) FROM vectors").fetchone()
        gone = count - int(_LEFT * MOST_BYTES / (each + _A_ROW))
        if gone > 0:
            oldest = "SELECT text FROM vectors ORDER BY used, text LIMIT ?"
            data.execute(f"DELETE FROM vectors WHERE text IN ({oldest})", (gone,))  # noqa: S608
    # What goes stands in pages beside what stays: only a copy is smaller.
    data.execute("VACUUM")


def _size(data: sqlite3.Connection) -> int:
    pages, free, size = (
        data.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def _opened(file: Path) -> sqlite3.Connection:
    data = sqlite3.connect(file, timeout=_SECONDS)
    try:
        # Readers and a writer do not wait for each other.
        data.execute("PRAGMA journal_mode = WAL")
        data.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        data.close()
        raise
    return data
