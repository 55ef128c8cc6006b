"""The OpenAI Responses API: the client that calls it and a loopback stand-in for it."""
