"""The composition root: settings become engines, engines become tools, tools become a server."""
