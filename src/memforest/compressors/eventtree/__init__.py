"""EventTree, the first paper's compressor."""
