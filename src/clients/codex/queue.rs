//! `codex queue`, the way in where no app server listens. Seen on Codex 0.171.0.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::super::{Address, Context, Refusal};
use super::app_server::{queue_id, stated};
use super::home::{self, Place};
use crate::platform::cleanup::Scope;
use crate::platform::command::{self, Ended, Limit, Limits};

/// The command answers in 0.15 to 0.4 s; a busy machine takes longer.
const LIMITS: Limits = Limits { time: Duration::from_secs(10), output: 64 << 10 };

/// What the command came to.
#[derive(Debug, PartialEq, Eq)]
pub enum Queued {
    /// A receipt for this thread, with the id of the queued item.
    Yes(String),
    /// Nothing was queued.
    No(String),
    /// Nobody knows.
    Unknown(String),
}

/// Codex's command for a peer: its configuration directory and its database, its working directory, nothing else of
/// Codex's settings changed (an override makes `codex queue` fail while a daemon runs).
///
/// # Errors
/// `codex` is not in `PATH`.
pub fn codex(context: Context<'_>, address: &Address, codex_home: &Path, place: &Place) -> Result<Command, Refusal> {
    let mut command = context
        .command("codex")
        .ok_or_else(|| Refusal::new("adapter_unavailable").with_detail("the command codex is not in PATH"))?;
    // Not where it is the usual one: Codex wants a directory that it is told to exist, and makes its own.
    if home::usual(context.environment).is_none_or(|usual| usual != codex_home) {
        command.env("CODEX_HOME", codex_home);
    }
    match &place.variable {
        Some(directory) => command.env("CODEX_SQLITE_HOME", directory),
        None => command.env_remove("CODEX_SQLITE_HOME"),
    };
    if address.workspace.is_dir() {
        command.current_dir(&address.workspace);
    }
    Ok(command)
}

fn limits(address: &Address) -> Limits {
    Limits { time: address.within(LIMITS.time), ..LIMITS }
}

/// What `codex --version` prints, on one line of at most 128 characters without control characters.
///
/// # Errors
/// `native_version_unavailable`: the command does not run, so nothing has to be tried with it.
pub fn version(scope: &Scope, mut command: Command, address: &Address) -> Result<Option<String>, Refusal> {
    let refuse = |words: String| Err(Refusal::new("native_version_unavailable").with_detail(words));
    match command::run(scope, command.arg("--version"), Vec::new(), limits(address)) {
        Err(error) => refuse(error.to_string()),
        Ok(Ended::Exited { status, stdout, .. }) if status.success() => Ok(String::from_utf8(stdout)
            .ok()
            .map(|text| text.trim().to_owned())
            .filter(|text| (1..=128).contains(&text.len()) && !text.contains(char::is_control))),
        Ok(Ended::Exited { status, .. }) => refuse(format!("codex --version ended with {status}")),
        Ok(Ended::Limit { .. }) => refuse("codex --version did not end within its limits".into()),
    }
}

/// Queues `text` for the thread of a peer.
pub fn submit(scope: &Scope, mut command: Command, address: &Address, text: &str) -> Queued {
    let id = address.session_id.as_str();
    // With `=`: a text that starts with a dash would be taken for an option.
    command.args(["queue", "--thread", id]).arg(format!("--message={text}"));
    match command::run(scope, &mut command, Vec::new(), limits(address)) {
        Err(_) => Queued::No("adapter_unavailable".into()),
        // A complete receipt counts, whatever the command did after it.
        Ok(Ended::Limit { limit, stdout }) => match (receipt(&stdout, id), limit) {
            (Ok(queued), _) => Queued::Yes(queued),
            (Err(_), Limit::Time) => Queued::Unknown("codex_cli_unconfirmed_receipt:timed_out".into()),
            (Err(_), Limit::Output) => Queued::Unknown("codex_cli_unconfirmed_receipt:answer_too_large".into()),
            (Err(_), Limit::Lost) => Queued::Unknown("codex_cli_unconfirmed_receipt:lost".into()),
        },
        Ok(Ended::Exited { status, stdout, stderr }) => {
            let stderr = String::from_utf8_lossy(&stderr);
            match status.code() {
                Some(0) => match receipt(&stdout, id) {
                    Ok(queued) => Queued::Yes(queued),
                    Err(reason) => Queued::Unknown(format!("codex_cli_unconfirmed_receipt:{reason}")),
                },
                Some(code) => match refused(code, &stdout, &stderr, id) {
                    Some(stated) => Queued::No(stated),
                    None => Queued::Unknown(format!("codex_cli_unconfirmed_receipt:exit_{code}")),
                },
                None => Queued::Unknown("codex_cli_unconfirmed_receipt:killed".into()),
            }
        }
    }
}

/// The queue id of exactly `Queued message ID for thread THREAD.` on standard output; else what was wrong.
fn receipt(stdout: &[u8], id: &str) -> Result<String, &'static str> {
    let text = std::str::from_utf8(stdout).map_err(|_| "malformed_answer")?;
    let line = text.strip_suffix('\n').unwrap_or(text);
    let (queued, thread) = line
        .strip_prefix("Queued message ")
        .and_then(|rest| rest.strip_suffix('.'))
        .and_then(|rest| rest.split_once(" for thread "))
        .ok_or("malformed_answer")?;
    let queued = queue_id(queued).ok_or("malformed_answer")?;
    if !thread.eq_ignore_ascii_case(id) {
        return Err("other_thread");
    }
    Ok(queued)
}

/// The code of what the command positively refused; none where it may have queued the message all the same.
fn refused(code: i32, stdout: &[u8], stderr: &str, id: &str) -> Option<String> {
    if !stdout.is_empty() {
        return None;
    }
    if code == 2 {
        // The option parser: nothing ran. An older Codex does not know the command.
        let usage = stderr.lines().find_map(|line| line.strip_prefix("error: "))?;
        let is_unknown =
            usage.starts_with("unrecognized subcommand") || usage.starts_with("unexpected argument '--thread'");
        return Some(if is_unknown { "codex_queue_unsupported" } else { "codex_bad_usage" }.into());
    }
    // Warnings may stand before it.
    let words = stderr.lines().rev().find_map(|line| line.strip_prefix("Error: "))?;
    if words.starts_with("No active session found matching ") {
        return Some("recipient_not_in_codex_state".into());
    }
    if words.starts_with("cannot queue through an embedded app server while a local app-server daemon is running") {
        return Some("codex_configuration_overrides_refused".into());
    }
    if let Some(cause) = words.strip_prefix("failed to start embedded app server: ") {
        let is_read_only = cause.starts_with("Read-only file system");
        return Some(if is_read_only { "codex_sandbox_read_only_home" } else { "codex_app_server_not_started" }.into());
    }
    let words = words.strip_prefix("failed to queue session message: ")?;
    let words = words.split_once(" failed: ").map_or(words, |(_, rest)| rest);
    if let Some(known) = stated(words, id) {
        return Some(known.into());
    }
    let number = words.strip_suffix(')')?.rsplit_once("(code ")?.1.parse::<i64>().ok()?;
    (-32602..=-32600).contains(&number).then(|| format!("codex_app_server_refused:{number}"))
}

#[cfg(test)]
mod tests {
    use super::{receipt, refused};
    use crate::noise;

    const THREAD: &str = "01a228ac-58fc-7e62-8f5a-f369cc0e706b";
    const QUEUED: &str = "01a228ac-e4d9-71f3-bff2-93f3ea7946ca";

    #[test]
    fn a_receipt_counts_for_its_thread_alone() {
        let line = format!("Queued message {QUEUED} for thread {THREAD}.\n");
        assert_eq!(receipt(line.as_bytes(), THREAD).as_deref(), Ok(QUEUED));
        assert_eq!(receipt(line.as_bytes(), &THREAD.to_uppercase()).as_deref(), Ok(QUEUED));
        assert_eq!(receipt(line.as_bytes(), QUEUED), Err("other_thread"));
        assert_eq!(receipt(format!("hello\n{line}").as_bytes(), THREAD), Err("malformed_answer"));
        assert_eq!(receipt(b"", THREAD), Err("malformed_answer"));
        assert_eq!(
            receipt(format!("Queued message 7 for thread {THREAD}.").as_bytes(), THREAD),
            Err("malformed_answer")
        );
    }

    #[test]
    fn what_is_not_stated_stays_in_doubt() {
        let add = "Error: failed to queue session message: thread/queue/add failed: ";
        let code = |exit, stderr: &str| refused(exit, b"", stderr, THREAD);
        let archived = format!(
            "{add}session {THREAD} is archived. Run `codex unarchive {THREAD}` to unarchive it first. (code -32600)"
        );
        assert_eq!(code(1, &archived).as_deref(), Some("recipient_session_archived"));
        assert_eq!(code(1, &format!("{add}wrong. (code -32600)")).as_deref(), Some("codex_app_server_refused:-32600"));
        assert_eq!(code(1, &format!("{add}database is locked (code -32603)")), None);
        assert_eq!(code(1, "Error: connection lost"), None);
        assert_eq!(code(2, "error: unrecognized subcommand 'queue'").as_deref(), Some("codex_queue_unsupported"));
        assert_eq!(code(2, "error: unexpected argument '-d' found").as_deref(), Some("codex_bad_usage"));
        assert_eq!(code(101, "thread 'main' panicked"), None);
    }

    #[test]
    fn what_the_command_prints_is_a_receipt_or_not() {
        let receipts = noise::bytes(&[
            "Queued message 01a228ac-e4d9-71f3-bff2-93f3ea7946ca for thread 01a228ac-58fc-7e62-8f5a-f369cc0e706b.\n",
            "Queued message  for thread .",
        ]);
        noise::each(receipts, |output| {
            let whole = format!("Queued message {QUEUED} for thread {THREAD}.");
            let is_whole = String::from_utf8_lossy(&output).trim_end().eq_ignore_ascii_case(&whole);
            let told = receipt(&output, THREAD);
            assert!(told.is_err() || told.as_deref() == Ok(QUEUED) && is_whole || told.is_ok_and(|id| id.len() == 36));
        });
        let errors = noise::text(&[
            "Error: failed to queue session message: thread/queue/add failed: session x is archived. (code -32600)",
            "error: unrecognized subcommand 'queue'",
            "Error: failed to start embedded app server: Read-only file system",
        ]);
        noise::each(errors, |words| {
            for code in [1, 2] {
                assert!(refused(code, b"", &words, THREAD).is_none_or(|code| code.len() < 60));
                assert_eq!(refused(code, b"x", &words, THREAD), None);
            }
        });
    }
}
