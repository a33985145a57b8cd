"""The reference search system: a tree of Markdown sections and code symbols, searched and walked.

A plugin like any other: it uses only what ``import rankgate`` offers. Text becomes nodes (`nodes.py`), nodes
an index (`lexical.py`, `vectors.py`), and the index answers a search, a walk (`library.py`), or an agent over
MCP (`server.py`).
"""
