//! Standard input and output as messages of the protocol, one a line. What is no message of these versions of the
//! protocol, or comes before its time, is answered here and goes no further.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::thread;

use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::super::json as printed;
use super::super::output::Output;
use super::running::Running;
use crate::call::ReaderGone;
use crate::codes;
use crate::platform::streams::Patient;

/// The longest line that is read, in bytes. The largest text of a message takes at most a fifth of it, however it is
/// escaped.
const LONGEST_LINE: usize = 1 << 20;

/// The methods of this server.
const METHODS: [&str; 4] = ["initialize", "ping", "tools/list", "tools/call"];

/// The messages of a client.
pub struct Lines {
    messages: UnboundedReceiver<Option<ClientJsonRpcMessage>>,
    /// Ends the messages: standard output is closed.
    end: UnboundedSender<Option<ClientJsonRpcMessage>>,
    output: Arc<Output>,
    running: Running,
}

/// Nobody reads what the server says.
#[derive(Debug)]
pub struct Closed;

impl Display for Closed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("standard output is closed")
    }
}

impl std::error::Error for Closed {}

impl Lines {
    /// Reads standard input in a thread of its own. Its end cancels the calls that only wait; with the end of output
    /// all end.
    ///
    /// # Errors
    /// There is no thread for it.
    pub fn open(output: Arc<Output>, running: Running) -> io::Result<Lines> {
        let (end, messages) = unbounded_channel();
        let reader = Reader { output: output.clone(), is_initialized: false };
        let (sender, at_end) = (end.clone(), running.clone());
        thread::Builder::new().spawn(move || {
            reader.read(&sender);
            at_end.end_waits();
            let _ = sender.send(None);
        })?;
        Ok(Lines { messages, end, output, running })
    }
}

impl Transport<RoleServer> for Lines {
    type Error = Closed;

    /// Writes at once: a line is short, and its reader expects it.
    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Closed>> + Send + 'static {
        let given = self.output.give(&(printed::text(&message) + "\n"));
        if given.is_err() {
            self.running.end_all();
            let _ = self.end.send(None);
        }
        std::future::ready(given.map_err(|ReaderGone| Closed))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.messages.recv().await.flatten()
    }

    async fn close(&mut self) -> Result<(), Closed> {
        Ok(())
    }
}

/// What becomes of a line.
enum Line {
    /// A message to be handled.
    Message(Box<ClientJsonRpcMessage>),
    /// Answered by this error, for the request with this id.
    Refused(ErrorData, Value),
    /// Nothing.
    Ignored,
}

/// Whoever reads standard input.
struct Reader {
    output: Arc<Output>,
    is_initialized: bool,
}

impl Reader {
    /// Reads lines until the input or the output ends.
    fn read(mut self, messages: &UnboundedSender<Option<ClientJsonRpcMessage>>) {
        let Ok(stdin) = io::stdin().as_fd().try_clone_to_owned() else { return };
        let mut input = BufReader::new(Patient(File::from(stdin)));
        let mut line = Vec::new();
        loop {
            line.clear();
            let is_read = input.by_ref().take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut line);
            if !is_read.is_ok_and(|length| length > 0) {
                return;
            }
            let judged = match line.len() {
                ..=LONGEST_LINE => self.judge(line.trim_ascii()),
                _ if line.ends_with(b"\n") || skip_line(&mut input) => {
                    refused(ErrorCode::INVALID_REQUEST, "mcp_message_is_too_long", "", Value::Null)
                }
                _ => return,
            };
            let is_over = match judged {
                Line::Message(message) => messages.send(Some(*message)).is_err(),
                Line::Refused(error, id) => {
                    let answer = json!({ "jsonrpc": "2.0", "id": id, "error": error });
                    self.output.give(&(printed::text(&answer) + "\n")).is_err()
                }
                Line::Ignored => false,
            };
            if is_over {
                return;
            }
        }
    }

    /// What becomes of a line.
    fn judge(&mut self, line: &[u8]) -> Line {
        if line.is_empty() {
            return Line::Ignored;
        }
        let message: Value = match serde_json::from_slice(line) {
            Ok(message) => message,
            Err(error) => return refused(ErrorCode::PARSE_ERROR, "mcp_message_is_not_json", error, Value::Null),
        };
        let id = message.get("id").filter(|id| id.is_string() || id.is_number()).cloned().unwrap_or_default();
        let Some(method) = message.get("method").and_then(Value::as_str).map(str::to_owned) else {
            // This server asks nothing, so a response is one to nothing.
            let is_response = !id.is_null() && (message.get("result").is_some() || message.get("error").is_some());
            return match is_response {
                true => Line::Ignored,
                false => refused(ErrorCode::INVALID_REQUEST, "mcp_message_is_not_a_request", "", id),
            };
        };
        let is_notification = message.get("id").is_none();
        if is_notification && !self.is_initialized {
            return Line::Ignored;
        }
        if !is_notification && !METHODS.contains(&&*method) {
            let method: String = method.chars().take(100).collect();
            return refused(ErrorCode::METHOD_NOT_FOUND, "mcp_unknown_method", format!("{method:?}"), id);
        }
        if !is_notification && !self.is_initialized && !["initialize", "ping"].contains(&&*method) {
            return refused(ErrorCode::INVALID_REQUEST, "mcp_is_not_initialized", "", id);
        }
        let is_request = message["jsonrpc"] == "2.0" && (id.is_string() || id.is_i64());
        let message = match serde_json::from_value::<ClientJsonRpcMessage>(message) {
            Ok(message) => message,
            Err(_) if is_notification => return Line::Ignored,
            Err(error) if !is_request => {
                return refused(ErrorCode::INVALID_REQUEST, "mcp_message_is_not_a_request", error, id);
            }
            Err(_) => return refused(ErrorCode::INVALID_PARAMS, "mcp_invalid_params", format!("{method:?}"), id),
        };
        match &message {
            // What has the method of a request and not its params.
            JsonRpcMessage::Request(request) if matches!(request.request, ClientRequest::CustomRequest(_)) => {
                return refused(ErrorCode::INVALID_PARAMS, "mcp_invalid_params", format!("{method:?}"), id);
            }
            JsonRpcMessage::Request(request) if matches!(request.request, ClientRequest::InitializeRequest(_)) => {
                self.is_initialized = true;
            }
            _ => {}
        }
        Line::Message(Box::new(message))
    }
}

/// Reads on to the end of a line; false where there is none.
fn skip_line(input: &mut impl BufRead) -> bool {
    loop {
        let (length, is_end) = match input.fill_buf() {
            Ok([]) | Err(_) => return false,
            Ok(bytes) => match bytes.iter().position(|byte| *byte == b'\n') {
                Some(end) => (end + 1, true),
                None => (bytes.len(), false),
            },
        };
        input.consume(length);
        if is_end {
            return true;
        }
    }
}

fn refused(kind: ErrorCode, code: &str, detail: impl Display, id: Value) -> Line {
    Line::Refused(error(kind, code, detail), id)
}

/// An error of the protocol, with a code of htalk in its words and in its data.
pub fn error(kind: ErrorCode, code: &str, detail: impl Display) -> ErrorData {
    let row = codes::own(code);
    let (meaning, next_step) = row.map_or(("", ""), |row| (&*row.meaning, &*row.next_step));
    let detail = detail.to_string();
    let detail = if detail.is_empty() { detail } else { format!(" ({detail})") };
    ErrorData::new(kind, format!("{code}: {meaning}{detail} {next_step}"), Some(json!({ "error": code })))
}
