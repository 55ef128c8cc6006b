"""One reader for each kind of file: bytes that nobody trusts become blocks of text."""
