#!/usr/bin/env python3
"""Handoffs through a real sshd, to real sessions on what looks like another machine.

usage: ssh_real.py --htalk BINARY [--claude BINARY] [--codex BINARY] [SCENARIO...]

The other side has a home, an environment and an htalk of its own; see sshd.py, claude_rig.py and codex_real.py. Where
`unshare -n` is permitted everything runs in a network namespace of its own. Needs openssh-server, and tmux for the
clients. Scenarios of a client that is not named are left out. Ends with 'N passed, N failed'.
"""
import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import codex_real
from arguments import Watch
from claude_handoffs import want_state
from claude_rig import Rig, enter_own_network, kill, until, want
from sshd import ASKED, Sshd

SECRET = "WORDS OF THE MESSAGE"
BODY = f"first line\n{SECRET}\n"


class Here:
    """The sender's machine: its own home, mailbox and programs."""

    def __init__(self, htalk, home, path):
        self.root = tempfile.mkdtemp(prefix="hs.", dir="/tmp")
        try:
            self.sshd = Sshd(self.root + "/sshd", home, path)
        except OSError:
            shutil.rmtree(self.root, ignore_errors=True)
            raise
        for name in ("home", "bin"):
            os.mkdir(f"{self.root}/{name}", 0o700)
        shutil.copy(htalk, self.root + "/bin/htalk")
        os.symlink(self.sshd.at("ssh"), self.root + "/bin/ssh")
        self.environment = {"HOME": self.root + "/home", "PATH": f"{self.root}/bin:/usr/bin:/bin", "LANG": "C.UTF-8",
                            "HTALK_DB": self.root + "/mail.sqlite3"}
        os.mkfifo(self.root + "/go", 0o600)
        self.htalk("peer", "add", "a", "--harness", "shell", "--delivery", "pull")
        self.htalk("handoff", "init")

    def start(self, *words):
        pipe = subprocess.PIPE
        return subprocess.Popen(["htalk", *words], env=self.environment, cwd=self.root, text=True, stdin=pipe, stdout=pipe,
                                stderr=pipe)

    def htalk(self, *words, input=""):
        return self.finish(self.start(*words), input)

    def finish(self, child, input=""):
        out, err = child.communicate(input, timeout=90)
        want(out and not err, out, err)
        return {**json.loads(out), "exit": child.returncode}

    def add(self, name, harness, session):
        # A workspace has to exist here; there it is not compared.
        added = self.htalk("peer", "add", name, "--harness", harness, "--session", session, "--workspace", self.root)
        want(added["exit"] == 0, added)

    def handoff(self, verb, *words, body=BODY):
        return self.htalk("--as", "a", "handoff", verb, *words, input=body)

    def send(self, *words, to="r", body=BODY):
        return self.handoff("send", *words, "--to", to, "--host", "box", body=body)

    def submitted(self, *words, **options):
        """Sends until the session was quick enough to be heard, at most five times; doubt is no failure."""
        for _ in range(5):
            told = self.send(*words, **options)
            if told.get("reason") != "claude_not_confirmed":
                break
        want_state(told, "submitted", 0)
        return told

    def status(self, id):
        return self.handoff("status", id)

    def count(self):
        return len(self.handoff("list")["handoffs"])

    # --- the second call of a handoff, the submission, held where it is of interest

    def hold(self, script):
        """The probe goes through; the submission runs these shell lines, with `wait_for_go` and `run` in them."""
        for name in ("probed", "reached"):
            if os.path.exists(f"{self.root}/{name}"):
                os.rename(f"{self.root}/{name}", f"{self.root}/{name}.{time.time_ns()}")
        self.sshd.does(f'''wait_for_go() {{ touch {self.root}/reached; cat {self.root}/go; }}
run() {{ sh -c "$SSH_ORIGINAL_COMMAND"; }}
if mkdir {self.root}/probed 2>/dev/null; then {ASKED}; fi
{script}''')

    def held(self, *words):
        """A sender whose submission has come to `wait_for_go`."""
        sender = self.start("--as", "a", "handoff", "send", "--to", "r", "--host", "box", *words)
        sender.stdin.write(BODY)
        sender.stdin.close()
        sender.stdin = None
        want(until(lambda: os.path.exists(self.root + "/reached"), 20), "the submission did not come")
        return sender

    def go(self):
        with open(self.root + "/go", "w"):
            pass

    def kill_ssh(self, sender):
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat") as file:
                    parent = file.read().rsplit(")", 1)[1].split()[1]
            except OSError:
                continue
            if parent == str(sender.pid):
                os.kill(int(pid), signal.SIGKILL)
                return
        want(False, "no ssh")

    def close(self):
        self.sshd.close()
        shutil.rmtree(self.root, ignore_errors=True)


def want_error(told, code):
    want((told.get("error"), told["exit"]) == (code, 1), told)
    return told


def session(here, rig):
    """A session of Claude Code on the other side, known here as r."""
    started = rig.session("one")
    here.add("r", "claude", started.id)
    return started


def quoted(body):
    return "\n".join(f"> {line}" for line in body.split("\n")).rstrip()


def has_no_trace(here, watch):
    """The message was in no arguments, in no environment, and sshd wrote nothing of it."""
    want(watch.looks > 10 and not watch.seen, watch.looks, watch.seen)
    log = here.sshd.read("log")
    want("Starting session" in log and SECRET not in log, "the log of sshd has the message")


def claude_gets_it(here, rig):
    """One quoted message, no authority, no mailbox; bound to the one process there."""
    one = session(here, rig)
    with Watch(SECRET) as watch:
        told = here.submitted("--request-ack")
        want(rig.saw(quoted(BODY)), rig.model.seen)
        one.settle()
    has_no_trace(here, watch)
    want(set(here.sshd.commands()) == {"htalk handoff native --frame -"}, here.sshd.commands())
    facts, id = told["handoff"], told["handoff"]["correlation_id"]
    want(re.fullmatch("[0-9a-f]{64}", facts["target_generation"]) and facts["ack"] == {"status": "unsupported"}, told)
    want(told["native"]["target"]["pid"] == one.pid, told)
    shown = [new for _, new in rig.model.seen if id in new]
    want(len(shown) == 1 and "capability" not in shown[0] and here.root not in shown[0], shown)
    want(here.htalk("--as", "r", "inbox")["total"] == 0, "mail here for a session there")
    want_error(here.send(id), "handoff_already_attempted")
    want_state(here.send("--wait-for", "acknowledged"), "refused", 1, "evidence_unsupported")
    told = here.send("--generation", facts["target_generation"], "--dry-run")
    want((told["exit"], told["target_generation"]) == (0, facts["target_generation"]), told)
    for generation, code in (("another life", "handoff_binding_conflict"), (facts["target_generation"], None)):
        words = ["--message-file", "-", "--generation", generation]
        prepared = here.handoff("prepare", "--to", "r", "--host", "box", *words)["handoff"]["correlation_id"]
        told = here.send(prepared, *words)
        if code:
            want_error(told, code)
            want(here.status(prepared)["handoff"]["state"] == "validated", "spent")
        else:
            want(told["handoff"]["state"] in ("submitted", "unknown"), told)


def sizes(here, rig):
    """Whole, up to the limit of the way."""
    one = session(here, rig)
    for size in (30_000, 80_000, 90_000):
        body = (f"{size} " + "x" * 70 + "\n") * (size // 70)
        here.submitted(body=body[:size])
        want(rig.saw(quoted(body[:size])), size, "not whole")
        one.settle()
    want_error(here.send(body="x" * 90_001), "handoff_frame_too_large")


def no_way(here, rig):
    """No htalk there, no known host, no such host: an error before anything is recorded, and no text has left."""
    session(here, rig)
    before = here.count()
    here.sshd.does("PATH=/usr/bin:/bin\n" + ASKED)
    want_error(here.send(), "remote_preflight_unavailable")
    here.sshd.does(ASKED)
    asked = len(here.sshd.commands())
    known = here.sshd.read("known_hosts")
    for key in ("", here.sshd.read("key.pub")):
        here.sshd.knows(key)
        want_error(here.send(), "remote_preflight_unavailable")
    here.sshd.write("known_hosts", known)
    want_error(here.handoff("send", "--to", "r", "--host", "nobox"), "remote_preflight_unavailable")
    want(len(here.sshd.commands()) == asked and here.count() == before, "recorded, or run there")
    here.submitted()


def session_ends_meanwhile(here, rig):
    """The session ends between the probe and the submission, and another process takes its id: nobody gets it."""
    first = session(here, rig)
    first.type("hello")
    want(rig.saw("hello"), "no turn")
    first.settle()
    here.hold("wait_for_go; run")
    sender = here.held()
    kill(first)
    here.go()
    want_state(here.finish(sender), "refused", 1, "recipient_unavailable")
    second = rig.session("again", rig.workspace("one"), "--resume", first.id)
    here.hold("wait_for_go; run")
    sender = here.held()
    kill(second)
    third = rig.session("third", rig.workspace("one"), "--resume", first.id)
    here.go()
    want_state(here.finish(sender), "refused", 1, "stale_target")
    want(third.id == first.id and not rig.saw(SECRET, 0, 1), "the successor got it")
    kill(third)
    here.sshd.does(ASKED)
    want_error(here.send(), "recipient_unavailable")


def connection_ends(here, rig):
    """ssh is killed: the line that came counts, the one that did not come leaves doubt, and nothing is sent again."""
    session(here, rig)
    for script, state, reason, notices in (
            ("run; wait_for_go", "submitted", None, 1),
            ("answer=$(run); wait_for_go; echo \"$answer\"", "unknown", "ssh_handoff_response_unknown", 1),
            ("wait_for_go; cat >/dev/null", "unknown", "ssh_handoff_response_unknown", 0)):
        here.hold(script)
        sender = here.held()
        time.sleep(0.5)  # the line is on its way
        here.kill_ssh(sender)
        id = want_state(here.finish(sender), state, int(bool(reason)), reason)
        here.go()
        want(bool(rig.saw(id, 0, 3)) == bool(notices), script, rig.model.seen)
        here.sshd.does(ASKED)
        want_error(here.send(id), "handoff_already_attempted")
        want(sum(id in new for _, new in rig.model.seen) == notices, script)


def too_late(here, rig):
    """A submission that the other side holds up beyond the sender's time is not made afterwards."""
    session(here, rig)
    here.hold(f"wait_for_go; run > {here.root}/answer")
    sender = here.held("--wait-timeout", "8")
    id = want_state(here.finish(sender), "unknown", 1, "ssh_handoff_response_unknown")
    here.go()
    want(until(lambda: os.path.exists(here.root + "/answer") and os.path.getsize(here.root + "/answer")), "no answer")
    with open(here.root + "/answer") as file:
        answer = json.load(file)
    want((answer["status"], answer["detail"]) == ("refused", "deadline_before_effect"), answer)
    want(not rig.saw(id, 0, 1), "it came all the same")


def timing(here, rig):
    """How long a handoff takes through sshd, beside the bare connection."""
    one = session(here, rig)

    def median(act, times=8):
        taken = []
        for _ in range(times):
            one.settle()
            begun = time.monotonic()
            act()
            taken.append((time.monotonic() - begun) * 1000)
        return sorted(taken)[times // 2]

    bare = median(lambda: subprocess.run([here.sshd.at("ssh"), "box", "true"], stdin=subprocess.DEVNULL))
    probe = median(lambda: here.send("--dry-run"))
    whole = median(here.send)
    print(f"      a handoff: median {whole:.0f} ms; its probe alone {probe:.0f} ms; one bare connection {bare:.0f} ms")


def codex_gets_it(here, world):
    """A default session and one without the server, by the way of the other side; correlation only."""
    here.add("r", "codex", world.session("one"))
    with Watch(SECRET) as watch:
        told = here.submitted("--request-ack")
        id = told["handoff"]["correlation_id"]
        want(until(lambda: world.model.has(quoted(BODY))), world.model.seen)
    has_no_trace(here, watch)
    facts = told["handoff"]
    want((facts.get("target_generation"), facts["ack"]) == (None, {"status": "unsupported"}), told)
    want(told["native"]["transport"] == "codex_app_server" and told["native"]["queue_id"], told)
    want(sum(id in said for said in world.model.seen) == 1, world.model.seen)
    body = ("30 kB " + "x" * 94 + "\n") * 300
    here.submitted(body=body)
    want(until(lambda: world.model.has(quoted(body))), "not whole")
    want_error(here.send(body="x" * 80_000), "handoff_frame_too_large")


def embedded_codex_gets_it(here, world):
    """Without a server there, its command takes the message as an argument: others of the same account can see it."""
    here.add("r", "codex", world.session("own", "--no-daemon"))
    with Watch(SECRET) as watch:
        told = here.submitted()
        id = told["handoff"]["correlation_id"]
    want(told["native"]["transport"] == "codex_cli", told)
    print("      the message was in", sorted(watch.seen))
    want(until(lambda: world.model.has(quoted(BODY)) and world.model.has(id)), world.model.seen)


CLAUDE = [claude_gets_it, sizes, no_way, session_ends_meanwhile, connection_ends, too_late, timing]
CODEX = [codex_gets_it, embedded_codex_gets_it]


def run_claude(scenario, given):
    rig = Rig(given.claude, given.htalk, usual_places=True)
    rig.environment["CLAUDE_CODE_TMPDIR"] = rig.root + "/sockets"
    run(scenario, given, rig, rig.home, rig.environment["PATH"])


def run_codex(scenario, given):
    model = codex_real.Model()
    try:
        world = codex_real.World(given, model)
        run(scenario, given, world, world.home, world.environment["PATH"])
    finally:
        model.shutdown()


def run(scenario, given, other, home, path):
    try:
        here = Here(given.htalk, home, path)
        try:
            scenario(here, other)
        finally:
            here.close()
    finally:
        other.close()


def main():
    parser = argparse.ArgumentParser()
    for name in ("htalk", "claude", "codex"):
        parser.add_argument("--" + name, type=os.path.abspath, required=name == "htalk")
    parser.add_argument("scenarios", nargs="*")
    given = parser.parse_args()
    enter_own_network()
    passed = failed = 0
    for scenarios, client, start in ((CLAUDE, given.claude, run_claude), (CODEX, given.codex, run_codex)):
        for scenario in scenarios if client else []:
            if given.scenarios and scenario.__name__ not in given.scenarios:
                continue
            begun = time.monotonic()
            try:
                start(scenario, given)
                passed += 1
                print(f"ok    {scenario.__name__} ({time.monotonic() - begun:.0f} s)", flush=True)
            except Exception:
                failed += 1
                print(f"FAIL  {scenario.__name__}\n{traceback.format_exc()[-2500:]}", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
