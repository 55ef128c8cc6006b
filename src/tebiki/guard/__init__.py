"""Whether a question for the web repeats what the user's own files said; keeps hashes, no text."""
