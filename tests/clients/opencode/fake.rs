//! A fake OpenCode server: it answers as version 1.18.33 was seen to answer, and badly where a test asks for that.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::process::CEILING;

/// One request that came in, complete.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    /// Path and query as they were sent.
    pub target: String,
    /// The header lines, names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap()
    }

    /// A query value as it was sent, still escaped.
    pub fn query(&self, name: &str) -> Option<&str> {
        let (_, query) = self.target.split_once('?')?;
        query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
    }

    pub fn is_prompt(&self) -> bool {
        self.method == "POST"
    }
}

/// What is sent back.
pub enum Answer {
    Json(u16, Value),
    /// A status with no body.
    Empty(u16),
    /// These bytes, then the end of the connection.
    Raw(Vec<u8>),
    /// These bytes, then nothing more while the connection stays open.
    Stall(Vec<u8>),
    /// These bytes, one each 50 ms.
    Drip(Vec<u8>),
    /// These bytes, then as many spaces as the client takes.
    Endless(Vec<u8>),
    /// The end of the sending side at once, without a byte.
    HalfClose,
    /// A reset, without a byte.
    Reset,
}

/// Makes an answer.
pub type Make = fn() -> Answer;

type Handler = dyn Fn(&Request) -> Answer + Send + Sync;

/// A server on a free port. Its threads end with the test's process.
pub struct Fake {
    url: String,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Fake {
    /// A server that answers each request with what `handler` says.
    pub fn new(handler: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Fake {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen: Arc<Mutex<Vec<Request>>> = Arc::default();
        let (log, handler): (_, Arc<Handler>) = (Arc::clone(&seen), Arc::new(handler));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, handler) = (Arc::clone(&log), Arc::clone(&handler));
                thread::spawn(move || serve(stream, &log, &*handler));
            }
        });
        Fake { url, seen }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// All requests until now.
    pub fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }

    /// The prompts until now.
    pub fn prompts(&self) -> Vec<Request> {
        self.seen().into_iter().filter(Request::is_prompt).collect()
    }
}

fn serve(mut stream: TcpStream, log: &Mutex<Vec<Request>>, handler: &Handler) {
    let Some(request) = read(&mut stream) else { return };
    log.lock().unwrap().push(request.clone());
    let head = |status: u16, length: usize| {
        format!("HTTP/1.1 {status} Fake\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n")
    };
    // A client that has had enough closes first.
    let _ = match handler(&request) {
        Answer::Json(status, value) => {
            let body = value.to_string();
            stream.write_all((head(status, body.len()) + &body).as_bytes())
        }
        Answer::Empty(status) => stream.write_all(head(status, 0).as_bytes()),
        Answer::Raw(bytes) => stream.write_all(&bytes),
        Answer::Stall(bytes) => stream.write_all(&bytes).map(|()| until_closed(&mut stream)),
        Answer::Drip(bytes) => bytes.iter().try_for_each(|byte| {
            thread::sleep(Duration::from_millis(50));
            stream.write_all(&[*byte])
        }),
        Answer::Endless(bytes) => {
            let blanks = [b' '; 65536];
            let mut sent = stream.write_all(&bytes);
            while sent.is_ok() {
                sent = stream.write_all(&blanks);
            }
            sent
        }
        Answer::HalfClose => stream.shutdown(Shutdown::Write).map(|()| until_closed(&mut stream)),
        // What is left unread makes the kernel answer with a reset.
        Answer::Reset => return,
    };
    let _ = stream.shutdown(Shutdown::Write);
}

/// Waits until the client has closed the connection, or for longer than the ceiling of any time limit.
fn until_closed(stream: &mut TcpStream) {
    let _ = stream.set_read_timeout(Some(2 * CEILING));
    let _ = io::copy(stream, &mut io::sink());
}

/// Reads one request; the last byte of a prompt's body stays unread, for [`Answer::Reset`].
fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        bytes.push(byte[0]);
    }
    let text = String::from_utf8(bytes).ok()?;
    let mut lines = text.lines();
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length").map_or(0, |(_, text)| text.parse().unwrap());
    let mut body = vec![0; length];
    let (most, last) = body.split_at_mut(length.saturating_sub(1));
    stream.read_exact(most).ok()?;
    if !last.is_empty() {
        stream.peek(last).ok()?;
    }
    Some(Request { method, target, headers, body })
}

/// What a well-behaved server holds.
#[derive(Clone)]
pub struct Server {
    /// Session objects, newest first, as `/session` shows them.
    pub sessions: Vec<Value>,
    /// The entries of `/session/status`.
    pub statuses: Value,
    /// The version in `/global/health`; one before 1.18 has no routes under `/api/`.
    pub version: &'static str,
    /// `USER:PASSWORD`, where one is demanded, in Base64.
    pub credentials: Option<&'static str>,
    /// Whether a list heeds `limit`.
    pub heeds_limit: bool,
}

impl Server {
    /// Version 1.18.33 with these sessions, all idle, without a password.
    pub fn with(sessions: Vec<Value>) -> Server {
        Server { sessions, statuses: json!({}), version: "1.18.33", credentials: None, heeds_limit: true }
    }

    /// Answers one request as the real server was seen to do it.
    pub fn answer(&self, request: &Request) -> Answer {
        let sent = request.header("authorization");
        if self.credentials.is_some_and(|wanted| sent != Some(&format!("Basic {wanted}"))) {
            let head = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"Secure Area\"\r\n";
            return Answer::Raw(format!("{head}Content-Length: 0\r\n\r\n").into_bytes());
        }
        let words: Vec<&str> = request.path().split('/').skip(1).collect();
        let is_newer = !self.version.starts_with("1.0");
        match (request.method.as_str(), &words[..]) {
            ("GET", ["global", "health"]) => Answer::Json(200, json!({"healthy": true, "version": self.version})),
            ("GET", ["api", "session"]) if is_newer => self.page(request),
            ("GET", ["session"]) => {
                let asked = request.query("limit").filter(|_| self.heeds_limit);
                let limit = asked.map_or(100, |text| text.parse().unwrap());
                let roots = request.query("roots") == Some("true");
                let kept = self.sessions.iter().filter(|session| !roots || session["parentID"].is_null());
                Answer::Json(200, kept.take(limit).cloned().collect())
            }
            ("GET", ["session", "status"]) => Answer::Json(200, self.statuses.clone()),
            ("GET", ["session", id]) => match self.session(id) {
                Some(session) => Answer::Json(200, session.clone()),
                None => not_found(id),
            },
            ("POST", ["session", id, "prompt_async"]) if self.session(id).is_some() => Answer::Empty(204),
            ("POST", ["session", id, "prompt_async"]) => not_found(id),
            // The real one shows the web page of its own.
            _ => Answer::Raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<!doctype html>".to_vec()),
        }
    }

    fn session(&self, id: &str) -> Option<&Value> {
        self.sessions.iter().find(|session| session["id"] == id)
    }

    /// `/api/session`: every project's sessions, and a cursor even on the last page.
    fn page(&self, request: &Request) -> Answer {
        let start: usize = request.query("cursor").map_or(0, |text| text.parse().unwrap());
        let asked = request.query("limit").filter(|_| self.heeds_limit);
        let limit = asked.map_or(50, |text| text.parse().unwrap());
        let data: Vec<Value> = self.sessions.iter().skip(start).take(limit).map(newer).collect();
        let next = (!data.is_empty()).then(|| (start + data.len()).to_string());
        Answer::Json(200, json!({"data": data, "cursor": {"previous": null, "next": next}}))
    }
}

/// A session object in the layout of `/api/session`.
fn newer(session: &Value) -> Value {
    let mut object = session.clone();
    let directory = object.as_object_mut().unwrap().shift_remove("directory");
    object["location"] = json!({"directory": directory});
    object
}

fn not_found(id: &str) -> Answer {
    let words = format!("Session not found: {id}");
    Answer::Json(404, json!({"name": "NotFoundError", "data": {"message": words}}))
}

/// A session object as a fresh session has it.
pub fn session(id: &str, directory: &str) -> Value {
    json!({
        "id": id, "slug": "silent-sailor", "projectID": "global", "directory": directory, "path": "", "cost": 0,
        "tokens": {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}},
        "title": "New session - 2026-11-29T20:00:00.000Z", "version": "1.18.33",
        "time": {"created": 1795986522832_u64, "updated": 1795986522832_u64},
    })
}
