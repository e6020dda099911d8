"""A stand-in for the model's HTTP interface on 127.0.0.1, answering from a table.

Model(decide) listens at once; .port says where. `decide(text)` gets the text that is new since the model's last answer
and returns one of: a string to say, {"bash": command}, or either as {"say"/"bash": ..., "pause": seconds}. None: "ok".
.seen is the list of (texts of all user and system messages, new text) of the main requests, in order.
"""
import http.server
import json
import threading
import time


def words(content):
    if isinstance(content, str):
        return content
    parts = []
    for block in content or ():
        if block.get("type") == "text":
            parts.append(block["text"])
        elif block.get("type") == "tool_result":
            parts.append("TOOL RESULT " + words(block.get("content")))
    return "\n".join(parts)


class Model:
    def __init__(self, decide):
        self.decide, self.seen, self.lock = decide, [], threading.Lock()
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def plain(self, code, value):
                data = json.dumps(value).encode()
                self.send_response(code)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def do_HEAD(self):
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def do_GET(self):
                self.plain(404, {"type": "error", "error": {"type": "not_found_error", "message": "nothing here"}})

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
                if self.path.startswith("/v1/messages/count_tokens"):
                    return self.plain(200, {"input_tokens": 1})
                if not self.path.startswith("/v1/messages"):
                    return self.do_GET()
                self.answer(body, model.choose(body))

            def answer(self, body, choice):
                time.sleep(choice.get("pause", 0))
                if "bash" in choice:
                    tool = f"toolu_{time.time_ns()}"
                    block = {"type": "tool_use", "id": tool, "name": "Bash",
                             "input": {"command": choice["bash"], "description": "as told"}}
                else:
                    block = {"type": "text", "text": choice["say"]}
                stop = "tool_use" if "bash" in choice else "end_turn"
                usage = {"input_tokens": 1, "output_tokens": 1}
                head = {"id": f"msg_{time.time_ns()}", "type": "message", "role": "assistant", "model": body.get("model"),
                        "stop_reason": None, "stop_sequence": None, "usage": usage}
                if not body.get("stream"):
                    return self.plain(200, {**head, "content": [block], "stop_reason": stop})
                empty = {**block, "input": {}} if stop == "tool_use" else {**block, "text": ""}
                delta = ({"type": "input_json_delta", "partial_json": json.dumps(block["input"])} if stop == "tool_use"
                         else {"type": "text_delta", "text": block["text"]})
                events = [("message_start", {"message": {**head, "content": []}}),
                          ("content_block_start", {"index": 0, "content_block": empty}),
                          ("content_block_delta", {"index": 0, "delta": delta}),
                          ("content_block_stop", {"index": 0}),
                          ("message_delta", {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage}),
                          ("message_stop", {})]
                data = "".join(f"event: {name}\ndata: {json.dumps({'type': name, **value})}\n\n" for name, value in events)
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("content-length", str(len(data.encode())))
                self.end_headers()
                self.wfile.write(data.encode())

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # a client that was killed
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def choose(self, body):
        messages = body.get("messages") or []
        last = max((i for i, m in enumerate(messages) if m["role"] == "assistant"), default=-1)
        new = "\n".join(words(m["content"]) for m in messages[last + 1:] if m["role"] in ("user", "system"))
        if not body.get("tools"):
            return {"say": "ok"}
        with self.lock:
            self.seen.append(("\n".join(words(m["content"]) for m in messages if m["role"] != "assistant"), new))
        choice = self.decide(new) or "ok"
        return {"say": choice} if isinstance(choice, str) else {"say": "ok", **choice} if "bash" not in choice else choice
