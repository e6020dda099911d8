//! One call to an OpenCode server: its time and size limits, its credentials, and what a failure of it proves.

use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use serde_json::Value;
use ureq::unversioned::transport::{Connector, TcpConnector};
use ureq::{Agent, http};

use super::connect::{ForeignListener, LoopbackOnly, SameUser, Watch};
use super::tls::{Tls, TlsFailure};
use crate::clients::Refusal;
use crate::environment::Environment;

/// The longest answer that is read, in bytes. A page of 500 sessions is about 200 KB (seen on OpenCode 1.18.33).
const ANSWER_LIMIT: u64 = 8 << 20;

/// The longest words of the system that go into a detail, in characters.
const DETAIL_LIMIT: usize = 300;

/// All but the characters that a URL never needs to escape.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A path segment or a query value for a URL.
pub fn escape(bytes: &[u8]) -> String {
    percent_encode(bytes, ESCAPED).to_string()
}

/// A call that brought no usable answer.
#[derive(Debug)]
pub struct Failure {
    /// Whether a byte of the request may have reached the server.
    pub written: bool,
    /// What happened.
    pub refusal: Refusal,
}

/// A server and what is sent to it with each call.
pub struct Server {
    url: String,
    authorization: Option<String>,
    agent: Agent,
    written: Arc<AtomicBool>,
}

impl Server {
    /// The server at `url`, with the credentials and the trust of the environment; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// `invalid_opencode_url`, `opencode_url_must_be_loopback`: a mailbox may hold what another program wrote.
    pub fn new(environment: &Environment, url: &str) -> Result<Self, Refusal> {
        let url = super::url::server_url(url).map_err(Refusal::new)?;
        let written = Arc::new(AtomicBool::new(false));
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            // A connection for each call: one that the server is about to close would make a refusal look like a doubt.
            .max_idle_connections(0)
            .user_agent("htalk")
            .accept("application/json")
            .build();
        let connector = TcpConnector::default()
            .chain(SameUser)
            .chain(Tls::new(environment.clone()))
            .chain(Watch(Arc::clone(&written)));
        let agent = Agent::with_parts(config, connector, LoopbackOnly);
        Ok(Server { url, authorization: credentials(environment), agent, written })
    }

    /// The URL in its stored form.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether calls carry credentials.
    pub fn has_credentials(&self) -> bool {
        self.authorization.is_some()
    }

    /// The status code that the server gives to a call without credentials.
    pub fn status_without_credentials(&self, path: &str, deadline: Instant) -> Result<u16, Failure> {
        Ok(self.call(path, None, false, deadline)?.status().as_u16())
    }

    /// The JSON that the server answers to `GET path`, until `deadline`.
    ///
    /// # Errors
    ///
    /// A [`Failure`] for everything but a 200 with JSON.
    pub fn get(&self, path: &str, deadline: Instant) -> Result<Value, Failure> {
        let answer = self.call(path, None, true, deadline)?;
        if answer.status() != http::StatusCode::OK {
            return Err(self.failure(status_refusal(answer.status().as_u16())));
        }
        let body = answer.into_body().into_with_config().limit(ANSWER_LIMIT).read_to_vec();
        let body = body.map_err(|error| self.failed(error))?;
        serde_json::from_slice(&body)
            .map_err(|error| self.failure(Refusal::new("opencode_invalid_answer").with_detail(error)))
    }

    /// The status code that the server answers to `POST path` with `body` as JSON, within `limit`. Its text is not
    /// read.
    pub fn post(&self, path: &str, body: &Value, limit: Duration) -> Result<u16, Failure> {
        Ok(self.call(path, Some(body), true, Instant::now() + limit)?.status().as_u16())
    }

    fn call(
        &self,
        path: &str,
        body: Option<&Value>,
        with_credentials: bool,
        deadline: Instant,
    ) -> Result<http::Response<ureq::Body>, Failure> {
        self.written.store(false, Ordering::Relaxed);
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(self.failure(Refusal::new("opencode_timed_out")));
        }
        let url = format!("{}{path}", self.url);
        let authorization = self.authorization.as_ref().filter(|_| with_credentials);
        let answer = match body {
            None => {
                let mut request = self.agent.get(url).header("connection", "close");
                if let Some(value) = authorization {
                    request = request.header("authorization", value);
                }
                request.config().timeout_global(Some(left)).build().call()
            }
            Some(body) => {
                let mut request = self.agent.post(url).header("connection", "close");
                if let Some(value) = authorization {
                    request = request.header("authorization", value);
                }
                let request = request.header("content-type", "application/json");
                request.config().timeout_global(Some(left)).build().send(body.to_string())
            }
        };
        answer.map_err(|error| self.failed(error))
    }

    fn failure(&self, refusal: Refusal) -> Failure {
        Failure { written: self.written.load(Ordering::Relaxed), refusal }
    }

    fn failed(&self, error: ureq::Error) -> Failure {
        let written = self.written.load(Ordering::Relaxed);
        let code = match &error {
            ureq::Error::Other(cause) if cause.is::<ForeignListener>() => "opencode_server_of_another_user",
            ureq::Error::Other(cause) if cause.is::<TlsFailure>() => "opencode_tls_failed",
            ureq::Error::Timeout(_) => "opencode_timed_out",
            ureq::Error::BodyExceedsLimit(_) | ureq::Error::LargeResponseHeader(..) => "opencode_answer_too_large",
            ureq::Error::Io(_) | ureq::Error::HostNotFound | ureq::Error::ConnectionFailed if !written => {
                "recipient_unavailable"
            }
            ureq::Error::Io(_) => "opencode_connection_closed",
            _ => "opencode_invalid_answer",
        };
        let words: String = error.to_string().chars().take(DETAIL_LIMIT).collect();
        Failure { written, refusal: Refusal::new(code).with_detail(words) }
    }
}

/// What a status code that was not hoped for says. 401 with an empty body is what OpenCode 1.18.33 answers to missing
/// and to wrong credentials alike.
pub fn status_refusal(status: u16) -> Refusal {
    match status {
        401 => Refusal::new("opencode_unauthorized")
            .with_detail("OPENCODE_SERVER_PASSWORD (and OPENCODE_SERVER_USERNAME) of this server"),
        400..=499 => Refusal::new(format!("opencode_request_refused:{status}")),
        500..=599 => Refusal::new(format!("opencode_server_error:{status}")),
        _ => Refusal::new(format!("opencode_unexpected_answer:{status}")),
    }
}

/// The value of the `Authorization` header; none where no password is set. The user is `opencode` where none is named.
fn credentials(environment: &Environment) -> Option<String> {
    let password = environment.get("OPENCODE_SERVER_PASSWORD")?;
    let user = environment.get("OPENCODE_SERVER_USERNAME").unwrap_or_else(|| "opencode".into());
    let pair = [user.as_bytes(), b":", password.as_bytes()].concat();
    Some(format!("Basic {}", BASE64_STANDARD.encode(pair)))
}
