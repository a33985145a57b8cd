"""The terms that a text is indexed under, and those that a query asks for.

A word is a run of letters, digits and underscores; dots may join several. An identifier is kept whole and
split: ``getUserName`` gives getusername, get, user and name, and so does ``get_user_name``. Everything is in
lower case and in one Unicode form (NFKC). Parts are stemmed by Snowball's English, with one rule of our own:
adjectives in -nal keep their ending, because "functional" is not about functions. Runs of Han, kana and
Hangul are cut into pairs of letters: see `scripts`.

No word is left out of the index. In a query, words that only hold a sentence together ("how are … made")
are not asked for, unless they are all there is: see `FILLERS`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from rankgate_reference.lexical.scripts import has_unspaced, indexed_of, pairs_of, pieces_of

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST = 120
"""How many characters a word may have; what is longer is data, and is left out."""

FILLERS = frozenset(
    """
    a about after all also an and any are as at be because been before being between but by can could
    did do does doing done during each for from had happen happens has have he her him his how
    i if in into is it its made may me might must my no not of off on onto or our out over
    own shall she should so some such than that the their them then there these they this those through
    to under up upon us used uses using via was way we were what when where which while who whose why
    will with within without work works would you your
    """.split()  # noqa: SIM905 - a list of ninety words reads better so
)
"""Words that say nothing of what is looked for, beside any that does."""

_RUN = re.compile(r"\w+(?:\.\w+)*")
_SHAPE = re.compile(r"UU+s(?![Uls])|U+(?=U[ls])|U?[ls]+|U+|D+")
_ASCII = re.compile(r"[A-Z][A-Z]+s(?![A-Za-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_ADJECTIVE = re.compile(r"(.{2,}nal)(?:ly|ity|ities|s)?")
# Snowball changes no word that ends in another letter; the tests hold it to that.
_ENDINGS = frozenset("cdegilmnrsty")
_MOST_KEPT = 1_000_000
_LONGEST_KEPT = 1000
_APART = bytes(at if at > 127 or chr(at).isalnum() or chr(at) in "_." else 32 for at in range(256))


class Term(NamedTuple):
    """One thing that a query asks for; a tuple, as every title of an index makes some."""

    stem: str
    """What it is in the index."""
    typed: str
    """The word itself, in lower case: what other words may begin with or be near to."""
    whole: bool = False
    """True for an identifier as a whole; its parts are terms of their own."""
    filler: bool = False
    """True for a word that only holds the sentence together."""


def terms(text: str) -> list[str]:
    """List what a text is indexed under, in its order.

    >>> terms("getUserName returns HTTPServer2")
    ['getusername', 'get', 'user', 'name', 'return', 'httpserver2', 'http', 'server', '2']
    """
    return joined_terms(text).split()


def joined_terms(text: str) -> str:
    """Return the terms of a text in one string with spaces between them, as Tantivy takes them."""
    return terms_of(chunks_of(text))


def chunks_of(text: str) -> list[str]:
    """Cut a text where no word can go on; `terms_of` and `words_of` take what it gives.

    A chunk is a run with what clings to it, such as the dot at the end of a sentence. Cutting by a table of
    bytes takes a quarter of the time that a regular expression does, and every chunk is read only once.

    >>> chunks_of("Cut os.path (twice).")
    ['Cut', 'os.path', 'twice', '.']
    """
    return _normal(text).encode(errors="replace").translate(_APART).decode().split()


def terms_of(chunks: Iterable[str]) -> str:
    """Return the terms of chunks, with spaces between them."""
    return " ".join(map(_STEMMED.__getitem__, chunks))


def words_of(chunks: Iterable[str]) -> dict[str, str]:
    """Return the words of chunks as they are written, in lower case, each with its term.

    A word that is also met as a whole name, which is not stemmed, has the term of the word.

    >>> words_of(["Queries", "getUser"])
    {'queries': 'queri', 'getuser': 'getuser', 'get': 'get', 'user': 'user'}
    """
    chunks = list(chunks)
    terms, words = terms_of(chunks).split(), _written(chunks).split()
    found = dict(zip(words, words, strict=True))
    found.update([(word, term) for word, term in zip(words, terms, strict=True) if word != term])
    return found


def query_terms(text: str) -> list[Term]:
    """List what a query asks for, each once, in the order in which it was written.

    A query of fillers alone is taken at its word.

    >>> [(term.stem, term.filler) for term in query_terms("how are routes registered")]
    [('how', True), ('are', True), ('rout', False), ('regist', False)]
    """
    found: dict[str, Term] = {}
    for run in _RUN.findall(_normal(text)):
        for term in _asked_by(run):
            found.setdefault(term.stem, term)
    if all(term.filler for term in found.values()):
        return [Term(term.stem, term.typed) for term in found.values()]
    return list(found.values())


def is_one_word(run: str) -> bool:
    """Check whether a name is a letter and a word: who writes it in lower case asks for the same.

    >>> [is_one_word(one) for one in ("OAuth", "gRPC", "oauth", "OAuthClient", "v2")]
    [True, True, False, False, False]
    """
    parts = _parts(run) if run.isalpha() else []
    return len(parts) == 2 and min(map(len, parts)) == 1


def stems_of_title(title: str) -> tuple[frozenset[str], bool]:
    """Return the stems that a title is known by, and whether it is of fillers alone.

    >>> sorted(stems_of_title("test_parsed_keys")[0]), stems_of_title("How it works")[1]
    (['key', 'pars', 'test'], True)
    """
    if title.isascii() and title.isidentifier() and not is_one_word(title):
        # Most titles are names of symbols, and need no `Term` for each of their parts.
        written, stemmed = _WRITTEN[title].split(), _STEMMED[title].split()
        typed = dict(zip(reversed(stemmed), reversed(written), strict=True))
        whole = len(written) > 1 and stemmed[0] == written[0] and written[0] not in written[1:]
        return frozenset(typed.keys() - stemmed[:whole]), all(word in FILLERS for word in typed.values())
    terms = query_terms(title)
    filler = all(term.typed in FILLERS for term in terms)
    return frozenset(term.stem for term in terms if not term.whole and not term.filler), filler


@lru_cache(10_000)
def _asked_by(run: str) -> tuple[Term, ...]:
    if has_unspaced(run):
        return tuple(
            term
            for piece, unspaced in pieces_of(run)
            for term in (_pairs_asked(piece) if unspaced else _asked_by_all(piece))
        )
    written, stemmed = _WRITTEN[run].split(), _STEMMED[run].split()
    if len(written) == 1:
        return (Term(stemmed[0], written[0], filler=written[0] in FILLERS),)
    if is_one_word(run):
        return (Term(stemmed[0], written[0]),)
    parts = _parts_of(run) if "." in run else written[1:]
    pairs = zip(written, stemmed, strict=True)
    return tuple(Term(term, typed, whole=term == typed and typed not in parts) for typed, term in pairs)


def _asked_by_all(piece: str) -> tuple[Term, ...]:
    """Return what the runs of a piece ask for: beside other scripts it may begin or end with a dot."""
    return tuple(term for run in _RUN.findall(piece) for term in _asked_by(run))


def _pairs_asked(piece: str) -> tuple[Term, ...]:
    return tuple(Term(pair, pair) for pair in pairs_of(piece))


@cache
def _stemmer() -> Any:
    import snowballstemmer

    # This is PyStemmer's in C where that is installed. It has a cache of its own, which is slower than none.
    found = snowballstemmer.stemmer("english")
    found.maxCacheSize = 0
    return found


@lru_cache(_MOST_KEPT)
def stem(word: str) -> str:
    """Cut a word in lower case to its stem.

    >>> stem("authentication") == stem("authenticate"), stem("function") == stem("functional")
    (True, False)
    """
    if word[-1:] not in _ENDINGS or not word.isascii() or not word.isalpha():
        return word
    if "nal" in word and (adjective := _ADJECTIVE.fullmatch(word)):
        return adjective[1]
    return str(_stemmer().stemWord(word))


def _normal(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _lower(word: str) -> str:
    return word.lower() if word.isascii() else unicodedata.normalize("NFKC", word.casefold())


def _parts(name: str) -> list[str]:
    """Split a name without dots where underscores stand and where the case changes."""
    if name.isascii():
        return [name] if name.islower() and name.isalpha() else list(map(str.lower, _ASCII.findall(name)))
    parts = []
    for piece in name.split("_"):
        if piece.isascii():
            parts += _ASCII.findall(piece)
        elif piece.isalpha() and not any(map(str.isupper, piece[1:])):
            parts.append(piece)
        else:
            shape = "".join(map(_letter, piece))
            parts += [piece[found.start() : found.end()] for found in _SHAPE.finditer(shape)]
    return [lowered for part in parts if (lowered := _lower(part))]


def _letter(char: str) -> str:
    if char.isalpha():
        return "U" if char.isupper() else "s" if char == "s" else "l"
    return "D"


def _parts_of(run: str) -> list[str]:
    """Split a run into parts, whatever it is joined by."""
    return [part for name in run.split(".") for part in _parts(name)]


def _written(chunks: Iterable[str]) -> str:
    return " ".join(map(_WRITTEN.__getitem__, chunks))


class _Stemmed(dict[str, str]):
    """The terms of every chunk met so far: stems are costly, and texts repeat their words."""

    def __missing__(self, chunk: str) -> str:
        return _cut(chunk)[0]


class Cut(dict[str, str]):
    """The terms of the chunks of some texts; its keys are the chunks that were met.

    One look-up thus gives the terms of a chunk and notes it.
    """

    def __missing__(self, chunk: str) -> str:
        found = self[chunk] = _STEMMED[chunk]
        return found


class _Written(dict[str, str]):
    """The words of every chunk met so far, not stemmed."""

    def __missing__(self, chunk: str) -> str:
        return _cut(chunk)[1]


def forget() -> None:
    """Let go of every chunk and stem met so far, as a new process has met none."""
    _STEMMED.clear()
    _WRITTEN.clear()
    stem.cache_clear()


def _cut(chunk: str) -> tuple[str, str]:
    """Cut a chunk into terms and words, and keep them."""
    if len(_STEMMED) >= _MOST_KEPT:
        _STEMMED.clear()
        _WRITTEN.clear()
    bare = chunk.strip(".")
    if len(bare) < len(chunk):
        found, again = (_STEMMED[bare], _WRITTEN[bare]) if bare else ("", "")
    elif chunk.isascii() and len(chunk) <= LONGEST and ".." not in chunk:
        found, again = _cut_ascii(chunk)
    elif chunk.isalnum() or (runs := _RUN.findall(chunk)) == [chunk]:
        found, again = _cut_run(chunk)
    else:
        found, again = terms_of(runs), _written(runs)
    if len(chunk) <= _LONGEST_KEPT:
        _STEMMED[chunk], _WRITTEN[chunk] = found, again
    return found, again


def _cut_ascii(run: str) -> tuple[str, str]:
    """Cut a run of ASCII as `_cut_run` does; most runs are of it, and need no regular expression."""
    if run.isalpha():
        if run[1:].islower():
            word = run.lower()
            return stem(word), word
    elif run.isdigit():
        return run, run
    elif "." in run:
        names, whole = run.split("."), run.lower()
        return f"{whole} {terms_of(names)}", f"{whole} {_written(names)}"
    return _cut_name(run)


def _cut_run(run: str) -> tuple[str, str]:
    if has_unspaced(run):
        pairs = [
            (" ".join(indexed_of(piece)),) * 2 if unspaced else (_STEMMED[piece], _WRITTEN[piece])
            for piece, unspaced in pieces_of(run)
        ]
        return " ".join(stems for stems, _ in pairs), " ".join(words for _, words in pairs)
    if "." in run:
        # Names repeat where runs of them do not, and are looked up; a text with dots may be any length.
        names = run.split(".")
        whole = f"{_lower(run)} " if len(run) <= LONGEST else ""
        return whole + terms_of(names), whole + _written(names)
    return _cut_name(run) if len(run) <= LONGEST else ("", "")


def _cut_name(run: str) -> tuple[str, str]:
    parts = _parts(run)
    if len(parts) == 1:
        return stem(parts[0]), parts[0]
    if not parts:
        return "", ""
    whole = "".join(parts)
    found = stem(whole) if is_one_word(run) else whole
    return f"{found} {' '.join(map(stem, parts))}", f"{whole} {' '.join(parts)}"


_STEMMED = _Stemmed()
_WRITTEN = _Written()
