"""Question, gold and answer -> verdict. The only method that sees gold, and it never sees the memory."""
