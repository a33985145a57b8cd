"""An oracle of verdicts: whole states are drawn, and what rankgate says of each is compared with it.

A state (`state`) is a suite or two, a corpus, one to three systems, and what was kept of earlier commands. It
is drawn from a seed (`drawing`) with a history (`histories`) of commands, edits and sabotage, and written
down as files (`project`). At its end a verdict is asked by the command line, by pytest and by Python
(`ways`). What it must be is computed by `oracle`, which imports nothing of rankgate.

States of gates alone (`gate_states`) have no history: a suite, answers and baselines are drawn and judged in
memory (`kept_answers`) by ten lists of gates of every kind (`gate_drawing`), a hundred times as fast, and
values and counts are compared with the same oracle as well.
"""
