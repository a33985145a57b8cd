"""The ids of a page of Sphinx that is written in reStructuredText, as docutils gives them.

The whole page is parsed, since every footnote takes a number that a second section of one title would have.
No directive is run: what they hold is parsed where it is text, and what they declare is noted. Files that a
page includes are asked for, never opened.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, FormatError
from rankgate.outline.anchors.page import PageAnchor, block_end
from rankgate.outline.rst import NOT_LINES, in_good_time, rst_settings, shown_of_role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.outline.anchors.docstrings import Modules
    from rankgate.outline.anchors.rst_state import Included


def rst_anchors(
    path: str,
    text: str,
    included: Included = lambda _path, _name: None,
    objects: Sequence[str] = (),
    modules: Modules = lambda _name: None,
) -> list[PageAnchor]:
    r"""List the ids of a page: of its sections, labels and what it describes.

    >>> text = "Keys\n====\n\n.. _turn:\n\nRotation\n--------\n\n.. py:function:: rotate(key)\n\n   Turns.\n"
    >>> [(one.id, one.start, one.end) for one in rst_anchors("keys.rst", text)]
    [('keys', 1, 11), ('turn', 6, 11), ('rotation', 6, 11), ('rotate', 9, 11)]

    Args:
        path: The page.
        text: Its text.
        included: What finds the files that it includes.
        objects: The directives that its configuration adds, whose ids are their name and argument.
        modules: What finds the Python modules whose docstrings the page shows.

    Raises:
        FormatError: where docutils is not installed or gives up.
    """
    try:
        from docutils import utils
        from docutils.parsers.rst import Parser
    except ImportError as error:
        found, fix = "reStructuredText, whose ids need an extra", "pip install 'rankgate[rst]'"
        raise FormatError(Code.MISSING_EXTRA(path, found, "docutils to be installed", fix)) from error
    from rankgate.outline.anchors.rst_state import PageState

    settings = rst_settings().copy()
    settings.auto_id_prefix = "id"
    state = PageState(path, included, frozenset(objects), modules)
    state.texts[path] = text
    settings.page_state = state
    parser = Parser(inliner=_inliner())
    parser.state_classes = _parsing()
    tree = utils.new_document(path, settings)
    in_good_time(tree, times=3)
    _note_ids(tree, state)
    try:
        parser.parse(text.translate(NOT_LINES), tree)
    except TimeoutError as error:
        found = "what docutils cannot parse in good time"
        raise FormatError(Code.UNPARSABLE(path, found, "reStructuredText", "")) from error
    except Exception as error:
        found = f"what docutils cannot parse ({type(error).__name__})"
        raise FormatError(Code.UNPARSABLE(path, found, "reStructuredText", "")) from error
    return _anchors(tree, path, state)


def _note_ids(tree: Any, state: Any) -> None:
    """Note the line at which the parser stands whenever an element gets an id."""
    real = tree.set_id

    def set_id(node: Any, msgnode: Any = None, suggested_prefix: str = "") -> Any:
        made = real(node, msgnode, suggested_prefix)
        for name in node["ids"]:
            state.noted.setdefault(name, (tree.current_source, tree.current_line or 1))
        return made

    tree.set_id = set_id


def _anchors(tree: Any, path: str, state: Any) -> list[PageAnchor]:
    from docutils import nodes

    state.end_sections()
    found: list[PageAnchor] = []
    for node in tree.findall(nodes.Element):
        if isinstance(node, nodes.section):
            found += _of_section(node, path, state)
        elif isinstance(node, nodes.target):
            found += _of_target(node, path, state)
        elif node.get("ismod") and _first_of_section(node):
            found += _of_section(node.parent.parent, path, state, node["ids"])
        elif not isinstance(node, nodes.system_message):
            found += _of_blocks(node["ids"], path, state)
    return found


def _of_section(section: Any, path: str, state: Any, names: Sequence[str] = ()) -> list[PageAnchor]:
    whole = state.sections.get(section["ids"][0])
    if whole is None:
        return []
    own = None if whole.path == path else whole.path
    known = (name for name in names or section["ids"] if name not in state.unknown)
    return [replace(whole, id=name, path=own) for name in known]


def _first_of_section(module: Any) -> bool:
    """Check whether a module is named first in a section: Sphinx lets its id stand for the section then."""
    from docutils import nodes

    section = module.parent.parent
    return isinstance(section, nodes.section) and section.index(module.parent) == 1


def _of_target(target: Any, path: str, state: Any) -> list[PageAnchor]:
    """Let a label stand for the section behind it, where one is; else for the block behind it."""
    from docutils import nodes

    if target.get("refuri") or target.get("refname") or not target["ids"]:
        return []
    behind = target.next_node(descend=False, ascend=True)
    while isinstance(
        behind, nodes.target | nodes.comment | nodes.system_message | nodes.substitution_definition
    ):
        behind = behind.next_node(descend=False, ascend=True)
    if isinstance(behind, nodes.section) and not isinstance(target.parent, nodes.TextElement):
        return _of_section(behind, path, state, target["ids"])
    return _of_blocks(target["ids"], path, state)


def _of_blocks(names: Sequence[str], path: str, state: Any) -> list[PageAnchor]:
    known = (name for name in names if name in state.noted and state.noted[name][0] in state.texts)
    return [_of_block(name, path, state) for name in known]


def _of_block(name: str, path: str, state: Any) -> PageAnchor:
    source, line = state.noted[name]
    lines = state.lines(source)
    line = min(max(1, line), len(lines))
    start = line
    if name in state.described:
        return PageAnchor(name, line, block_end(lines, line), 0, None if source == path else source)
    while start > 1 and lines[start - 2].strip() and lines[start - 1].strip():
        start -= 1
    behind = line
    while behind < len(lines) and not lines[behind].strip():
        behind += 1
    label = lines[line - 1].lstrip().startswith(".. _")
    end = block_end(lines, behind + 1) if label and behind < len(lines) else block_end(lines, start)
    return PageAnchor(name, start, max(line, end), 0, None if source == path else source)


@cache
def _parsing() -> tuple[type, ...]:
    """Make the states of docutils' parser that note where titles stand, and know every role and directive."""
    from docutils.parsers.rst import states

    from rankgate.outline.anchors.rst_directives import directive_class

    def directive(state: Any, match: Any) -> Any:
        return state.run_directive(
            directive_class(match[1], state.document.settings.page_state), match, match[1], {}
        )

    # docutils has the functions themselves in a list, so that a method of a subclass would not be called.
    known = states.Body.explicit
    constructs = [
        (directive if method is states.Body.directive else method, pattern)
        for method, pattern in known.constructs
    ]

    class Noting:
        document: Any
        explicit = type(known)(patterns=known.patterns, constructs=constructs)
        memo: Any
        state_machine: Any
        parent: Any
        nested_sm_cache: list[Any] = []  # noqa: RUF012 - docutils shares it between states

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self.nested_sm_kwargs = {"state_classes": noting, "initial_state": "Body"}

        def section(self, title: str, source: str, style: Any, lineno: int, messages: Any) -> Any:
            self.memo.title_start = lineno - isinstance(style, tuple)
            return super().section(title, source, style, lineno, messages)  # type: ignore[misc]

        def new_subsection(self, title: str, lineno: int, messages: Any) -> Any:
            source, line = self.state_machine.get_source_and_line(self.memo.title_start)
            result = super().new_subsection(title, lineno, messages)  # type: ignore[misc]
            self.document.settings.page_state.note_section(self.parent, source, line)
            return result

    noting = tuple(type(state.__name__, (Noting, state), {}) for state in states.state_classes)
    return noting


def _inliner() -> Any:
    """Make what parses inline markup so that every role is known, and is the text that Sphinx shows of it."""
    from docutils import nodes, utils
    from docutils.parsers.rst.states import Inliner

    def interpreted(source: str, text: str, _role: str, _line: int) -> Any:
        return [nodes.inline(source, shown_of_role(utils.unescape(text)))], []

    # docutils looks its patterns up in the class itself, so that a subclass would have none.
    inliner = Inliner()
    inliner.interpreted = interpreted  # type: ignore[method-assign,assignment]
    return inliner
