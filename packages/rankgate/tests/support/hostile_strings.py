"""Strings that try to be something else where they are shown: markup, links, controls, commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

MARKDOWN = (
    *("# h", "## h\n", "===", "---", "***", "* a", "- a", "+ a", "1. a", "1) a", "> q", "    code", "\tcode"),
    *("```\n", "~~~", "`", "``", "`a`", "```js\nx\n```", "**b**", "__b__", "*i*", "_i_", "~~s~~", "~s~"),
    *(
        "[a](http://evil.test)",
        "![a](http://evil.test/x.png)",
        "[a]: http://evil.test",
        "[a][b]",
        "[^1]",
        "[^1]: n",
    ),
    *(
        "<http://evil.test>",
        "http://evil.test/?a=1&b=2",
        "https://evil.test",
        "www.evil.test",
        "ftp://evil.test",
    ),
    *(
        "a@evil.test",
        "mailto:a@evil.test",
        "xmpp:a@evil.test/x",
        "@everyone",
        "@org/team",
        "#12",
        "GH-12",
        "a/b#1",
    ),
    *(
        ":+1:",
        ":smile:",
        "- [x] done",
        "[ ] todo",
        "|",
        "| a | b |",
        "| --- | --- |",
        "\\|",
        "\\",
        "\\\\",
        "$x$",
    ),
    *(
        "$$\nx\n$$",
        "&lt;b&gt;",
        "&#60;b&#62;",
        "&amp;",
        "&copy;",
        "&#0;",
        "&#x202e;",
        "--",
        "!",
        "\\`",
        "a  \nb",
    ),
)
HTML = (
    *(
        "<b>",
        "</b>",
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<svg onload=x>",
        "<a href=x>",
    ),
    *(
        "</details>",
        "<details open>",
        "</summary>",
        "<summary>",
        "</sub>",
        "</td></tr></table>",
        "</code>",
        "<pre>",
    ),
    *(
        "<!--",
        "-->",
        "--!>",
        "<!-- a -->",
        "<!doctype html>",
        "<?php",
        "?>",
        "<![CDATA[",
        "]]>",
        "<!X>",
        "<style>",
    ),
    *("</script>", "<textarea>", "<title>", "<iframe src=//evil.test>", "<plaintext>", "<xmp>", "<noembed>"),
    *(
        "<p align=center>",
        "<br/>",
        "<hr>",
        "<h1>",
        "<input type=checkbox>",
        "'",
        '"',
        "' onmouseover='x",
        "<",
        ">",
        "&",
    ),
)
CONTROLS = (
    *(
        "\x1b[31m",
        "\x1b[5;7m",
        "\x1b[2J",
        "\x1b[1A",
        "\x1b]0;title\x07",
        "\x1b]8;;http://evil.test\x1b\\",
        "\x1bc",
    ),
    *(
        "\x9b31m",
        "\x07",
        "\x08\x08\x08",
        "\r",
        "\n",
        "\r\n",
        "\v",
        "\f",
        "\x1c",
        "\x1f",
        "\x7f",
        "\x85",
        "\x00",
        "\t",
    ),
    *(
        "\u202e",
        "\u202d",
        "\u2066",
        "\u2067",
        "\u2069",
        "\u200e",
        "\u200f",
        "\u061c",
        "\u200b",
        "\u2060",
        "\ufeff",
    ),
    *(
        "\u2028",
        "\u2029",
        "\u00ad",
        "\u180e",
        "\ufff9",
        "\ufffe",
        "\U000e0041",
        "\U000e0001",
        "\u0300" * 30,
        "\u200d",
    ),
)
COMMANDS = (
    *(
        "::error::x",
        "::error file=a,line=1::x",
        "::set-output name=a::b",
        "::add-mask::a",
        "::stop-commands::t",
        "::",
    ),
    *(
        "##[error]x",
        "##[group]x",
        "##[set-env name=a]b",
        "##[command]x",
        "##[",
        "::debug::x",
        "::save-state name=a::b",
    ),
    *(
        " ::error::x",
        "\t::warning::x",
        "\n::error::x",
        "\r::error::x",
        "\u2003::error::x",
        "\ufeff::error::x",
    ),
    *(
        "%0A::error::x",
        "%0D%0A",
        "##\n[error]",
        "#",
        "##",
        ":",
        "add-matcher",
        "::add-matcher::x.json",
        "::echo::on",
    ),
)
WORDS = (
    "rotate an API key",
    "docs/a.md",
    "a.md:10-20",
    "é",
    "文档",
    "👩‍💻",
    "איך",
    "کلید‌ها",
    "a" * 90,
    "x.y:z",
    " ",
    "0",
)
_KINDS = (MARKDOWN, HTML, CONTROLS, COMMANDS, WORDS)
_BETWEEN = ("", "", " ", "\n", "\r", "\t", "`", "|", "  \n", "\\")
_LONG = (1_000, 3_000, 20_000)


def hostile_string(random: Random) -> str:
    """Draw a string; one in fifty is very long, one in ten is of any characters."""
    text = _drawn(random)
    # Nothing but white space is refused wherever it is read.
    return text if text.strip() else f"{text}a"


def _drawn(random: Random) -> str:
    if random.random() < 0.1:
        return "".join(_any_character(random) for _ in range(random.randint(1, 40)))
    pieces = [random.choice(random.choice(_KINDS)) for _ in range(random.randint(1, 6))]
    text = "".join(piece + random.choice(_BETWEEN) for piece in pieces)
    return text * (1 + random.choice(_LONG) // len(text)) if random.random() < 0.02 else text


def _any_character(random: Random) -> str:
    top = random.choice((0x80, 0x300, 0x3000, 0x110000))
    found = random.randrange(top)
    return "?" if 0xD800 <= found < 0xE000 else chr(found)
