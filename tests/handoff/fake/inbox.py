"""A session of Claude Code, as far as a sender sees it: a process with its record, its socket and its handler.

    inbox.py CONFIG SOCKET WORKSPACE SESSION [deaf|SIGKILL|SIGSTOP]

SOCKET is a directory, in which the session names its socket by its pid, or the socket of a session that it replaces.
Each frame is noted in the session's transcript, with the pid. Events are lines of JSON on standard output; a line `ack` on standard input
presents the latest receipt as its notice says. A deaf session accepts nobody and keeps no place for more than one; a
signal is what a sender gets as soon as its frame is here. It ends with its standard input.
"""

import json
import os
import re
import shlex
import signal
import socket
import struct
import subprocess
import sys
import threading

config, path, workspace, session, mode = sys.argv[1:6]
folder = os.path.join(config, "projects", re.sub("[^a-zA-Z0-9]", "-", workspace))
transcript = os.path.join(folder, f"{session}.jsonl")
pid = os.getpid()
receipts = []
lock = threading.Lock()


def tell(**event):
    with lock:
        print(json.dumps(event), flush=True)


def listen():
    global path
    if os.path.isdir(path):
        path = os.path.join(path, f"{pid}.sock")
    elif os.path.exists(path):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    os.chmod(path, 0o600)
    listener.listen(0 if mode == "deaf" else 64)
    return listener


def write_record():
    with open(f"/proc/{pid}/stat") as file:
        start = file.read().rpartition(")")[2].split()[19]
    record = {
        "pid": pid, "sessionId": session, "cwd": workspace, "startedAt": 1795979340798, "procStart": start,
        "version": "2.1.332", "peerProtocol": 1, "kind": "interactive", "entrypoint": "cli",
        "messagingSocketPath": path, "name": "work-57", "status": "idle", "updatedAt": 1795979345248,
        "statusUpdatedAt": 1795979345248,
    }
    # Renamed into place, as a whole.
    name = os.path.join(config, "sessions", f"{pid}.json")
    with open(name + ".new", "w") as file:
        json.dump(record, file)
    os.rename(name + ".new", name)


def find_receipt(text):
    lines = text.split("\n")
    for command, frame in zip(lines, lines[1:]):
        if command.endswith(" handoff ack --receipt -") and frame.startswith('{"schema_version":1,"kind":"receipt"'):
            receipts.append((command, frame))


def serve(listener):
    # The client leaves connections open.
    connections = []
    while True:
        connection, _ = listener.accept()
        connections.append(connection)
        line = connection.makefile("rb").readline()
        if not line:
            continue
        frame = json.loads(line)
        if frame["type"] == "user":
            if mode:
                sender = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
                os.kill(sender, signal.Signals[mode])
            text = frame["message"]["content"]
            line = {"type": "queue-operation", "operation": "enqueue", "content": text, "pid": pid}
            with open(transcript, "a") as file:
                file.write(json.dumps(line, separators=(",", ":")) + "\n")
            find_receipt(text)
        tell(event=frame["type"], frame=frame)


os.makedirs(folder, exist_ok=True)
listener = listen()
write_record()
if mode == "deaf":
    # The one place is taken by the session itself.
    visitor = socket.socket(socket.AF_UNIX)
    visitor.connect(path)
else:
    threading.Thread(target=serve, args=[listener], daemon=True).start()
tell(event="ready", socket=path, transcript=transcript)
for line in sys.stdin:
    command, frame = receipts[-1]
    ran = subprocess.run(shlex.split(command), input=frame + "\n", capture_output=True, text=True)
    tell(event="ack", code=ran.returncode, out=ran.stdout, err=ran.stderr)
