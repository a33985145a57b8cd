"""Universal Ctags as a second opinion on Java, Go and Rust.

It gives the line of a name, where rankgate starts at the comment above or the attributes, and it knows fields
and constants, which rankgate does not list. What else differs is listed below, with the reason.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from rankgate.outline import read_outline

pytest.importorskip("tree_sitter", reason="the extra `code` is not installed")

SAMPLES = Path(__file__).parent / "samples"

KINDS = {
    "KeyStore.java": {"class": "class", "interface": "interface", "annotation": "interface", "enum": "enum",
                      "method": "method"},
    "keystore.go": {"struct": "struct", "interface": "interface", "type": "type", "talias": "type",
                    "func": "function", "methodSpec": "method"},
    "keystore.rs": {"struct": "struct", "enum": "enum", "interface": "trait", "typedef": "type",
                    "module": "module", "function": "function", "method": "method", "macro": "macro"},
}  # fmt: skip
"""ctags' kinds of definitions, and ours."""

UNLISTED = {"field", "package", "enumConstant", "member", "var", "const", "enumerator", "implementation"}
"""ctags' kinds of what rankgate does not list."""

OURS_ALONE = {
    "KeyStore.java": {
        # ctags skips the bodies of methods and of enum constants.
        ("method", "hasNext", 43), ("method", "next", 48), ("class", "Finder", 55), ("method", "look", 56),
        ("method", "usable", 79),
        # It does not know records: it takes one for a method, and loses the one after a sealed interface.
        ("class", "Entry", 64), ("method", "Entry", 65), ("method", "of", 71), ("class", "Circle", 113),
        # It takes the permitted class for the name of the interface.
        ("interface", "Shape", 111),
    },
    "keystore.go": {
        # ctags 5.9 is older than the generics of Go and takes such a type for a plain one.
        ("struct", "Store", 24),
        # It skips the bodies of functions.
        ("struct", "local", 86),
        # It has one kind for functions and methods.
        ("method", "Put", 61), ("method", "Get", 66), ("method", "String", 74), ("method", "Touch", 76),
        ("method", "Rotate", 79),
    },
    "keystore.rs": {
        # ctags does not know unions.
        ("union", "Bits", 28),
    },
}  # fmt: skip

THEIRS_ALONE = {
    "KeyStore.java": {("method", "Entry", 64), ("interface", "Circle", 111)},
    "keystore.go": {
        ("type", "Store", 24),
        ("function", "Put", 61), ("function", "Get", 66), ("function", "String", 74),
        ("function", "Touch", 76),
        ("function", "Rotate", 79),
    },
    "keystore.rs": set(),
}  # fmt: skip

COUNTS = {"KeyStore.java": 27, "keystore.go": 18, "keystore.rs": 27}


def tags(sample: Path) -> list[dict[str, object]]:
    program = shutil.which("ctags")
    said = subprocess.run([program, "--version"], capture_output=True, check=True).stdout if program else b""
    if program is None or b"Universal Ctags" not in said:
        if os.environ.get("CI"):
            pytest.fail("Universal Ctags is not installed")
        pytest.skip("Universal Ctags is not installed")
    command = [program, "--output-format=json", "--fields=+ne", "-f", "-", str(sample)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("name", KINDS)
def test_ctags_agrees_on_kinds_names_and_lines(name: str) -> None:
    text = (SAMPLES / name).read_text(encoding="utf-8")
    lines = text.split("\n")
    nodes = read_outline(name, text)
    assert nodes is not None

    def line_of_name(start: int, end: int, word: str) -> int:
        # Comments and attributes come first: the definition names itself on the first line that is neither.
        return next(
            number
            for number in range(start, end + 1)
            if word in lines[number - 1] and not lines[number - 1].lstrip().startswith(("@Over", "#[", "//"))
        )

    ours = {
        (node.kind, node.name, line_of_name(node.start, node.end, node.name)): node.end for node in nodes[1:]
    }
    found = tags(SAMPLES / name)
    theirs = {
        (KINDS[name][str(tag["kind"])], str(tag["name"]), int(str(tag["line"]))): tag.get("end")
        for tag in found
        if tag["kind"] not in UNLISTED
    }
    assert len(ours) == COUNTS[name]
    assert set(ours) - set(theirs) == OURS_ALONE[name]
    assert set(theirs) - set(ours) == THEIRS_ALONE[name]
    ends = {key: end for key, end in theirs.items() if end is not None and key in ours}
    assert ends == {key: ours[key] for key in ends}
