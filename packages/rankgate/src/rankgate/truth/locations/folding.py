"""Texts without what renderers, chunkers and servers change: only letters and digits are left, in lower case.

White space, punctuation, quotes, the marks of Markdown, case, Unicode forms and soft hyphens are no part of a
folded text, so that a text which lost or gained them folds to the same bytes.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    Offsets: TypeAlias = NDArray[np.int64]

_LOWER = bytes(code + 32 if 65 <= code <= 90 else code for code in range(256))
_DROPPED = bytes(code for code in range(128) if not chr(code).isalnum())
_KEPT = np.array([chr(code).isalnum() for code in range(128)])
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_MARKUP = re.compile(
    r"</?[A-Za-z!?][^<>\n]{0,300}>"  # a tag
    r"|(?<=\])\([^()\s]{1,500}(?:[ \t]+\"[^\"\n]{0,200}\")?\)"  # where a link leads
    r"|^[ \t]{0,12}\d{1,4}[.)](?=[ \t])"  # the number of an item
    r"|^[ \t]{0,12}(?:```|~~~)[^\n`]{0,200}$"  # a fence, with its language
    r"|&(?:[A-Za-z]{2,8}|#\d{1,7});",  # an entity
    re.MULTILINE,
)


@lru_cache(maxsize=10_000)
def _folded(character: str) -> str:
    """Return what is left of a character that is not ASCII: é becomes e, ﬁ becomes fi, a quote nothing."""
    parts = unicodedata.normalize("NFKD", character.casefold())
    return "".join(one for one in parts if one.isalnum()).casefold()


def fold(text: str) -> bytes:
    r"""Return the letters and digits of a text in lower case, as UTF-8.

    >>> fold("**Rotate** the\n`API`-key"), fold("\ufb01lter \u201cCafe\u0301\u201d")
    (b'rotatetheapikey', b'filtercafe')
    """
    if not text.isascii():
        text = _NOT_ASCII.sub(lambda found: _folded(found[0]), text)
    return text.encode(errors="surrogatepass").translate(_LOWER, _DROPPED)


@lru_cache(maxsize=10_000)
def _folded_size(code: int) -> int:
    return len(fold(chr(code)))


def folded_offsets(text: str) -> Offsets:
    """Return for each byte of the folded text the character that it comes from.

    >>> folded_offsets("a, \ufb01 b").tolist()
    [0, 3, 3, 5]
    """
    if text.isascii():
        return _KEPT[np.frombuffer(text.encode(), dtype=np.uint8)].nonzero()[0]
    codes = np.frombuffer(text.encode("utf-32-le", errors="surrogatepass"), dtype=np.uint32)
    sizes = np.zeros(len(codes), dtype=np.int64)
    ascii_ = codes < 128
    sizes[ascii_] = _KEPT[codes[ascii_]]
    others, which = np.unique(codes[~ascii_], return_inverse=True)
    sizes[~ascii_] = np.array([_folded_size(code) for code in others.tolist()], dtype=np.int64)[which]
    return np.repeat(np.arange(len(codes)), sizes)


def has_markup(text: str) -> bool:
    """Check whether a text has something that `without_markup` leaves out."""
    return _MARKUP.search(text) is not None


def without_markup(text: str) -> tuple[str, Offsets] | None:
    """Return a text as renderers leave it: without tags, link targets, numbers of items, fences, entities.

    Returns:
        The text, and for each of its characters where it stands in the whole; None where nothing is left out.

    >>> without_markup("see [keys](a.md)")[0]
    'see [keys]'
    """
    spans = [found.span() for found in _MARKUP.finditer(text)]
    if not spans:
        return None
    kept = np.ones(len(text), dtype=bool)
    for start, end in spans:
        kept[start:end] = False
    ends = [0, *(at for span in spans for at in span), len(text)]
    left = "".join(text[start:end] for start, end in zip(ends[::2], ends[1::2], strict=True))
    return left, np.flatnonzero(kept)
