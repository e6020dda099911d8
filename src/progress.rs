//! What this run has done so far, for whoever must answer in its place: an error, or an interrupt.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

use serde_json::{Map, Value, json};

/// The state of this run.
#[derive(Debug, Default)]
pub struct Progress {
    /// The resolved mailbox, once it is known.
    pub mailbox: PathBuf,
    /// The registered name of the actor, once it is known.
    pub actor: Option<String>,
    /// The message this run is about, once it is known.
    pub message_id: Option<String>,
    /// Whether a commit of this run that saved the message returned.
    pub is_saved: bool,
    /// The token of a registered wait, while it is registered.
    pub wait: Option<String>,
    /// The handoff that this run attempts or waits for.
    pub handoff: Option<String>,
    /// The handoff and the operation of a registered wait for it, while it is pending.
    pub handoff_wait: Option<(String, String)>,
    /// Temporary directories of this run.
    pub scratch: Vec<PathBuf>,
    /// Whether the run prints lines and ends without an object.
    pub is_stream: bool,
}

static PROGRESS: Mutex<Progress> = Mutex::new(Progress {
    mailbox: PathBuf::new(),
    actor: None,
    message_id: None,
    is_saved: false,
    wait: None,
    handoff: None,
    handoff_wait: None,
    scratch: Vec::new(),
    is_stream: false,
});

/// The state of this run, locked.
pub fn progress() -> MutexGuard<'static, Progress> {
    PROGRESS.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Progress {
    /// A command line for the same mailbox and actor, quoted for a shell and executable as it stands.
    pub fn command(&self, words: &[&str]) -> String {
        let mailbox = self.mailbox.to_string_lossy();
        let mut all = vec!["htalk"];
        if !mailbox.is_empty() {
            all.extend(["--db", &mailbox]);
        }
        if let Some(actor) = &self.actor {
            all.extend(["--as", actor]);
        }
        all.extend(words);
        // Only U+0000 can't be quoted, and no argument of a process has one.
        shlex::try_join(all).unwrap_or_default()
    }

    /// Notes the handoff that this run is about.
    pub fn begin_handoff(&mut self, id: &str) {
        self.message_id = Some(id.to_owned());
        self.handoff = Some(id.to_owned());
    }

    /// Takes back what was noted of a handoff whose attempt was rolled back.
    pub fn forget_handoff(&mut self) {
        self.message_id = None;
        self.handoff = None;
        self.handoff_wait = None;
    }

    /// The ways on that are open whatever happened: `peers`, and `inbox` and `sent` of a known actor.
    pub fn recovery(&self) -> Map<String, Value> {
        let mut recovery = Map::new();
        recovery.insert("peers".into(), self.command(&["peer", "list"]).into());
        if self.actor.is_some() {
            recovery.insert("sent".into(), self.command(&["sent"]).into());
            recovery.insert("inbox".into(), self.command(&["inbox"]).into());
        }
        recovery
    }

    /// The answer of an interrupted run.
    pub fn interrupted(&self) -> Value {
        let mut recovery = self.recovery();
        for verb in ["sent", "inbox"] {
            recovery.entry(verb).or_insert_with(|| self.command(&[verb]).into());
        }
        let mut next_action =
            String::from("Do not resend before looking: see with sent whether the message was saved.");
        if let Some(id) = &self.message_id {
            recovery.insert("show".into(), self.command(&["show", id]).into());
            next_action = "Do not resend. Look at the message with show; if it is there, it is saved.".into();
        }
        if let Some(id) = &self.handoff {
            recovery.insert("status".into(), self.command(&["handoff", "status", id]).into());
            next_action = "Do not resend a handoff. See with status what is known of it.".into();
        }
        json!({
            "state": "interrupted",
            "message_id": self.message_id,
            "persistence": if self.is_saved { "saved" } else { "unknown" },
            "recovery": recovery,
            "next_action": next_action,
        })
    }
}
