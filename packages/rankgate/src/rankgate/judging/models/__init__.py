"""Model judges: a function, a program or a server that grades passages as a person would, any model."""
