"""People's own memories: files in, files out."""
