"""What stands in for the directives of Sphinx: it notes what they declare, and parses what is text."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList

from rankgate.outline.anchors.docstrings import documented
from rankgate.outline.anchors.rst_state import (
    STANDARD,
    PageState,
    depth_below,
    described_ids,
    object_id,
    python_names,
)

_TEXT = re.compile(
    "attention|caution|danger|error|hint|important|note|tip|warning|seealso|compound|container|epigraph|"
    "highlights|pull-quote|tabs|tab-set|grid|grid-item|hlist|centered"
)
"""Directives whose content is text, without a title of their own."""
_TITLED = re.compile(
    "admonition|topic|sidebar|version(added|changed|removed)|deprecated|tab|group-tab|tab-item|dropdown|card|"
    "grid-item-card|figure|list-table|table|rst-class|collapse|todo"
)
"""Directives whose content is text, behind a title or an argument."""
_PYTHON = re.compile(
    "function|class|method|attribute|data|exception|property|decorator|decoratormethod|staticmethod|"
    "classmethod|coroutinefunction|type"
)
_NESTING = frozenset({"class", "exception"})
_AUTO = re.compile("auto(function|class|method|attribute|data|exception|property|decorator)")
_C = re.compile("function|macro|type|struct|union|var|member|enum|enumerator")


class _AnyOption(dict[str, Any]):
    """The options of a directive, of which any is allowed."""

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, name: str) -> Any:
        return lambda text: (text or "").strip()


class TextDirective(Directive):
    """Holds text alone."""

    has_content = True
    option_spec = _AnyOption()

    def run(self) -> list[Any]:
        """Return the nodes that stand for it."""
        return self.held(nodes.container())

    def held(self, box: Any) -> list[Any]:
        """Put what it holds into a node."""
        if name := self.options.get("name"):
            box["names"].append(nodes.fully_normalize_name(name))
            self.state.document.note_explicit_target(box, box)
        self.state.nested_parse(self.content, self.content_offset, box)
        return [box]

    def parse_with_titles(self, content: Any, offset: int, box: Any) -> None:
        """Parse text that may have sections, whatever their level outside."""
        memo = self.state.memo
        styles, level = memo.title_styles, memo.section_level
        memo.title_styles, memo.section_level = [], 0
        around = self.page.depth
        self.page.depth += depth_below(self.state.parent, nodes.section)
        self.state.nested_parse(content, offset, box, match_titles=True)
        self.page.depth = around
        memo.title_styles, memo.section_level = styles, level

    @property
    def page(self) -> PageState:
        """Return what is known of the page."""
        return self.state.document.settings.page_state  # type: ignore[no-any-return]

    def declare(self, box: Any, names: list[str]) -> None:
        """Note ids, at the line of the directive."""
        document, place = self.state.document, self.state_machine.get_source_and_line(self.lineno)
        for name in names:
            if name and name not in document.ids:
                node = nodes.inline(ids=[name], ismod=name.startswith("module-"))
                self.page.described.add(name)
                self.page.noted[name] = (place[0] or self.page.path, place[1] or 1)
                document.note_explicit_target(node, node)
                box += node


class TitledDirective(TextDirective):
    """Holds text behind a title or an argument."""

    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[Any]:
        """Return the nodes that stand for it."""
        box = nodes.container()
        if self.arguments:
            words, _ = self.state.inline_text(self.arguments[0], self.lineno)
            box += nodes.paragraph("", "", *words)
        return self.held(box)


class OnlyDirective(TitledDirective):
    """Holds text that may have sections."""

    def run(self) -> list[Any]:
        """Return the nodes that stand for it."""
        box = nodes.container()
        self.parse_with_titles(self.content, self.content_offset, box)
        return [box]


class SkippedDirective(TitledDirective):
    """Holds no text, or none that is known to be; only its name counts."""

    def run(self) -> list[Any]:
        """Return the nodes that stand for it."""
        self.content = StringList([], "")
        self.arguments = []
        return super().run() if self.options.get("name") else []


class DescribedDirective(TitledDirective):
    """Describes functions, classes, options and the like."""

    def run(self) -> list[Any]:
        """Return the nodes that stand for it."""
        box, page = nodes.container(), self.page
        module = page.module
        page.module = self.options.get("module", module)
        signatures = [line.strip() for line in "".join(self.arguments).split("\n") if line.strip()]
        indexed = not {"noindex", "no-index", "no-typesetting"} & self.options.keys()
        for signature in signatures:
            names = described_ids(self.name, signature, page)
            self.declare(box, names if indexed else [])
        kind = self.name.lower().rpartition(":")[2]
        classes = page.classes
        for signature in signatures:
            names = python_names(signature, page, automatic=kind.startswith("auto"))
            if _AUTO.fullmatch(kind):
                names = self.documented(box, names, indexed=indexed)
            if kind.removeprefix("auto") in _NESTING:
                # What is named below it is named in full: the module is part of it.
                page.module, page.classes = "", [*classes, *names[:1]]
        self.held(box)
        page.module, page.classes = module, classes
        return [box]

    def documented(self, box: Any, names: list[str], *, indexed: bool) -> list[str]:
        """Parse the docstrings that Sphinx would show, so that what they hold takes its ids.

        Returns the name that is meant, where it was found.
        """
        options = {
            "members": self.options.get("members"),
            "hidden": self.options.get("exclude-members", ""),
        }
        for name in names:
            found = documented(name, self.page.modules, **options)
            for each in found or ():
                if each.name and indexed:
                    self.declare(box, [object_id("", f"{name}.{each.name}")])
                source = f"docstring of {name}.{each.name}"
                lines = StringList(list(each.lines), source)
                if each.lines:
                    self.parse_with_titles(lines, 0, box)
            if found is not None:
                return [name]
        self.page.unsure = True
        return names


class ContextDirective(DescribedDirective):
    """Says which module or program is described, and may describe it."""

    def run(self) -> list[Any]:
        """Return the nodes that stand for it."""
        box, name = nodes.container(), "".join(self.arguments).strip()
        kind = self.name.lower().rpartition(":")[2]
        if kind == "program":
            self.page.program = "" if name == "None" else "-".join(name.split())
        else:
            self.page.module = "" if name == "None" else name
        if kind in {"module", "automodule"} and not {"noindex", "no-index"} & self.options.keys():
            self.declare(box, [object_id("module", name)])
        if kind == "automodule":
            self.documented(box, [name], indexed=True)
        return self.held(box)


class ContentsDirective(TitledDirective):
    """A list of contents, which takes an id."""

    def run(self) -> list[Any]:
        """Return the nodes that stand for it."""
        name = nodes.fully_normalize_name(self.arguments[0] if self.arguments else "Contents")
        topic = nodes.topic(names=[] if self.state.document.has_name(name) else [name])
        self.state.document.note_implicit_target(topic)
        return [topic]


class GlossaryDirective(TextDirective):
    """A list of terms, each of which has an id."""

    def run(self) -> list[Any]:
        """Return the nodes that stand for it."""
        box = nodes.container()
        for line in self.content:
            if line.strip() and not line[0].isspace() and not line.startswith(".."):
                self.declare(box, [object_id("term", re.split(r"\s+:\s+", line)[0].strip())])
        return self.held(box)


class IncludeDirective(TitledDirective):
    """Puts another file in its place."""

    def run(self) -> list[Any]:
        """Return the nodes that stand for it."""
        source = self.state_machine.get_source_and_line(self.lineno)[0] or self.page.path
        as_code = {"literal", "code", "parser"} & self.options.keys()
        found = (
            None if as_code or not self.arguments else self.page.included(source, self.arguments[0].strip())
        )
        if found is None or found[0] in self.page.texts:
            self.page.unsure = self.page.unsure or not as_code
            return []
        path, text = found
        self.page.texts[path] = text
        rows = list(enumerate(text.split("\n")))
        first, last = self.options.get("start-line"), self.options.get("end-line")
        rows = rows[int(first) if first else None : int(last) if last else None]
        rows = _between(rows, self.options.get("start-after"), self.options.get("end-before"))
        lines = StringList([row.rstrip() for _, row in rows], items=[(path, number) for number, _ in rows])
        self.state_machine.insert_input(lines, path)
        return []


def _between(rows: list[tuple[int, str]], after: str | None, before: str | None) -> list[tuple[int, str]]:
    """Keep the lines behind one that has a text, up to the one that has another."""
    if after:
        begun = next((place for place, (_, row) in enumerate(rows) if after in row), -1)
        rows = rows[begun + 1 :]
    if before:
        ended = next((place for place, (_, row) in enumerate(rows) if before in row), len(rows))
        rows = rows[:ended]
    return rows


_BY_NAME: dict[str, type[TextDirective]] = {
    "automodule": ContextDirective,
    "contents": ContentsDirective,
    "currentmodule": ContextDirective,
    "glossary": GlossaryDirective,
    "include": IncludeDirective,
    "module": ContextDirective,
    "only": OnlyDirective,
    "option": DescribedDirective,
    "program": ContextDirective,
}


def directive_class(name: str, page: PageState) -> type[TextDirective]:
    """Return what stands in for a directive."""
    domain, _, kind = name.lower().rpartition(":")
    described = kind in STANDARD or kind in page.objects or (domain == "c" and _C.fullmatch(kind))
    if described or (domain in {"", "py"} and (_PYTHON.fullmatch(kind) or _AUTO.fullmatch(kind))):
        return DescribedDirective
    if kind in _BY_NAME:
        return _BY_NAME[kind]
    if _TEXT.fullmatch(kind):
        return TextDirective
    return TitledDirective if _TITLED.fullmatch(kind) else SkippedDirective
