#!/usr/bin/env python3
"""The scenarios of the Codex adapter against the real client, without an account and without a network.

usage: codex_real.py --htalk PATH [--codex PATH | --cache DIR] [--only WORD] [--keep]

  --htalk PATH   the built htalk
  --codex PATH   an installed codex; without it the pinned version is installed once, through npm, into --cache
  --only WORD    only scenarios with this word in their name
  --keep         leave the directory of the run behind

Needs tmux, node, npm, python3, sqlite3. As root everything runs in a network namespace that has only its own loopback.
Each scenario prints one line; the last line is `N passed, N failed`.

The model is a small server in this process. It answers a user text that carries a notice of htalk by asking Codex to run
the notice's own command, then `ack` and, for a request, `reply`: what a session that follows its notice does.
"""
import argparse
import http.server
import json
import os
import re
import shlex
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import uuid

VERSION = "0.171.0"
WAIT = 30.0
HANDED = "message of a handoff, which no notice has"


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--htalk", required=True)
    parser.add_argument("--codex")
    parser.add_argument("--cache", default=os.path.expanduser("~/.cache/htalk-clients"))
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def installed(cache):
    """The pinned Codex, installed where it is not there yet."""
    prefix = os.path.join(cache, f"codex-{VERSION}")
    program = os.path.join(prefix, "node_modules/.bin/codex")
    if not os.access(program, os.X_OK):
        os.makedirs(prefix, exist_ok=True)
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", prefix,
                        f"@openai/codex@{VERSION}"], check=True, stdout=sys.stderr)
    return program


def until(what, look, seconds=WAIT):
    """Looks again and again until there is something; that."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError(f"never: {what}")


class Model(http.server.ThreadingHTTPServer):
    """The Responses API as far as Codex needs it; remembers the newest user text of every request."""
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.seen = []
        self.acts_on_notices = False
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def has(self, text):
        return any(text in said for said in self.seen)


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.reply(200, json.dumps({"object": "list", "data": [], "models": []}), "application/json")

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        items = request.get("input") or []
        last = max((at for at, item in enumerate(items) if item.get("role") == "user"), default=-1)
        content = items[last].get("content") or [] if last >= 0 else []
        said = content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
        has_run = any(str(item.get("type")).endswith("_call_output") for item in items[last + 1:])
        if not has_run:
            self.server.seen.append(said)
        pause = re.match(r"PAUSE (\d+)", said)
        if pause and not has_run:
            time.sleep(int(pause[1]))
        command = None if has_run else self.chosen(said)
        tools = [tool.get("name") for tool in request.get("tools") or []]
        if command:
            name, key = ("exec_command", "cmd") if "exec_command" in tools else ("shell_command", "command")
            item = {"type": "function_call", "id": "fc_1", "call_id": f"call_{time.time_ns()}", "name": name,
                    "arguments": json.dumps({key: command}), "status": "completed"}
        else:
            item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": "Done.", "annotations": []}]}
        usage = {"input_tokens": 1, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 1,
                 "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 2}
        events = [
            {"type": "response.created", "response": {"id": "resp_1", "object": "response", "status": "in_progress"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {"id": "resp_1", "object": "response", "status": "completed",
                                                        "output": [item], "usage": usage}},
        ]
        self.reply(200, "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events), "text/event-stream")

    def chosen(self, said):
        if said.startswith("RUN "):
            return said[4:]
        notice = re.search(r"^(htalk (.*) show ([0-9a-f-]{36}))$", said, re.M)
        if not (notice and self.server.acts_on_notices) or not said.startswith("htalk: "):
            return None
        lines = [notice[1], f"htalk {notice[2]} ack {notice[3]}"]
        if "a request" in said:
            lines.append(f"htalk {notice[2]} reply {notice[3]} --message 'read and done'")
        return " && ".join(lines)

    def reply(self, status, text, kind):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass


class World:
    """One isolated home with the real client, a workspace and a mailbox."""

    def __init__(self, given, model, sandbox="danger-full-access", more=""):
        self.model = model
        self.root = tempfile.mkdtemp(prefix="htcx.", dir="/var/tmp")
        self.home, self.workspace, self.bin = (os.path.join(self.root, name) for name in ("home", "ws", "bin"))
        self.codex_home = os.path.join(self.home, ".codex")
        self.socket = os.path.join(self.codex_home, "app-server-control/app-server-control.sock")
        for path in (self.codex_home, self.workspace, self.bin):
            os.makedirs(path)
        os.symlink(os.path.abspath(given.htalk), os.path.join(self.bin, "htalk"))
        os.symlink(os.path.abspath(given.codex), os.path.join(self.bin, "codex"))
        path = ":".join([self.bin, os.path.dirname(shutil.which("node")), "/usr/local/bin", "/usr/bin", "/bin"])
        # Codex runs commands in a login shell, which sets PATH anew.
        for name in (".profile", ".bashrc"):
            with open(os.path.join(self.home, name), "w") as file:
                file.write(f"export PATH={path}\n")
        with open(os.path.join(self.codex_home, "config.toml"), "w") as file:
            file.write(CONFIG.format(port=model.server_address[1], sandbox=sandbox, more=more, ws=self.workspace))
        self.environment = {"PATH": path, "HOME": self.home, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        self.mailbox = os.path.join(self.workspace, "mail.sqlite3")
        self.tmux = os.path.join(self.root, "tmux.sock")
        self.servers = []

    # --- htalk

    def htalk(self, *words, exit=0, input="", **variables):
        run = subprocess.run([os.path.join(self.bin, "htalk"), "--db", self.mailbox, *words], capture_output=True, text=True,
                             env={**self.environment, **variables}, cwd=self.root, input=input, timeout=60)
        assert run.returncode == exit, f"htalk {' '.join(words)}: exit {run.returncode}: {run.stdout} {run.stderr}"
        return json.loads(run.stdout)

    def peers(self, **threads):
        """Registers an asker that pulls, and a Codex peer for each thread."""
        self.htalk("peer", "add", "asker", "--harness", "shell", "--delivery", "pull")
        for name, thread in threads.items():
            self.add(name, thread)

    def add(self, name, thread, *extra):
        self.htalk("peer", "add", name, "--harness", "codex", "--session", thread, "--workspace", self.workspace, *extra)

    def send(self, name, *, exit=0, submission="submitted", detail=None, status=None, body="body that no notice has"):
        told = self.htalk("--as", "asker", "send", name, "--message", body, exit=exit)
        assert told["submission"] == submission, told
        if detail:
            assert told["notification_detail"].startswith(detail), told
        if status:
            assert told["recipient_status"] in status.split("|"), told
        assert not self.model.has(body), "a body was in a notice"
        return told

    def begin_ledger(self):
        os.chmod(self.workspace, 0o700)
        self.htalk("handoff", "init")

    def handoff(self, verb, *words, exit=0, input=HANDED):
        told = self.htalk("--as", "asker", "handoff", verb, *words, exit=exit, input=input)
        assert not self.model.has(HANDED), "a body was in a notice"
        return told

    # --- codex

    def run_codex(self, *words, exit=0):
        run = subprocess.run(["codex", *words], capture_output=True, text=True, env=self.environment, cwd=self.workspace,
                             stdin=subprocess.DEVNULL, timeout=60)
        assert run.returncode == exit, (words, run)
        return run.stdout

    def terminal(self, name, *words):
        command = " ".join(shlex.quote(word) for word in words)
        # A clean environment: the terminal's server has its own.
        keep = " ".join(shlex.quote(f"{key}={value}") for key, value in self.environment.items())
        self.tm("new-session", "-d", "-s", name, "-x", "150", "-y", "50", "-c", self.workspace,
                f"exec env -i {keep} codex {command}")

    def tm(self, *words):
        environment = {key: value for key, value in self.environment.items()}
        return subprocess.run(["tmux", "-S", self.tmux, "-f", "/dev/null", *words], capture_output=True, text=True,
                              env=environment).stdout

    def session(self, name, *words):
        """A terminal session with one answered prompt; its thread."""
        prompt = f"hello {name}"
        self.terminal(name, *words, prompt)
        thread = until(f"a thread for {prompt}", lambda: self.thread(prompt))
        until("its answer", lambda: self.model.has(prompt))
        time.sleep(1)
        return thread

    def rows(self, name, sql, *values):
        path = os.path.join(self.codex_home, name)
        if not os.path.exists(path):
            return []
        try:
            with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=3) as file:
                return file.execute(sql, values).fetchall()
        except sqlite3.Error:
            return []

    def thread(self, prompt):
        rows = self.rows("state_5.sqlite", "SELECT id FROM threads WHERE first_user_message = ?", prompt)
        return rows[0][0] if rows else None

    def queued(self, thread):
        return [row[0] for row in self.rows("queue_1.sqlite", "SELECT id FROM queued_items WHERE thread_id = ?", thread)]

    def server(self, *words):
        """An app server of this rig's own: no copy of the client, no updater."""
        child = subprocess.Popen(["codex", "app-server", *words], env=self.environment, cwd=self.workspace,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.servers.append(child)
        return child

    def found(self):
        told = self.htalk("peer", "discover", "--harness", "codex")
        return {row["session_id"]: row for row in told["sessions"]}, {row["source"]: row for row in told["sources"]}

    # --- the end

    def ours(self):
        mark = f"HOME={self.home}".encode()
        pids = []
        for entry in os.listdir("/proc"):
            try:
                if entry.isdigit() and mark in open(f"/proc/{entry}/environ", "rb").read().split(b"\0"):
                    pids.append(int(entry))
            except OSError:
                pass
        return [pid for pid in pids if pid != os.getpid()]

    def close(self, keep=False):
        links = [os.path.join(at, name) for at, _, names in os.walk(self.codex_home) for name in names]
        targets = [os.readlink(link) for link in links if os.path.islink(link) and link.endswith(".sock")]
        self.tm("kill-server")
        for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL):
            pids = self.ours()
            for pid in pids:
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    pass
            for child in self.servers:
                child.poll()
            end = time.monotonic() + 2
            while self.ours() and time.monotonic() < end:
                for child in self.servers:
                    child.poll()
                time.sleep(0.1)
        for target in targets:
            if target.startswith("/tmp/codex-daemon-"):
                for path in (target, target + ".lock"):
                    if os.path.lexists(path):
                        os.unlink(path)
        if not keep:
            shutil.rmtree(self.root, ignore_errors=True)


CONFIG = """
model = "rig"
model_provider = "rig"
approval_policy = "never"
sandbox_mode = "{sandbox}"
check_for_update_on_startup = false
{more}
[model_providers.rig]
name = "rig"
base_url = "http://127.0.0.1:{port}/v1"
wire_api = "responses"
requires_openai_auth = false
experimental_bearer_token = "none"
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0
[features]
plugins = false
apps = false
[analytics]
enabled = false
[feedback]
enabled = false
[projects."{ws}"]
trust_level = "trusted"
"""

# --- scenarios: each gets a fresh world


def exchange_in_both_directions(world):
    """A session reads its notice, acknowledges and answers; then it asks, and is told of the answer."""
    thread = world.session("one")
    world.peers(one=thread)
    world.model.acts_on_notices = True
    asked = world.send("one", detail="codex_app_server_queued:", status="idle")
    answered = world.htalk("--as", "asker", "wait", asked["id"], "--seconds", "30")
    assert answered["reply"]["body"] == "read and done", answered
    assert answered["ack_at"], answered
    # The session finds its own peer by CODEX_THREAD_ID.
    world.run_codex("queue", "--thread", thread,
                    f"--message=RUN htalk --db {world.mailbox} send asker --message 'and you?'")
    asked = until("the session's question", lambda: [row for row in world.htalk("--as", "asker", "inbox")["messages"]
                                                     if row["in_reply_to"] is None])
    told = world.htalk("--as", "asker", "reply", asked[0]["id"], "--message", "me too")
    assert told["submission"] == "submitted", told
    until("the answer is acknowledged", lambda: world.htalk("--as", "asker", "show", told["id"])["ack_at"])


def embedded_session(world):
    """`--no-daemon`: by the command, and its own process takes the notice from the queue."""
    thread = world.session("own", "--no-daemon")
    world.peers(own=thread)
    check = world.htalk("peer", "check", "own")
    assert (check["transport"], check["runtime_status"]) == ("codex_cli_queue", "unknown"), check
    world.model.acts_on_notices = True
    asked = world.send("own", detail="codex_cli_queued:", status="unknown")
    world.htalk("--as", "asker", "wait", asked["id"], "--seconds", "30")
    assert world.htalk("--as", "asker", "show", asked["id"])["reply"], "no answer"
    found, sources = world.found()
    assert found[thread]["source"] == "state_database", found
    assert sources["control_socket"]["status"] == "unavailable", sources


def closed_embedded_session(world):
    """A notice to a client that is closed waits, is called what it is, and is taken back after an ack."""
    thread = world.session("own", "--no-daemon")
    world.peers(own=thread)
    world.tm("kill-session", "-t", "own")
    until("the client ends", lambda: not world.ours())
    first = world.send("own", detail="codex_cli_queued:", status="not_loaded")
    second = world.send("own", detail="codex_cli_queued:", status="not_loaded")
    assert len(world.queued(thread)) == 2, world.queued(thread)
    cleaned = world.htalk("--as", "own", "ack", first["id"])["notification_cleanup"]
    assert cleaned["status"] == "removed", cleaned
    assert world.queued(thread) == [second["notification_detail"].split(":")[1]], world.queued(thread)
    again = world.htalk("--as", "own", "ack", first["id"])["notification_cleanup"]
    assert again["status"] in ("removed", "absent"), again
    assert not world.ours(), "something was left running"


def killed_embedded_session(world):
    """After `kill -9` the lock file stays; the thread is still called unloaded."""
    thread = world.session("own", "--no-daemon")
    world.peers(own=thread)
    for pid in world.ours():
        os.kill(pid, signal.SIGKILL)
    until("the client ends", lambda: not world.ours())
    # The file stays; the system lets its lock go a little after the process can't be seen any more.
    inode = os.stat(os.path.join(world.codex_home, "thread-writer-locks", f"{thread}.lock")).st_ino
    until("its lock ends", lambda: f":{inode} " not in open("/proc/locks").read())
    world.send("own", detail="codex_cli_queued:", status="not_loaded")


def active_session_and_withdrawal(world):
    thread = world.session("one")
    world.peers(one=thread)
    world.run_codex("queue", "--thread", thread, "--message=PAUSE 6")
    until("the pause", lambda: world.model.has("PAUSE 6"))
    told = world.send("one", detail="codex_app_server_queued:", status="active")
    cleaned = world.htalk("--as", "one", "ack", told["id"])["notification_cleanup"]
    assert cleaned["status"] == "removed", cleaned
    time.sleep(8)
    assert not world.model.has(told["id"]), "the notice came all the same"


def session_without_a_prompt(world):
    """Loaded and not saved: only the control socket knows it."""
    world.server("--listen", "unix://")
    until("the socket", lambda: os.path.exists(world.socket))
    world.terminal("bare")
    found = until("the session", lambda: world.found()[0])
    (thread,) = found
    assert found[thread]["source"] == "control_socket", found
    world.peers(bare=thread)
    assert world.htalk("peer", "check", "bare")["runtime_status"] == "idle"
    world.model.acts_on_notices = True
    asked = world.send("bare", detail="codex_app_server_queued:", status="idle")
    until("the answer", lambda: world.htalk("--as", "asker", "show", asked["id"])["reply"])


def helper_threads_are_not_listed(world):
    world.server("--listen", "unix://")
    until("the socket", lambda: os.path.exists(world.socket))
    thread = world.session("one")
    found, sources = world.found()
    assert list(found) == [thread], found
    assert "left out" in (sources["control_socket"]["detail"] or ""), "the title writer was not loaded: " + str(sources)


def refusals(world):
    """Archived, unknown, another workspace, not a person's: each by its name, by the socket and by the command."""
    world.server("--listen", "unix://")
    until("the socket", lambda: os.path.exists(world.socket))
    put_away, kept = world.session("away"), world.session("kept")
    world.run_codex("exec", "--skip-git-repo-check", "headless")
    headless = world.thread("headless")
    world.peers(away=put_away, headless=headless, nobody="01a22925-0000-7d10-baf8-dec0e69455cc")
    os.mkdir(os.path.join(world.root, "elsewhere"))
    world.htalk("peer", "add", "moved", "--harness", "codex", "--session", kept, "--workspace",
                os.path.join(world.root, "elsewhere"))
    world.tm("kill-session", "-t", "away")
    world.run_codex("archive", put_away)
    for _ in ("by the socket", "by the command"):
        for name, code in (("away", "recipient_session_archived"), ("nobody", "recipient_not_in_codex_state"),
                           ("moved", "recipient_identity_changed"), ("headless", "codex_session_not_started_by_a_person")):
            world.send(name, exit=2, submission="not_submitted", detail=code)
        found = world.found()[0]
        assert list(found) == [kept], found
        world.tm("kill-server")
        for child in world.servers:
            child.terminate()
            child.wait()
        until("the socket goes", lambda: not os.path.exists(world.socket))


def killed_server(world):
    """A socket that nobody serves any more: the command is the way."""
    child = world.server("--listen", "unix://")
    until("the socket", lambda: os.path.exists(world.socket))
    thread = world.session("one")
    world.peers(one=thread)
    world.tm("kill-server")
    for pid in world.ours():
        os.kill(pid, signal.SIGKILL)
    child.wait()
    assert os.path.lexists(world.socket), "the socket was removed"
    told = world.send("one", detail="codex_cli_queued:", status="not_loaded")
    cleaned = world.htalk("--as", "one", "ack", told["id"])["notification_cleanup"]
    assert cleaned["status"] == "removed", cleaned


def unloaded_thread(world):
    """About a minute after its terminal closed, the daemon lets go of the thread; notices wait and say so."""
    world.server("--listen", "unix://")
    until("the socket", lambda: os.path.exists(world.socket))
    thread = world.session("one")
    world.peers(one=thread)
    world.tm("kill-session", "-t", "one")
    world.send("one", detail="codex_app_server_queued:", status="idle|active")
    until("unloaded", lambda: world.htalk("peer", "check", "one")["runtime_status"] == "not_loaded", 120)
    told = world.send("one", detail="codex_app_server_queued:", status="not_loaded")
    assert world.htalk("--as", "one", "ack", told["id"])["notification_cleanup"]["status"] == "removed"


def named_socket(world):
    """A server on another socket, reached by `--socket` and found by `--codex-socket`."""
    path = os.path.join(world.root, "named.sock")
    world.server("--listen", f"unix://{path}")
    until("the socket", lambda: os.path.exists(path))
    thread = world.session("own", "--no-daemon")
    world.peers()
    world.add("own", thread, "--socket", path)
    world.send("own", detail="codex_app_server_queued:", status="unknown")
    sources = world.htalk("peer", "discover", "--harness", "codex", "--codex-socket", path)["sources"]
    assert [row["status"] for row in sources if row["source"] == "named_socket"] == ["ok"], sources
    for child in world.servers:
        child.terminate()
        child.wait()
    world.send("own", exit=2, submission="not_submitted", detail="recipient_socket_unavailable")


def named_homes(world):
    """The configuration directory and the database elsewhere."""
    away = os.path.join(world.root, "away")
    os.rename(world.codex_home, away)
    world.environment["CODEX_HOME"], world.codex_home = away, away
    database = os.path.join(world.root, "db")
    os.mkdir(database)
    with open(os.path.join(away, "config.toml")) as file:
        text = file.read()
    with open(os.path.join(away, "config.toml"), "w") as file:
        file.write(f'sqlite_home = "{database}"\n' + text)
    prompt = "hello own"
    world.terminal("own", "--no-daemon", prompt)
    until("its answer", lambda: world.model.has(prompt))
    time.sleep(1)
    world.codex_home = database
    thread = until("its row", lambda: world.thread(prompt))
    del world.environment["CODEX_HOME"]
    world.peers()
    world.add("own", thread, "--home", away)
    check = world.htalk("peer", "check", "own")
    assert check["metadata_source"] == os.path.join(database, "state_5.sqlite"), check
    world.model.acts_on_notices = True
    asked = world.send("own", detail="codex_cli_queued:", status="unknown")
    until("the answer", lambda: world.htalk("--as", "asker", "show", asked["id"])["reply"])


def sender_killed_between_claim_and_outcome(world):
    """`kill -9` of the sender: the claim stays as doubt, a retry tells nobody again."""
    thread = world.session("own", "--no-daemon")
    world.peers(own=thread)
    real = os.path.join(world.bin, "codex")
    target = os.readlink(real)
    os.unlink(real)
    with open(real, "w") as file:
        file.write(f"#!/bin/sh\ntouch {world.root}/reached\nsleep 5\nexec {target} \"$@\"\n")
    os.chmod(real, 0o755)
    words = [os.path.join(world.bin, "htalk"), "--db", world.mailbox, "--as", "asker", "send", "own", "--message", "x",
             "--id", "11111111-2222-4333-8444-555555555555"]
    child = subprocess.Popen(words, env=world.environment, stdout=subprocess.DEVNULL)
    until("the command starts", lambda: os.path.exists(f"{world.root}/reached"))
    child.kill()
    child.wait()
    told = world.htalk(*words[3:])
    assert (told["created"], told["submission"], told["notification_finished_at"]) == (False, "submission_unknown", None), told


def handed_over(world, name, thread, transport):
    """Correlation only, whatever is asked for: one item, no process that it was bound to, no token."""
    told = world.handoff("send", "--to", name, "--request-ack")
    facts, native, id = told["handoff"], told["native"], told["handoff"]["correlation_id"]
    assert (facts["state"], facts.get("target_generation"), facts["ack"]) == ("submitted", None, {"status": "unsupported"}), told
    assert (native["status"], native["transport"], native["consumption_confirmed"]) == ("queued", transport, False), told
    assert re.fullmatch("[0-9a-f-]{36}", native["queue_id"]), told
    until("its notice", lambda: world.model.has(f"message {id}"))
    assert not any("capability" in said or "handoff ack" in said for said in world.model.seen), world.model.seen
    with sqlite3.connect(world.mailbox) as file:
        assert file.execute("SELECT count(*) FROM handoff_capabilities").fetchone() == (0,)
    before = len(world.model.seen)
    for goal in ("acknowledged", "delivered"):
        refused = world.handoff("send", "--to", name, "--wait-for", goal, exit=1)
        assert (refused["handoff"]["state"], refused["reason"]) == ("refused", "evidence_unsupported"), refused
        assert refused["handoff"]["wait"]["status"] == "unsupported", refused
    again = world.handoff("send", id, "--to", name, exit=1)
    assert again["error"] == "handoff_already_attempted", again
    statement = {"schema_version": 1, "ledger_epoch": facts["ledger_epoch"], "correlation_id": id,
                 "target_generation": None, "confirmed": True}
    refused = world.handoff("confirm", "--receipt", "-", exit=1, input=json.dumps(statement))
    assert refused["error"] == "receipt_authority_unavailable", refused
    time.sleep(12)  # longer than a session of its own takes to look at its queue
    assert world.queued(thread) == [] and len(world.model.seen) == before, "something else was queued"
    assert sum(f"message {id}" in said for said in world.model.seen) == 1, "more than one item"
    assert [row["id"] for row in world.htalk("--as", name, "inbox")["messages"]] == [id]
    # In use by a process: a home that is named needs no decision.
    world.handoff("send", "--to", name, "--codex-home", world.codex_home)


def handoff_to_a_default_session(world):
    thread = world.session("one")
    world.peers(one=thread)
    world.begin_ledger()
    handed_over(world, "one", thread, "codex_app_server")


def handoff_to_an_embedded_session(world):
    thread = world.session("own", "--no-daemon")
    world.peers(own=thread)
    world.begin_ledger()
    handed_over(world, "own", thread, "codex_cli")


def handoff_to_an_inactive_home(world):
    """A saved thread that no process has: a home that is named takes a decision, at prepare and again at send."""
    thread = world.session("own", "--no-daemon")
    world.peers(own=thread)
    world.begin_ledger()
    message = os.path.join(world.workspace, "m")
    with open(message, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write(HANDED)
    named = ["--to", "own", "--message-file", message, "--codex-home", world.codex_home]
    decided = [*named, "--allow-inactive-codex-home"]
    in_use = world.handoff("prepare", *named)["handoff"]["correlation_id"]
    world.tm("kill-session", "-t", "own")
    until("the client ends", lambda: not world.ours())
    prepared = lambda id: world.handoff("status", id)["handoff"]["state"] == "validated"
    told = world.handoff("send", in_use, *named, exit=1)
    assert told["error"] == "handoff_native_context_changed" and prepared(in_use), told
    assert world.handoff("prepare", *named, exit=1)["error"] == "inactive_codex_home"
    assert world.handoff("send", *named, exit=1)["error"] == "inactive_codex_home"
    id = world.handoff("prepare", *decided)["handoff"]["correlation_id"]
    for words in (named, ["--to", "own", "--message-file", message]):
        told = world.handoff("send", id, *words, exit=1)
        assert told["error"] in ("handoff_native_context_changed", "handoff_binding_conflict") and prepared(id), told
    assert world.queued(thread) == []
    told = world.handoff("send", id, *decided)
    assert (told["handoff"]["state"], [told["native"]["queue_id"]]) == ("submitted", world.queued(thread)), told
    assert len(world.handoff("list")["handoffs"]) == 2, "a refusal of prepare was recorded"


def told_inside(world, caller):
    """What a send from a command of this session answers."""
    out = os.path.join(world.workspace, "out")
    world.run_codex("queue", "--thread", caller,
                    f"--message=RUN htalk --db {world.mailbox} --as asker send target --message x > {out}")
    until("the answer", lambda: os.path.exists(out) and os.path.getsize(out))
    told = json.load(open(out))
    assert told["submission"] == "not_submitted", told
    return told["notification_detail"]


def inside_the_sandbox(world):
    """From a command in Codex's own sandbox nothing can be submitted, and that is said."""
    world.server("--listen", "unix://")
    until("the socket", lambda: os.path.exists(world.socket))
    target, caller = world.session("target"), world.session("caller")
    world.peers(target=target, caller=caller)
    assert told_inside(world, caller) == "codex_sandbox_blocks_socket"


inside_the_sandbox.config = {"sandbox": "workspace-write"}


def inside_a_sandbox_with_network(world):
    inside_the_sandbox(world)


inside_a_sandbox_with_network.config = {"sandbox": "workspace-write", "more": "sandbox_workspace_write.network_access = true"}


def inside_the_sandbox_without_a_server(world):
    caller = world.session("caller", "--no-daemon")
    target = world.session("target", "--no-daemon")
    world.peers(target=target, caller=caller)
    assert told_inside(world, caller) == "codex_sandbox_read_only_home"


inside_the_sandbox_without_a_server.config = {"sandbox": "workspace-write"}


def time_to_submit(world):
    """How long a whole send takes, with and without its notice, and how much of that is the client's own answering."""
    thread = world.session("one")
    world.peers(one=thread)

    def median(act, times=20):
        taken = []
        for _ in range(times):
            start = time.perf_counter()
            act()
            taken.append(1000 * (time.perf_counter() - start))
            time.sleep(0.2)
        return sorted(taken)[times // 2]

    bare = median(lambda: world.htalk("--as", "asker", "send", "one", "--no-notify", "--message", "x"))
    whole = median(lambda: world.send("one"))
    world.begin_ledger()
    handoff = median(lambda: world.handoff("send", "--to", "one"))
    client = median(lambda: conversation(world.socket, thread))
    print(f"  a send: {bare:.1f} ms without a notice, {whole:.1f} ms with one; the client's own answers: {client:.1f} ms; "
          f"a handoff: {handoff:.1f} ms", flush=True)
    own = world.session("own", "--no-daemon")
    world.add("own", own)
    world.tm("kill-server")
    for pid in world.ours():
        os.kill(pid, signal.SIGKILL)
    whole, handoff = median(lambda: world.send("own"), 10), median(lambda: world.handoff("send", "--to", "own"), 10)
    print(f"  by the command: a send {whole:.1f} ms, a handoff {handoff:.1f} ms", flush=True)


def conversation(path, thread):
    """The same requests as htalk's, on a bare socket: what the client itself takes."""
    with socket.socket(socket.AF_UNIX) as stream:
        stream.connect(path)
        stream.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                       b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n")
        while b"\r\n\r\n" not in stream.recv(4096):
            pass
        text = [{"type": "text", "text": "timing"}]
        for number, method, parameters in [
                (1, "initialize", {"clientInfo": {"name": "rig", "version": "0"}, "capabilities": {"experimentalApi": True}}),
                (None, "initialized", None), (2, "thread/read", {"threadId": thread, "includeTurns": False}),
                (3, "thread/queue/add", {"threadId": thread, "clientUserMessageId": str(uuid.uuid4()), "input": text})]:
            request = {"method": method} if number is None else {"id": number, "method": method, "params": parameters}
            data = json.dumps(request).encode()
            head = bytes([0x81, 0x80 | len(data)]) if len(data) < 126 else struct.pack("!BBH", 0x81, 0xFE, len(data))
            stream.sendall(head + bytes(4) + data)
            answer = b""
            while number and f'"id":{number},'.encode() not in answer:
                answer += stream.recv(65536)


SCENARIOS = [exchange_in_both_directions, embedded_session, closed_embedded_session, killed_embedded_session,
             active_session_and_withdrawal, session_without_a_prompt, helper_threads_are_not_listed, refusals, killed_server,
             unloaded_thread, named_socket, named_homes, sender_killed_between_claim_and_outcome, inside_the_sandbox,
             inside_a_sandbox_with_network, inside_the_sandbox_without_a_server, handoff_to_a_default_session,
             handoff_to_an_embedded_session, handoff_to_an_inactive_home, time_to_submit]


def main():
    given = options()
    if not given.inside:
        given.codex = given.codex or installed(given.cache)
        words = [sys.executable, os.path.abspath(__file__), *sys.argv[1:], "--inside", "--codex", given.codex]
        alone = subprocess.run(["unshare", "-n", "true"], stderr=subprocess.DEVNULL).returncode == 0
        if alone:
            words = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "-", *words]
        os.execvp(words[0], words)
    passed = failed = 0
    for scenario in SCENARIOS:
        if given.only not in scenario.__name__:
            continue
        model = Model()
        world = World(given, model, **getattr(scenario, "config", {}))
        start = time.monotonic()
        try:
            scenario(world)
            passed += 1
            print(f"ok {scenario.__name__} ({time.monotonic() - start:.0f} s)", flush=True)
        except Exception:
            failed += 1
            print(f"FAILED {scenario.__name__}\n{traceback.format_exc()}", flush=True)
        finally:
            world.close(given.keep)
            model.shutdown()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
