"""Fetch pinned source distributions through the index that pip is configured with, and check their hashes.

    python suites/fetch.py requirements/fixtures.txt
    python suites/fetch.py --unpack suites/*/releases.txt

A list has lines of `name==version --hash=sha256:…`. Archives are saved in .fixtures, or in --downloads. With
--unpack, the files of each release are written to a folder beside the list: .corpora/releases/click/.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import html
import os
import re
import shlex
import shutil
import ssl
import subprocess
import sys
import tarfile
import tempfile
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit
from urllib.request import Request, urlopen

PINNED = re.compile(r"([\w.-]+)==(\S+) --hash=sha256:([0-9a-f]{64})")
TRIES = 4


def pinned(listed: Path) -> list[tuple[str, str, str]]:
    """Read the names, versions and hashes of a list."""
    lines = [line for line in listed.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    found = [PINNED.fullmatch(line) for line in lines]
    if None in found:
        sys.exit(f"{listed}: expected lines of name==version --hash=sha256:…")
    return [(each[1], each[2], each[3]) for each in found if each is not None]


@cache
def index() -> str:
    """Return the URL of the index that pip uses."""
    named = next(filter(None, map(os.environ.get, ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"))), "")
    if not named:
        pip = shlex.split(os.environ.get("RANKGATE_PIP", "")) or [sys.executable, "-m", "pip"]
        words = [*pip, "config", "get", "global.index-url"]
        named = subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()
    return (named or "https://pypi.org/simple").rstrip("/")


def get(url: str) -> bytes:
    """Fetch a URL; the credentials in the URL of the index are sent to its host only."""
    parts, own = urlsplit(url), urlsplit(index())
    headers = {"Accept": "application/vnd.pypi.simple.v1+html, text/html, */*;q=0.1"}
    request = Request(parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl(), headers=headers)
    if own.username and (parts.hostname, parts.port) == (own.hostname, own.port):
        pair = f"{unquote(own.username)}:{unquote(own.password or '')}"
        request.add_unredirected_header("Authorization", "Basic " + base64.b64encode(pair.encode()).decode())
    context = ssl.create_default_context(cafile=os.environ.get("PIP_CERT") or None)
    for left in reversed(range(TRIES)):
        try:
            with urlopen(request, timeout=60, context=context) as answer:
                return answer.read()
        except OSError as error:
            if not left:
                sys.exit(f"{parts.hostname}: {error}")
    raise AssertionError


def normal(name: str) -> str:
    """Return the one spelling of a project or file."""
    return re.sub(r"[-_.]+", "-", name).lower()


def fetch(name: str, version: str, sha256: str, folder: Path) -> Path:
    """Return the archive of a release, which is downloaded unless it is there."""
    folder.mkdir(parents=True, exist_ok=True)
    file = f"{name}-{version}.tar.gz"
    for path in folder.glob("*.tar.gz"):
        if normal(path.name) == normal(file) and hashlib.sha256(path.read_bytes()).hexdigest() == sha256:
            return path
    page = f"{index()}/{normal(name)}/"
    link = re.search(rf'href="([^"#]+)#sha256={sha256}"', get(page).decode(errors="replace"))
    if link is None:
        sys.exit(f"{name}=={version}: no source distribution with this hash in the index")
    print(f"downloading {file}", flush=True)
    data = get(urljoin(page, html.unescape(link[1])))
    if hashlib.sha256(data).hexdigest() != sha256:
        sys.exit(f"{name}=={version}: the file has another hash")
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as aside:
        aside.write(data)
    return Path(aside.name).replace(folder / file)


def unpack(listed: Path, archives: dict[str, Path]) -> None:
    """Write the files of all releases of a list, without the top folder of each."""
    folder = listed.parent / ".corpora" / listed.stem
    done = folder.with_suffix(".txt")
    if done.is_file() and done.read_bytes() == listed.read_bytes():
        return
    shutil.rmtree(folder, ignore_errors=True)
    for name, archive in archives.items():
        with tarfile.open(archive) as tar, tempfile.TemporaryDirectory(dir=folder.parent) as aside:
            tar.extractall(aside, filter="data")
            (inside,) = Path(aside).iterdir()
            folder.mkdir(exist_ok=True)
            inside.rename(folder / name)
    shutil.copyfile(listed, done)


def main() -> None:
    """Fetch all releases of the lists."""
    parser = argparse.ArgumentParser(description="Fetch pinned source distributions.")
    parser.add_argument("lists", nargs="+", type=Path)
    parser.add_argument("--downloads", type=Path, default=Path(__file__).parents[1] / ".fixtures")
    parser.add_argument("--unpack", action="store_true")
    options = parser.parse_args()
    for listed in options.lists:
        archives = {name: fetch(name, *about, options.downloads) for name, *about in pinned(listed)}
        if options.unpack:
            (listed.parent / ".corpora").mkdir(exist_ok=True)
            unpack(listed, archives)


if __name__ == "__main__":
    main()
