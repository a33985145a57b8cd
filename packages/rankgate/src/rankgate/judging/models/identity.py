"""What a model judge's labels are made of: its prompt, and everything in its table that decides its answers.

A label keeps both as ``PROMPT.JUDGE``: the first 16 hexadecimal digits of the SHA-256 of the prompt's text,
as `sha256sum` prints it where lines end with a line feed alone, and as many of a digest of the judge. What
was measured of a judge says nothing of another model behind the same prompt.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING

from rankgate.io.digests import ContentsReader
from rankgate.judging.models.prompt import DIGITS
from rankgate.systems.adapter.variables import described
from rankgate.systems.contents import add_program, add_python

if TYPE_CHECKING:
    from rankgate.judging.models.judge_table import JudgeEntry
    from rankgate.judging.models.prompt import JudgePrompt

_HOW_ASKED = ("timeout", "max_output", "max_body", "headers", "ca_file", "proxy", "follow_redirects", "env")
"""Options that say how a judge is asked, and not what it answers."""


def judge_identity(entry: JudgeEntry, prompt: JudgePrompt) -> str:
    """Name a judge by what its answers are made of; a function must have been loaded.

    Of a function the project's Python files count, and of a command the files that it names: what is
    installed differs from machine to machine.
    """
    options = {name: value for name, value in entry.options.items() if name not in _HOW_ASKED}
    made_of = {
        "kind": entry.kind,
        "repeats": entry.settings.repeats,
        "options": described(options),
        "files": _files(entry),
    }
    text = json.dumps(made_of, sort_keys=True, default=str)
    return f"{prompt.digest}.{sha256(text.encode()).hexdigest()[:DIGITS]}"


def _files(entry: JudgeEntry) -> dict[str, str]:
    reader = ContentsReader(entry.root)
    if entry.kind == "function":
        add_python(reader)
    elif entry.kind == "command":
        command = tuple(map(str, entry.options["command"]))
        add_program(reader, command, str(entry.options.get("cwd", entry.root)), ())
    return dict(reader.contents)
