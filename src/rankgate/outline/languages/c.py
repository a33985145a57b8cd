"""C and C++: definitions, not declarations; a type has a body, and a ``typedef`` names what has no name."""

from rankgate.outline.language import Language

_DECLARATORS = {
    "array_declarator": ("declarator",),
    "attributed_declarator": ("",),
    "function_declarator": ("declarator",),
    "parenthesized_declarator": ("",),
    "pointer_declarator": ("declarator",),
}

_BOTH = """
    (struct_specifier name: (_) @name body: (_)) @struct
    (union_specifier name: (_) @name body: (_)) @union
    (enum_specifier name: (_) @name body: (_)) @enum
    (type_definition type: (struct_specifier !name body: (_)) declarator: (_) @name) @struct
    (type_definition type: (union_specifier !name body: (_)) declarator: (_) @name) @union
    (type_definition type: (enum_specifier !name body: (_)) declarator: (_) @name) @enum
    (type_definition declarator: (_) @name) @type
    (function_definition declarator: (_) @name) @function
    (preproc_function_def name: (_) @name) @macro
"""

C = Language(name="C", package="tree_sitter_c", query=_BOTH, parts=_DECLARATORS)

CPP = Language(
    name="C++",
    package="tree_sitter_cpp",
    query=f"""
        {_BOTH}
        (namespace_definition name: (_) @name) @module
        (class_specifier name: (_) @name body: (_)) @class
        (alias_declaration name: (_) @name) @type
        (concept_definition name: (_) @name) @type
        (template_declaration (class_specifier name: (_) @name body: (_))) @class
        (template_declaration (struct_specifier name: (_) @name body: (_))) @struct
        (template_declaration (union_specifier name: (_) @name body: (_))) @union
        (template_declaration (alias_declaration name: (_) @name)) @type
        (template_declaration (concept_definition name: (_) @name)) @type
        (template_declaration (function_definition declarator: (_) @name)) @function
        (template_declaration
            (template_declaration (function_definition declarator: (_) @name))) @function
    """,
    parts={
        **_DECLARATORS,
        "nested_namespace_specifier": ("*",),
        "qualified_identifier": ("scope", "name"),
        "reference_declarator": ("",),
        "template_function": ("name",),
        "template_type": ("name",),
    },
    until={"operator_cast": "declarator"},
)
