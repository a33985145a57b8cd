"""tree-sitter in a process of its own, which may loop, crash or run out of memory and takes nobody with it.

Such texts are short and not always hostile: on ``[t's/*'i=[}a`(1"*/`` the grammar of TypeScript 0.23 never
ends, and 100 kB of ``a<`` cost that of Java 4 GB. One process serves all the files that this one outlines.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import PurePosixPath
from typing import Any

from rankgate.errors import Code, FormatError
from rankgate.outline.child import ReaderProcess, answer_questions
from rankgate.outline.languages import languages_of
from rankgate.outline.nodes import OutlineNode
from rankgate.outline.tree import outline_tree

# Of the processor, where the system can count it: real code takes 1 or 2 seconds a megabyte.
_SECONDS, _SECONDS_A_MEGABYTE = 2.0, 4.0
_MEMORY = 3 << 30
_FIX = "name lines instead of a symbol, path:10-50"


def outline_apart(path: str, text: str, suffix: str | None = None) -> list[OutlineNode]:
    """List the definitions of a file, as `outline_tree` does, in the language that its suffix tells.

    Raises:
        FormatError: where the grammar is not installed, the file nests too deeply, or tree-sitter gives up.
    """
    suffix = suffix or PurePosixPath(path).suffix.lower()
    name = _installed(path, suffix)
    seconds = _SECONDS + _SECONDS_A_MEGABYTE * len(text) / 1e6
    answer = _CHILD.ask({"path": path, "text": text, "suffix": suffix}, seconds)
    if answer is None:
        found = f"what tree-sitter cannot read as {name}: it did not end, or ended the process"
        raise FormatError(Code.UNPARSABLE(path, found, name, _FIX))
    if "problems" in answer:
        raise FormatError([Code.UNPARSABLE(*problem) for problem in answer["problems"]])
    return [
        OutlineNode(kind, names[-1], tuple(names), start, end, level=len(names), comment_lines=comment)
        for kind, names, start, end, comment in answer["nodes"]
    ]


def _installed(path: str, suffix: str) -> str:
    languages = languages_of(suffix)
    for package in ("tree_sitter", *(language.package for language in languages)):
        if find_spec(package) is None:
            found = f"{languages[0].name}, whose outline needs an extra"
            fix = "pip install 'rankgate[code]', or name lines, path:10-50"
            raise FormatError(Code.MISSING_EXTRA(path, found, "the grammar to be installed", fix))
    return languages[0].name


_CHILD = ReaderProcess(__name__)


def serve() -> None:
    """Answer questions from standard input until it ends."""
    answer_questions(_answer, _MEMORY)


def _answer(question: dict[str, str]) -> dict[str, Any]:
    languages = languages_of(question["suffix"])
    try:
        nodes = outline_tree(question["path"], question["text"], *languages)
    except FormatError as error:
        return {"problems": [(one.where, one.found, one.expected, one.fix) for one in error.problems]}
    except MemoryError:
        problem = (question["path"], "what fills the memory", languages[0].name, _FIX)
        return {"problems": [problem]}
    return {"nodes": [(node.kind, node.path, node.start, node.end, node.comment_lines) for node in nodes]}
