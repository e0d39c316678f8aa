"""Question and search -> answer."""
