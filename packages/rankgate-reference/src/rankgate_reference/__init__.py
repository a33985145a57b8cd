"""The reference search system: a tree of Markdown sections and code symbols, searched and walked.

A plugin like any other: it uses only what ``import rankgate`` offers. Text becomes nodes (`documents/`).
Nodes are indexed by words (`lexical/`) and by vectors (`vectors/`). Both answer a search or a walk
(`library/`), or an agent over MCP (`server.py`, `tools/`).
"""
