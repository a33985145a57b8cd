"""Any text, under any name, has an outline or is refused with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.errors import FormatError
from rankgate.outline import KINDS, read_outline
from rankgate.outline.languages import SUFFIXES

SAMPLES = Path(__file__).parent / "samples"
ALL = [*SUFFIXES, ".md", ".mdx", ".markdown", ".pyi", ".rst", ".rest", ".txt"]
APART = set(SUFFIXES) - {".cs", ".java", ".py"}
"""Where a method may stand apart from its type."""

# Words and marks from which every language makes something, so that more than noise is drawn.
_TOKENS = [
    "class ", "def ", "fn ", "func ", "function ", "struct ", "impl ", "trait ", "enum ", "module ",
    "namespace ", "interface ", "template <", "type ", "typedef ", "export ", "const ", "return ", "end\n",
    "A", "b", "::", ".", "=>", "->", "=", "(", ")", "{", "}", "[", "]", "<", ">", ";", ":", ",", "#[a]", "@a",
    "//c\n", "/*", "*/", "#", "# A\n", "## b\n", "A\n=\n", "b\n----\n", "```", "'", '"', "`", "\\", "\n",
    "\n    ", "\t", " ", "\r\n", "\r", "\0", "é", "東", "\u2028", "\x85", "\x0c", "\ufeff", "<<~X\n", '"""',
    ".. note::\n\n", "- ", "1", "|", "+", "*",
]  # fmt: skip
_TEXTS = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(_TOKENS), max_size=60).map("".join))


def check(path: str, text: str) -> None:
    try:
        nodes = read_outline(path, text)
    except FormatError as error:
        assert str(error).startswith(path)  # noqa: PT017 - either outcome is right
        return
    if nodes is None:
        assert path.endswith(".txt")
        return
    whole = nodes[0]
    assert (whole.kind, whole.start, whole.parent, whole.path) == ("document", 1, None, ())
    assert [node.start for node in nodes] == sorted(node.start for node in nodes)
    for position, node in enumerate(nodes[1:], 1):
        assert node.kind in KINDS
        assert 1 <= node.start <= node.end <= whole.end
        assert node.path[-1] == node.name
        assert node.parent is not None
        parent = nodes[node.parent]
        assert parent.path == node.path[: len(parent.path)] != node.path
        if Path(path).suffix not in APART:
            assert node.parent < position
            assert parent.start <= node.start <= node.end <= parent.end


@pytest.mark.parametrize("suffix", ALL)
@given(text=_TEXTS)
def test_any_text_has_an_outline_or_a_reason(suffix: str, text: str) -> None:
    check(f"a{suffix}", text)


@pytest.mark.parametrize("sample", sorted(SAMPLES.iterdir()), ids=lambda sample: sample.name)
@given(data=st.data())
def test_a_file_that_is_cut_and_patched_has_an_outline_or_a_reason(sample: Path, data: st.DataObject) -> None:
    text = sample.read_text(encoding="utf-8")
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    patch = data.draw(st.sampled_from(["", *_TOKENS]))
    check(sample.name, text[:start] + patch + text[end:])
