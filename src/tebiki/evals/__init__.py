"""Measuring how well manuals are searched, over question sets kept outside the project."""
