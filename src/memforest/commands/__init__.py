"""Commands of the command line: each module adds its own. A command may return an exit status."""
