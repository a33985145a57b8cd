"""The command line and the environment of a program, filled when the system is opened.

``{corpus}`` is the folder of the suite's corpus, ``${NAME}`` a variable of the environment. Both are put into
an argument and never split. The line that a shell is given by ``-c`` keeps its ``${NAME}``, since the shell
has variables of its own.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeAlias

from rankgate.errors import Code, InputError
from rankgate.io.secrets import hide
from rankgate.systems.adapter.process import environment
from rankgate.systems.adapter.templates import check_placeholders
from rankgate.systems.adapter.variables import VARIABLE, read_variables
from rankgate.systems.preparation import CORPUS

if TYPE_CHECKING:
    from collections.abc import Sequence

Env: TypeAlias = tuple[str, ...] | Mapping[str, str]
"""Variables that a program needs beside the ordinary ones: their names, or names with values."""

_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish"})


@dataclass(frozen=True, slots=True)
class Launch:
    """What a program's command line and environment are filled with."""

    where: str
    """The system, for errors."""
    corpus: str | None = None
    """The folder of the suite's corpus; None where there is none."""

    def command(self, arguments: Sequence[str], option: str, *later: str) -> tuple[str, ...]:
        """Fill a command line.

        Args:
            arguments: The program and its arguments.
            option: What the configuration calls them, for errors.
            later: Placeholders that are filled for each query.

        Raises:
            InputError: for a placeholder that nothing fills, and a variable that is not set.
        """
        where = f"{self.where}.{option}"
        check_placeholders(list(arguments), ("corpus", *later), where)
        line = _shell_line(arguments)
        return tuple(self._filled(one, where, read=number != line) for number, one in enumerate(arguments))

    def environment(self, env: Env) -> dict[str, str]:
        """Return the environment of a program: the ordinary variables, and those that it needs.

        Raises:
            InputError: for a placeholder that nothing fills, and a variable that is not set.
        """
        if not isinstance(env, Mapping):
            expected = "a variable of the environment"
            absent = [name for name in env if name not in os.environ]
            if absent:
                problems = [Code.VARIABLE_NOT_SET(f"env {name!r}", "not set", expected) for name in absent]
                raise InputError(problems)
            for name in env:
                hide(os.environ[name])
            return environment(env)
        check_placeholders(dict(env), ("corpus",), f"{self.where}.env")
        found = {name: self._filled(text, f"{self.where}.env.{name}") for name, text in env.items()}
        return {**environment(()), **found}

    def _filled(self, text: str, where: str, *, read: bool = True) -> str:
        if CORPUS in text and self.corpus is None:
            raise no_corpus(where)
        values = read_variables([(where, text)]) if read else {}
        # Variables first, and the folder in what they leave, so that neither is looked for in the other.
        parts = VARIABLE.split(text) if values else [text]
        return "".join(
            values[part] if number % 2 else part.replace(CORPUS, self.corpus or "")
            for number, part in enumerate(parts)
        )


def no_corpus(where: str) -> InputError:
    """Return the error of a placeholder for the corpus where there is none."""
    fix = "name a suite whose corpus has files, or write corpus_folder = '…'"
    return InputError(Code.NO_CORPUS(where, f"{CORPUS} and no corpus", "the folder of a corpus", fix))


def names_of(env: Env) -> tuple[str, ...]:
    """Return the variables of the environment that a program gets as they are."""
    return () if isinstance(env, Mapping) else tuple(env)


def _shell_line(arguments: Sequence[str]) -> int | None:
    """Return which argument is a line that a shell reads.

    >>> _shell_line(["bash", "-ec", "echo ${HOME}"]), _shell_line(["grep", "-c", "x"])
    (2, None)
    """
    if not arguments or PurePath(arguments[0]).name not in _SHELLS:
        return None
    flags = [
        n for n, one in enumerate(arguments) if one.startswith("-") and one[1:2] != "-" and one.endswith("c")
    ]
    return flags[0] + 1 if flags else None
