"""Which language a file is in, by its suffix."""

from __future__ import annotations

LANGUAGES = {
    ".c": "c",
    ".cc": "cpp",
    ".cpp": "cpp",
    ".cs": "csharp",
    ".cxx": "cpp",
    ".go": "go",
    ".h": "c",
    ".hpp": "cpp",
    ".java": "java",
    ".js": "javascript",
    ".jsx": "javascript",
    ".markdown": "markdown",
    ".md": "markdown",
    ".mdx": "markdown",
    ".mjs": "javascript",
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
