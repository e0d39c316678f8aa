"""Memory, ratio -> smaller memory."""
