"""Texts in colour: what is what, in every language that is coloured, however a text is cut."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.web.colours import _BY_SUFFIX, MOST, coloured, suffix
from support.timing import least_seconds

SAMPLES = {
    "py": ("x = 'a' # b", {"s": ["'a'"], "c": ["# b"]}),
    "js": (
        "const a = `b`; // c\nf(1)",
        {"k": ["const"], "s": ["`b`"], "c": ["// c"], "n": ["f"], "d": ["1"]},
    ),
    "go": ("func Open(x int) {", {"k": ["func"], "n": ["Open"]}),
    "md": ("# Keys\n\nRun `a`.\n#no", {"h": ["# Keys"], "s": ["`a`"]}),
    "rst": ("Keys\n====\n\n.. note:: x", {"h": ["Keys\n===="], "n": [".. note::"]}),
    "json": ('{"a": "b", "c": null}', {"n": ['"a"', '"c"'], "s": ['"b"'], "k": ["null"]}),
    "yaml": (
        "key: true # why\n- other: 'x'",
        {"n": ["key", "- other"], "k": ["true"], "c": ["# why"], "s": ["'x'"]},
    ),
    "sql": ("SELECT a -- b", {"k": ["SELECT"], "c": ["-- b"]}),
    "html": ('<a href="x">', {"n": ["<a", ">"], "s": ['"x"']}),
}
NASTY = [
    "'",
    '"',
    '"""',
    "`",
    "/*",
    "//",
    "#",
    "<!--",
    "\\",
    "(",
    "[",
    "=\n",
    "--",
    "0x",
    "1e",
    "a",
    "é",
    " ",
    "\n",
    "- ",
]


def _parts(text: str, ending: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    at = 0
    for length, name in coloured(text, ending):
        if name:
            found.setdefault(name, []).append(text[at : at + length])
        at += length
    return found


@pytest.mark.parametrize("ending", SAMPLES)
def test_a_language_is_coloured(ending: str) -> None:
    text, expected = SAMPLES[ending]
    assert _parts(text, ending) == expected


def test_what_is_no_language_is_plain() -> None:
    assert suffix("README") == suffix("a.unknown") == suffix(".py") == ""
    assert coloured("x = 1", "") == ()
    assert coloured("plain words", "md") == ()
    assert coloured("x = 1\n" * 2000, "py") == ()


@given(
    st.lists(st.sampled_from(NASTY) | st.text(max_size=5)).map("".join), st.sampled_from(sorted(_BY_SUFFIX))
)
def test_every_character_is_counted_once(text: str, ending: str) -> None:
    runs = coloured(text, ending)
    assert not runs or sum(length for length, _ in runs) == len(text)
    assert all(length > 0 and name in ("", "k", "s", "c", "n", "d", "h") for length, name in runs)


# One ending of each language.
@pytest.mark.parametrize(
    "ending", sorted({language: ending for ending, language in _BY_SUFFIX.items()}.values())
)
def test_no_text_takes_long(ending: str) -> None:
    for piece in NASTY:
        for text in (piece * (MOST // len(piece)), f"{piece}x" * (MOST // (len(piece) + 1))):
            # Linear, a hundredth of a second; quadratic, several seconds.
            assert least_seconds(partial(coloured, text, ending), enough=0.5) < 0.5, piece
