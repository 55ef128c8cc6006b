"""The screens of the page: what each of them shows, asked of the engines and given as plain values.

Each module has the tools of a screen; `page.py` puts them behind a desk of their own. Nothing here
knows HTTP, and nothing of it is imported by a stdio server.
"""
