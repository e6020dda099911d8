#!/usr/bin/env python3
"""A model for OpenCode that needs no account and no network: an OpenAI-compatible server on the loopback.

usage: opencode_model.py PORT_FILE LOG_FILE

It plays a session that uses htalk. What it does follows from the last message of a request:
  a notice of htalk         runs the command in it; then acknowledges what it read, and answers a request
  [[run COMMAND]]           runs this shell command once
  [[sleep SECONDS]]         thinks for so long first, so that the session is busy
  [[fail]]                  answers 500, so that the session is in retry
Anything else is answered with a short text. Each request is one JSON line in LOG_FILE. A request that is not for the
model (an attempt to reach the network through this port as a proxy) is refused and logged as "egress".
"""
import http.server
import json
import os
import re
import shlex
import sys
import threading
import time

PORT_FILE, LOG_FILE = sys.argv[1:3]
log_lock = threading.Lock()


def log(kind, **facts):
    with log_lock, open(LOG_FILE, "a") as out:
        out.write(json.dumps({"time": time.time(), "kind": kind, **facts}) + "\n")


def words(message):
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def next_step(messages):
    """The shell command to run next and a name for the step, or None when the turn is over."""
    last = messages[-1]
    if last["role"] == "user":
        text = words(last)
        notice = re.search(r"^htalk --db .* show [0-9a-f-]{36}$", text, re.M)
        if notice:
            return "show", notice[0]
        run = re.search(r"\[\[run (.*?)\]\]", text, re.S)
        return ("run", run[1]) if run else None
    if last["role"] != "tool":
        return None
    step = last["tool_call_id"].split("_")[0]
    try:
        seen = json.loads(words(last))
    except ValueError:
        return None
    if step == "show" and "ack_after_reading" in seen.get("recovery", {}):
        return "ack", seen["recovery"]["ack_after_reading"]
    if step == "ack" and seen.get("in_reply_to") is None:
        command = shlex.split(seen["recovery"]["show"])
        command[command.index("show") :] = ["reply", seen["id"], "--message", "Read and answered: " + seen["body"]]
        return "reply", shlex.join(command)
    return None


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def do_CONNECT(self):
        log("egress", target=self.path)
        self.answer(403, "text/plain", b"")

    do_GET = do_CONNECT

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        if not self.path.startswith("/v1/"):
            return self.do_CONNECT()
        messages = [m for m in request["messages"] if m["role"] not in ("system", "developer")]
        is_title = any("title generator" in words(m).lower() for m in request["messages"] if m["role"] == "system")
        last = messages[-1]
        log("title" if is_title else "turn", session=self.headers.get("x-session-id"), role=last["role"], text=words(last))
        directives = words(last) if last["role"] == "user" and not is_title else ""
        if "[[fail]]" in directives:
            return self.answer(500, "application/json", b'{"error":{"message":"asked to fail"}}')
        if pause := re.search(r"\[\[sleep ([0-9.]+)\]\]", directives):
            time.sleep(float(pause[1]))
        step = None if is_title else next_step(messages)
        if step:
            arguments = json.dumps({"command": step[1], "description": step[0]})
            call = {"index": 0, "id": f"{step[0]}_{time.time_ns()}", "type": "function"}
            delta = {"role": "assistant", "tool_calls": [{**call, "function": {"name": "bash", "arguments": arguments}}]}
        else:
            delta = {"role": "assistant", "content": "A title" if is_title else "Done."}
        base = {"id": "x", "object": "chat.completion.chunk", "created": int(time.time()), "model": "canned"}
        end = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if step else "stop"}
        chunks = [
            {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
            {**base, "choices": [end], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}},
        ]
        body = b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks) + b"data: [DONE]\n\n"
        self.answer(200, "text/event-stream", body)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
server.daemon_threads = True
with open(PORT_FILE + ".new", "w") as out:
    out.write(str(server.server_address[1]))
os.rename(PORT_FILE + ".new", PORT_FILE)
server.serve_forever()
