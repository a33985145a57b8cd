"""How far estimates of tokens are from what tokenizers count, by script.

The texts are the messages of Django in other languages, its documentation and its code. The tokenizers are
those that llama-index-core carries, so nothing is fetched. Run by the environment of
`requirements/frameworks.txt`: ``just token-estimates``.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parent.parent
LANGUAGES = {
    "zh_Hans": "Chinese",
    "ja": "Japanese",
    "ko": "Korean",
    "ru": "Russian",
    "el": "Greek",
    "ar": "Arabic",
    "he": "Hebrew",
    "hi": "Hindi",
    "th": "Thai",
    "de": "German",
    "fr": "French",
    "vi": "Vietnamese",
}
_MESSAGE = re.compile(r'^msgstr(?:\[\d\])? ((?:".*"\n)+)', re.MULTILINE)


def messages(folder: Path, language: str) -> str:
    """Return what a translation of Django says, a message a line."""
    found = []
    for file in sorted(folder.glob(f"django/**/locale/{language}/LC_MESSAGES/django.po")):
        body = file.read_text(encoding="utf-8").partition("\n\n")[2]
        found += ["".join(map(ast.literal_eval, one.splitlines())) for one in _MESSAGE.findall(body)]
    return "\n".join(filter(None, found))


def estimates() -> ModuleType:
    """Return the module with rankgate's estimate, by its file: rankgate is not in this environment."""
    file = ROOT / "packages" / "rankgate" / "src" / "rankgate" / "model" / "tokens.py"
    spec = importlib.util.spec_from_file_location("tokens", file)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{file} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Print the table."""
    core = importlib.util.find_spec("llama_index.core")
    if core is None or core.origin is None:
        raise SystemExit(
            "llama-index-core is not installed; expected the environment of requirements/frameworks.txt"
        )
    os.environ["TIKTOKEN_CACHE_DIR"] = str(Path(core.origin).parent / "_static" / "tiktoken_cache")
    import tiktoken

    estimated = estimates().estimated_tokens
    django = ROOT / ".fixtures" / "django-5.2.8"
    texts = {name: messages(django, language) for language, name in LANGUAGES.items()}
    for name, pattern in {"English": "docs/topics/**/*.txt", "Python": "django/db/**/*.py"}.items():
        files = sorted(django.glob(pattern))
        texts[name] = "\n".join(file.read_text(encoding="utf-8") for file in files)
    print(
        "| text | characters | cl100k | o200k | bytes / 4, of cl100k | the estimate, of cl100k | of o200k |"
    )
    print("|---|---|---|---|---|---|---|")
    for name, text in texts.items():
        counted = [len(tiktoken.get_encoding(one).encode(text)) for one in ("cl100k_base", "o200k_base")]
        plain, ours = len(text.encode()) / 4 / counted[0], [estimated(text) / one for one in counted]
        figures = (f"{plain:.2f}", *(f"{one:.2f}" for one in ours))
        print(f"| {name} | {len(text):,} | {counted[0]:,} | {counted[1]:,} | {' | '.join(figures)} |")


if __name__ == "__main__":
    main()
