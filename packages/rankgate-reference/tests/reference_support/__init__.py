"""What the tests of the reference system share."""
