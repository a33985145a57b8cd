"""Rust: what an ``impl`` holds is named by its type, and outer attributes belong to their item."""

from rankgate.outline.language import Language

RUST = Language(
    name="Rust",
    package="tree_sitter_rust",
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
)
