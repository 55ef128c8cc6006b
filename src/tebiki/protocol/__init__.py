"""JSON-RPC and MCP as pure functions over values: no I/O, no tools, no threads."""
