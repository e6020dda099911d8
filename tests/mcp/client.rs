//! A client that speaks to the server over pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::{Value, json};

use crate::support::process::CEILING;
use crate::support::{Ran, Sandbox, finish};

/// A server and the one who speaks to it.
pub struct Client {
    pub server: Child,
    pub input: Option<ChildStdin>,
    lines: Receiver<String>,
    last: u64,
}

/// What a tool answered.
#[derive(Debug)]
pub struct Told {
    pub text: String,
    pub value: Value,
    pub is_error: bool,
}

impl Client {
    /// A server for a peer of this sandbox, after the handshake.
    pub fn of(sandbox: &Sandbox, peer: &str) -> Client {
        let mut client = Client::start(&mut sandbox.htalk_command(&["--as", peer, "mcp"]));
        client.initialize("2025-11-25");
        client
    }

    /// The server that a command starts, before the handshake.
    pub fn start(command: &mut Command) -> Client {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let (sender, lines) = channel();
        let mut output = BufReader::new(server.stdout.take().unwrap());
        thread::spawn(move || {
            let mut line = String::new();
            while output.read_line(&mut line).is_ok_and(|length| length > 0) {
                assert!(line.ends_with('\n'), "printed half: {line}");
                let _ = sender.send(std::mem::take(&mut line));
            }
        });
        let input = server.stdin.take();
        Client { server, input, lines, last: 0 }
    }

    pub fn initialize(&mut self, version: &str) -> Value {
        let client = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
        let answer = self.request("initialize", params);
        self.notify("notifications/initialized", json!({}));
        answer
    }

    /// Writes a line.
    pub fn write(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).and_then(|()| input.write_all(b"\n")).unwrap();
    }

    /// The next line that the server writes. Protocol errors note their codes.
    #[track_caller]
    pub fn read(&mut self) -> Value {
        let line = self.lines.recv_timeout(CEILING).expect("a line");
        Ran::new(0, line, String::new()).json()
    }

    /// Whether the server has written everything that it writes, and ended its output.
    pub fn is_silent(&self) -> bool {
        self.lines.recv_timeout(CEILING).is_err()
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// Sends a request and does not wait for its answer; its id.
    pub fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        self.write(&json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params }).to_string());
        self.last
    }

    /// Sends a request and returns the answer, its `result` or `error`; nothing else may come before it.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let answer = self.read();
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(id)), "{answer}");
        answer
    }

    /// Calls a tool.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Told {
        self.call_with(tool, arguments, json!({}))
    }

    /// Calls a tool with `_meta`.
    #[track_caller]
    pub fn call_with(&mut self, tool: &str, arguments: Value, meta: Value) -> Told {
        let answer = self.request("tools/call", json!({ "name": tool, "arguments": arguments, "_meta": meta }));
        Told::of(&answer)
    }

    /// What a tool answers that does what it was asked for.
    #[track_caller]
    pub fn done(&mut self, tool: &str, arguments: Value) -> Value {
        let told = self.call(tool, arguments);
        assert!(!told.is_error, "{told:?}");
        told.value
    }

    /// What a tool answers that refuses with this code.
    #[track_caller]
    pub fn refused(&mut self, tool: &str, arguments: Value, code: &str) -> Value {
        let told = self.call(tool, arguments);
        assert!(told.is_error, "{told:?}");
        assert_eq!(told.value["error"], code, "{told:?}");
        told.value
    }

    /// Ends the input and waits for the end of the server.
    #[track_caller]
    pub fn end(mut self) -> Ran {
        drop(self.input.take());
        finish(self.server)
    }
}

impl Told {
    /// The one text of an answer, whose codes are noted.
    #[track_caller]
    pub fn of(answer: &Value) -> Told {
        let result = &answer["result"];
        assert!(result.get("structuredContent").is_none(), "{answer}");
        let [content] = result["content"].as_array().expect("content").as_slice() else { panic!("{answer}") };
        assert_eq!(content["type"], "text");
        let text = content["text"].as_str().unwrap().to_owned();
        assert!(text.chars().count() < 10_000, "{} characters", text.chars().count());
        assert!(!text.contains("null"), "{text}");
        let value = Ran::new(0, text.clone() + "\n", String::new()).json();
        Told { text, value, is_error: result["isError"] == true }
    }
}
