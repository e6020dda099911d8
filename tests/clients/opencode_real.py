#!/usr/bin/env python3
"""The OpenCode scenarios against the real client, without an account and without the network.

usage: opencode_real.py HTALK OPENCODE [SCENARIO…]

HTALK is the built binary, OPENCODE the client's (npm: opencode-ai, node_modules/opencode-ai/bin/opencode.exe). The client
gets an empty home of its own, a clean environment and a model on the loopback (opencode_model.py); what it tries to fetch
goes to a proxy that refuses it. Every process that is started is ended by its pid. Prints one line a scenario; exit 1 if
one failed. tmux is needed for `tui`, openssl for `https`; without them those are skipped.
"""
import base64
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

HTALK, OPENCODE = (os.path.realpath(path) for path in sys.argv[1:3])
HERE = Path(__file__).resolve().parent
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def until(what, condition, seconds=30.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.02)
    raise AssertionError(f"{what}: not within {seconds} s")


class Server:
    """An `opencode serve` and calls to it that do not go through htalk."""

    def __init__(self, process, url, password=None):
        self.process, self.url, self.password = process, url, password

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        if self.password:
            pair = base64.b64encode(f"opencode:{self.password}".encode()).decode()
            request.add_header("Authorization", "Basic " + pair)
        with direct.open(request, timeout=30) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def create(self, directory, **more):
        return self.call("POST", "/session?directory=" + urllib.parse.quote(str(directory)), more)["id"]

    def prompt(self, session, text):
        self.call("POST", f"/session/{session}/prompt_async", {"parts": [{"type": "text", "text": text}]})

    def state(self, session, directory):
        statuses = self.call("GET", "/session/status?directory=" + urllib.parse.quote(str(directory)))
        return statuses.get(session, {"type": "idle"})["type"]


class Rig:
    def __init__(self):
        self.root = Path(tempfile.mkdtemp(prefix="htalk-opencode-")).resolve()
        self.processes = []
        for name in ("home", "data", "config/opencode", "cache", "state", "run", "tmp", "ws", "bin", "log"):
            (self.root / name).mkdir(parents=True)
        (self.root / "bin/htalk").symlink_to(HTALK)
        self.mailbox = self.root / "mail.sqlite3"
        self.model_log = self.root / "log/model.jsonl"
        self.start("model", [sys.executable, HERE / "opencode_model.py", self.root / "port", self.model_log], os.environ)
        self.port = int(until("the model", lambda: (self.root / "port").exists() and (self.root / "port").read_text()))
        model = {"name": "canned", "tool_call": True, "limit": {"context": 100000, "output": 1000}}
        options = {"baseURL": f"http://127.0.0.1:{self.port}/v1", "apiKey": "none"}
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "Canned", "options": options, "models": {"canned": model}}
        config = {
            "autoupdate": False, "share": "disabled", "snapshot": False, "lsp": False, "formatter": False,
            "enabled_providers": ["canned"], "model": "canned/canned", "small_model": "canned/canned",
            "permission": {"*": "allow"}, "provider": {"canned": provider},
        }
        (self.root / "config/opencode/opencode.json").write_text(json.dumps(config))

    def environment(self, **more):
        root, proxy = str(self.root), f"http://127.0.0.1:{self.port}"
        off = ("AUTOUPDATE", "MODELS_FETCH", "SHARE", "DEFAULT_PLUGINS", "LSP_DOWNLOAD", "CLAUDE_CODE",
               "EXTERNAL_SKILLS", "PROJECT_CONFIG")
        return {
            "PATH": f"{root}/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "xterm-256color", "SHELL": "/bin/bash",
            "HOME": f"{root}/home", "TMPDIR": f"{root}/tmp", "XDG_DATA_HOME": f"{root}/data",
            "XDG_CONFIG_HOME": f"{root}/config", "XDG_CACHE_HOME": f"{root}/cache", "XDG_STATE_HOME": f"{root}/state",
            "XDG_RUNTIME_DIR": f"{root}/run", "HTTP_PROXY": proxy, "HTTPS_PROXY": proxy,
            "NO_PROXY": "127.0.0.1,localhost,::1", "OPENCODE_PURE": "1",
            **{f"OPENCODE_DISABLE_{name}": "1" for name in off}, **more,
        }

    def start(self, name, command, environment, directory=None):
        out = open(self.root / f"log/{name}.out", "w")
        err = open(self.root / f"log/{name}.err", "w")
        process = subprocess.Popen([str(word) for word in command], env=environment, cwd=directory or self.root,
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)
        self.processes.append(process)
        return process

    def serve(self, name, directory, password=None, port=None):
        if port is None:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = probe.getsockname()[1]
        directory.mkdir(exist_ok=True)
        more = {"OPENCODE_SERVER_PASSWORD": password} if password else {}
        command = [OPENCODE, "serve", "--port", port, "--hostname", "127.0.0.1", "--print-logs", "--log-level", "INFO"]
        process = self.start(name, command, self.environment(**more), directory)
        out = self.root / f"log/{name}.out"
        found = until("the server", lambda: re.search(r"listening on (\S+)", out.read_text()), 60)
        return Server(process, found[1], password)

    def instances(self, name):
        return (self.root / f"log/{name}.err").read_text().count("creating instance")

    def turns(self, text):
        """The requests to the model whose last message is from a user and contains this text."""
        lines = [json.loads(line) for line in self.model_log.read_text().splitlines()]
        return [l for l in lines if l["kind"] == "turn" and l["role"] == "user" and text in l["text"]]

    def run(self, *words, **more):
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.root / "home"), "HTALK_DB": str(self.mailbox), **more}
        done = subprocess.run([HTALK, *map(str, words)], env=environment, cwd=self.root, capture_output=True, text=True,
                              timeout=60, stdin=subprocess.DEVNULL)
        assert done.stdout.count("\n") == 1 and not done.stderr, done
        return done.returncode, json.loads(done.stdout)

    def done(self, *words, **more):
        code, answer = self.run(*words, **more)
        assert code == 0, answer
        return answer

    def refused(self, code, *words, **more):
        exit_code, answer = self.run(*words, **more)
        assert (exit_code, answer.get("error")) == (2, code), answer

    def add(self, name, server, session, workspace):
        url = server if isinstance(server, str) else server.url
        self.done("peer", "add", name, "--harness", "opencode", "--session", session, "--workspace", workspace, "--url", url)

    def send(self, recipient, text, **more):
        return self.run("--as", "me", "send", recipient, "--message", text, **more)

    def end(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        os.environ.get("RIG_KEEP") or shutil.rmtree(self.root)


def exchange(rig, server):
    """Two sessions: one's model asks, the other's reads, acknowledges and answers, the first reads the answer."""
    first, second = rig.root / "ws", rig.root / "ws"
    rig.add("alice", server, server.create(first), first)
    rig.add("bob", server, server.create(second), second)
    alice = rig.done("peer", "check", "alice")["session_id"]
    ask = f"htalk --db {rig.mailbox} --as alice send bob --message 'Which test is missing?'"
    server.prompt(alice, f"[[run {ask}]]")
    sent = until("the question", lambda: rig.done("--as", "alice", "sent")["messages"], 40)[0]
    answered = until("the answer", lambda: (m := rig.done("--as", "alice", "show", sent["id"]))["reply"] and m)
    assert answered["reply"]["body"] == "Read and answered: Which test is missing?", answered
    assert answered["submission"] == "submitted" and answered["notification_detail"] == "opencode_prompt_accepted"
    assert answered["ack_at"], answered
    reply = answered["reply"]["id"]
    until("its acknowledgment", lambda: rig.done("--as", "alice", "show", reply)["ack_at"])
    for message in (sent["id"], reply):
        assert len(rig.turns(message)) == 1, "one notice each"
    for line in rig.turns("htalk --db"):
        if line["text"].startswith("htalk: "):
            assert "Which test is missing?" not in line["text"], "no body in a notice"
    return f"question {answered['recipient_status']}, answer {rig.done('--as', 'alice', 'show', reply)['recipient_status']}"


def withdrawal(rig, server):
    """OpenCode cannot take a prompt back: the acknowledgment says so and does nothing."""
    rig.add("taken", server, server.create(rig.root / "ws"), rig.root / "ws")
    _, sent = rig.send("taken", "[nothing to answer]")
    code, acked = rig.run("--as", "taken", "ack", sent["id"])
    assert code == 0 and acked["notification_cleanup"]["status"] in ("unsupported", "skipped"), acked
    assert acked["submission"] == "submitted", acked
    return acked["notification_cleanup"]


def states(rig, server):
    """Idle, busy and retry, in the check and with the notice; a notice to a busy session is in its next model request."""
    workspace = rig.root / "ws"
    session = server.create(workspace)
    rig.add("worker", server, session, workspace)
    assert rig.done("peer", "check", "worker")["runtime_status"] == "idle"
    server.prompt(session, "[[sleep 4]] think")
    until("busy", lambda: rig.turns("[[sleep 4]] think"))
    assert rig.done("peer", "check", "worker")["runtime_status"] == "busy"
    code, sent = rig.send("worker", "hello while busy")
    assert (code, sent["submission"], sent["recipient_status"]) == (0, "submitted", "busy"), sent
    until("the notice", lambda: rig.turns(sent["id"]))
    until("idle", lambda: server.state(session, workspace) == "idle")
    server.prompt(session, "[[fail]] now")
    until("retry", lambda: server.state(session, workspace) == "retry")
    assert rig.done("peer", "check", "worker")["runtime_status"] == "retry"
    code, sent = rig.send("worker", "hello while failing")
    assert (sent["submission"], sent["recipient_status"]) == ("submitted", "retry"), sent
    server.call("POST", f"/session/{session}/abort")
    return "idle, busy, retry"


def refusals(rig, server):
    """Archived, child, unknown, elsewhere: refused by the check, and nothing is submitted."""
    workspace = rig.root / "ws"
    session = server.create(workspace)
    archived = server.create(workspace)
    server.call("PATCH", f"/session/{archived}", {"time": {"archived": int(time.time() * 1000)}})
    child = server.create(workspace, parentID=session)
    (rig.root / "elsewhere").mkdir(exist_ok=True)
    for name, of, at, code in [
        ("archived", archived, workspace, "recipient_session_archived"),
        ("child", child, workspace, "opencode_child_session"),
        ("nobody", "ses_doesnotexist00000000000000", workspace, "recipient_not_in_opencode_server"),
        ("moved", session, rig.root / "elsewhere", "recipient_identity_changed"),
    ]:
        rig.add(name, server, of, at)
        rig.refused(code, "peer", "check", name)
        exit_code, sent = rig.send(name, "not for you")
        assert (exit_code, sent["submission"], sent["notification_detail"]) == (2, "not_submitted", code), sent
    (rig.root / "link").symlink_to(workspace)
    linked = server.create(rig.root / "link")
    rig.add("linked", server, linked, rig.root / "link")
    assert rig.done("peer", "check", "linked")["workspace"] == str(workspace)
    return "all refused, a symlink is not"


def discovery(rig, server):
    """More sessions than one default page, of several directories; and no instance is started by looking."""
    other = rig.root / "other"
    quiet = rig.serve("quiet", other)
    for _ in range(110):
        server.create(rig.root / "ws")
    begin = time.monotonic()
    found = rig.done("peer", "discover", "--harness", "opencode", "--opencode-url", quiet.url)
    took = time.monotonic() - begin
    source = next(s for s in found["sources"] if s["url"] == quiet.url)
    listed = {s["session_id"] for s in found["sessions"] if s["url"] == quiet.url}
    in_v1 = server.call("GET", "/session?roots=true&limit=1000&directory=" + urllib.parse.quote(str(rig.root / "ws")))
    wanted = {s["id"] for s in in_v1 if not s["time"].get("archived")}
    assert source["status"] == "ok" and wanted <= listed and len(listed) > 110, source
    assert rig.instances("quiet") == 0, "looking started an instance"
    return f"{len(listed)} sessions in {took * 1000:.0f} ms, {source['detail']}"


def passwords(rig, server):
    """A guarded server: refused without, accepted with, and the password is stored nowhere."""
    workspace = rig.root / "ws"
    guarded = rig.serve("guarded", rig.root / "guarded", password="rig-secret")
    rig.add("guarded", guarded, guarded.create(workspace), workspace)
    rig.refused("opencode_unauthorized", "peer", "check", "guarded")
    rig.refused("opencode_unauthorized", "peer", "check", "guarded", OPENCODE_SERVER_PASSWORD="wrong")
    code, sent = rig.send("guarded", "without")
    assert (code, sent["submission"], sent["notification_detail"]) == (2, "not_submitted", "opencode_unauthorized"), sent
    given = {"OPENCODE_SERVER_PASSWORD": "rig-secret"}
    assert rig.done("peer", "check", "guarded", **given)["authenticated"] is True
    code, sent = rig.send("guarded", "with", **given)
    assert (code, sent["submission"]) == (0, "submitted"), sent
    for path in rig.root.glob("mail.sqlite3*"):
        assert b"rig-secret" not in path.read_bytes(), path
    return "401 without, 204 with"


def servers(rig, server):
    """The trap: another server takes a notice for a session that the first one runs, and runs it itself."""
    workspace = rig.root / "ws"
    session = server.create(workspace)
    second = rig.serve("second", rig.root / "second")
    rig.add("trap", second, session, workspace)
    server.prompt(session, "[[sleep 3]] here")
    until("busy", lambda: server.state(session, workspace) == "busy")
    assert rig.done("peer", "check", "trap")["runtime_status"] == "idle"
    assert rig.send("trap", "to the other one")[1]["submission"] == "submitted"
    return "the second server calls it idle while the first runs it"


def killed(rig, server):
    """The sender dies between claim and outcome: a doubt for ever, and at most one notice."""
    workspace = rig.root / "ws"
    message = "5b1f8a5e-0d0c-4c5e-9c55-2f7d9f5f2a10"
    words = ["--as", "me", "send", "held", "--id", message, "--message", "once"]
    environment = {"HOME": str(rig.root / "home"), "HTALK_DB": str(rig.mailbox)}
    # A front that holds the prompt back after it was read.
    held = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def front():
            while True:
                connection, _ = listener.accept()
                request = connection.recv(65536)
                if request.startswith(b"POST"):
                    held.set()
                    return time.sleep(30)
                with socket.create_connection(urllib.parse.urlsplit(server.url).netloc.split(":")) as behind:
                    behind.sendall(request)
                    while data := behind.recv(65536):
                        connection.sendall(data)
                connection.close()
        threading.Thread(target=front, daemon=True).start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        rig.add("held", url, server.create(workspace), workspace)
        sender = subprocess.Popen([HTALK, *words], env=environment, stdout=subprocess.DEVNULL)
        assert held.wait(20)
        sender.send_signal(signal.SIGKILL)
        sender.wait()
    shown = rig.done("--as", "me", "show", message)
    assert shown["submission"] == "submission_unknown" and shown["notification_finished_at"] is None, shown
    assert rig.done(*words)["created"] is False
    assert len(rig.turns(message)) <= 1
    return "submission_unknown, no second notice"


def stopped(rig, server):
    """A server that hangs after the write is a doubt; one that is gone is a refusal."""
    workspace = rig.root / "ws"
    fragile = rig.serve("fragile", rig.root / "fragile")
    rig.add("fragile", fragile, fragile.create(workspace), workspace)
    rig.done("peer", "check", "fragile")
    os.kill(fragile.process.pid, signal.SIGSTOP)
    begin = time.monotonic()
    rig.refused("opencode_timed_out", "peer", "check", "fragile")
    took = time.monotonic() - begin
    os.kill(fragile.process.pid, signal.SIGCONT)
    fragile.process.terminate()
    fragile.process.wait(10)
    rig.refused("recipient_unavailable", "peer", "check", "fragile")
    code, sent = rig.send("fragile", "anybody?")
    assert (code, sent["submission"], sent["notification_detail"]) == (2, "not_submitted", "recipient_unavailable"), sent
    return f"hanging known after {took:.1f} s"


def https(rig, server):
    """Through a TLS front: only with a certificate that the roots name, and for the right host."""
    if not shutil.which("openssl"):
        return None
    workspace = rig.root / "ws"

    def certificate(name, names, *more):
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
                   "2", "-subj", f"/CN={name}", "-addext", f"subjectAltName={names}", *more,
                   "-keyout", rig.root / f"{name}.key", "-out", rig.root / f"{name}.pem"]
        subprocess.run(command, check=True, capture_output=True)
        return rig.root / f"{name}.pem", rig.root / f"{name}.key"

    def front(pem, key, version=None):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem, key)
        if version:
            context.maximum_version = version
        listener = socket.create_server(("127.0.0.1", 0))

        def serve(plain):
            try:
                with context.wrap_socket(plain, server_side=True) as secure:
                    request = secure.recv(65536)
                    if request.startswith(b"POST") and not request.rstrip().endswith(b"}"):
                        request += secure.recv(65536)
                    with socket.create_connection(urllib.parse.urlsplit(server.url).netloc.split(":")) as behind:
                        behind.sendall(request)
                        while data := behind.recv(65536):
                            secure.sendall(data)
            except OSError:
                pass

        def accept():
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        return listener.getsockname()[1]

    loopback = "IP:127.0.0.1,DNS:localhost"
    authority = certificate("authority", loopback)
    leaf = certificate("leaf", loopback, "-addext", "basicConstraints=critical,CA:FALSE")
    stranger = certificate("stranger", "DNS:attacker.example")
    port = front(*authority)
    session = server.create(workspace)
    rig.add("tls", f"https://127.0.0.1:{port}", session, workspace)
    rig.refused("opencode_tls_failed", "peer", "check", "tls")
    code, sent = rig.send("tls", "not trusted")
    assert (code, sent["submission"], sent["notification_detail"]) == (2, "not_submitted", "opencode_tls_failed"), sent
    begin = time.monotonic()
    code, sent = rig.send("tls", "trusted", SSL_CERT_FILE=str(authority[0]))
    took = time.monotonic() - begin
    assert (code, sent["submission"]) == (0, "submitted"), sent
    for name, url, trusted, expected in [
        ("tls-leaf", f"https://localhost:{front(*leaf)}", leaf[0], None),
        ("tls-old", f"https://localhost:{front(*authority, ssl.TLSVersion.TLSv1_2)}", authority[0], None),
        ("tls-name", f"https://127.0.0.1:{front(*stranger)}", stranger[0], "opencode_tls_failed"),
        ("tls-other", f"https://127.0.0.1:{port}", leaf[0], "opencode_tls_failed"),
        ("tls-plain", server.url.replace("http:", "https:"), leaf[0], "opencode_tls_failed"),
    ]:
        rig.add(name, url, server.create(workspace), workspace)
        if expected:
            rig.refused(expected, "peer", "check", name, SSL_CERT_FILE=str(trusted))
        else:
            rig.done("peer", "check", name, SSL_CERT_FILE=str(trusted))
    return f"whole send over TLS {took * 1000:.0f} ms"


def tui(rig, server):
    """Which forms of the client can be reached, and which show a notice."""
    if not shutil.which("tmux"):
        return None
    workspace = rig.root / "ws"
    session = server.create(workspace)
    rig.add("seen", server, session, workspace)
    tmux = ["tmux", "-f", "/dev/null", "-S", str(rig.root / "tmux")]
    environment = rig.environment()
    own = server.create(workspace)
    forms = {
        "attach": f"attach {server.url} --session {session}",
        "plain": f"--session {session}",
        "port": f"--port 0 --session {own}",
    }

    def screen(name):
        return subprocess.run([*tmux, "capture-pane", "-p", "-t", name], capture_output=True, text=True, env=environment).stdout

    pids = {}
    try:
        for name, words in forms.items():
            command = f"exec '{OPENCODE}' {words}"
            subprocess.run([*tmux, "new-session", "-d", "-s", name, "-x", "150", "-y", "50", "-c", workspace, command],
                           env=environment, check=True)
        pids = {n: int(subprocess.run([*tmux, "list-panes", "-t", n, "-F", "#{pane_pid}"], capture_output=True, text=True,
                                      env=environment, check=True).stdout) for n in forms}
        until("the screens", lambda: all(re.search(r"\d+\.\d+\.\d+", screen(name)) for name in forms), 60)
        ports = until("the TUI's port", lambda: listening(pids["port"]), 20)
        assert not listening(pids["plain"]) and not listening(pids["attach"])
        rig.add("in-tui", f"http://127.0.0.1:{ports[0]}", own, workspace)
        assert rig.done("peer", "check", "in-tui")["runtime_status"] == "idle"
        time.sleep(2)
        code, sent = rig.send("seen", "who sees this")
        assert sent["submission"] == "submitted", sent
        until("the attached screen", lambda: "peer me has" in screen("attach"))
        assert rig.send("in-tui", "and who this")[1]["submission"] == "submitted"
        until("the TUI's own screen", lambda: "peer me has" in screen("port"))
        time.sleep(2)
        assert "peer me has" not in screen("plain")
    finally:
        # A TUI that was seen in a turn has stayed alive, and busy, after SIGTERM and the end of its terminal.
        for pid in pids.values():
            os.kill(pid, signal.SIGKILL)
        subprocess.run([*tmux, "kill-server"], env=environment, capture_output=True)
    return "attach shows it, a plain TUI does not and has no listener, a TUI with --port can be reached and shows it"


def listening(pid):
    """The TCP ports at which this process listens."""
    inodes = set()
    for fd in Path(f"/proc/{pid}/fd").iterdir():
        try:
            if found := re.fullmatch(r"socket:\[(\d+)\]", os.readlink(fd)):
                inodes.add(found[1])
        except OSError:
            pass
    rows = [line.split() for table in ("tcp", "tcp6") for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]]
    return [int(row[1].split(":")[1], 16) for row in rows if row[3] == "0A" and row[9] in inodes]


def times(rig, server):
    """A whole send to an idle session, beside the client's own answers to the same three calls."""
    workspace = rig.root / "ws"
    session = server.create(workspace)
    rig.add("timed", server, session, workspace)
    query = "?directory=" + urllib.parse.quote(str(workspace))
    sends, raws = [], []
    for n in range(20):
        until("idle", lambda: server.state(session, workspace) == "idle")
        begin = time.monotonic()
        assert rig.send("timed", f"measured {n}")[1]["submission"] == "submitted"
        sends.append(time.monotonic() - begin)
        until("idle", lambda: server.state(session, workspace) == "idle")
        begin = time.monotonic()
        server.call("GET", f"/session/{session}{query}")
        server.call("GET", f"/session/status{query}")
        server.prompt(session, f"measured {n}")
        raws.append(time.monotonic() - begin)
    sends.sort(), raws.sort()
    return f"median of 20: send {sends[10] * 1000:.1f} ms, the client's three answers alone {raws[10] * 1000:.1f} ms"


SCENARIOS = [exchange, withdrawal, states, refusals, discovery, passwords, servers, killed, stopped, https, tui, times]


def main():
    chosen = [s for s in SCENARIOS if not sys.argv[3:] or s.__name__ in sys.argv[3:]]
    rig, failed = Rig(), False
    try:
        server = rig.serve("main", rig.root / "ws")
        print("OpenCode", server.call("GET", "/global/health")["version"])
        rig.done("peer", "add", "me", "--harness", "test", "--delivery", "pull")
        for scenario in chosen:
            try:
                result = scenario(rig, server)
                print(f"{'skipped' if result is None else 'ok':8}{scenario.__name__}: {result or ''}", flush=True)
            except (AssertionError, OSError, KeyError, StopIteration, subprocess.SubprocessError) as error:
                failed = True
                print(f"FAILED  {scenario.__name__}: {type(error).__name__}: {error}", flush=True)
    finally:
        rig.end()
    sys.exit(failed)


main()
