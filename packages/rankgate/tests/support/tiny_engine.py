"""A small BM25 over the paragraphs of a folder: a function, a program, and behind HTTP and MCP.

python tiny_engine.py FOLDER QUERY K      prints JSON
python tiny_engine.py FOLDER --mcp        serves MCP
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any


class Engine:
    def __init__(self, folder: Path) -> None:
        self.parts: list[dict[str, Any]] = []
        for path in sorted(folder.rglob("*.md")):
            text = path.read_text(encoding="utf-8")
            for found in re.finditer(r"(?:[^\n]+\n?)+", text):
                start = text.count("\n", 0, found.start()) + 1
                part = found[0].rstrip("\n")
                self.parts.append(
                    {
                        "path": path.relative_to(folder).as_posix(),
                        "start": start,
                        "end": start + part.count("\n"),
                        "text": part,
                    }
                )
        self._words = [Counter(_words(part["text"])) for part in self.parts]
        self._seen = Counter(word for words in self._words for word in words)
        self._length = sum(map(Counter.total, self._words)) / max(1, len(self.parts))

    def search(self, query: str, k: int) -> list[dict[str, Any]]:
        scored = [(self._score(_words(query), words), number) for number, words in enumerate(self._words)]
        best = sorted((-score, number) for score, number in scored if score > 0)[:k]
        return [{**self.parts[number], "score": -score} for score, number in best]

    def _score(self, asked: list[str], words: Counter[str]) -> float:
        total = 0.0
        for word in asked:
            rare = math.log(1 + (len(self.parts) - self._seen[word] + 0.5) / (self._seen[word] + 0.5))
            total += rare * words[word] * 2.2 / (words[word] + 0.3 + 0.9 * words.total() / self._length)
        return total


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def search(query: str, k: int) -> list[dict[str, Any]]:
    """The function under test; the folder is the one of the project."""
    return Engine(Path(os.environ["TINY_FOLDER"])).search(query, k)


def serve(engine: Engine) -> None:
    from mcp.server import MCPServer

    def find(query: str, k: int) -> dict[str, Any]:
        return {"found": engine.search(query, k)}

    server: Any = MCPServer("tiny", version="1")
    server.add_tool(find)
    server.run()


if __name__ == "__main__":
    made = Engine(Path(sys.argv[1]))
    if sys.argv[2] == "--mcp":
        serve(made)
    else:
        print(json.dumps({"found": made.search(sys.argv[2], int(sys.argv[3]))}))  # noqa: T201
