"""Tokens: who gets in, who does not, and that nobody gets at what is another's."""

from __future__ import annotations

import hashlib
import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from tests.support.command import run_command
from tests.support.http_process import HELLO
from tests.web.issuer import AUDIENCE, Issuer
from tests.web.test_state import FIND, SECTIONS, found, hits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.http_process import HttpProcess, Reply
    from tests.web.conftest import StartHttp

INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}


@pytest.fixture(name="token")
def _token(tmp_path: Path) -> Callable[[str], str]:
    """Tokens as `tebiki token new` makes them."""

    def make(name: str) -> str:
        done = run_command(tmp_path, "token", "new", name, face="tebiki")
        assert done.code == 0, done.stderr
        return done.stdout.strip()

    return make


@pytest.fixture(name="issuer")
def _issuer() -> Iterator[Issuer]:
    with Issuer() as issuer:
        yield issuer


def hello(server: HttpProcess, authorization: str | None) -> Reply:
    """What a client with this header gets."""
    headers = {} if authorization is None else {"Authorization": authorization}
    return server.post(INITIALIZE, **headers)


@pytest.mark.requirement("http:tokens:needed")
def test_a_token_opens_the_door(start_http: StartHttp, token: Callable[[str], str]) -> None:
    """And nothing else does, once there is one; health needs none."""
    good = token("alice")
    server = start_http()

    assert hello(server, f"Bearer {good}").status == 200
    assert hello(server, f"bearer {good}").status == 200
    bad = [None, "", good, "Bearer", "Bearer ", f"Basic {good}", f"Bearer {good}x", "Bearer x"]
    bad += [f"Bearer {good[:-1]}", f"Bearer {hashlib.sha256(good.encode()).hexdigest()}"]
    for header in bad:
        reply = hello(server, header)
        assert reply.status == 401, header
        assert reply.headers["www-authenticate"].startswith('Bearer error="invalid_token"')
    assert server.request("GET", "/healthz").status == 200
    assert good not in server.stderr


@pytest.mark.requirement("http:tokens:needed")
def test_every_method_of_mcp_needs_it(start_http: StartHttp, token: Callable[[str], str]) -> None:
    """A session id is no token."""
    good = token("alice")
    server = start_http()
    session = server.talk(token=good).session
    assert session is not None

    for method in ("GET", "POST", "DELETE", "PUT", "OPTIONS"):
        reply = server.request(method, "/mcp", b"{}", {"Mcp-Session-Id": session})
        assert reply.status == 401


@pytest.mark.requirement("http:tokens:several")
def test_a_token_taken_away_is_dead_at_once(
    start_http: StartHttp, token: Callable[[str], str], tmp_path: Path
) -> None:
    """Without a restart; others live on, new ones work."""
    alice, bob = token("alice"), token("bob")
    server = start_http()
    assert hello(server, f"Bearer {alice}").status == 200

    assert run_command(tmp_path, "token", "rm", "alice", face="tebiki").code == 0
    carol = token("carol")

    assert hello(server, f"Bearer {alice}").status == 401
    assert hello(server, f"Bearer {bob}").status == 200
    assert hello(server, f"Bearer {carol}").status == 200
    listed = run_command(tmp_path, "token", "ls", face="tebiki").stdout
    assert listed.split() == ["bob", "carol"]


@pytest.mark.requirement("http:tokens:several")
def test_only_hashes_are_kept(token: Callable[[str], str], tmp_path: Path) -> None:
    """In a file that nobody else can read."""
    good = token("alice")
    path = tmp_path / ".config" / "tebiki" / "tokens"

    assert path.read_text() == f"alice:{hashlib.sha256(good.encode()).hexdigest()}\n"
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.requirement("http:tokens:broken-file")
def test_a_broken_token_file_lets_nobody_in(
    start_http: StartHttp, token: Callable[[str], str], tmp_path: Path
) -> None:
    """And says why; at the start it stops the server."""
    good = token("alice")
    server = start_http()
    path = tmp_path / ".config" / "tebiki" / "tokens"
    assert hello(server, f"Bearer {good}").status == 200

    path.write_text("alice:not-a-hash\n")

    assert hello(server, f"Bearer {good}").status == 401
    server.wait_for_stderr("not NAME:SHA256")
    done = run_command(tmp_path, "--http", "127.0.0.1:0", face="tebiki")
    assert done.code == 2
    path.write_text("")
    path.chmod(0o666)
    assert "chmod 600" in run_command(tmp_path, "--http", ":0", face="tebiki").stderr


@pytest.mark.requirement("http:tokens:several")
def test_tokens_in_the_environment(start_http: StartHttp) -> None:
    """Hashed there too, several, each with a name."""
    digests = {name: hashlib.sha256(f"secret of {name}".encode()).hexdigest() for name in "ab"}
    listed = ",".join(f"{name}:{digest}" for name, digest in digests.items())
    server = start_http(env={"TEBIKI_HTTP_TOKENS": listed})

    assert hello(server, "Bearer secret of a").status == 200
    assert hello(server, "Bearer secret of b").status == 200
    assert hello(server, f"Bearer {digests['a']}").status == 401


@pytest.mark.requirement("http:state:by-client")
def test_another_principals_session_and_trace_do_not_exist(
    start_http: StartHttp, token: Callable[[str], str]
) -> None:
    """A stolen id is of no use without the token it was made with."""
    tokens = {name: token(name) for name in ("alice", "mallory")}
    server = start_http()
    alice, mallory = (server.talk(token=value) for value in tokens.values())
    alice.call(1, "manual_ls", {})
    mallory.call(1, "manual_ls", {})
    trace = found(alice)
    own = mallory.session

    mallory.session = alice.session
    mallory.request(2, "tools/list")
    stolen = mallory.next_message()
    mallory.session = own

    assert stolen["error"]["message"] == "Session not found"
    assert hits(mallory, trace)["code"] == "not_found"
    assert hits(alice, trace)["total"] == SECTIONS


@pytest.mark.requirement("http:state:by-client")
def test_modern_principals_do_not_see_each_other(
    start_http: StartHttp, token: Callable[[str], str]
) -> None:
    """Without sessions the token alone parts them."""
    tokens = [token("alice"), token("bob")]
    server = start_http()
    alice, bob = (server.talk(token=value, modern=True) for value in tokens)
    alice.call(1, "manual_ls", {})

    refused = bob.call(1, "manual_find", FIND)["result"]["structuredContent"]
    trace = found(alice)

    assert refused["details"] == {"required_first_call": "manual_ls"}
    assert hits(bob, trace)["code"] == "not_found"


def oauth_server(start_http: StartHttp, issuer: Issuer, more: str = "") -> HttpProcess:
    """A server that takes the issuer's tokens."""
    config = f"http: {{oauth: {{issuer: {issuer.url}, audience: {AUDIENCE}{more}}}}}\n"
    return start_http(config=config)


@pytest.mark.requirement("http:oauth:signed")
def test_a_signed_token_opens_the_door(start_http: StartHttp, issuer: Issuer) -> None:
    """The issuer's keys are fetched once, however many ask."""
    server = oauth_server(start_http, issuer)

    statuses = [hello(server, f"Bearer {issuer.token(sub=name)}").status for name in "abc"]

    assert statuses == [200, 200, 200]
    assert issuer.asked.count("/keys") == 1


BAD_CLAIMS: dict[str, dict[str, Any]] = {
    "expired": {"exp": int(time.time()) - 3600},
    "without an end": {"exp": None},
    "of another issuer": {"iss": "https://evil.example"},
    "without an issuer": {"iss": None},
    "for somebody else": {"aud": "https://other.example/mcp"},
    "for nobody": {"aud": None},
    "for a look-alike": {"aud": f"{AUDIENCE}.evil.example"},
    "of nobody": {"sub": None},
    "not yet good": {"nbf": int(time.time()) + 3600},
}


@pytest.mark.requirement("http:oauth:refused")
@pytest.mark.parametrize("case", BAD_CLAIMS)
def test_a_token_must_be_in_time_of_the_issuer_and_for_us(
    start_http: StartHttp, issuer: Issuer, case: str
) -> None:
    """Each of these is refused, and told where to get a good one."""
    server = oauth_server(start_http, issuer)

    reply = hello(server, f"Bearer {issuer.token(**BAD_CLAIMS[case])}")

    assert reply.status == 401
    address = "http://127.0.0.1:8765/.well-known/oauth-protected-resource/mcp"
    assert f'resource_metadata="{address}"' in reply.headers["www-authenticate"]


@pytest.mark.requirement("http:oauth:refused")
def test_a_token_must_be_signed_by_the_issuer(start_http: StartHttp, issuer: Issuer) -> None:
    """Not by another key, with a shared secret or not at all; inventing keys costs us once."""
    server = oauth_server(start_http, issuer)
    other = ec.generate_private_key(ec.SECP256R1())
    tokens = [
        issuer.token_with(key=other, algorithm="ES256"),
        issuer.token_with(key="x" * 64, algorithm="HS256"),
        issuer.token_with(key=None, algorithm="none"),
        *(issuer.token_with(key=other, algorithm="ES256", kid=f"k{n}") for n in range(5)),
        "a.b.c",
        "..",
    ]

    statuses = [hello(server, f"Bearer {token}").status for token in tokens]

    assert statuses == [401] * len(tokens)
    assert issuer.asked.count("/keys") == 1


@pytest.mark.requirement("http:oauth:scopes")
def test_scopes_are_asked_for(start_http: StartHttp, issuer: Issuer) -> None:
    """403 names the one that is missing."""
    server = oauth_server(start_http, issuer, ", scopes: [read, admin]")

    assert hello(server, f"Bearer {issuer.token()}").status == 403
    assert hello(server, f"Bearer {issuer.token(scope='admin read')}").status == 200
    assert hello(server, f"Bearer {issuer.token(scope=None, scp=['admin', 'read'])}").status == 200


@pytest.mark.requirement("http:oauth:metadata")
def test_the_metadata_tells_where_tokens_come_from(start_http: StartHttp, issuer: Issuer) -> None:
    """Without a token: a client needs it to get one."""
    server = oauth_server(start_http, issuer)

    for path in ("", "/mcp"):
        document = server.request("GET", f"/.well-known/oauth-protected-resource{path}").json
        assert document["resource"] == AUDIENCE
        assert document["authorization_servers"] == [issuer.url]


@pytest.mark.requirement("http:oauth:faults")
def test_an_issuer_that_is_away_lets_nobody_in(start_http: StartHttp) -> None:
    """And the log says so; the client learns nothing of it."""
    with Issuer() as issuer:
        token = issuer.token()
    server = oauth_server(start_http, issuer)

    reply = hello(server, f"Bearer {token}")

    assert reply.status == 401
    server.wait_for_stderr("keys cannot be fetched")


BAD_DOCUMENTS: dict[str, dict[str, Any]] = {
    "keys that are no set": {"/keys": {"nokeys": 1}},
    "keys that are a list": {"/keys": [1]},
    "no keys": {"/keys": {"keys": []}},
    "keys that are none": {"/keys": {"keys": [1, {"kty": "EC", "crv": "P-256", "x": 5, "y": []}]}},
    "metadata that is none": {"/.well-known/openid-configuration": [1]},
    "metadata without keys": {"/.well-known/openid-configuration": {"issuer": "OURS"}},
    "keys anywhere": {
        "/.well-known/openid-configuration": {"issuer": "OURS", "jwks_uri": "http://k.example/k"}
    },
    "of another issuer": {
        "/.well-known/openid-configuration": {
            "issuer": "https://evil.example",
            "jwks_uri": "OURS/keys",
        }
    },
}


@pytest.mark.requirement("http:oauth:odd-documents")
@pytest.mark.parametrize("case", BAD_DOCUMENTS)
def test_an_issuer_that_talks_nonsense_lets_nobody_in(
    start_http: StartHttp, issuer: Issuer, case: str
) -> None:
    """And the log says so; it is no error of the server's own."""
    text = json.dumps(BAD_DOCUMENTS[case]).replace("OURS", issuer.url)
    issuer.changed = json.loads(text)
    server = oauth_server(start_http, issuer)

    reply = hello(server, f"Bearer {issuer.token()}")

    assert reply.status == 401
    server.wait_for_stderr("keys cannot be fetched")
    assert "Traceback" not in server.stderr


@pytest.mark.requirement("http:oauth:odd-documents")
def test_a_key_of_an_unknown_kind_does_not_hide_the_others(
    start_http: StartHttp, issuer: Issuer
) -> None:
    """Issuers add kinds of keys before everybody knows them."""
    odd = [{"kty": "EC", "crv": "P-999", "x": "AA", "y": "AA", "kid": "odd"}, {"kty": "new"}]
    issuer.changed = {"/keys": {"keys": [*odd, *issuer.documents()["/keys"]["keys"]]}}
    server = oauth_server(start_http, issuer)

    assert hello(server, f"Bearer {issuer.token()}").status == 200


@pytest.mark.requirement("http:oauth:scopes")
@pytest.mark.parametrize("scope", [5, {"a": 1}, [], None])
def test_an_odd_scope_is_none(start_http: StartHttp, issuer: Issuer, scope: Any) -> None:
    """Not an error of ours."""
    server = oauth_server(start_http, issuer, ", scopes: [read]")

    assert hello(server, f"Bearer {issuer.token(scope=scope)}").status == 403


@pytest.mark.requirement("http:state:by-client")
def test_two_clients_never_have_one_name(start_http: StartHttp, issuer: Issuer) -> None:
    """However their parts are put together: neither sees what the other has found."""
    pairs = [("a", "b:c"), ("a:b", "c"), ("a", "b/c"), ("a", "b")]
    server = oauth_server(start_http, issuer)
    talks = [
        server.talk(token=issuer.token(client_id=client, sub=sub), modern=True)
        for client, sub in pairs
    ]
    for talk in talks:
        refused = talk.call(0, "manual_find", FIND)["result"]["structuredContent"]
        assert refused["details"] == {"required_first_call": "manual_ls"}
        talk.call(1, "manual_ls", {})


@pytest.mark.requirement("http:tokens:broken-file")
def test_a_token_file_that_is_asked_for_must_be_there(tmp_path: Path) -> None:
    """A server behind a proxy would otherwise let everybody in."""
    done = run_command(
        tmp_path, "--http", ":0", face="tebiki", env={"TEBIKI_HTTP_TOKEN_FILE": "/no/such/tokens"}
    )

    assert done.code == 2
    assert "http.token_file /no/such/tokens cannot be read" in done.stderr


@pytest.mark.requirement("http:oauth:faults")
@pytest.mark.parametrize(
    "oauth",
    [
        "issuer: https://login.example",
        "audience: https://tebiki.example",
        "issuer: http://login.example, audience: https://tebiki.example",
        "issuer: https://login.example, audience: https://x.example, jwks_url: http://k.example",
    ],
)
def test_half_an_oauth_setting_stops_the_start(tmp_path: Path, oauth: str) -> None:
    """Keys that anybody on the way can change are no keys."""
    (tmp_path / "c.yaml").write_text(f"http: {{oauth: {{{oauth}}}}}\n")

    done = run_command(tmp_path, "--http", ":0", "--config", "c.yaml", face="tebiki")

    assert done.code == 2
    assert "http.oauth" in done.stderr
