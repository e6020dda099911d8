#!/usr/bin/env python3
"""A real sshd on 127.0.0.1 whose only key runs every command as if on another machine.

usage: sshd.py DIRECTORY HOME PATH

What a client asks for runs in a clean environment with this HOME and this PATH. DIRECTORY gets the keys, the log and
`ssh`, a program that knows the one host, `box`. Prints a line of JSON when it is ready and ends with its standard
input. Needs no privilege: it lets in nobody but its own user.
"""
import json
import os
import pwd
import shlex
import shutil
import socket
import subprocess
import sys
import time

SYSTEM = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"
ASKED = 'exec sh -c "$SSH_ORIGINAL_COMMAND"'


class Sshd:
    def __init__(self, directory, home, path):
        """Raises OSError where it can't be run."""
        self.directory, self.home, self.path = directory, home, path
        self.programs = {name: shutil.which(name, path=SYSTEM) for name in ("sshd", "ssh", "ssh-keygen")}
        if None in self.programs.values():
            raise OSError(f"not installed: {[name for name, found in self.programs.items() if not found]}")
        os.makedirs(directory, mode=0o700, exist_ok=True)
        for name in ("host_key", "key"):
            subprocess.run([self.programs["ssh-keygen"], "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", self.at(name)],
                           check=True, stdin=subprocess.DEVNULL)
        self.does(ASKED)
        self.write("authorized_keys", f'command="{self.at("forced")}",restrict {self.read("key.pub")}')
        self.knows(self.read("host_key.pub"))
        self.write("ssh", f'#!/bin/sh\nexec {self.programs["ssh"]} -F {self.at("ssh_config")} "$@"\n', 0o700)
        if os.getuid() == 0:
            os.makedirs("/run/sshd", mode=0o755, exist_ok=True)  # where root's sshd wants to be
        if not any(self.start() for _ in range(5)):
            raise OSError("sshd does not start: " + self.read("log")[-500:])
        words = [self.at("ssh"), "-o", "BatchMode=yes", "box", "true"]
        tried = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if tried.returncode != 0:
            self.close()
            raise OSError(f"sshd lets its own user not in: {tried.stderr.strip()}")
        os.remove(self.at("commands"))

    def at(self, name):
        return os.path.join(self.directory, name)

    def read(self, name):
        with open(self.at(name), errors="replace") as file:
            return file.read()

    def write(self, name, text, mode=0o600):
        # Renamed into place: a shell may be reading the old one.
        with open(self.at(name + ".new"), "w", opener=lambda path, flags: os.open(path, flags, mode)) as file:
            file.write(text)
        os.rename(self.at(name + ".new"), self.at(name))

    def does(self, script):
        """What the other side does with a command, as shell lines."""
        clean = f"exec env -i HOME={shlex.quote(self.home)} PATH={shlex.quote(self.path)}"
        self.write("forced", f'#!/bin/sh\necho "$SSH_ORIGINAL_COMMAND" >> {self.at("commands")}\n{clean} '
                   f'SSH_ORIGINAL_COMMAND="$SSH_ORIGINAL_COMMAND" sh -c {shlex.quote(script)}\n', 0o700)

    def knows(self, host_key):
        """What the client takes for the key of the host."""
        self.write("known_hosts", f"box {host_key}" if host_key else "")

    def commands(self):
        """The commands that were run on the other side."""
        return self.read("commands").splitlines() if os.path.exists(self.at("commands")) else []

    def start(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        user = pwd.getpwuid(os.getuid()).pw_name
        self.write("sshd_config", f"""Port {port}
ListenAddress 127.0.0.1
HostKey {self.at("host_key")}
AuthorizedKeysFile {self.at("authorized_keys")}
PidFile none
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin forced-commands-only
PermitUserRC no
StrictModes no
LogLevel DEBUG3
""")
        self.write("ssh_config", f"""Host box
  HostName 127.0.0.1
  Port {port}
  User {user}
  HostKeyAlias box
  IdentityFile {self.at("key")}
  IdentitiesOnly yes
  IdentityAgent none
  UserKnownHostsFile {self.at("known_hosts")}
  GlobalKnownHostsFile /dev/null
""")
        self.child = subprocess.Popen([self.programs["sshd"], "-D", "-f", self.at("sshd_config"), "-E", self.at("log")],
                                      stdin=subprocess.DEVNULL, env={"PATH": SYSTEM})
        # It listens, or it ends because somebody else took the port.
        while self.child.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return True
            except OSError:
                time.sleep(0.01)
        return False

    def close(self):
        self.child.terminate()
        self.child.wait()


def main():
    directory, home, path = sys.argv[1:]
    try:
        sshd = Sshd(directory, home, path)
    except OSError as error:
        return print(json.dumps({"error": str(error)}))
    print(json.dumps({"pid": sshd.child.pid}), flush=True)
    sys.stdin.read()
    sshd.close()


if __name__ == "__main__":
    main()
