"""Values of a file as Python's own types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankgate.files.tree.values import Value


def plain(value: Value) -> Any:
    match value.kind:
        case "mapping":
            return {key.raw: plain(item) for key, item in value.pairs()}
        case "list":
            return [plain(item) for item in value.items()]
        case "number":
            number = value.number()
            if number is None:
                return value.raw
            return int(number) if number.is_integer() else number
        case "flag":
            return value.flag()
        case "nothing":
            return None
        case _:
            return value.raw
