"""Which language a file is in, by its suffix."""

from __future__ import annotations

LANGUAGES = {
    ".c": "c",
    ".cc": "cpp",
    ".cjs": "javascript",
    ".cpp": "cpp",
    ".cs": "csharp",
    ".cts": "typescript",
    ".cxx": "cpp",
    ".go": "go",
    ".h": "c",
    ".hh": "cpp",
    ".hpp": "cpp",
    ".hxx": "cpp",
    ".java": "java",
    ".js": "javascript",
    ".jsx": "javascript",
    ".markdown": "markdown",
    ".md": "markdown",
    ".mdx": "markdown",
    ".mjs": "javascript",
    ".mts": "typescript",
    ".py": "python",
    ".pyi": "python",
    ".rb": "ruby",
    ".rest": "rst",
    ".rs": "rust",
    ".rst": "rst",
    ".ts": "typescript",
    ".tsx": "typescript",
}
"""By suffix, in lower case."""

PROSE = frozenset({"markdown", "rst"})
"""The languages whose files are read as documents and not as code."""
