"""tebiki (手引き): one MCP server that gives an AI client grounded knowledge."""

__version__ = "0.1.0"
