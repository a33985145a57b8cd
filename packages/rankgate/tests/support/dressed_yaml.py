"""Data written as people write YAML: odd indentation, comments, quotes, brackets and line ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from rankgate.io.yaml_text import flow_text

if TYPE_CHECKING:
    from collections.abc import Callable

_ONE_IN_FOUR = st.sampled_from([False, False, False, True])


class Dresser:
    """Writes mappings and lists, each in a style that is drawn; every comment has a number of its own."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self._draw = draw
        self._comments = 0

    def text(self, whole: dict[str, Any]) -> str:
        """Write a file."""
        lines = [*self._own_line(0), *self._mapping(whole, 0), *self._own_line(0)]
        line_end = self._draw(st.sampled_from(["\n", "\n", "\r\n"]))
        last = line_end if self._draw(st.booleans()) else ""
        return str(line_end.join(lines) + last)

    def _sometimes(self) -> bool:
        return bool(self._draw(_ONE_IN_FOUR))

    def _comment(self) -> str:
        self._comments += 1
        return f"# {self._comments}: at, [- x, 'y"

    def _own_line(self, indent: int) -> list[str]:
        if not self._sometimes():
            return []
        return self._draw(st.sampled_from([[""], [" " * indent + self._comment()]]))  # type: ignore[no-any-return]

    def _behind(self) -> str:
        return "  " + self._comment() if self._sometimes() else ""

    def _mapping(self, value: dict[str, Any], indent: int) -> list[str]:
        lines: list[str] = []
        for key, item in value.items():
            lines += self._own_line(indent) if lines else []
            lines += self._pair(flow_text(key), item, indent)
        return lines

    def _pair(self, key: str, item: Any, indent: int) -> list[str]:
        pad = " " * indent
        long_key = len(key) > 900
        if item and isinstance(item, (dict, list)) and not long_key and not self._sometimes():
            deeper = indent + self._draw(st.integers(1, 4))
            if isinstance(item, list):
                deeper = self._draw(st.sampled_from([indent, deeper]))
                return [f"{pad}{key}:{self._behind()}", *self._list(item, deeper)]
            return [f"{pad}{key}:{self._behind()}", *self._mapping(item, deeper)]
        start = f"{pad}? {key}\n{pad}: " if long_key else f"{pad}{key}: "
        return f"{start}{self._scalar(item)}{self._behind()}".split("\n")

    def _list(self, items: list[Any], indent: int) -> list[str]:
        lines: list[str] = []
        for item in items:
            lines += self._own_line(indent) if lines else []
            start = " " * indent + "-" + " " * self._draw(st.integers(1, 3))
            if (
                item
                and isinstance(item, dict)
                and max(map(len, map(flow_text, item))) < 900
                and not self._sometimes()
            ):
                first, *others = self._mapping(item, len(start))
                lines += [start + first[len(start) :], *others]
            elif item and isinstance(item, list) and not self._sometimes():
                first, *others = self._list(item, len(start))
                lines += [start + first[len(start) :], *others]
            else:
                lines.append(start + self._scalar(item) + self._behind())
        return lines

    def _scalar(self, item: Any) -> str:
        """Write a value in one line."""
        written = flow_text(item)
        if not isinstance(item, str):
            return self._spaced(item)
        if item.isprintable() and "'" not in item and self._sometimes():
            return f"'{item}'"
        return written

    def _spaced(self, item: Any) -> str:
        if isinstance(item, list) and item and self._sometimes():
            return "[ " + " ,  ".join(map(flow_text, item)) + " ]"
        return flow_text(item)
