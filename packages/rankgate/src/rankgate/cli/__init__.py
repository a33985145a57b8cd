"""The command line. Commands are imported when they are called, so that ``--help`` answers at once."""
