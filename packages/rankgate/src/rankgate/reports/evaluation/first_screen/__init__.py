"""The first screen, laid out: one module a layout that has it in a form of its own."""
