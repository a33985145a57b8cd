"""How releases and their files are spelt: ``click==8.3.2``, ``Django-4.2.tar.gz``."""

from __future__ import annotations

import re

SUFFIXES = (".tar.gz", ".zip")
"""What the file of an sdist may end in, the first being the usual one."""

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,200}[A-Za-z0-9])?")
_VERSION = re.compile(
    r"v?(?:(?P<epoch>\d{1,9})!)?(?P<release>\d{1,19}(?:\.\d{1,19})*)"
    r"(?P<rest>(?:[._-]?(?:alpha|beta|preview|pre|post|rev|dev|rc|a|b|c|r)[._-]?\d{0,19}|-\d{1,19})*)"
    r"(?:\+(?P<local>[a-z0-9]+(?:[._-][a-z0-9]+)*))?",
    re.IGNORECASE,
)
_PART = re.compile(r"[._-]?([a-z]*)[._-]?(\d*)")
_SPELT = {
    "alpha": "a",
    "beta": "b",
    "c": "rc",
    "pre": "rc",
    "preview": "rc",
    "rev": "post",
    "r": "post",
    "": "post",
}


def normal_name(name: str) -> str:
    """Spell a project's name as indexes do (PEP 503).

    >>> normal_name("Zope.Interface")
    'zope-interface'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def normal_version(version: str) -> str | None:
    """Spell a version so that equal versions are equal texts (PEP 440); None for what is none.

    >>> normal_version("v1.0-RC1") == normal_version("1rc1")
    True
    """
    found = _VERSION.fullmatch(version.strip()) if len(version) <= 200 else None
    if found is None:
        return None
    release = [str(int(part)) for part in found["release"].split(".")]
    while len(release) > 1 and release[-1] == "0":
        release.pop()
    rest = "".join(
        _SPELT.get(word, word) + str(int(number or 0))
        for word, number in _PART.findall(found["rest"].lower())
        if word or number
    )
    epoch = f"{int(found['epoch'])}!" if found["epoch"] else ""
    local = "+" + re.sub("[._-]", ".", found["local"].lower()) if found["local"] else ""
    return epoch + ".".join(release) + rest + local


def split_release(text: str) -> tuple[str, str] | None:
    """Take ``name==version`` apart; None for what is not that.

    >>> split_release("click == 8.3.2")
    ('click', '8.3.2')
    """
    name, equals, version = (part.strip() for part in text.partition("=="))
    if not equals or not _NAME.fullmatch(name) or normal_version(version) is None:
        return None
    return name, version


def version_in(file: str, name: str) -> str | None:
    """Return the version that the name of an sdist's file says; None for another file.

    Names are spelt in many ways: ``Django-4.2.tar.gz``, ``zope.interface-5.0.zip``, ``my_tool-1.0.tar.gz``.

    >>> version_in("Django-4.2.tar.gz", "django"), version_in("django_x-4.2.tar.gz", "django")
    ('4.2', None)
    """
    suffix = next((suffix for suffix in SUFFIXES if file.lower().endswith(suffix)), None)
    if suffix is None or len(file) > 255 or re.search(r"[^A-Za-z0-9._+!-]", file):
        return None
    stem = file[: -len(suffix)]
    for dash in re.finditer("-", stem):
        left, right = stem[: dash.start()], stem[dash.end() :]
        if normal_name(left) == normal_name(name) and normal_version(right) is not None:
            return right
    return None
