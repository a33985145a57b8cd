"""The old name of `rankgate_reference`, a distribution of its own now; it works for one release."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

_NEW = "rankgate_reference"


class _Alias(MetaPathFinder, Loader):
    """Finds ``rankgate.reference.x`` as the module ``rankgate_reference.x`` itself, not as a copy of it."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - of the protocol
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """Return a spec for a module below the old name."""
        return ModuleSpec(fullname, self) if fullname.startswith(f"{__name__}.") else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Import the module under its new name."""
        return import_module(_NEW + spec.name.removeprefix(__name__))

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: the module was executed under its own name."""


warnings.warn(
    f"{__name__} is {_NEW} now, of the distribution rankgate-reference", DeprecationWarning, stacklevel=2
)
try:
    import_module(_NEW)
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"{error}; run: pip install 'rankgate[reference]'", name=error.name) from error
sys.meta_path.append(_Alias())
__path__: list[str] = []
