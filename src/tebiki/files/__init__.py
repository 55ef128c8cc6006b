"""The file layer: the path gate, the one text model, and writes that cannot be torn.

Entered by `paths` (a caller's string becomes a file), `reading` (pages and cursors), `writing`.
Nothing here knows what a vault or a manual is.
"""
