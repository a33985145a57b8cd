"""Scripts that are written without spaces: Han, kana and Hangul, cut into overlapping pairs of letters.

A word of two letters is then found wherever it stands in a sentence, and whatever particle follows it. The
engines that rankgate builds cut in the same way.
"""

from __future__ import annotations

import re

# Letters alone, in the forms that NFKC leaves: no punctuation.
_LETTERS = (
    r"\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u303c\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    r"\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    r"\u1100-\u11ff\ua960-\ua97c\uac00-\ud7fb"
)
_UNSPACED = re.compile(f"[{_LETTERS}]")
_PIECE = re.compile(f"[{_LETTERS}]+|[^{_LETTERS}]+")


def has_unspaced(run: str) -> bool:
    """Check whether a run has letters of a script without spaces."""
    return not run.isascii() and _UNSPACED.search(run) is not None


def pieces_of(run: str) -> list[tuple[str, bool]]:
    """Cut a run where such a script begins or ends; each piece with whether it is of one.

    >>> pieces_of("API密钥2")
    [('API', False), ('密钥', True), ('2', False)]
    """
    return [(piece, _UNSPACED.match(piece) is not None) for piece in _PIECE.findall(run)]


def pairs_of(piece: str) -> list[str]:
    """Return the overlapping pairs of letters; a letter alone is one.

    >>> pairs_of("配置文件"), pairs_of("键")
    (['配置', '置文', '文件'], ['键'])
    """
    return [piece[at : at + 2] for at in range(len(piece) - 1)] or [piece]


def indexed_of(piece: str) -> list[str]:
    """Return what a piece is indexed under: its pairs, and its letters.

    >>> indexed_of("密钥"), indexed_of("键")
    (['密钥', '密', '钥'], ['键'])
    """
    return [*pairs_of(piece), *(piece if len(piece) > 1 else "")]
