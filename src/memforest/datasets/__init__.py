"""Raw files -> units, questions and gold."""
