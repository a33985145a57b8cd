"""What a project starts with: what is there, proposed cases, a first gate, a CI workflow.

`project_parts.py` finds the documents and `found_search.py` the search. `pages.py` and `prose.py` read
pages, `questions.py`, `subjects.py` and `readers_words.py` make questions of their sentences,
`page_questions.py` weighs them with `section_index.py`, `symbols.py` asks for code, and `proposals.py`
chooses. `first_gate.py` asks the search for a bound that holds today; `workflows.py` says what CI needs.
"""
