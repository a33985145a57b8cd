"""Ruby: a method is named by its class or module, whether it is called on the class or on its instances."""

from rankgate.outline.language import TYPES, Language

RUBY = Language(
    name="Ruby",
    package="tree_sitter_ruby",
    query="""
        (module name: (_) @name) @module
        (class name: (_) @name) @class
        (method name: (_) @name) @function
        (singleton_method name: (_) @name) @function
    """,
    parts={"scope_resolution": ("scope", "name")},
    types=TYPES | {"module"},
)
