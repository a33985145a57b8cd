"""The whole flow: a suite and a system in; truth, run, scores, verdicts and a report out."""
