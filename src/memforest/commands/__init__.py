"""Commands of the command line: each module adds its own."""
