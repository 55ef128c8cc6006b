"""The page: tebiki for people, at `/`, with its own login and its own way to the desk.

Python here is the HTTP side; what each screen shows is made in `screens/`. `static/` and
`shell.html` are what a browser loads, `find.html` is the same for hosts that show MCP Apps.
"""
