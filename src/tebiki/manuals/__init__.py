"""Manuals: folders of Markdown and JSON that are searched and read, never written."""
