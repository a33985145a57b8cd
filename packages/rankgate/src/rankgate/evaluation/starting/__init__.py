"""What a project starts with: what is there, proposed cases, a first gate, a CI workflow.

`project_parts.py` finds the documents and `found_search.py` the search; `pages.py`, `prose.py`,
`questions.py` and `readers_words.py` make questions of pages, `symbols.py` of code, and `proposals.py`
chooses among them; `first_gate.py` asks the search for a bound that holds today; `workflows.py` says what CI
needs to run it.
"""
