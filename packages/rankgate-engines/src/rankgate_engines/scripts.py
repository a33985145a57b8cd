"""Words of scripts that are written without spaces, cut alike when documents are indexed and when one asks.

Tokenizers cut at spaces and punctuation, so a sentence of Chinese or Japanese is one term to them, and a
Korean word is another one with every particle. A run of such letters becomes its overlapping pairs, so that a
word of two letters is found wherever it stands; single letters are indexed beside them. A text without such
letters stays as it is, and is ranked as it always was.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# Han with its repetition marks, kana, bopomofo and Hangul: letters alone, no punctuation.
_LETTERS = (
    r"\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u303c\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    r"\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    r"\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7fb"
)
# Forms that are another letter's, for old terminals, and marks that a letter before them carries.
_FORMS = r"\u3099\u309a\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uffdc"
_RUN = re.compile(rf"[{_LETTERS}{_FORMS}]+")
_LETTER = re.compile(rf"[{_LETTERS}]+")
_WORD = re.compile(r"[^\W_]+")
_QUOTED = re.compile(rf"""(?P<quoted>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|[{_LETTERS}{_FORMS}]+""")


def query_text(text: str, *, every: bool = False) -> str:
    """Return a query with its unspaced runs as pairs of letters; a letter alone stays one.

    Args:
        text: What is asked.
        every: True where the words of every script are cut so, which finds parts of words.

    >>> query_text("API密钥轮换 now"), query_text("Keys", every=True)
    ('API 密钥 钥轮 轮换  now', 'ke ey ys')
    """
    if every:
        return _WORD.sub(lambda run: " ".join(_pairs(run[0])), _folded(text).lower())
    return text if text.isascii() else _RUN.sub(lambda run: f" {' '.join(_cut(run[0]))} ", text)


def index_text(text: str, *, every: bool = False) -> str:
    r"""Return a text as it is indexed: as a query is, and its single letters behind it.

    Behind it, so that what stands side by side in a text does so in the index, and phrases are found.

    >>> index_text("轮换 key"), index_text("rotate a key")
    (' 轮换  key\n轮 换', 'rotate a key')
    """
    if text.isascii() and not every:
        return text
    words = _WORD.findall(_folded(text).lower()) if every else _unspaced(text)
    singles = [letter for word in words if len(word) > 1 for letter in word]
    cut = query_text(text, every=every)
    return f"{cut}\n{' '.join(singles)}" if singles else cut


def query_expression(text: str) -> str:
    """Return a query in an engine's own language with each unspaced run as a phrase of its pairs.

    >>> query_expression('title:配置文件 AND "the 密钥"')
    'title:"配置 置文 文件" AND "the  密钥 "'
    """
    if text.isascii():
        return text
    return _QUOTED.sub(_phrase, text)


def _phrase(part: re.Match[str]) -> str:
    return query_text(part[0]) if part["quoted"] else f'"{" ".join(_cut(part[0]))}"'


def _unspaced(text: str) -> list[str]:
    return [word for run in _RUN.findall(text) for word in _LETTER.findall(_folded(run))]


def _cut(run: str) -> Iterator[str]:
    """Cut a run into pairs; wide forms of Latin letters among it become words."""
    at, plain = 0, _folded(run)
    for found in _LETTER.finditer(plain):
        if at < found.start():
            yield plain[at : found.start()]
        yield from _pairs(found[0])
        at = found.end()
    if at < len(plain):
        yield plain[at:]


def _pairs(word: str) -> list[str]:
    return [word[at : at + 2] for at in range(len(word) - 1)] or [word]


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text)
