"""Where things stand in the repository, so that a test can move without losing them."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[4]
"""The root of the repository: documents, suites, examples, benchmarks."""

SUPPORT = Path(__file__).parent
"""The modules that tests share; some are run as programs."""

GOLDEN = SUPPORT.parent / "golden"
"""Texts that are compared to the byte."""

FIXTURES = ROOT / ".fixtures"
"""What `just fixtures` and its sisters fetched."""

STATE_PROJECT = SUPPORT / "state_project"
"""A project with systems and suites that lead to each state of a verdict."""
