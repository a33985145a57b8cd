"""The commands of the README print what it shows, and it is short."""

import re
from pathlib import Path

from support.repository import ROOT
from support.transcripts import environment, run_page, undeclared

README = (ROOT / "README.md").read_text(encoding="utf-8")


def as_console(text: str) -> str:
    """Return a page with each ``bash`` block, which has no prompts, and the output below it as a session.

    The output of a block without one is not compared.
    """
    return re.sub(r"```bash\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", _session, text, flags=re.DOTALL)


def _session(block: re.Match[str]) -> str:
    lines, end = [], ""
    for line in block[1].splitlines():
        lines.append(line if end else f"$ {line}")
        heredoc = re.search(r"<<'(\w+)'", line)
        end = heredoc[1] if heredoc else "" if line == end else end
        if block[2] is None and not end:
            lines.append("…")
    return "\n".join(["```console", *lines, f"{block[2] or ''}```\n"])


def test_readme_commands_print_the_shown_output(tmp_path: Path) -> None:
    wrong = run_page(as_console(README), tmp_path / "project", environment(tmp_path))
    assert not wrong, "\n\n".join(wrong)


def test_readme_blocks_are_all_run() -> None:
    assert undeclared(as_console(README)) == []


def test_readme_has_at_most_120_lines() -> None:
    assert len(README.splitlines()) <= 120
