"""C#: a namespace may hold the rest of its file, a record is a class, a delegate a type."""

from rankgate.outline.language import Language

CSHARP = Language(
    name="C#",
    package="tree_sitter_c_sharp",
    query="""
        (namespace_declaration name: (_) @name) @module
        (file_scoped_namespace_declaration name: (_) @name) @module
        (class_declaration name: (_) @name) @class
        (record_declaration "struct" name: (_) @name) @struct
        (record_declaration name: (_) @name) @class
        (struct_declaration name: (_) @name) @struct
        (interface_declaration name: (_) @name) @interface
        (enum_declaration name: (_) @name) @enum
        (delegate_declaration name: (_) @name) @type
        (method_declaration name: (_) @name) @method
        (constructor_declaration name: (_) @name) @method
        (destructor_declaration "~" @name name: (_) @name) @method
        (operator_declaration "operator" @name operator: _ @name) @method
        (conversion_operator_declaration "operator" @name type: (_) @name) @method
        (indexer_declaration "this" @name) @method
        (local_function_statement name: (_) @name) @function
    """,
    parts={"qualified_name": ("qualifier", "name"), "generic_name": ("",)},
    to_the_end=frozenset({"file_scoped_namespace_declaration"}),
)
