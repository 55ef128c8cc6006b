"""Streamable HTTP for teams: the official SDK around the same desk, behind a guarded door.

Needs the extra `tebiki[http]`; nothing here is imported on the way of a stdio server.
"""
