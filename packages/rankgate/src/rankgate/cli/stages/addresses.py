"""Arguments that are paths or addresses of object stores: commands get a path either way.

For ``s3://bucket/run`` the path is that of a copy: of what is read, fetched before the command begins; of
what is written, a folder whose run is written to the store as it grows, or a file that is written there when
the command ends. Nothing of it is imported where only paths are named.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankgate.files.stores.address import is_address

if TYPE_CHECKING:
    from collections.abc import Callable


class _Location(click.Path):
    """A path, or an address that is made one."""

    def __init__(self, made: Callable[[str, click.Context | None], Path], **kwargs: Any) -> None:
        super().__init__(path_type=Path, **kwargs)
        self._made = made

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        return self._made(value, ctx) if is_address(value) else super().convert(value, param, ctx)


def _run(text: str, _context: click.Context | None) -> Path:
    from rankgate.runs.store.fetched import fetched_run

    return fetched_run(text)


def _file(text: str, _context: click.Context | None) -> Path:
    from rankgate.files.stores.copies import fetched_file

    return fetched_file(text)


def _new_run(text: str, _context: click.Context | None) -> Path:
    from rankgate.files.stores.copies import new_copy

    return new_copy(text)


def _new_file(text: str, context: click.Context | None) -> Path:
    return written_file(text, context or click.get_current_context())


def written_file(text: str, context: click.Context) -> Path:
    """Return a file to write; at the end of the command it is written to its address, where it is there."""
    from rankgate.files.stores.copies import new_file

    path, publish = new_file(text)
    context.call_on_close(publish)
    return path


def shown(path: Path) -> str:
    """Return a path as it was given: an address, where it is that of a copy."""
    import sys

    copies = sys.modules.get("rankgate.files.stores.copies")
    return str(path) if copies is None else copies.named_as_given(str(path))


RUN = _Location(_run)
"""A run that is read."""
FILE = _Location(_file)
"""A file that is read."""
NEW_RUN = _Location(_new_run)
"""A run that is written."""
NEW_FILE = _Location(_new_file)
"""A file that is written."""
