"""Java: a constructor is a method of its class's name, a record a class, an annotation type an interface."""

from rankgate.outline.language import Language

JAVA = Language(
    name="Java",
    package="tree_sitter_java",
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
    """,
)
