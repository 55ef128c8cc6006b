"""The OpenAI Responses API: the client that calls it, its retries and what it replies."""
