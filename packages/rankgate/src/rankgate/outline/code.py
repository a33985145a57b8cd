"""The definitions of a file in any language that has a grammar for tree-sitter.

tree-sitter runs in a process of its own, with limits of time and memory, because it has none itself: the
grammar of TypeScript 0.23 never ends on ``[t's/*'i=[}a`(1"*/``, and that of Java takes 4 GB for
100 kB of ``a<``.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from atexit import register
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import PurePosixPath
from threading import Lock, Timer
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast

from rankgate.errors import Code, FormatError
from rankgate.outline.languages import Language, languages_of
from rankgate.outline.nodes import KINDS, OutlineNode

if TYPE_CHECKING:
    import tree_sitter as ts

DEEPEST = 200
"""The number of names in a path. Each node has its path, so without a limit they could fill the memory."""
# Of the processor, if the system can count it: real code takes 1 or 2 seconds a megabyte.
_SECONDS, _SECONDS_A_MEGABYTE = 2.0, 4.0
# By the clock, whatever else the machine does.
_PATIENCE = 15
_MEMORY, _MEMORY_A_BYTE = 450_000_000, 400
_FIX = "name lines instead of a symbol, path:10-50"
_NO_SCOPE = {"type", "macro"}
_START = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from rankgate.outline.code import serve
serve()
"""


def outline_code(path: str, text: str, suffix: str = "") -> list[OutlineNode]:
    """List the definitions of a file, in the language of its suffix.

    Raises:
        FormatError: if the grammar is not installed, the file nests too deeply, or tree-sitter gives up.
    """
    suffix = suffix or PurePosixPath(path).suffix.lower()
    languages = languages_of(suffix)
    name = languages[0].name
    for package in ("tree_sitter", *(language.package for language in languages)):
        if find_spec(package) is None:
            found = f"{name}, whose outline needs an extra"
            fix = "pip install 'rankgate[code]', or name lines, path:10-50"
            raise FormatError(Code.MISSING_EXTRA(path, found, "the grammar to be installed", fix))
    answer = _CHILD.ask({"path": path, "text": text, "suffix": suffix})
    if answer is None:
        found = f"what tree-sitter cannot read as {name}: it did not end, or ended the process"
        raise FormatError(Code.UNPARSABLE(path, found, name, _FIX))
    if "problem" in answer:
        where, found, expected = answer["problem"]
        raise FormatError(Code.UNPARSABLE(where, found, expected, _FIX))
    return [
        OutlineNode(kind, names[-1], tuple(names), start, end, level=len(names), comment_lines=comment)
        for kind, names, start, end, comment in answer["nodes"]
    ]


class _Child:
    """The process that runs `serve`; it ends with this one."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._lock = Lock()
        register(self.stop)

    def ask(self, question: Mapping[str, str]) -> dict[str, Any] | None:
        """Return the answer to a question; None if there is none in time."""
        seconds = _SECONDS + _SECONDS_A_MEGABYTE * len(question["text"]) / 1e6
        with self._lock:
            if self.process is None or self._owner != os.getpid() or self.process.poll() is not None:
                self.stop()
                command = [sys.executable, "-P", "-c", _START, json.dumps(sys.path)]
                pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
                self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=quiet)  # noqa: S603
                self._owner = os.getpid()
            timer = Timer(seconds * _PATIENCE, self.process.kill)
            timer.start()
            try:
                stdin, stdout = cast("IO[bytes]", self.process.stdin), cast("IO[bytes]", self.process.stdout)
                stdin.write(json.dumps({**question, "seconds": seconds}).encode() + b"\n")
                stdin.flush()
                line = stdout.readline()
            except OSError:
                line = b""
            finally:
                timer.cancel()
            if line.endswith(b"\n"):
                return cast("dict[str, Any]", json.loads(line))
            self.stop()
            return None

    def stop(self) -> None:
        """End the process, if this process started it."""
        process, self.process = self.process, None
        if process is not None and self._owner == os.getpid():
            process.kill()
            with suppress(OSError):
                process.communicate()


_CHILD = _Child()


def serve() -> None:
    """Answer questions from standard input until it ends."""
    for line in sys.stdin.buffer:
        question = json.loads(line)
        languages = languages_of(question["suffix"])
        with suppress(ImportError, ValueError, OSError):
            import resource

            most = _MEMORY + _MEMORY_A_BYTE * len(question["text"])
            resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # The signal ends the process in the midst of C, which no handler of Python could.
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_VIRTUAL, question["seconds"])
        answer: dict[str, Any]
        try:
            nodes = outline_tree(question["path"], question["text"], languages)
            answer = {"nodes": [(one.kind, one.path, one.start, one.end, one.comment_lines) for one in nodes]}
        except FormatError as error:
            problem = error.problems[0]
            answer = {"problem": (problem.where, problem.found, problem.expected)}
        except (MemoryError, ValueError) as error:
            # A ValueError is a grammar of a version that tree-sitter does not know.
            found = f"what tree-sitter cannot read ({str(error) or 'it fills the memory'})"
            answer = {"problem": (question["path"], found, languages[0].name)}
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


class _Found(NamedTuple):
    """A definition, or a scope, by its bytes."""

    kind: str
    names: tuple[str, ...]
    start: int
    end: int
    belongs: bool
    """True if its name says that it belongs to a type."""


def outline_tree(path: str, text: str, languages: Sequence[Language]) -> list[OutlineNode]:
    """List the definitions of a file; with syntax errors, those that tree-sitter finds.

    Of several languages, the first that reads the file with the fewest errors is taken.
    """
    from tree_sitter import Parser, Query, QueryCursor

    source = text.encode("utf-8", "replace")
    trees: list[tuple[int, ts.Node, Language]] = []
    for language in languages:
        grammar, _ = _grammar(language)
        root = Parser(grammar).parse(source).root_node
        wrong = Query(grammar, "(ERROR) @error (MISSING) @error")
        errors = len(QueryCursor(wrong).matches(root)) if root.has_error and len(languages) > 1 else 0
        trees.append((errors, root, language))
        if errors == 0:
            break
    _, root, language = min(trees, key=lambda one: one[0])
    matches = QueryCursor(_grammar(language)[1]).matches(root)
    found = _definitions(matches, source, language)
    around = Surroundings(
        source,
        [node.byte_range for _, captures in matches for node in captures.get("attribute", ())],
        [node.byte_range for _, captures in matches for node in captures.get("comment", ())],
        [one.start for one in found if one.kind not in _NO_SCOPE],
        language,
    )
    placed = []
    for one in found:
        commented, start = around.start(one.start)
        placed.append((commented, max(start + 1, around.end(one.end)), start, one))
    placed.sort(key=lambda item: (item[0], -item[1]))
    breaks = [found.start() for found in re.finditer(b"\n", source)]
    nodes = []
    # The end, the names and the kind of each enclosing definition.
    above: list[tuple[int, tuple[str, ...], str]] = []
    for start, end, plain, one in placed:
        while above and above[-1][0] <= start:
            above.pop()
        _, names, outer = above[-1] if above else (0, (), "")
        full = names + one.names
        first, last = bisect_left(breaks, start) + 1, bisect_left(breaks, end - 1) + 1
        if len(full) > DEEPEST:
            found_deep = f"definitions nested more than {DEEPEST} deep"
            raise FormatError(Code.UNPARSABLE(f"{path}:{first}", found_deep, f"at most {DEEPEST}", _FIX))
        if one.kind not in _NO_SCOPE:
            above.append((end, full, one.kind))
        if one.kind != "scope":
            method = one.kind == "function" and (one.belongs or outer == "scope" or outer in language.types)
            comment = bisect_left(breaks, plain) + 1 - first
            kind = "method" if method else one.kind
            nodes.append(OutlineNode(kind, full[-1], full, first, last, len(full), comment_lines=comment))
    return nodes


def _definitions(
    matches: Sequence[tuple[int, Mapping[str, Sequence[ts.Node]]]], source: bytes, language: Language
) -> list[_Found]:
    best: dict[tuple[int, int], tuple[tuple[int, int], _Found]] = {}
    for pattern, captures in matches:
        kind = next((kind for kind in (*KINDS, "scope") if kind in captures), None)
        if kind is None or "name" not in captures:
            continue
        definition, name = captures[kind][0], captures["name"]
        start = definition.start_byte
        end = len(source) if definition.type in language.to_the_end else definition.end_byte
        span = (name[0].start_byte, name[-1].end_byte)
        rank = (start - end, pattern)
        if span in best and best[span][0] <= rank:
            continue
        owner = [part for node in captures.get("owner", ()) for part in _names(node, source, language)]
        own = _names(name[0], source, language) if len(name) == 1 else [_plain(source[span[0] : span[1]])]
        names = tuple(part for part in [*owner, *own] if part and part not in language.unnamed)
        if names:
            best[span] = rank, _Found(kind, names, start, end, belongs=len(names) > 1)
    return [one for _, one in best.values()]


def _names(node: ts.Node, source: bytes, language: Language) -> list[str]:
    """Read a name from the outermost part to the innermost, with a stack: it may be nested at will."""
    names: list[str] = []
    pending = [node]
    while pending:
        node = pending.pop()
        fields = language.parts.get(node.type)
        if fields is None:
            after = node.child_by_field_name(language.until.get(node.type, ""))
            names.append(_plain(source[node.start_byte : after.start_byte if after else node.end_byte]))
        elif fields == ("*",):
            pending.extend(reversed(node.named_children))
        else:
            inner = [part for name in fields if name and (part := node.child_by_field_name(name))]
            pending.extend(reversed(inner or node.named_children[:1]))
    return names


def _plain(name: bytes) -> str:
    return re.sub(r"\s+", " ", name.decode("utf-8", "replace")).strip()


@cache
def _grammar(language: Language) -> tuple[ts.Language, ts.Query]:
    from tree_sitter import Language as Grammar
    from tree_sitter import Query

    grammar = Grammar(getattr(import_module(language.package), language.function)())
    return grammar, Query(grammar, language.query)


class Surroundings:
    r"""The attributes and comments of a file, by bytes.

    Attributes before a definition belong to it, and so do the comments directly above: those that begin their
    line, with no blank line between. Comments at the end of a definition do not.

    >>> rust = languages_of(".rs")[0]
    >>> source = b"#[inline] // fast\nfn f() {}"
    >>> Surroundings(source, [(0, 9)], [(10, 17)], [], rust).start(18)
    (0, 0)
    >>> source = b"// Add.\n#[inline]\nfn f() {}"
    >>> Surroundings(source, [(8, 17)], [(0, 7)], [], rust).start(18)
    (0, 8)
    """

    def __init__(
        self,
        source: bytes,
        attributes: Sequence[tuple[int, int]],
        comments: Sequence[tuple[int, int]],
        scopes: Sequence[int],
        language: Language,
    ) -> None:
        self._source = source
        self._scopes = sorted(scopes)
        self._aligned = language.aligned
        self._elsewhere = re.compile(language.comments_elsewhere.encode() or rb"(?!)")
        # The start and the end of each, without the end of its line, and whether it is an attribute.
        self._things: list[tuple[int, int, bool]] = []
        self._closing: dict[int, int] = {}
        """The comment that ends at a byte."""
        last = -1
        for start, end, attribute in sorted(
            [(*one, True) for one in attributes] + [(*one, False) for one in comments]
        ):
            if start >= last:  # else a comment inside an attribute
                if not attribute:
                    self._closing[end] = len(self._things)
                self._things.append((start, start + len(source[start:end].rstrip(b"\r\n")), attribute))
                last = end
        self._ends = [end for _, end, _ in self._things]

    def start(self, start: int) -> tuple[int, int]:
        """Return where a definition starts with its comments and attributes, and with attributes alone."""
        first, plain = self._before(start)
        line = self._line(first)
        words = self._source[line:first]
        scope = bisect_left(self._scopes, line)
        inside = scope < len(self._scopes) and self._scopes[scope] < start
        if words.isspace() or not words or re.search(rb"[;:{}]", words) or inside:
            return first, plain
        # The words before a definition are its own, such as `export const` or `type`: no comment is between.
        begins = line + len(words) - len(words.lstrip())
        above, _ = self._before(begins)
        return (above if above < begins else first), plain

    def end(self, end: int) -> int:
        """Return where a definition ends without the comments at its end."""
        at = self._closing.get(end, -1)
        if at < 0:
            return end
        while (
            at > 0
            and not self._things[at - 1][2]
            and self._only_space(self._ends[at - 1], self._things[at][0])
        ):
            at -= 1
        end = self._things[at][0]
        while end > 0 and self._source[end - 1] in b" \t\n\f\v":
            end -= 1
        return end

    def _before(self, start: int) -> tuple[int, int]:
        first = plain = below = start
        direct = True
        at = bisect_right(self._ends, start) - 1
        while at >= 0 and self._only_space(self._ends[at], below):
            begin, end, attribute = self._things[at]
            line = self._line(begin)
            direct = direct and self._source.count(b"\n", end, below) <= 1
            if self._aligned:
                direct = direct and self._source[line:begin] == self._source[self._line(below) : below]
            if attribute:
                first = plain = begin
            elif (begin == 0 and self._source.startswith(b"#!")) or self._elsewhere.match(
                self._source, begin, end
            ):
                direct = False
            elif direct and self._only_space(line, begin):
                first = begin
            else:
                # A comment behind code is about that code, unless an attribute is before it on its line.
                direct = direct and at > 0 and self._ends[at - 1] > line
            below, at = begin, at - 1
        return first, plain

    def _line(self, at: int) -> int:
        return self._source.rfind(b"\n", 0, at) + 1

    def _only_space(self, start: int, end: int) -> bool:
        between = self._source[start:end]
        return not between or between.isspace()
