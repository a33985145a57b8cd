"""Go: a method is named by its receiver's type, wherever that stands."""

from rankgate.outline.language import Language

GO = Language(
    name="Go",
    package="tree_sitter_go",
    query="""
        (type_spec name: (_) @name type: (struct_type)) @struct
        (type_spec name: (_) @name type: (interface_type)) @interface
        (type_spec name: (_) @name) @type
        (type_alias name: (_) @name) @type
        (function_declaration name: (_) @name) @function
        (method_declaration
            receiver: (parameter_list (parameter_declaration) @owner) name: (_) @name) @method
        (interface_type (method_elem name: (_) @name) @method)
    """,
    parts={
        "generic_type": ("type",),
        "parameter_declaration": ("type",),
        "parenthesized_type": ("",),
        "pointer_type": ("",),
    },
)
