//! SIGINT and SIGTERM: a thread waits for them and answers at once, whatever the command is blocked in.

use nix::sys::signal::{SigSet, Signal};

use crate::clients::claude;
use crate::clock::Moment;
use crate::db;
use crate::progress::progress;
use crate::{bell, output, process, sql};

/// Blocks both signals in this and all later threads, and answers the first one that comes: prints what is known of the
/// run, withdraws or stops its wait, and exits with 130 or 143.
pub fn listen() {
    let signals: SigSet = [Signal::SIGINT, Signal::SIGTERM].into_iter().collect();
    let wait = move || {
        if let Ok(signal) = signals.wait() {
            end(signal);
        }
    };
    // Without a thread both end the process as they do by themselves.
    if signals.thread_block().is_ok() && std::thread::Builder::new().spawn(wait).is_err() {
        let _ = signals.thread_unblock();
    }
}

fn end(signal: Signal) {
    // Whoever commits or prints holds this state or the output; both are short.
    let state = progress();
    if let Some(token) = &state.wait {
        bell::remove(&state.mailbox, token);
        if let Ok(db) = db::reopen(&state.mailbox) {
            let _ = db.write(|db| db.row(sql::WAIT_RELEASE, &[(":token", token.as_str().into())]));
        }
    }
    if let Some((id, operation)) = &state.handoff_wait
        && let Ok(db) = db::reopen(&state.mailbox)
    {
        let _ = db.write(|db| {
            let now = Moment::now();
            let args = [
                (":id", id.as_str().into()),
                (":operation", operation.as_str().into()),
                (":boot", now.as_ref().map(|now| now.boot.as_str()).into()),
                (":now_ns", now.as_ref().map_or(db::Arg::Null, |now| now.ns.into())),
            ];
            db.row(sql::HANDOFF_WAIT_STOP, &args)
        });
    }
    for directory in &state.scratch {
        let _ = std::fs::remove_dir_all(directory);
    }
    let answered = if state.is_stream { output::silence() } else { output::object(&state.interrupted()) };
    if answered {
        claude::end_all();
        process::end_all();
        std::process::exit(128 + signal as i32);
    }
}
