//! A call: what a verb is run with. Several calls can run in one process, each with a mailbox, a caller and an
//! environment of its own, and each can be cancelled alone.

use std::cell::RefCell;
use std::fs::Metadata;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Status, map, refusal, way};
use crate::code::{Code, Kind};
use crate::codes;
use crate::environment::Environment;
use crate::error::{Error, Result};
use crate::mailbox::{self, Access, BUSY_LIMIT, Connections, Db};
use crate::platform::cleanup::Scope;

/// How often a read that a writer got in the way of is tried before it answers `database_busy`.
const READ_TRIES: usize = 3;

/// Whoever reads what a call gives has gone.
#[derive(Debug, Clone, Copy)]
pub struct ReaderGone;

/// What a call asks of the front that made it.
pub trait Front: Send + Sync {
    /// An object in the form in which this front shows it, for the mailbox and the actor of a call.
    fn show(&self, call: &Progress, object: &Map<String, Value>) -> String;

    /// Shows one of several objects, as a line of its own.
    fn line(&self, line: &Value) -> std::result::Result<(), ReaderGone>;

    /// Shows text as it is.
    fn text(&self, text: &str) -> std::result::Result<(), ReaderGone>;

    /// Sleeps for so long (at most a minute); an error as soon as nobody reads any more.
    fn sleep(&self, limit: Duration) -> std::result::Result<(), ReaderGone>;

    /// What `-` names: standard input. A front that has none answers an error.
    fn input(&self) -> io::Result<OwnedFd>;
}

/// What is asked for besides the verb.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// The mailbox (`--db`); none: `HTALK_DB`, else the usual one.
    pub mailbox: Option<PathBuf>,
    /// The calling peer (`--as`); none: `HTALK_PEER`, else that of the calling session.
    pub actor: Option<String>,
    /// How the calling session is known.
    pub session: Caller,
    /// The peer that a server was started for (`--as`): whoever calls it and is no peer itself.
    pub stand_in: Option<String>,
}

/// How the session that makes a call is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Caller {
    /// The call is a process that the session started: by its variables and ancestors.
    #[default]
    OfProcess,
    /// The call comes to a server that lives as long as the client: by the server's ancestors as they are now.
    OfServer,
    /// The client named it with the call.
    Named {
        /// The client.
        harness: &'static str,
        /// Its own id of the session, in its stored form.
        id: String,
    },
}

/// What a call has done so far: for an error, for whoever cancels it, and for the commands that its answer names.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    /// The resolved mailbox, once it is known.
    pub mailbox: String,
    /// The registered name of the actor, once it is known.
    pub actor: Option<String>,
    /// What named it: `option`, `HTALK_PEER` or `native_session`.
    pub actor_source: Option<&'static str>,
    /// The message this call is about, once it is known.
    pub message_id: Option<String>,
    /// Whether the message is saved: a commit of this call that saved it returned, or this call looked it up and found
    /// it.
    pub is_saved: bool,
    /// The requests to several recipients that this call is about, once they are known.
    pub batch: Option<String>,
    /// The verb that has closed the message, while the notice of the message is being taken back.
    pub withdrawing: Option<&'static str>,
    /// Whether the message is a handoff that this call attempts or waits for.
    pub is_handoff: bool,
    /// Whether the call gives lines or text, and ends without an object.
    pub is_stream: bool,
}

/// The part of a call that others share: whoever may cancel it.
#[derive(Clone, Default)]
pub struct Handle {
    progress: Arc<Mutex<Progress>>,
    scope: Scope,
}

/// What the calls of one process share: the mailboxes that are open. Clones are the same.
#[derive(Clone, Default)]
pub struct Shared {
    connections: Arc<Connections>,
}

impl Shared {
    /// For a process that makes many calls: up to so many connections stay open between them.
    pub fn keeping(most: usize) -> Shared {
        Shared { connections: Arc::new(Connections::keeping(most)) }
    }
}

/// A call.
pub struct Call {
    handle: Handle,
    environment: Environment,
    wanted: Wanted,
    mailbox: Result<PathBuf>,
    front: Arc<dyn Front>,
    shared: Shared,
    /// One connection, which the call opens once.
    open: RefCell<Option<Rc<Db>>>,
}

impl Handle {
    /// What the call has done so far, locked.
    pub fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is undone when the call is cancelled.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Cancels the call: undoes its registrations, ends the commands that it runs, and lets its waits end. Whatever its
    /// verb came to, its answer is `interrupted`. After the answer this does nothing.
    pub fn cancel(&self) {
        self.scope.end();
    }

    /// The answer of a cancelled call.
    pub fn interrupted(&self) -> Answer {
        let progress = self.progress();
        let object = if progress.is_stream { None } else { Some(progress.interrupted()) };
        Answer { object, status: Status::Interrupted }
    }
}

impl Progress {
    /// The ways on that are open whatever happened: `peers`, and `inbox` and `sent` of a known actor.
    pub fn recovery(&self) -> Map<String, Value> {
        let mut recovery = Map::new();
        recovery.insert("peers".into(), way(&["peer", "list"]));
        if self.actor.is_some() {
            recovery.insert("sent".into(), way(&["sent"]));
            recovery.insert("inbox".into(), way(&["inbox"]));
        }
        recovery
    }

    /// Notes the handoff that this call is about.
    pub fn begin_handoff(&mut self, id: &str) {
        self.message_id = Some(id.to_owned());
        self.is_handoff = true;
    }

    /// Takes back what was noted of a handoff whose attempt was rolled back.
    pub fn forget_handoff(&mut self) {
        self.message_id = None;
        self.is_handoff = false;
    }

    fn interrupted(&self) -> Map<String, Value> {
        let mut recovery = self.recovery();
        for verb in ["sent", "inbox"] {
            recovery.entry(verb).or_insert_with(|| way(&[verb]));
        }
        let mut next_action = "Do not resend before looking: see with sent whether the message was saved.";
        if let Some(id) = &self.message_id {
            recovery.insert("show".into(), way(&["show", id]));
            next_action = "Do not resend. Look at the message with show; if it is there, it is saved.";
            if let Some(verb) = self.withdrawing {
                recovery.insert("retry_notification_cleanup".into(), way(&[verb, id]));
                next_action = "Do not resend. That the message is closed is saved; take its notice back with \
                    retry_notification_cleanup.";
            }
            if self.is_handoff {
                recovery.insert("status".into(), way(&["handoff", "status", id]));
                next_action = "Do not resend a handoff. See with status what is known of it.";
            }
        }
        if let Some(batch) = &self.batch {
            recovery.insert("wait".into(), way(&["wait", "--batch", batch]));
            next_action = "Do not resend under another batch. If wait finds the batch, it is saved, all of it.";
        }
        map(json!({
            "state": "interrupted",
            "message_id": self.message_id,
            "persistence": if self.is_saved { "saved" } else { "unknown" },
            "recovery": recovery,
            "next_action": next_action,
        }))
    }
}

impl Call {
    /// A call of `front`, which can be cancelled by `handle`.
    pub fn new(
        handle: Handle,
        wanted: Wanted,
        environment: Environment,
        front: Arc<dyn Front>,
        shared: &Shared,
    ) -> Call {
        mailbox::memory::install();
        let mailbox = mailbox::path::find(wanted.mailbox.as_deref(), &environment);
        if let Ok(path) = &mailbox {
            handle.progress().mailbox = path.to_string_lossy().into_owned();
        }
        Call { handle, environment, wanted, mailbox, front, shared: shared.clone(), open: RefCell::new(None) }
    }

    /// Runs a verb to its answer. `refused` is how the verb ends where a rule or a client says no.
    pub fn run(&self, refused: Status, verb: impl FnOnce(&Call) -> Result<Answer>) -> Answer {
        let done = verb(self);
        if self.is_cancelled() {
            return self.handle.interrupted();
        }
        done.unwrap_or_else(|error| self.refuse(refused, error))
    }

    fn refuse(&self, refused: Status, error: Error) -> Answer {
        let Some(code) = codes::row(&error.code, self.open.borrow().as_deref()) else {
            // A trigger that somebody added to the mailbox may say anything; it is told as what it is.
            return self.refuse(refused, Error::new("invalid_database_schema").with_detail(error.code));
        };
        // Whatever goes wrong behind an effect is an answer about the effect.
        let is_misuse = code.kind.is_misuse() && !error.has_fact("submission");
        let status = if is_misuse { Status::Failed } else { refused };
        let recovery = self.ways_on(&code);
        let error = match recovery.contains_key("migrate") {
            true => {
                error.with_next_action("The file is empty: check --db and HTALK_DB, or make it a mailbox with migrate.")
            }
            false => error,
        };
        Answer { object: Some(refusal(error, recovery, Some(&code.next_step))), status }
    }

    /// The ways on that are open whatever the verb was, but none that must fail as this call did.
    fn ways_on(&self, code: &Code) -> Map<String, Value> {
        let size = || self.mailbox().ok()?.metadata().ok().filter(Metadata::is_file).map(|file| file.len());
        match &*code.code {
            "database_not_found" => return self.ways_without_a_mailbox(),
            "not_a_mailbox" if size() == Some(0) => return Map::from_iter([("migrate".to_owned(), way(&["migrate"]))]),
            // What can't be written may still be read; but not if it had to be upgraded first.
            "mailbox_not_writable" if self.read(Db::has_handoffs).is_err() => return Map::new(),
            "database_busy" | "database_full" | "mailbox_not_writable" => {}
            _ if code.kind == Kind::Mailbox => return Map::new(),
            _ if size().is_none_or(|size| size == 0) => return Map::new(),
            _ => {}
        }
        self.progress().recovery()
    }

    /// What there is to do where no mailbox is: look for sessions, and register the peer that calls.
    fn ways_without_a_mailbox(&self) -> Map<String, Value> {
        let mut ways = Map::from_iter([("discover".to_owned(), way(&["peer", "discover"]))]);
        let variable = self.environment.get("HTALK_PEER").map(|name| name.to_string_lossy().into_owned());
        let named = self.named().or(variable.as_deref()).unwrap_or_default();
        // Only a name that can be registered.
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
        if (1..=64).contains(&named.len()) && !named.starts_with(['_', '-']) && named.bytes().all(is_plain) {
            let words = ["peer", "add", named, "--harness", "shell", "--delivery", "pull"];
            ways.insert("peer_add".into(), way(&words));
        }
        ways
    }

    /// What this call has done so far, locked.
    pub fn progress(&self) -> MutexGuard<'_, Progress> {
        self.handle.progress()
    }

    /// What is undone when the call is cancelled.
    pub fn scope(&self) -> &Scope {
        self.handle.scope()
    }

    /// Whether the call was cancelled: what waits is to end.
    pub fn is_cancelled(&self) -> bool {
        self.scope().has_ended()
    }

    /// The variables of the caller.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The front that made the call.
    pub fn front(&self) -> &Arc<dyn Front> {
        &self.front
    }

    /// How the caller named itself (`--as`).
    pub fn named(&self) -> Option<&str> {
        self.wanted.actor.as_deref()
    }

    /// The peer that stands in for a caller who is none.
    pub fn stand_in(&self) -> Option<&str> {
        self.wanted.stand_in.as_deref()
    }

    /// How the calling session is known.
    pub fn caller(&self) -> &Caller {
        &self.wanted.session
    }

    /// `~` and `~/…` in a path.
    ///
    /// # Errors
    /// `database_unavailable` where `HOME` does not say.
    pub fn expand(&self, path: &Path) -> Result<PathBuf> {
        self.environment.expand(path).ok_or_else(mailbox::path::no_home)
    }

    /// The resolved path of the mailbox.
    ///
    /// # Errors
    /// `database_unavailable`: nothing names it, or its name is not UTF-8.
    pub fn mailbox(&self) -> Result<&Path> {
        self.mailbox.as_deref().map_err(Clone::clone)
    }

    /// What named the mailbox: `option`, `HTALK_DB`, `XDG_DATA_HOME` or `default`.
    pub fn mailbox_source(&self) -> &'static str {
        mailbox::path::source(self.wanted.mailbox.as_deref(), &self.environment)
    }

    /// The mailbox, opened once.
    pub fn open(&self, access: Access) -> Result<Rc<Db>> {
        if let Some(db) = self.open.borrow().as_ref() {
            return Ok(db.clone());
        }
        let db = Rc::new(self.shared.connections.open(self.mailbox()?, access, &self.environment, self.scope())?);
        *self.open.borrow_mut() = Some(db.clone());
        Ok(db)
    }

    /// Opens the mailbox for reading and runs `work` on one state of it; again if a writer got in the way, but not if
    /// that was waited for long enough.
    pub fn read<T>(&self, work: impl Fn(&Db) -> Result<T>) -> Result<T> {
        let begin = Instant::now();
        let mut tries = 1;
        loop {
            match self.open(Access::Read).and_then(|db| db.read(&work)) {
                Err(error) if error.is("database_busy") && tries < READ_TRIES && begin.elapsed() < BUSY_LIMIT => {
                    // What is read in place of the file may be stale: it is opened anew.
                    self.open.take();
                    tries += 1;
                }
                other => return other,
            }
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if let Some(db) = self.open.take().and_then(Rc::into_inner) {
            self.shared.connections.give_back(db);
        }
    }
}
