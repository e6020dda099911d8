"""Real Claude Code sessions without an account or a network, for the end-to-end scenarios.

Each Rig has its own HOME, configuration directory, socket directory, tmux server and canned model, and a clean
environment; closing it ends what it started, by pid, and removes its directory.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from claude_model import Model

KEY = "sk-ant-test-" + "0" * 48


def until(look, seconds=15, pause=0.05):
    """Looks again and again; what was found, or None when the time is over."""
    end = time.monotonic() + seconds
    while True:
        found = look()
        if found or time.monotonic() > end:
            return found or None
        time.sleep(pause)


class Failure(Exception):
    pass


def want(condition, *facts):
    if not condition:
        raise Failure(" ".join(str(fact) for fact in facts))


class Rig:
    def __init__(self, claude, htalk, mode="default", settings=None, usual_places=False):
        self.root = tempfile.mkdtemp(prefix="hc.", dir="/tmp")  # short: a socket's path has 107 bytes
        self.home = self.root + "/home"
        self.config = self.home + "/.claude" if usual_places else self.root + "/config"
        self.mode, self.tmux_socket, self.pids = mode, self.root + "/tmux", []
        programs = self.root + "/bin"
        for directory in (self.home, self.config, programs, self.root + "/sockets"):
            os.makedirs(directory, mode=0o700, exist_ok=True)
        os.symlink(claude, programs + "/claude")
        shutil.copy(htalk, programs + "/htalk")
        self.model = Model(self.decide)
        self.orders = []  # (regular expression, answer); the answer may use \1
        self.environment = {
            "HOME": self.home, "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin", "TERM": "xterm-256color",
            "LANG": "C.UTF-8", "SHELL": "/bin/bash", "HTALK_DB": self.root + "/mail.sqlite3",
            "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{self.model.port}",
            "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        if not usual_places:
            self.environment.update(CLAUDE_CONFIG_DIR=self.config, CLAUDE_CODE_TMPDIR=self.root + "/sockets")
        if mode == "bypass":
            self.environment["IS_SANDBOX"] = "1"
            settings = {"skipDangerousModePermissionPrompt": True, **(settings or {})}
        elif settings is None:
            settings = {"permissions": {"defaultMode": "default", "allow": ["Bash"]}}
        with open(self.config + "/settings.json", "w") as file:
            json.dump(settings, file)
        self.trusted = {}
        self.state_path = self.home + "/.claude.json" if usual_places else self.config + "/.claude.json"
        for name in ("one", "two"):
            self.trust(self.workspace(name))

    def workspace(self, name):
        path = f"{self.root}/work/{name}"
        os.makedirs(path, exist_ok=True)
        return path

    def trust(self, workspace):
        """Answers the dialogs of a first start in the client's state file."""
        self.trusted[workspace] = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        state = {"hasCompletedOnboarding": True, "theme": "dark", "numStartups": 9, "autoUpdates": False,
                 "bypassPermissionsModeAccepted": True, "hasSeenTasksHint": True, "hasSeenAutoDefaultNudge": True,
                 "hasSeenAutoDefaultNotice": True, "projects": self.trusted,
                 "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []}}
        with open(self.state_path, "w") as file:
            json.dump(state, file)

    def decide(self, text):
        for pattern, answer in self.orders:
            found = re.search(pattern, text, re.S)
            if found:
                return {key: found.expand(value) if isinstance(value, str) else value for key, value in answer.items()}
        return None

    def run(self, *words, **options):
        if "input" not in options:
            options["stdin"] = subprocess.DEVNULL
        return subprocess.run(words, env={**self.environment, **options.pop("env", {})}, cwd=self.root, text=True,
                              capture_output=True, timeout=60, **options)

    def htalk(self, *words, **options):
        """Runs htalk outside of any session; its object and exit code."""
        ran = self.run("htalk", *words, **options)
        assert ran.stdout, ran.stderr
        return {**json.loads(ran.stdout), "exit": ran.returncode}

    def tmux(self, *words):
        return self.run("tmux", "-S", self.tmux_socket, "-f", "/dev/null", *words)

    def session(self, name, workspace=None, *words):
        """Starts a session in a terminal and waits for its record and its prompt."""
        mode = ["--dangerously-skip-permissions"] if self.mode == "bypass" else []
        command = " ".join(["exec", self.root + "/bin/claude", *mode, *words])
        made = self.tmux("new-session", "-d", "-s", name, "-x", "150", "-y", "45", "-c", workspace or self.workspace(name), command)
        assert made.returncode == 0, made.stderr
        self.tmux("set-option", "-t", name, "remain-on-exit", "on")
        pid = int(self.tmux("display-message", "-p", "-t", name, "#{pane_pid}").stdout)
        self.pids.append(pid)
        session = Session(self, name, pid)
        assert until(lambda: session.record().get("status") == "idle"), self.screen(name)
        assert until(lambda: "❯" in self.screen(name)), self.screen(name)
        return session

    def screen(self, name):
        return self.tmux("capture-pane", "-p", "-t", name).stdout

    def saw(self, text, since=0, seconds=10):
        """Whether a request after `since` carries a text."""
        return until(lambda: any(text in whole for whole, _ in self.model.seen[since:]), seconds)

    def close(self):
        server = self.tmux("display-message", "-p", "#{pid}").stdout.strip()
        self.tmux("kill-server")
        gone = lambda: not any(os.path.exists(f"/proc/{pid}") for pid in [*self.pids, server or "none"])
        if not until(gone, 8):
            for pid in self.pids:
                if os.path.exists(f"/proc/{pid}"):
                    os.kill(pid, 9)
        self.model.server.shutdown()
        shutil.rmtree(self.root, ignore_errors=True)


class Session:
    def __init__(self, rig, name, pid):
        self.rig, self.name, self.pid = rig, name, pid

    def record(self):
        try:
            with open(f"{self.rig.config}/sessions/{self.pid}.json") as file:
                return json.load(file)
        except (OSError, ValueError):
            return {}

    @property
    def id(self):
        return self.record()["sessionId"]

    @property
    def socket(self):
        return self.record().get("messagingSocketPath")

    def status(self):
        return self.record().get("status")

    def settle(self, status="idle"):
        assert until(lambda: self.status() == status, 20), (self.status(), self.rig.screen(self.name))
        time.sleep(0.3)

    def type(self, text):
        self.rig.tmux("send-keys", "-t", self.name, "-l", text)
        time.sleep(0.5)
        self.rig.tmux("send-keys", "-t", self.name, "Enter")

    def register(self, peer, workspace=None):
        added = self.rig.htalk("peer", "add", peer, "--harness", "claude", "--session", self.id, "--workspace",
                               workspace or self.rig.workspace(self.name), "--home", self.rig.config)
        assert added["exit"] == 0, added
        return added


def enter_own_network():
    """Starts the program again in a network that has only its own loopback, where that is permitted."""
    if os.environ.get("RIG_INSIDE"):
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    elif subprocess.run(["unshare", "-n", "true"], stderr=subprocess.DEVNULL).returncode == 0:
        os.environ["RIG_INSIDE"] = "1"
        os.execvp("unshare", ["unshare", "-n", sys.executable, *sys.argv])


def asking(rig):
    want(rig.htalk("peer", "add", "a", "--harness", "test", "--delivery", "pull")["exit"] == 0, "peer add")


def kill(session):
    """Kills a client and waits until the system has torn it down; its terminal may keep it as a zombie."""
    os.kill(session.pid, signal.SIGKILL)

    def is_down():
        try:
            with open(f"/proc/{session.pid}/stat") as file:
                return file.read().rsplit(")", 1)[1].split()[0] in "ZX"
        except OSError:
            return True
    want(until(is_down), "not killed")
