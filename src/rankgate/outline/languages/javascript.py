"""JavaScript and TypeScript.

A function that a name at the top of a file is bound to counts as declared under that name, and so do the
functions of an object there. ``export`` and decorators belong to what they stand before. A default export
without a name is called default.
"""

from rankgate.outline.language import Language

_FUNCTION = "[(arrow_function) (function_expression) (generator_function)]"
_KEY = "[(property_identifier) (private_property_identifier)]"

_BOUND = f"""
    (variable_declarator name: (identifier) @name value: {_FUNCTION}) @function
    (variable_declarator name: (identifier) @name value: (class)) @class
    (variable_declarator name: (identifier) @name value: (object)) @scope
    (variable_declarator value: (object (method_definition name: {_KEY} @name) @method))
    (variable_declarator value: (object (pair key: {_KEY} @name value: {_FUNCTION}) @method))
"""


def _at_top(patterns: str) -> str:
    """Apply patterns to the variables of a file or a namespace, and not to those of a function."""
    outer = ["(program {})", "(program (export_statement {}))"]
    return "\n".join(
        place.format(f"({declaration} {pattern.strip()})")
        for pattern in patterns.strip().splitlines()
        for declaration in ("lexical_declaration", "variable_declaration")
        for place in outer
    )


_BOTH = f"""
    (class_declaration name: (_) @name) @class
    (function_declaration name: (_) @name) @function
    (generator_function_declaration name: (_) @name) @function
    (class_body (method_definition name: (_) @name) @method)
    (export_statement declaration: (class_declaration name: (_) @name)) @class
    (export_statement declaration: (function_declaration name: (_) @name)) @function
    (export_statement declaration: (generator_function_declaration name: (_) @name)) @function
    (export_statement "default" @name value: (class !name)) @class
    (export_statement "default" @name value: {_FUNCTION}) @function
    (export_statement value: (object (method_definition name: {_KEY} @name) @function))
    (export_statement value: (object (pair key: {_KEY} @name value: {_FUNCTION}) @function))
    (program (expression_statement
        (assignment_expression left: (member_expression) @name right: {_FUNCTION})) @function)
    (program (expression_statement
        (assignment_expression left: (member_expression) @name right: (class))) @class)
    (program (expression_statement
        (assignment_expression left: (member_expression) @name right: (object))) @scope)
    (program (expression_statement (assignment_expression left: (member_expression)
        right: (object (method_definition name: {_KEY} @name) @function))))
    (program (expression_statement (assignment_expression left: (member_expression)
        right: (object (pair key: {_KEY} @name value: {_FUNCTION}) @function))))
    {_at_top(_BOUND)}
    (decorator) @attribute
    (comment) @comment
"""

_PARTS = {"member_expression": ("object", "property"), "string": ("",)}
_UNNAMED = frozenset({"exports", "module", "prototype"})

JAVASCRIPT = Language(
    name="JavaScript",
    package="tree_sitter_javascript",
    query=f"""
        {_BOTH}
        (field_definition property: {_KEY} @name value: {_FUNCTION}) @method
    """,
    parts=_PARTS,
    unnamed=_UNNAMED,
)

_TYPES = f"""
    {_BOTH}
    (abstract_class_declaration name: (_) @name) @class
    (export_statement declaration: (abstract_class_declaration name: (_) @name)) @class
    (interface_declaration name: (_) @name) @interface
    (enum_declaration name: (_) @name) @enum
    (type_alias_declaration name: (_) @name) @type
    (internal_module name: (_) @name) @module
    (module name: (_) @name) @module
    (interface_body (method_signature name: (_) @name) @method)
    (abstract_method_signature name: (_) @name) @method
    (public_field_definition name: {_KEY} @name value: {_FUNCTION}) @method
    (ambient_declaration (function_signature name: (_) @name)) @function
    (ambient_declaration (class_declaration (class_body (method_signature name: (_) @name) @method)))
    (ambient_declaration (module (statement_block (function_signature name: (_) @name) @function)))
    (statement_block (export_statement
        (lexical_declaration (variable_declarator name: (_) @name value: {_FUNCTION}) @function)))
"""

TYPESCRIPT = Language(
    name="TypeScript",
    package="tree_sitter_typescript",
    function="language_typescript",
    query=_TYPES,
    parts={**_PARTS, "nested_identifier": ("object", "property")},
    unnamed=_UNNAMED,
)

TSX = Language(
    name="TypeScript",
    package="tree_sitter_typescript",
    function="language_tsx",
    query=_TYPES,
    parts={**_PARTS, "nested_identifier": ("object", "property")},
    unnamed=_UNNAMED,
)
