"""The languages that tree-sitter outlines, each as data: its grammar, and a query for what has a name.

The query is in tree-sitter's own language. What it captures:

=============  ==================================================================================
``@class`` …   a definition, under its kind; where several have one name, the widest, then the first pattern
``@name``      its name
``@owner``     the type that a definition belongs to though it does not stand in it
``@scope``     what names its inside and is not listed itself, such as an ``impl`` of Rust
``@attribute`` what stands before a definition and belongs to it
``@comment``   what belongs to a definition directly below it, and is cut off the end of one
=============  ==================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

TYPES = frozenset({"class", "interface", "trait", "struct", "union", "enum"})
"""The kinds in which a function is a method."""


@dataclass(frozen=True, eq=False)
class Language:
    """What makes tree-sitter's tree of one language different from the others."""

    name: str
    package: str
    """The module that has the grammar."""
    suffixes: tuple[str, ...]
    query: str
    function: str = "language"
    """The function of the module that returns the grammar."""
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The fields of the names in a node that stands for a name, the outermost first.

    A node without the field has its name in its first named child; ``*`` means all named children."""
    until: Mapping[str, str] = field(default_factory=dict)
    """The field before which a name ends, for nodes that contain more than their name."""
    unnamed: frozenset[str] = frozenset()
    """Names that do not say where something belongs, such as ``exports``."""
    types: frozenset[str] = TYPES
    """The kinds in which a function is a method."""
    to_the_end: frozenset[str] = frozenset()
    """Nodes that contain whatever follows them, to the end of the file."""
    comments_elsewhere: str = ""
    """A pattern of comments that are about what is around or before them, and not below."""
    aligned: bool = False
    """Whether a comment belongs only to what begins in its column."""


# C and C++: definitions, not declarations; a type has a body, and a ``typedef`` names what has no name.
_DECLARATORS = {
    "array_declarator": ("declarator",),
    "attributed_declarator": ("",),
    "function_declarator": ("declarator",),
    "parenthesized_declarator": ("",),
    "pointer_declarator": ("declarator",),
}

_C_FAMILY = """
    (struct_specifier name: (_) @name body: (_)) @struct
    (union_specifier name: (_) @name body: (_)) @union
    (enum_specifier name: (_) @name body: (_)) @enum
    (type_definition type: (struct_specifier !name body: (_)) declarator: (_) @name) @struct
    (type_definition type: (union_specifier !name body: (_)) declarator: (_) @name) @union
    (type_definition type: (enum_specifier !name body: (_)) declarator: (_) @name) @enum
    (type_definition declarator: (_) @name) @type
    (function_definition declarator: (_) @name) @function
    (preproc_function_def name: (_) @name) @macro
    (comment) @comment
"""

# What Doxygen takes for a comment on the member before it.
_ON_THE_MEMBER_BEFORE = r"(?://[/!]|/\*[*!])<"

C = Language(
    name="C",
    package="tree_sitter_c",
    suffixes=(".c", ".h"),
    query=_C_FAMILY,
    parts=_DECLARATORS,
    comments_elsewhere=_ON_THE_MEMBER_BEFORE,
)

CPP = Language(
    name="C++",
    package="tree_sitter_cpp",
    suffixes=(".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx"),
    query=f"""
        {_C_FAMILY}
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
    comments_elsewhere=_ON_THE_MEMBER_BEFORE,
)

GO = Language(
    name="Go",
    package="tree_sitter_go",
    suffixes=(".go",),
    query="""
        (type_spec name: (_) @name type: (struct_type)) @struct
        (type_spec name: (_) @name type: (interface_type)) @interface
        (type_spec name: (_) @name) @type
        (type_alias name: (_) @name) @type
        (function_declaration name: (_) @name) @function
        (method_declaration
            receiver: (parameter_list (parameter_declaration) @owner) name: (_) @name) @method
        (interface_type (method_elem name: (_) @name) @method)
        (comment) @comment
    """,
    parts={
        "generic_type": ("type",),
        "parameter_declaration": ("type",),
        "parenthesized_type": ("",),
        "pointer_type": ("",),
    },
)


RUST = Language(
    name="Rust",
    package="tree_sitter_rust",
    suffixes=(".rs",),
    query="""
        (mod_item name: (_) @name body: (_)) @module
        (struct_item name: (_) @name) @struct
        (union_item name: (_) @name) @union
        (enum_item name: (_) @name) @enum
        (trait_item name: (_) @name) @trait
        (impl_item type: (_) @name) @scope
        (type_item name: (_) @name) @type
        (associated_type name: (_) @name) @type
        (function_item name: (_) @name) @function
        (function_signature_item name: (_) @name) @function
        (macro_definition name: (_) @name) @macro
        (attribute_item) @attribute
        [(line_comment) (block_comment)] @comment
    """,
    parts={
        "generic_type": ("type",),
        "pointer_type": ("type",),
        "reference_type": ("type",),
        "scoped_type_identifier": ("name",),
    },
    # Of the module around them.
    comments_elsewhere=r"//!|/\*!",
)

JAVA = Language(
    name="Java",
    package="tree_sitter_java",
    suffixes=(".java",),
    query="""
        (class_declaration name: (_) @name) @class
        (record_declaration name: (_) @name) @class
        (interface_declaration name: (_) @name) @interface
        (annotation_type_declaration name: (_) @name) @interface
        (enum_declaration name: (_) @name) @enum
        (enum_constant name: (_) @name body: (_)) @scope
        (method_declaration name: (_) @name) @method
        (constructor_declaration name: (_) @name) @method
        (compact_constructor_declaration name: (_) @name) @method
        (annotation_type_element_declaration name: (_) @name) @method
        [(line_comment) (block_comment)] @comment
    """,
)


CSHARP = Language(
    name="C#",
    package="tree_sitter_c_sharp",
    suffixes=(".cs",),
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
        (comment) @comment
    """,
    parts={"qualified_name": ("qualifier", "name"), "generic_name": ("",)},
    to_the_end=frozenset({"file_scoped_namespace_declaration"}),
)

# JavaScript and TypeScript.
# A function that a name at the top of a file is bound to counts as declared under that name, and so do the
# functions of an object there. ``export`` and decorators belong to what they stand before. A default export
# without a name is called default.
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


_SCRIPTS = f"""
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
    suffixes=(".cjs", ".js", ".jsx", ".mjs"),
    query=f"""
        {_SCRIPTS}
        (field_definition property: {_KEY} @name value: {_FUNCTION}) @method
    """,
    parts=_PARTS,
    unnamed=_UNNAMED,
)

_TYPES = f"""
    {_SCRIPTS}
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
    suffixes=(".cts", ".mts", ".ts"),
    function="language_typescript",
    query=_TYPES,
    parts={**_PARTS, "nested_identifier": ("object", "property")},
    unnamed=_UNNAMED,
)

TSX = replace(TYPESCRIPT, suffixes=(".tsx",), function="language_tsx")

PYTHON = Language(
    name="Python",
    package="tree_sitter_python",
    suffixes=(".py",),
    query="""
        (class_definition name: (identifier) @name) @class
        (function_definition name: (identifier) @name) @function
        (decorated_definition definition: (class_definition name: (identifier) @name)) @class
        (decorated_definition definition: (function_definition name: (identifier) @name)) @function
        (comment) @comment
    """,
    aligned=True,
)


RUBY = Language(
    name="Ruby",
    package="tree_sitter_ruby",
    suffixes=(".rb",),
    query="""
        (module name: (_) @name) @module
        (class name: (_) @name) @class
        (method name: (_) @name) @function
        (singleton_method name: (_) @name) @function
        (comment) @comment
    """,
    parts={"scope_resolution": ("scope", "name")},
    types=TYPES | {"module"},
)

LANGUAGES = (C, CPP, CSHARP, GO, JAVA, JAVASCRIPT, PYTHON, RUBY, RUST, TYPESCRIPT, TSX)
"""Every language. Of those with one suffix, the one that reads a file with the fewest errors is meant."""

SUFFIXES = tuple(sorted({suffix for language in LANGUAGES for suffix in language.suffixes}))
"""How the names of files in these languages end."""


def languages_of(suffix: str) -> list[Language]:
    """Name the languages that a file of a suffix may be in; none for a suffix that is not known.

    >>> [language.name for language in languages_of(".h")]
    ['C', 'C++']
    """
    return [language for language in LANGUAGES if suffix in language.suffixes]
