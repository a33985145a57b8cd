"""What systems are made of: the source of functions, distributions that they import, programs."""
