"""The metrics, one file a family.

A metric is a frozen dataclass whose fields are its parameters; its docstring is what `rankgate list metrics`
prints.
"""
