"""How a printed page is read: pieces of text with their places become lines, columns and tables.

Pure geometry: y grows downwards, and nothing here knows PDF.
"""
