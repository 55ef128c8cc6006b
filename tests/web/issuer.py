"""An OAuth server on loopback: its metadata, its keys, and tokens signed with them."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import jwt
from cryptography.hazmat.primitives.asymmetric import ec

AUDIENCE = "http://127.0.0.1:8765/mcp"
KEY_ID = "key-1"
POLL_SECONDS = 0.01
"""Between two looks at whether it shall end; the usual half a second is waited for by each test."""


class Issuer:
    """Signs tokens, and tells its keys to whoever asks."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.asked: list[str] = []
        # Documents that it gives instead of its own, by path.
        self.changed: dict[str, Any] = {}
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            """Answers for the issuer."""

            def do_GET(self) -> None:
                """Answer one question."""
                issuer.asked.append(self.path)
                document = (issuer.documents() | issuer.changed).get(self.path)
                body = json.dumps(document or {}).encode()
                self.send_response(200 if document else 404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(POLL_SECONDS,), daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def documents(self) -> dict[str, Any]:
        """What it answers, by path."""
        public = jwt.algorithms.ECAlgorithm.to_jwk(self._key.public_key(), as_dict=True)
        return {
            "/.well-known/openid-configuration": {
                "issuer": f"{self.url}/",
                "jwks_uri": f"{self.url}/keys",
            },
            "/keys": {"keys": [{**public, "kid": KEY_ID, "use": "sig", "alg": "ES256"}]},
        }

    def token(self, **changed: Any) -> str:
        """A good token, some of its claims changed; None takes one away."""
        now = int(time.time())
        claims: dict[str, Any] = {
            "iss": f"{self.url}/",
            "aud": AUDIENCE,
            "sub": "alice",
            "client_id": "app",
            "exp": now + 300,
            "scope": "read write",
            **changed,
        }
        kept = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode(kept, self._key, "ES256", headers={"kid": KEY_ID})

    def token_with(self, *, key: Any, algorithm: str, kid: str = KEY_ID) -> str:
        """The claims of a good token, signed by somebody else or in another way."""
        claims = jwt.decode(self.token(), options={"verify_signature": False})
        return jwt.encode(claims, key, algorithm, headers={"kid": kid})
