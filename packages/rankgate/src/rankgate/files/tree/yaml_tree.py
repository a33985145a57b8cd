"""YAML in which every value knows where it stands, to the character.

The events of libyaml become values directly: nodes and their tags would cost as much again as the parsing.
What counts as YAML is what ruamel.yaml's own parser reads, which knows YAML 1.2. It reads the few texts that
libyaml refuses or may take for something else, and has the words for what is wrong with them. Tags
make no objects, and a key is a word that is written once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NoReturn

from rankgate.errors import Code
from rankgate.files.tree.values import Source, Value
from rankgate.files.tree.yaml_scalars import VERSION, table_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rankgate.files.problems import Problems

LIMIT = 20_000_000
"""How many bytes a file may have."""

EXPANSION = 100_000
"""How many values a file may have beyond those it writes, by way of aliases."""

DEPTH = 100
"""How deep values may be nested."""

_TAG = "tag:yaml.org,2002:"
_KINDS = {
    "bool": "flag",
    "float": "number",
    "int": "number",
    "merge": "text",
    "null": "nothing",
    "str": "text",
    "timestamp": "text",
    "value": "text",
}
_BLOCKS = frozenset("|>")
_COLLECTIONS = {"SequenceStartEvent": ("list", "seq", "["), "MappingStartEvent": ("mapping", "map", "{")}

# What libyaml may read otherwise: tabs between values, line breaks of YAML 1.1 alone, a mark of byte order.
_UNSURE = re.compile("[\t\x85\u2028\u2029\ufeff]")
_UNSURE_BLOCK = re.compile(r"(?:&\S+\s+)?[|>][-+0-9]*#")
_UNSURE_NAME_ENDS = frozenset("?:%@`")


class NotYamlError(Exception):
    """What is not YAML: what a parser says of it, and where, as far as that is known."""

    def __init__(self, said: str, mark: Any = None, *, marked: bool = True) -> None:
        super().__init__(said)
        self.said = said
        """What is wrong, in one line."""
        self.mark = mark
        """Its line and column, from 0; None where that is not known."""
        self.marked = marked
        """Whether the syntax is wrong, and not a character or a number."""


def read_yaml(text: str, file: str, problems: Problems) -> Value:
    """Read a file and check what YAML allows and a suite does not; those problems are only gathered.

    Raises:
        FormatError: for what is not YAML, is nested too deeply, or unfolds into far more than it writes.
    """
    try:
        composer = compose(text, Source(file, problems))
    except NotYamlError as error:
        mark = error.mark
        where = file if mark is None else f"{file}:{mark.line + 1}:{mark.column + 1}"
        fix = "text with ': ' or ' #' in it, or that starts with one of *&!%@`[{|>, needs quotes"
        problems.add(
            Code.BAD_SYNTAX(where, f"what is not YAML ({error.said})", "YAML", fix if error.marked else "")
        )
        problems.refuse()
    root = composer.root
    if root is None:
        problems.add(Code.NO_CASES(file, "an empty file", "a suite", "the least is a list of cases"))
        problems.refuse()
    if composer.aliased:
        check_size(root)
    if composer.odd:
        for each in _every(root):
            _check(each, composer.tags)
    return root


def compose(text: str, source: Source) -> Composer:
    """Make values of a text, without looking at what they say.

    Raises:
        NotYamlError: for what is not YAML.
        FormatError: for what is nested too deeply.
    """
    if not _UNSURE.search(text) and (events := _quick_events(text)) is not None:
        import yaml

        composer = Composer(source, text, sure=False)
        try:
            composer.take(events)
        except (yaml.YAMLError, NotYamlError, UnicodeEncodeError):
            pass
        else:
            return composer
    composer = Composer(source, text, sure=True)
    composer.take(_events(text))
    return composer


def _quick_events(text: str) -> Iterator[Any] | None:
    """Return libyaml's events; None where PyYAML was built without it."""
    try:
        from yaml.cyaml import CParser
    except ImportError:
        return None
    return iter(CParser(text).get_event, None)


def _events(text: str) -> Iterator[Any]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        yield from YAML(typ="safe", pure=True).parse(text)
    except MarkedYAMLError as error:
        said = " ".join(str(part) for part in (error.context, error.problem) if part)
        raise NotYamlError(said, error.problem_mark or error.context_mark) from error
    except YAMLError as error:
        raise NotYamlError((str(error).splitlines() or [""])[0], marked=False) from error
    except (ValueError, LookupError, AssertionError, AttributeError, TypeError, OverflowError) as error:
        # Of some texts the parser leaves it to Python to say that they are wrong: "\U00110000", "%YAML 1.9".
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise NotYamlError(said, marked=False) from error


class Composer:
    """Makes values of the events of a text."""

    def __init__(self, source: Source, text: str, *, sure: bool) -> None:
        """Prepare for a text.

        Args:
            source: The file.
            text: What the events are of.
            sure: False where the events may be of something else than YAML 1.2 makes of the text.
        """
        self.aliased = False
        """Whether a value is repeated by an alias."""
        self.odd = False
        """Whether anything was met that a suite does not allow, and that is to be looked for."""
        self.tags: dict[int, str] = {}
        """The tags that were refused, by the identity of their values."""
        self._source = source
        self._text = text
        self._sure = sure
        self._roots: list[Value] = []
        self._anchors: dict[str, Value] = {}
        self._table = table_of()
        # The parts of the collections that are open: those of a mapping are keys and values in turn.
        self._open: list[tuple[Value, list[Any]]] = []
        self._parts: list[Any] = self._roots
        self._last = 0

    @property
    def root(self) -> Value | None:
        """The value of the document; None where there is none."""
        return self._roots[0] if self._roots else None

    def take(self, events: Iterable[Any]) -> None:
        """Take all events of a text.

        Raises:
            NotYamlError: for an alias of nothing, a second document, and what the events may be wrong about.
            FormatError: for what is nested too deeply.
        """
        for event in events:
            kind = type(event).__name__
            if kind == "ScalarEvent":
                self._parts.append(self._scalar(event))
            elif kind in _COLLECTIONS:
                self._start(event, *_COLLECTIONS[kind])
            elif kind in ("MappingEndEvent", "SequenceEndEvent"):
                self._end(event)
            elif kind == "AliasEvent":
                self._alias(event)
            elif kind == "DocumentStartEvent":
                self._document(event)

    def _scalar(self, event: Any) -> Value:
        mark, content, style, tag = event.start_mark, event.value, event.style or "", event.tag
        line, column, start, end = mark.line + 1, mark.column + 1, mark.index, event.end_mark.index
        if content == "" and not style:
            if self._open and self._open[-1][0].kind == "mapping" and len(self._parts) % 2 == 1:
                # The parser puts a value that is not there before the next thing that is, below its key.
                line, column = self._parts[-1].line, self._parts[-1].column
            if event.anchor is None:
                start = end = self._last
        elif style in _BLOCKS:
            end = start + len(self._text[start:end].rstrip())
        if tag is not None and tag != "!":
            kind = None
        elif event.implicit[0]:
            kind = self._plain(content)
        else:
            kind = "text"
        value = Value(kind or "text", content, line, column, self._source, start, end, style)
        if kind is None:
            value.kind = self._tagged(value, tag, _KINDS)
        if event.anchor is not None or tag is not None:
            self._named(value, event)
        self._last = max(self._last, end)
        if style == '"' and not content.isascii() and _halved(content):
            raise NotYamlError("found half of a surrogate pair", mark)
        if not self._sure:
            self._check_scalar(event)
        return value

    def _check_scalar(self, event: Any) -> None:
        """Refuse scalars that libyaml may read otherwise: tagged ones, roots, a block with a comment."""
        mark, style = event.start_mark, event.style
        tagged = event.tag is not None or not (style or event.implicit[0])
        if tagged or not self._open or (style in _BLOCKS and _UNSURE_BLOCK.match(self._text, mark.index)):
            raise NotYamlError("what may be read otherwise", mark)

    def _plain(self, content: str) -> str:
        for tag, pattern in self._table.get(content[:1], ()):
            if pattern.fullmatch(content):
                return _KINDS[tag]
        return "text"

    def _tagged(self, value: Value, tag: str, kinds: Mapping[str, str]) -> str:
        kind = kinds.get(tag.removeprefix(_TAG)) if tag.startswith(_TAG) else None
        if kind is None:
            self.odd = True
            self.tags[id(value)] = tag.replace(_TAG, "!!") if tag.startswith(_TAG) else tag
        return kind or value.kind

    def _named(self, value: Value, event: Any) -> None:
        """Take note of the anchor of a value, or of its tag."""
        value.bare = event.anchor is None and event.tag == "!"
        if event.anchor is not None:
            self._anchors[event.anchor] = value
        if not self._sure:
            self._check_name(event)

    def _check_name(self, event: Any) -> None:
        """Refuse tags, and the name of an anchor or alias that goes on where libyaml ends it."""
        start = event.start_mark.index
        end = start + 1 + len(event.anchor or "")
        tagged = getattr(event, "tag", None) is not None
        if tagged or self._text[end : end + 1] in _UNSURE_NAME_ENDS:
            raise NotYamlError("what may be read otherwise", event.start_mark)

    def _start(self, event: Any, kind: str, tag: str, bracket: str) -> None:
        mark = event.start_mark
        style = bracket if event.flow_style else ""
        value = Value(kind, [], mark.line + 1, mark.column + 1, self._source, mark.index, mark.index, style)
        if event.tag is not None and event.tag != "!":
            self._tagged(value, event.tag, {tag: kind})
        if event.anchor is not None or event.tag is not None:
            self._named(value, event)
        if len(self._open) > DEPTH:
            _refuse_depth(value, "values nested too deeply")
        self._parts.append(value)
        self._open.append((value, self._parts))
        self._parts = value.content

    def _end(self, event: Any) -> None:
        value, around = self._open.pop()
        value.end = self._last = event.end_mark.index if value.style else max(self._last, value.start)
        parts = self._parts
        if value.kind == "mapping":
            keys = parts[::2]
            # In place, for the aliases of a value that holds itself.
            parts[:] = zip(keys, parts[1::2], strict=True)
            try:
                self.odd |= len({key.content for key in keys}) < len(keys)
            except TypeError:  # a key that is a list or a mapping
                self.odd = True
        self._parts = around

    def _alias(self, event: Any) -> None:
        said = self._anchors.get(event.anchor)
        start, end = event.start_mark.index, event.end_mark.index
        if said is None:
            raise NotYamlError(f"found undefined alias {event.anchor!r}", event.start_mark)
        if not self._sure:
            self._check_name(event)
        self.aliased = True
        alias = Value(said.kind, said.content, said.line, said.column, self._source, start, end, repeats=said)
        self._parts.append(alias)
        self._last = max(self._last, end)

    def _document(self, event: Any) -> None:
        if self._roots:
            said = "expected a single document in the stream but found another document"
            raise NotYamlError(said, event.start_mark)
        self._table = table_of(tuple(event.version or VERSION))


def _halved(content: str) -> bool:
    try:
        content.encode()
    except UnicodeEncodeError:
        return True
    return False


def _refuse_depth(value: Value, found: str) -> NoReturn:
    value.wrong(f"at most {DEPTH} levels", found=found)
    value.source.problems.refuse()


def check_size(root: Value) -> None:
    """Refuse files that unfold into far more than they write, and values that hold themselves."""
    sizes: dict[int, int] = {}

    def size(value: Value, depth: int) -> int:
        value = value.said
        known = sizes.get(id(value))
        if known == 0 or depth > DEPTH:
            _refuse_depth(value, "a value that holds itself" if known == 0 else "values nested too deeply")
        if known is None:
            sizes[id(value)] = 0
            known = sizes[id(value)] = 1 + sum(size(child, depth + 1) for child in value.children())
        return known

    if size(root, 0) - len(sizes) > EXPANSION:
        root.wrong(
            f"at most {EXPANSION} more values than are written",
            "write the values out",
            found="aliases that unfold into too many values",
        )
        root.source.problems.refuse()


def _every(root: Value) -> Iterator[Value]:
    pending = [root]
    seen: set[int] = set()
    while pending:
        value = pending.pop().said
        if id(value) in seen:
            continue
        seen.add(id(value))
        yield value
        pending.extend(reversed(value.children()))


def _check(value: Value, tags: Mapping[int, str]) -> None:
    if (tag := tags.get(id(value))) is not None:
        value.wrong("a value without a tag", "a suite is data; remove the tag", found=f"the tag {tag}")
    check_keys(value)


def check_keys(value: Value) -> None:
    """Find the keys of a mapping that are written twice, and those that are no words."""
    first: dict[str, Value] = {}
    for key, _ in value.pairs():
        if not isinstance(key.content, str):
            key.wrong("a word as a key", "put quotes around text that starts with [ or {")
        elif key.content in first:
            found = f"{key.shown()} a second time, first in line {first[key.content].line}"
            key.wrong("each key once", found=found, code=Code.REPEATED)
        else:
            first[key.content] = key
