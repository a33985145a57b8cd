"""What `rankgate baseline set` does beside the file: it refuses a red run, and the project then wants one.

A baseline that anybody may delete guards nothing, so that the configuration says ``require_baseline`` from
the first one on.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, InputError
from rankgate.gates.language import COMPARED, parse_gate
from rankgate.model import Cause, ExitCode, GateText, Status
from rankgate.model.wording import shortest
from rankgate.project.configuration import HOME
from rankgate.project.results import VERDICTS
from rankgate.project.toml_edit import write_setting

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rankgate.project.configuration import Configuration

KEY = "require_baseline"


def refuse_red(results: Path, again: str) -> None:
    """Refuse the run of a test that did not pass; a folder of other runs has no verdict to go by.

    A gate that only waits for a baseline, or for one of today, is no reason: that is what is being made.

    Args:
        results: The folder of the run and its verdict.
        again: The command that tests it.

    Raises:
        InputError: where the verdict is not green.
    """
    if HOME not in [one.name for one in results.resolve().parents]:
        return
    where, fix = str(shortest(results.resolve())), "mend it and test it again, or say --failed"
    try:
        kept = json.loads((results / VERDICTS).read_text(encoding="utf-8"))
        code, verdicts = ExitCode(kept["exit_code"]), [_Kept(one) for one in kept["verdicts"]]
    except FileNotFoundError:
        found = "a test that did not come to a verdict"
        raise InputError(
            Code.NOT_PASSED(where, found, "one that passed", f"test it again: {again}")
        ) from None
    except (ValueError, KeyError, TypeError, InputError) as error:
        found = f"{VERDICTS} that cannot be read ({error})"
        raise InputError(
            Code.NOT_PASSED(where, found, "one that passed", f"test it again: {again}")
        ) from error
    bad = [one for one in verdicts if one.bad and not one.waits]
    gone = kept.get("cause") == Cause.GONE
    waits = not bad and not gone and any(one.bad and one.waits for one in verdicts)
    if code is ExitCode.PASSED or (waits and code in (ExitCode.WRONG_CALL, ExitCode.INCONCLUSIVE)):
        return
    shown = "".join(f"; {one.gate}: {one.status}" for one in bad[:3])
    shown += "; targets are gone from the documents" if gone else ""
    found = f"a test that ended with exit code {int(code)} ({code.brief}{shown})"
    raise InputError(Code.NOT_PASSED(where, found, "one that passed", fix))


class _Kept:
    """A verdict as it is kept."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self.gate, self.status = str(found["gate"]), Status(found["status"])
        self.bad = self.status not in (Status.PASSED, Status.NOT_ENFORCED)
        rule = parse_gate(GateText(self.gate))
        compares = rule.measure in COMPARED and not rule.against
        self.waits = compares and found["value"] is None and self.status is not Status.FAILED


def require_baselines(configuration: Configuration) -> bool:
    """Write into the configuration that baselines are required, where there is one that does not say.

    Returns:
        True where it was written.

    Raises:
        InputError: for a file in which there is no place for it.
    """
    return configuration.path is not None and write_setting(configuration.path, KEY, value=True)
