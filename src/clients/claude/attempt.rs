//! The one attempt to submit a notice: verify, listen, connect, look once more, write, wait for a report.
//!
//! The session confirms nothing on its sockets. It reports what it held, dropped or refused on a socket of the
//! sender's, mostly 2 to 309 ms after the write (seen on 2.1.332); so silence for 400 ms is what stands for acceptance
//! here, or sooner the line of its transcript that says that the text was queued. Silence of a client that has not
//! moved at all since the write stands for nothing: on a loaded machine each report was seen to come later.

use std::path::Path;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, poll};
use uuid::Uuid;

use super::frame::{self, Connection, Ending, Written};
use super::listener::Listener;
use super::report::{Incoming, Report};
use super::sessions::{Record, read_live};
use super::transcript::Tail;
use super::{find, generation, refuse_socket, socket};
use crate::clients::{Address, Context, Outcome, Submission};
use crate::platform::cleanup::Cancelled;

/// How long a report is waited for, from the end of the write.
const REPORT_TIME: Duration = Duration::from_millis(400);

/// How often the session's transcript is looked at meanwhile.
const TRANSCRIPT_PAUSE: Duration = Duration::from_millis(5);

/// More connections than these at a time are not listened to.
const CONNECTIONS: usize = 8;

/// What was seen in the time after the write.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Report(Report),
    /// The session's transcript says that the text was queued for its model.
    Queued,
    /// The session closed the connection with bytes of the frame unread.
    Reset,
    Silence,
}

/// See [`crate::clients::Client::notify`].
pub fn notify(
    context: Context<'_>,
    address: &Address,
    text: &str,
    skip: &mut dyn FnMut() -> Option<&'static str>,
) -> Outcome {
    let outcome = attempt(context, address, text, skip);
    // However its end showed: where one life of the process was meant and that is over, this is what is wrong.
    let is_of_process = outcome.submission == Submission::NotSubmitted && outcome.detail.starts_with("recipient_");
    if is_of_process && address.generation.is_some() && present_generation(context, address) != address.generation {
        return Outcome { detail: "stale_target".into(), ..outcome };
    }
    outcome
}

/// The generation of the process that has the session now.
fn present_generation(context: Context<'_>, address: &Address) -> Option<String> {
    let (config, record) = find(context, address).ok()?;
    generation::of(&config, &record)
}

fn attempt(
    context: Context<'_>,
    address: &Address,
    text: &str,
    skip: &mut dyn FnMut() -> Option<&'static str>,
) -> Outcome {
    let (config, record) = match find(context, address) {
        Ok(found) => found,
        Err(refusal) => return Outcome::refused(refusal.code, None),
    };
    let path = match socket(&record) {
        Ok(path) => path,
        Err(refusal) => return Outcome::refused(refusal.code, Some(record.status)),
    };
    // Without a listener the frame can still be sent; what became of it is then known only from the transcript.
    let listener = match path.parent().map(|directory| Listener::open(context.scope, directory)) {
        Some(Err(error)) if Cancelled::is_cause_of(&error) => {
            return Outcome::refused("adapter_unavailable", Some(record.status));
        }
        other => other.and_then(Result::ok),
    };
    let message_id = Uuid::new_v4().to_string();
    let from = listener.as_ref().map_or_else(|| format!("htalk:{message_id}"), Listener::address);
    let line = frame::line(&address.session_id, &message_id, &from, text);
    let connection = match Connection::open(path) {
        Ok(connection) => connection,
        Err(error) => return Outcome::refused(refuse_socket(&record, path, &error).code, Some(record.status)),
    };
    let mut transcript = Tail::new(&config, &record.directory, &record.session_id);
    if let Some(code) = skip() {
        return Outcome::refused(code, Some(record.status));
    }
    // `/clear` gives the same process and socket another session: the last look stands directly before the write.
    let before = match read_live(&config, record.pid) {
        Ok(now) if !is_meant(address, &config, &now, &connection) => {
            return Outcome::refused("stale_target", Some(record.status));
        }
        Ok(now) if is_same(&now, &record) => now,
        Ok(_) => return Outcome::refused("recipient_identity_changed", Some(record.status)),
        Err(_) => return Outcome::refused("recipient_unavailable", Some(record.status)),
    };
    let recipient_status = Some(before.status);
    let outcome = |submission, detail: String| Outcome { submission, detail, queue_id: None, recipient_status };
    match connection.write(&line) {
        Written::All => {}
        Written::Nothing => return outcome(Submission::NotSubmitted, "recipient_socket_unavailable".into()),
        Written::Part => return outcome(Submission::Unknown, "claude_socket_reset".into()),
    }
    let seen = watch(listener.as_ref(), &connection, &message_id, || transcript.has_queued(text));
    let (submission, detail) = judge(seen, listener.is_some(), &transcript, &config, &before);
    outcome(submission, detail)
}

/// Whether the process behind a connection is the one life that the address names, if it names one.
fn is_meant(address: &Address, config: &Path, record: &Record, connection: &Connection) -> bool {
    address.generation.is_none()
        || (connection.pid == Some(record.pid) && generation::of(config, record) == address.generation)
}

/// Whether a later look at a process's record shows the same session on the same socket.
fn is_same(now: &Record, then: &Record) -> bool {
    now.start == then.start && now.session_id == then.session_id && now.socket == then.socket
}

/// Whether the client shows no sign of the frame. It takes one up within 35 ms, and its record turns busy; but on a
/// loaded machine even a report that it was held or refused can come after 400 ms.
fn has_not_moved(now: &Record, before: &Record) -> bool {
    now.is_client && (before.status == "busy" || now.status != "busy")
}

/// What follows from the time after the write.
fn judge(seen: Seen, could_report: bool, transcript: &Tail, config: &Path, before: &Record) -> (Submission, String) {
    let receipt = (Submission::Submitted, format!("claude_socket_bytes_written:{}", before.pid));
    let refused = |code: &str| (Submission::NotSubmitted, code.to_owned());
    let unknown = |code: &str| (Submission::Unknown, code.to_owned());
    match seen {
        Seen::Report(Report::Held) => unknown("claude_held_for_person"),
        Seen::Report(Report::Denied) => refused("claude_denied"),
        Seen::Report(Report::Refused) => refused("claude_refused"),
        Seen::Report(Report::Expired) => refused("claude_expired"),
        Seen::Report(Report::Dropped(reason)) => refused(&format!("claude_dropped:{reason}")),
        Seen::Report(Report::NotUnderstood) => unknown("claude_report_not_understood"),
        Seen::Report(Report::Delivered) | Seen::Queued => receipt,
        Seen::Reset => unknown("claude_socket_reset"),
        // A session that ended or was cleared meanwhile may have dropped the frame without a word.
        Seen::Silence => match read_live(config, before.pid) {
            Ok(now) if !is_same(&now, before) => unknown("recipient_identity_changed"),
            Err(_) => unknown("recipient_unavailable"),
            // It has read nothing yet, so its silence says nothing; the bytes wait until it is continued.
            Ok(now) if now.is_stopped || before.is_stopped => unknown("claude_process_stopped"),
            Ok(_) if !could_report => unknown("claude_no_report_possible"),
            Ok(now) if transcript.tells_of_a_queue() || has_not_moved(&now, before) => unknown("claude_not_confirmed"),
            Ok(_) => receipt,
        },
    }
}

/// Waits until a report comes, the text was queued or the time is over.
fn watch(
    listener: Option<&Listener>,
    connection: &Connection,
    message_id: &str,
    mut was_queued: impl FnMut() -> bool,
) -> Seen {
    let deadline = Instant::now() + REPORT_TIME;
    let mut incoming: Vec<Incoming> = Vec::new();
    let mut ending = Ending::Open;
    while Instant::now() < deadline {
        wait(listener, connection, ending, &incoming, deadline.min(Instant::now() + TRANSCRIPT_PAUSE));
        if ending == Ending::Open {
            ending = connection.ending();
        }
        while incoming.len() < CONNECTIONS
            && let Some(next) = listener.and_then(Listener::accept)
        {
            incoming.push(next);
        }
        let mut report = None;
        incoming.retain_mut(|connected| {
            let (lines, is_open) = connected.read();
            let about_frame = lines.iter().filter_map(|line| Report::parse(line, message_id));
            // Nonsense counts only from the process that got the frame.
            let from_recipient = connected.pid.is_some() && connected.pid == connection.pid;
            report = report.take().or(about_frame.into_iter().find(|r| from_recipient || *r != Report::NotUnderstood));
            is_open
        });
        if let Some(report) = report {
            return Seen::Report(report);
        }
        if was_queued() {
            return Seen::Queued;
        }
    }
    if ending == Ending::Reset { Seen::Reset } else { Seen::Silence }
}

/// Sleeps until something happens on a descriptor or a moment has come.
fn wait(listener: Option<&Listener>, connection: &Connection, ending: Ending, incoming: &[Incoming], until: Instant) {
    let mut wanted: Vec<PollFd> = Vec::with_capacity(incoming.len() + 2);
    wanted.extend(listener.map(|listener| PollFd::new(listener.descriptor(), PollFlags::POLLIN)));
    wanted.extend(incoming.iter().map(|one| PollFd::new(one.descriptor(), PollFlags::POLLIN)));
    if ending == Ending::Open {
        wanted.push(PollFd::new(connection.descriptor(), PollFlags::POLLIN));
    }
    let _ = poll(&mut wanted, frame::timeout(until));
}
