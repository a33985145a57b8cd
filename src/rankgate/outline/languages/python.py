"""Python, for files that the running Python does not parse."""

from rankgate.outline.language import Language

PYTHON = Language(
    name="Python",
    package="tree_sitter_python",
    query="""
        (class_definition name: (identifier) @name) @class
        (function_definition name: (identifier) @name) @function
        (decorated_definition definition: (class_definition name: (identifier) @name)) @class
        (decorated_definition definition: (function_definition name: (identifier) @name)) @function
        (comment) @comment
    """,
)
