"""Cited answers from the web: one question in, one answer with its sources out."""
