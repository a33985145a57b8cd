"""Scores from judgments and a run; nothing here sees a corpus or a system.

`matching` joins the two into `matches`, `credit` decides which hit earns which target, each metric
family is a file of its own, `expressions` reads ``ndcg@10`` and `evaluate` puts them together.
"""
