//! What one htalk asks of another over SSH, for a handoff to a session on that host.
//!
//! Everything travels on standard input and output: one line of JSON, behind it the text; and one line of JSON back.
//! The other side keeps no mailbox and no authority. Its clock decides whether the time to submit is over: it names the
//! present in its first answer, and the time left is added to that.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::clients::{Context, Refusal};
use crate::codes;
use crate::platform::command::{self, Ended, Limits};

/// Bytes of a request's line, and of an answer.
pub const LINE_BYTES: usize = 8192;

/// Bytes of a text.
pub const TEXT_BYTES: usize = 4 << 20;

/// Bytes that the command may print.
const OUTPUT: usize = 1 << 20;

/// The version of both lines.
pub const VERSION: u8 = 1;

/// What the other side is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Only look at the session.
    Probe,
    /// Submit the text behind the line, once.
    Submit,
}

/// A request.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// [`VERSION`].
    pub schema_version: u8,
    /// What is to be done.
    pub step: Step,
    /// The handoff; before there is one, any UUID.
    pub correlation_id: String,
    /// The session's client.
    pub harness: String,
    /// The session.
    pub session_id: String,
    /// The home of Codex on the other side, where one was named.
    pub codex_home: Option<String>,
    /// Whether a home without a writer will do.
    pub allows_inactive_home: bool,
    /// To submit: the generation that was probed or prepared.
    pub target_generation: Option<String>,
    /// To submit: the context that was probed.
    pub context: Option<Map<String, Value>>,
    /// To submit: the other side's boot and nanoseconds, from when on none is left.
    pub deadline: Option<Deadline>,
    /// Bytes of the text behind the line; 0 for a probe.
    pub text_bytes: u32,
}

/// A moment on the other side's clock.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deadline {
    /// SHA-256 of the boot's id.
    pub boot: String,
    /// Nanoseconds since boot.
    pub ns: i64,
}

/// An answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// [`VERSION`].
    pub schema_version: u8,
    /// The step of the request that this answers; with the two below it shows that it answers just this one.
    pub step: Step,
    /// The handoff of the request.
    pub correlation_id: String,
    /// The session of the request.
    pub session_id: String,
    /// `ready`, `submitted`, `refused` or `unknown`.
    pub status: String,
    /// The receipt, or the code of what went wrong.
    pub detail: Option<String>,
    /// Submitted: the client's id of the queued text, where it gave one.
    pub queue_id: Option<String>,
    /// The recipient's state that was seen.
    pub recipient_status: Option<String>,
    /// The session's generation.
    pub target_generation: Option<String>,
    /// The context that was found.
    pub context: Option<Map<String, Value>>,
    /// What was found out about the target.
    pub target: Map<String, Value>,
    /// The present on the other side.
    pub now: Option<Deadline>,
}

/// Whether a text names one host that `ssh` can't take for an option.
pub fn is_host(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_.@:[]%-".contains(&byte);
    (1..=255).contains(&text.len()) && !text.starts_with('-') && text.bytes().all(is_allowed)
}

/// Looks at the session on a host; nothing is submitted.
///
/// # Errors
/// `remote_preflight_unavailable`, or what the other side refused with.
pub fn probe(context: Context<'_>, host: &str, request: &Request, time: Duration) -> Result<Answer, Refusal> {
    let unavailable = |words: String| Refusal::new("remote_preflight_unavailable").with_detail(words);
    let called = call(context, host, request, "", time).map_err(|error| unavailable(error.to_string()))?;
    match called.answer.filter(|answer| answer.is_about(request)) {
        Some(answer) if answer.status == "ready" => Ok(answer),
        // Only what is said of a session is taken over: of this side's mailbox the other one knows nothing. A later
        // release may have codes that are not known here.
        Some(Answer { detail: Some(detail), .. }) if is_of_session(&detail) => {
            Err(Refusal::new(bare(&detail)).with_detail(format!("answered by {host}: {}", cut(&detail))))
        }
        Some(Answer { status, detail, .. }) => {
            let detail = detail.unwrap_or_default();
            Err(unavailable(format!("{host} answered {:?}, {:?}", cut(&status), cut(&detail))))
        }
        None => Err(unavailable(format!("no htalk answered on {host}: {}", called.ending))),
    }
}

/// Submits a text on a host, once.
///
/// # Errors
/// `ssh` could not be started: nothing was submitted. Without a complete line about just this handoff the answer is
/// none: nobody knows.
pub fn submit(
    context: Context<'_>,
    host: &str,
    request: &Request,
    text: &str,
    time: Duration,
) -> std::io::Result<Option<Answer>> {
    Ok(call(context, host, request, text, time)?.answer.filter(|answer| answer.is_about(request)))
}

/// What is left of a detail that can be a code: the part before a colon.
pub fn bare(detail: &str) -> String {
    detail.split(':').next().unwrap_or_default().to_owned()
}

/// Whether a code is known here and says something of a session or of its client.
fn is_of_session(code: &str) -> bool {
    codes::row(code, None).is_some_and(|row| row.kind.is_of_session())
}

/// The beginning of what the other side says.
fn cut(text: &str) -> String {
    text.chars().take(200).collect()
}

/// Whether a text has the form of a code.
fn is_code(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    (1..=128).contains(&text.len()) && text.bytes().all(is_allowed)
}

impl Answer {
    /// Whether this answers just that request, in words that can be stored. A text goes to one process; only a refusal
    /// may name another one.
    fn is_about(&self, request: &Request) -> bool {
        let is_same_process = self.target_generation == request.target_generation;
        self.detail.as_deref().is_none_or(|detail| is_code(&bare(detail)))
            && (request.step == Step::Probe || self.status == "refused" || is_same_process)
            && (self.schema_version, self.step, self.correlation_id.as_str(), self.session_id.as_str())
                == (VERSION, request.step, request.correlation_id.as_str(), request.session_id.as_str())
    }
}

/// What a call came to.
struct Called {
    answer: Option<Answer>,
    ending: String,
}

/// The text and everything about it goes through standard input: arguments can be read by others.
fn call(context: Context<'_>, host: &str, request: &Request, text: &str, time: Duration) -> std::io::Result<Called> {
    let missing = || std::io::Error::other("the command ssh is not in PATH");
    let mut command = context.command("ssh").ok_or_else(missing)?;
    for option in [
        "BatchMode=yes",
        "StrictHostKeyChecking=yes",
        "ClearAllForwardings=yes",
        "ForwardAgent=no",
        "ForwardX11=no",
        "PermitLocalCommand=no",
        "ControlMaster=no",
    ] {
        command.args(["-o", option]);
    }
    command.args(["-T", "--", host, "htalk", "handoff", "native", "--frame", "-"]);
    let mut input = serde_json::to_vec(request)?;
    input.push(b'\n');
    input.extend_from_slice(text.as_bytes());
    // A complete line counts however the command ends after it.
    let (stdout, ending) = match command::run(context.scope, &mut command, input, Limits { time, output: OUTPUT })? {
        Ended::Exited { status, stdout, stderr } => {
            let words = String::from_utf8_lossy(&stderr);
            let last: String = words.trim_end().rsplit('\n').next().unwrap_or_default().chars().take(200).collect();
            (stdout, format!("{status}, {last:?}"))
        }
        Ended::Limit { stdout, .. } => (stdout, "it took too long or printed too much".to_owned()),
    };
    Ok(Called { answer: only_line(&stdout).and_then(object), ending })
}

/// The one complete line of an output.
fn only_line(output: &[u8]) -> Option<&[u8]> {
    let line = output.strip_suffix(b"\n")?;
    (line.len() <= LINE_BYTES && !line.contains(&b'\n')).then_some(line)
}

/// One JSON object with just the keys that are known; serde would take an array of the values as well.
pub fn object<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Option<T> {
    line.starts_with(b"{").then(|| serde_json::from_slice(line).ok())?
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::super::receipt::Receipt;
    use super::{Answer, LINE_BYTES, Request, is_host, object, only_line};
    use crate::noise;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Pair {
        a: u8,
        b: Option<String>,
    }

    #[test]
    fn an_object_has_its_keys_once_and_nothing_else() {
        assert_eq!(object(br#"{"a":1,"b":"x"}"#), Some(Pair { a: 1, b: Some("x".into()) }));
        for wrong in [
            r#"{"a":1,"a":1}"#,
            r#"{"a":1.0}"#,
            r#"{"a":1e0}"#,
            r#"{"a":1,"c":2}"#,
            r#"[1,"x"]"#,
            r#"{"a":1}{"#,
            "\u{feff}{\"a\":1}",
            r#" {"a":1}"#,
            r#"{"b":"x"}"#,
            "",
        ] {
            assert_eq!(object::<Pair>(wrong.as_bytes()), None, "{wrong}");
        }
    }

    #[test]
    fn only_a_complete_line_counts() {
        assert_eq!(only_line(b"{}\n"), Some(&b"{}"[..]));
        for wrong in [&b"{}"[..], b"{}\n{}\n", b"banner\n{}\n", b""] {
            assert_eq!(only_line(wrong), None);
        }
    }

    #[test]
    fn a_host_is_no_option() {
        for host in ["build", "me@build.example", "[::1]", "fe80::1%eth0", "a-b"] {
            assert!(is_host(host), "{host}");
        }
        for text in ["", "-oProxyCommand=x", "a b", "a;b", "a/b", "$(x)", "ä"] {
            assert!(!is_host(text), "{text}");
        }
    }

    #[test]
    fn a_line_of_any_form_is_an_answer_or_not() {
        let receipt = serde_json::to_string(&Receipt::sample("g")).unwrap();
        let samples: &'static [&'static str] =
            vec![&*receipt.leak(), "{\"kind\":\"answer\"}\n", "{\"a\":1}\n", "{}\n"].leak();
        noise::each(noise::bytes(samples), |output| {
            let line = only_line(&output);
            assert!(line.is_none_or(|line| line.len() <= LINE_BYTES));
            for bytes in [&output[..], line.unwrap_or_default()] {
                drop(object::<Receipt>(bytes));
                drop(object::<Answer>(bytes));
                drop(object::<Request>(bytes));
            }
        });
        noise::each(noise::text(&["me@build.example", "[::1]", "-oProxyCommand=x"]), |host| {
            assert!(!is_host(&host) || !host.starts_with('-') && !host.contains([' ', ';', '$', '\n']), "{host}");
        });
    }
}
