"""The postings of a manual: one index each, in the user's cache folder, deleted without harm."""
