"""Which tokens are in force: at once, said at the start, and never fewer than asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.command import run_command
from tests.web.test_authentication import hello

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.web.conftest import StartHttp

FOREIGN = ("0.0.0.0:0", "[::]:0", "192.0.2.1:8000")
TOKENS = (".config", "tebiki", "tokens")


@pytest.fixture(name="tebiki")
def _tebiki(tmp_path: Path) -> Callable[..., str]:
    """The command in the test's home; gives what it printed."""

    def run(*words: str) -> str:
        done = run_command(tmp_path, *words, face="tebiki")
        assert done.code == 0, done.stderr
        return done.stdout.strip()

    return run


@pytest.mark.requirement("http:tokens:at-once")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_token_made_later_is_needed_at_once(
    start_http: StartHttp, tebiki: Callable[..., str], workers: str
) -> None:
    """A server that was started without any lets nobody in without one from then on."""
    server = start_http("--workers", workers)
    assert hello(server, None).status == 200

    token = tebiki("token", "new", "alice")

    # Several, so that each worker has some.
    assert {hello(server, None).status for _ in range(8)} == {401}
    assert {hello(server, f"Bearer {token}").status for _ in range(8)} == {200}


@pytest.mark.requirement("http:tokens:at-once")
def test_a_session_from_before_is_nobodys(
    start_http: StartHttp, tebiki: Callable[..., str]
) -> None:
    """Whoever opened one without a token cannot go on in it, and neither can anybody else."""
    talk = start_http().talk()
    token = tebiki("token", "new", "alice")

    without = talk.server.post({}, **{"Mcp-Session-Id": talk.session or ""})
    with_it = talk.server.post(
        {}, **{"Mcp-Session-Id": talk.session or "", "Authorization": f"Bearer {token}"}
    )

    assert (without.status, with_it.status) == (401, 404)


@pytest.mark.requirement("http:tokens:at-once")
def test_a_token_file_that_vanishes_opens_no_door(
    start_http: StartHttp, tebiki: Callable[..., str], tmp_path: Path
) -> None:
    """While a server runs; its owner may have moved it, or an editor is saving it."""
    server = start_http()
    token = tebiki("token", "new", "alice")
    assert hello(server, f"Bearer {token}").status == 200

    tmp_path.joinpath(*TOKENS).unlink()

    assert hello(server, None).status == 401
    assert hello(server, f"Bearer {token}").status == 401


@pytest.mark.requirement("http:tokens:at-once")
def test_a_token_file_that_appears_broken_opens_no_door(
    start_http: StartHttp, tmp_path: Path
) -> None:
    """It says that tokens are wanted, though not which."""
    server = start_http()
    assert hello(server, None).status == 200
    path = tmp_path.joinpath(*TOKENS)
    path.parent.mkdir(parents=True, exist_ok=True)

    path.write_text("alice:not-a-hash\n")

    assert hello(server, None).status == 401
    server.wait_for_stderr("not NAME:SHA256")


@pytest.mark.requirement("http:tokens:in-force")
def test_a_refusal_says_that_no_token_is_left(
    start_http: StartHttp, tebiki: Callable[..., str], tmp_path: Path
) -> None:
    """At the start, in `token rm`, in `token ls` and in the answer itself."""
    tebiki("token", "new", "alice")
    tebiki("token", "new", "bob")

    first = tebiki("token", "rm", "alice")
    last = tebiki("token", "rm", "bob")
    listed = run_command(tmp_path, "token", "ls", face="tebiki").stdout
    server = start_http()
    reply = hello(server, None)

    path = str(tmp_path.joinpath(*TOKENS))
    assert first.splitlines()[-1] == "Tokens in force: bob."
    for words in (last, listed, server.stderr):
        assert "every request is refused" in words.lower()
        assert "tebiki token new NAME" in words
        assert f"delete {path}" in words
    assert reply.status == 401
    assert "has no tokens" in reply.json["error_description"]
    assert path not in reply.body.decode()


@pytest.mark.requirement("http:tokens:in-force")
def test_the_start_says_who_may_call(start_http: StartHttp, tebiki: Callable[..., str]) -> None:
    """Everything on this machine, or whoever has a token of these names."""
    start_http().wait_for_stderr("no token is needed: every program on this machine may call")

    secret = tebiki("token", "new", "alice")
    server = start_http(env={"TEBIKI_HTTP_TOKENS": f"bob:{'0' * 64}"})

    server.wait_for_stderr("requests need a token: alice, bob")
    assert secret not in server.stderr


@pytest.mark.requirement("http:tokens:in-force")
def test_removing_the_last_token_tells_of_those_that_are_configured(tmp_path: Path) -> None:
    """They stay in force."""
    env = {"TEBIKI_HTTP_TOKENS": f"bob:{'0' * 64}"}
    run_command(tmp_path, "token", "new", "alice", face="tebiki", env=env)

    done = run_command(tmp_path, "token", "rm", "alice", face="tebiki", env=env)

    assert done.stdout.splitlines()[-1] == "Tokens in force: bob."


@pytest.mark.requirement("http:doors:loopback", "http:tokens:in-force")
@pytest.mark.parametrize("bind", FOREIGN)
def test_other_machines_need_a_token_that_is_left(
    tmp_path: Path, tebiki: Callable[..., str], bind: str
) -> None:
    """A file without any is as none: nobody could get in, and that is told before it listens."""
    tebiki("token", "new", "alice")
    tebiki("token", "rm", "alice")

    done = run_command(tmp_path, "--http", bind, face="tebiki")

    assert done.code == 2
    assert "make a token first (tebiki token new NAME)" in done.stderr


@pytest.mark.requirement("http:tokens:broken-file")
def test_a_token_file_that_claims_a_terabyte_is_refused(tmp_path: Path) -> None:
    """It is read at every request."""
    path = tmp_path.joinpath(*TOKENS)
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        file.truncate(1 << 40)

    for words in (("--http", "127.0.0.1:0"), ("token", "ls")):
        done = run_command(tmp_path, *words, face="tebiki")

        assert done.code == 2
        assert "it has more than" in done.stderr


@pytest.mark.requirement("http:tokens:broken-file")
def test_a_link_that_leads_nowhere_is_no_missing_file(tmp_path: Path) -> None:
    """What it leads to may not be mounted yet; without it everybody would be let in."""
    path = tmp_path.joinpath(*TOKENS)
    path.parent.mkdir(parents=True)
    path.symlink_to(tmp_path / "not-mounted" / "tokens")

    done = run_command(tmp_path, "--http", "127.0.0.1:0", face="tebiki")

    assert done.code == 2
    assert "cannot be read" in done.stderr
