"""The sections of a reStructuredText file, as docutils finds them.

docutils goes through the lines of the file alone. Directives are not run and nested blocks are not parsed:
neither can hold a section. So no file is opened, whatever the text asks to include, and a directive or a role
that only Sphinx knows does no harm.
"""

from __future__ import annotations

import re
from functools import cache
from time import thread_time
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, FormatError
from rankgate.outline.nodes import Heading, OutlineNode, document, sections

if TYPE_CHECKING:
    from docutils.frontend import Values

# docutils splits lines by str.splitlines, which ends a line at these as well.
_NOT_LINES = dict.fromkeys(map(ord, "\v\f\x1c\x1d\x1e\x85\u2028\u2029"), " ")
_UNDERLINED = re.compile(r"^\S.*\n([!-/:-@\[-`{-~])\1{3,}[ \t]*$", re.MULTILINE)
_ROLE = re.compile(r"(?::[\w.:+-]+:)?`([^`]*)`(?::[\w.:+-]+:|__?)?")
_TARGET = re.compile(r"(?<=\S)\s*<[^<>]*>\Z")
_LONGEST_TITLE = 1000
# Of the processor: real documents take about 40 microseconds a line.
_SECONDS = 4.0
_FIX = "name lines instead of a section, path:10-50"


def outline_rst(path: str, text: str) -> list[OutlineNode]:
    """List the sections of a text; each starts at its title, or at the line drawn above the title.

    Raises:
        FormatError: where docutils is not installed or gives up.
    """
    return sections(_headings(path, text), document("", text).end)


def outline_text(path: str, text: str) -> list[OutlineNode] | None:
    """List the sections of a plain text that is reStructuredText; None for one that has none.

    Raises:
        FormatError: as `outline_rst` does.
    """
    return (outline_rst(path, text) or None) if _UNDERLINED.search(text) else None


def _headings(path: str, text: str) -> list[Heading]:
    try:
        from docutils import nodes, utils
        from docutils.parsers.rst import Parser
    except ImportError as error:
        found, expected = "reStructuredText, whose outline needs an extra", "docutils to be installed"
        fix = "pip install 'rankgate[rst]', or name lines, path:10-50"
        raise FormatError(Code.MISSING_EXTRA(path, found, expected, fix)) from error
    settings = _rst_settings().copy()
    lines: list[int] = []
    settings.title_lines = lines
    states, inliner = _states()
    parser = Parser(inliner=inliner())
    parser.state_classes = states
    tree = utils.new_document(path, settings)
    note, ends = tree.note_source, thread_time() + _SECONDS

    def note_in_time(source: str, offset: int) -> None:
        if thread_time() > ends:
            raise TimeoutError
        note(source, offset)

    tree.note_source = note_in_time  # type: ignore[method-assign]
    try:
        parser.parse(text.translate(_NOT_LINES), tree)
    except Exception as error:
        how = "in good time" if isinstance(error, TimeoutError) else f"({type(error).__name__})"
        found = f"what docutils cannot parse {how}"
        raise FormatError(Code.UNPARSABLE(path, found, "reStructuredText", _FIX)) from error
    return [
        Heading(_depth(section), line, _title(section))
        for section, line in zip(tree.findall(nodes.section), lines, strict=True)
    ]


def _depth(section: Any) -> int:
    depth, tag = 0, type(section)
    while isinstance(section, tag):
        depth, section = depth + 1, section.parent
    return depth


def _title(section: Any) -> str:
    from docutils import nodes

    words = "".join(
        _ROLE.sub(_shown, part.astext()) if isinstance(part, nodes.problematic) else part.astext()
        for part in section[0].children
    )
    return " ".join(words.split())


def _shown(found: re.Match[str]) -> str:
    """Return what Sphinx shows of a role that docutils does not know.

    >>> _ROLE.sub(_shown, ":class:`~app.Store` and :doc:`all keys </keys>`")
    'Store and all keys'
    """
    shown = _TARGET.sub("", found[1]).removeprefix("!")
    return shown.rpartition(".")[2] if shown.startswith("~") else shown


@cache
def _rst_settings() -> Values:
    """Return settings under which docutils opens no file and prints nothing."""
    from docutils.frontend import get_default_settings
    from docutils.parsers.rst import Parser

    settings = get_default_settings(Parser)
    quiet = {"report_level": 5, "halt_level": 5, "warning_stream": False}
    closed = {"file_insertion_enabled": False, "raw_enabled": False, "syntax_highlight": "none"}
    # Beyond its own limit docutils would skip the whole file and say so only in a message.
    for name, value in {**quiet, **closed, "line_length_limit": 1 << 31}.items():
        setattr(settings, name, value)
    return settings


@cache
def _states() -> tuple[tuple[type, ...], type]:
    """Make the states of docutils' parser that skip what holds no section and note where titles stand."""
    from docutils import nodes
    from docutils.parsers.rst import states

    class Inliner:
        """Looks into titles alone. It is no subclass, since docutils' own does not allow for one."""

        def __init__(self) -> None:
            self.title = ""
            self._real = states.Inliner()

        def __getattr__(self, name: str) -> Any:
            return getattr(self._real, name)

        def parse(self, text: str, lineno: int, memo: Any, parent: Any) -> Any:
            if text is not self.title or len(text) > _LONGEST_TITLE:
                return [nodes.Text(text)], []
            return self._real.parse(text, lineno, memo, parent)

    class Skipping:
        document: Any
        inliner: Any
        memo: Any
        state_machine: Any
        # docutils keeps used machines in a list that all states share; ours are not for others.
        nested_sm_cache: list[Any] = []  # noqa: RUF012 - it is shared on purpose

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self.nested_sm_kwargs = {"state_classes": skipping, "initial_state": "Body"}

        def run_directive(self, *_: Any) -> Any:
            _, _, _, blank_finish = self.state_machine.get_first_known_indented(0, strip_indent=False)
            return [], blank_finish

        def nested_parse(self, *args: Any, **options: Any) -> Any:
            # Up to docutils 0.21 the inside of a section is parsed this way as well.
            if options.get("match_titles") or any(args[3:4]):
                return super().nested_parse(*args, **options)  # type: ignore[misc]
            return self.state_machine.abs_line_offset()

        def section(self, title: str, source: str, style: Any, lineno: int, messages: Any) -> Any:
            self.memo.title_start = lineno - isinstance(style, tuple)
            return super().section(title, source, style, lineno, messages)  # type: ignore[misc]

        def new_subsection(self, title: str, lineno: int, messages: Any) -> Any:
            self.document.settings.title_lines.append(self.memo.title_start)
            self.inliner.title = title
            return super().new_subsection(title, lineno, messages)  # type: ignore[misc]

    skipping = tuple(type(state.__name__, (Skipping, state), {}) for state in states.state_classes)
    return skipping, Inliner
