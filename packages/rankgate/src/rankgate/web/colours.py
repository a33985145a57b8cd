"""Texts in colour: which characters are keywords, strings, comments, names, digits or headings.

A few patterns for each family of languages, one pass over the text: exact enough to read by, and quick enough
for every hit of a suite. Full lexers take a second for what this does in thirty milliseconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath

MOST = 10_000
"""How many characters a text may have to be coloured."""

# Every alternative excludes what ends it, so that no text is looked at twice.
_DOUBLE, _SINGLE = r'"(?:[^"\\\n]|\\.)*"?', r"'(?:[^'\\\n]|\\.)*'?"
_LONG_DOUBLE = r'"""(?:[^"\\]|\\.|"(?!""))*(?:"""|\Z)'
_LONG_SINGLE = r"'''(?:[^'\\]|\\.|'(?!''))*(?:'''|\Z)"
_TRIPLE = f"{_LONG_DOUBLE}|{_LONG_SINGLE}"
_BACKTICK = r"`(?:[^`\\]|\\.)*`?"
_HASH, _SLASHES, _DASHES = r"\#[^\n]*", r"//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)", r"--[^\n]*"
_MARKUP = r"<!--(?:[^-]|-(?!->))*(?:-->|\Z)"
_DIGITS = r"(?<![\w.])(?:0[xX][0-9a-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)"
_WORD = r"[^\W\d]\w*"
_NAMING = frozenset(["class", "def", "enum", "fn", "fun", "func", "function", "impl", "interface", "message"])
_NAMING |= {"module", "struct", "trait", "type"}


@dataclass(frozen=True, slots=True)
class LanguageColours:
    """What is coloured in a language: patterns by class, tried in this order."""

    comments: str = ""
    """Comments."""
    headings: str = ""
    """Headings."""
    names: str = ""
    """Keys, tags and whatever else is a name wherever it stands."""
    strings: str = ""
    """Strings and other literals."""
    digits: str = _DIGITS
    """Numbers."""
    keywords: frozenset[str] = frozenset()
    """Words with a meaning."""
    anycase: bool = False
    """True where keywords may be written large."""
    calls: bool = True
    """True where a word before a parenthesis is a name."""


def _code(comments: str, strings: str, keywords: str, *, anycase: bool = False) -> LanguageColours:
    return LanguageColours(
        comments=comments, strings=strings, keywords=frozenset(keywords.split()), anycase=anycase
    )


_COMMON = (
    "break case catch class const continue default do else enum extends false final finally for if import "
    "in interface new null private protected public return static super switch this throw true try var void "
    "while"
)
_C = (
    "auto bool break case char const continue default define do double else enum extern float for goto if "
    "include inline int long nullptr return short signed sizeof static struct switch typedef union unsigned "
    "void while"
)
_LANGUAGES = {
    "py pyi pyx": _code(
        _HASH,
        f"(?:[rRbBfFuU]{{0,2}})(?:{_TRIPLE}|{_DOUBLE}|{_SINGLE})",
        "False None True and as assert async await break case class continue def del elif else except "
        "finally for from global if import in is lambda match nonlocal not or pass raise return self try "
        "while with yield",
    ),
    "js mjs cjs jsx ts tsx mts": _code(
        _SLASHES,
        f"{_DOUBLE}|{_SINGLE}|{_BACKTICK}",
        f"{_COMMON} as async await boolean declare delete export from function implements instanceof let "
        "number of readonly string type typeof undefined yield",
    ),
    "java kt kts scala cs swift php dart": _code(
        _SLASHES,
        f"{_TRIPLE}|{_DOUBLE}|{_SINGLE}",
        f"{_COMMON} abstract as boolean byte char def double echo fun func function guard implements int "
        "internal is let long match namespace object override package sealed string struct throws trait type "
        "use using val when where with yield",
    ),
    "go": _code(
        _SLASHES,
        f"{_DOUBLE}|{_SINGLE}|{_BACKTICK}",
        "break case chan const continue default defer else error fallthrough false for func go goto if "
        "import interface map nil package range return select string struct switch true type var",
    ),
    "rs": _code(
        _SLASHES,
        _DOUBLE,
        "Self as async await break const continue crate else enum extern false fn for if impl in let loop "
        "match mod move mut pub ref return self static struct super trait true type unsafe use where while",
    ),
    "c h cc cpp cxx hh hpp": _code(
        _SLASHES,
        f"{_DOUBLE}|{_SINGLE}",
        f"{_C} catch class constexpr delete explicit false friend namespace new operator override private "
        "protected public template this throw true try typename using virtual",
    ),
    "rb ex exs lua": _code(
        f"{_HASH}|{_DASHES}",
        f"{_DOUBLE}|{_SINGLE}",
        "and begin break case class def defmodule defp do else elsif elseif end ensure false fn for function "
        "if in local module nil not or repeat require rescue return self super then true unless until when "
        "while yield",
    ),
    "sh bash zsh": _code(
        r"(?<!\S)\#[^\n]*",
        f"{_DOUBLE}|{_SINGLE}",
        "case do done elif else esac export fi for function if in local return set then until while",
    ),
    "sql": _code(
        f"{_DASHES}|/\\*(?:[^*]|\\*(?!/))*(?:\\*/|\\Z)",
        _SINGLE,
        "all alter and as asc between by case create delete desc distinct drop else end exists from group "
        "having in index inner insert into is join key left like limit not null on or order outer primary "
        "references right select set table then union unique update values view when where with",
        anycase=True,
    ),
    "proto graphql": _code(
        f"{_SLASHES}|{_HASH}",
        f"{_DOUBLE}|{_SINGLE}",
        "bool bytes enum extend fragment import input int32 int64 interface map message mutation oneof "
        "option optional package query repeated returns rpc scalar schema service string subscription "
        "syntax type",
    ),
    "json": LanguageColours(
        names=r'"(?:[^"\\\n]|\\.)*"(?=\s{0,20}:)',
        strings=_DOUBLE,
        keywords=frozenset(("true", "false", "null")),
    ),
    "yaml yml toml ini cfg": LanguageColours(
        comments=r"(?<!\S)\#[^\n]*",
        headings=r"^\[[^\]\n]*\]+",
        names=r"^[ \t]*(?:- )*[\w.\"-]+(?=[ \t]{0,9}[:=])",
        strings=f"{_TRIPLE}|{_DOUBLE}|{_SINGLE}",
        keywords=frozenset(["true", "false", "null", "yes", "no", "on", "off"]),
        calls=False,
    ),
    "html htm xhtml xml svg": LanguageColours(
        comments=_MARKUP,
        names=r"</?[\w:-]+|/?>",
        strings=f"(?<==)(?:{_DOUBLE}|{_SINGLE})",
        digits="",
        calls=False,
    ),
    "css": LanguageColours(
        comments=r"/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)", names=r"(?<![\w-])[\w-]++(?=\s{0,9}:)", strings=_DOUBLE
    ),
    "md markdown": LanguageColours(
        comments=_MARKUP,
        headings=r"^\#{1,6}[ \t][^\n]*",
        strings=r"^```[^\n]*|^~~~[^\n]*|`[^`\n]+`",
        names=r"\[[^\]\n]{1,200}\](?=\()",
        digits="",
        calls=False,
    ),
    "rst": LanguageColours(
        comments=r"^\.\.[ ][^\n:]*$",
        headings=r"^[^\s\n][^\n]{0,200}\n(?P<u>[=\-~^\"'`\#*+])(?P=u){2,}[ \t]*$",
        strings=r"``[^`\n]+``",
        names=r"^[ \t]*\.\.[ ][\w-]+::|:[\w-]+:(?=`)",
        digits="",
        calls=False,
    ),
}
_BY_SUFFIX = {suffix: language for suffixes, language in _LANGUAGES.items() for suffix in suffixes.split()}


def suffix(name: str) -> str:
    """Return the ending of a file that is coloured; empty where it is not.

    >>> suffix("src/app.PY"), suffix("LICENSE")
    ('py', '')
    """
    ending = PurePosixPath(name).suffix[1:].lower()
    return ending if ending in _BY_SUFFIX else ""


def coloured(text: str, ending: str, most: int = MOST) -> tuple[tuple[int, str], ...]:
    """Return how the characters of a text are coloured; nothing where none is, or it has more than most.

    >>> coloured("def f(): return 1  # one", "py")
    ((3, 'k'), (1, ''), (1, 'n'), (4, ''), (6, 'k'), (1, ''), (1, 'd'), (2, ''), (5, 'c'))
    """
    if ending not in _BY_SUFFIX or len(text) > most:
        return ()
    language = _BY_SUFFIX[ending]
    runs: list[tuple[int, str]] = []
    at, before = 0, ""
    for found in _pattern(language).finditer(text):
        kind, start, end = found.lastgroup, found.start(), found.end()
        if kind == "w":
            word = found[0]
            kind = _word(word, before, text[end : end + 1], language)
            before = word
        if kind and end > start:
            if start > at:
                runs.append((start - at, ""))
            runs.append((end - start, kind))
            at = end
    if runs and at < len(text):
        runs.append((len(text) - at, ""))
    return tuple(runs)


def _word(word: str, before: str, after: str, language: LanguageColours) -> str:
    if (word.lower() if language.anycase else word) in language.keywords:
        return "k"
    return "n" if language.calls and (after == "(" or before in _NAMING) else ""


@cache
def _pattern(language: LanguageColours) -> re.Pattern[str]:
    parts = {
        "c": language.comments,
        "h": language.headings,
        "n": language.names,
        "s": language.strings,
        "d": language.digits,
        "w": _WORD if language.keywords else "",
    }
    return re.compile("|".join(f"(?P<{name}>{part})" for name, part in parts.items() if part), re.MULTILINE)
