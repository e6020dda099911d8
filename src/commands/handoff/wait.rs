//! `htalk handoff wait ID`, the waiting of `handoff send --wait-for`, and the time that both have.

use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use super::super::Done;
use super::object;
use crate::clock::Moment;
use crate::config::{Actor, Run, text};
use crate::db::{Access, Db, Look, Row};
use crate::error::{Error, Result};
use crate::progress::progress;
use crate::sql;

/// Of a budget, what is kept for cleaning up.
const RESERVE: Duration = Duration::from_secs(5);

/// How long an acknowledgment can stay unseen.
const LOOK: Duration = Duration::from_millis(50);

/// What a wait is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Goal {
    /// The recipient presented its receipt, or the sender confirmed that it has the message
    Acknowledged,
    /// The message stands before the model; no client tells that
    Delivered,
}

impl Goal {
    /// The value of `handoff_waits.goal`.
    pub fn as_str(self) -> &'static str {
        match self {
            Goal::Acknowledged => "acknowledged",
            Goal::Delivered => "delivered",
        }
    }
}

/// The time that a command has in all: a whole number of 1 to 60 seconds from its start.
pub struct Budget {
    /// Its seconds.
    pub seconds: i64,
    /// Its start, by the clock that decides.
    pub start: Moment,
    begun: Instant,
}

impl Budget {
    /// The usual 30 seconds.
    pub fn usual() -> Result<Budget> {
        Budget::parse("30")
    }

    /// # Errors
    /// `wait_timeout_must_be_between_1_and_60`, `handoff_clock_unavailable`
    pub fn parse(text: &str) -> Result<Budget> {
        let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let seconds = text.parse().ok().filter(|seconds| is_plain && (1..=60).contains(seconds));
        let seconds = seconds
            .ok_or_else(|| Error::new("wait_timeout_must_be_between_1_and_60").with_detail(format!("{text:?}")))?;
        Ok(Budget { seconds, start: super::now()?, begun: Instant::now() })
    }

    /// Until when something may be tried.
    pub fn cutoff(&self) -> Instant {
        self.end().checked_sub(RESERVE).unwrap_or(self.begun).max(self.begun)
    }

    /// When everything must be over.
    fn end(&self) -> Instant {
        self.begun + Duration::from_secs(self.seconds as u64)
    }

    /// When a client that was begun in time must have answered; what is left is for recording it.
    pub fn patience(&self) -> Instant {
        (self.end() - Duration::from_secs(1)).max(self.cutoff())
    }

    /// Whether nothing is left of it but the time for cleaning up.
    pub fn is_short(&self) -> bool {
        self.cutoff() == self.begun
    }
}

/// Wait for the acknowledgment of a handoff. Each wait is recorded; a handoff has 64 of them.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk --as me handoff wait 1f0c9d52-7c1e-4a5b-9d3e-2f6a8b4c0d1e --wait-timeout 60")]
pub struct Wait {
    /// The id of the handoff
    id: String,
    /// What to wait for
    #[arg(long, value_name = "GOAL", default_value = "acknowledged")]
    wait_for: Goal,
    /// Seconds in all, 6 to 60; the last 5 are kept for cleaning up, so 30 waits for 25
    #[arg(long, value_name = "N", default_value = "30", allow_hyphen_values = true)]
    wait_timeout: String,
}

impl Wait {
    /// Prints the handoff as it is at the end of the wait.
    pub fn run(self, run: &Run) -> Result<Done> {
        let budget = Budget::parse(&self.wait_timeout)?;
        let id = super::correlation_id(&self.id)?;
        let (db, actor) = super::open_as_actor(run, Access::Write)?;
        // Only the sender waits: the deadline of the first wait decides what is late.
        let is_own = db.row(sql::HANDOFF_BINDING_GET, &[(":id", id.as_str().into())])?;
        if is_own.is_none_or(|row| text(&row, "sender") != actor.name) {
            return Err(object::unknown(&id, "handoff_id_unknown", "id_unknown"));
        }
        progress().begin_handoff(&id);
        let wait = super::write(&db, |db, now| {
            db.row(sql::HANDOFF_WAIT_SETTLE, &super::at(&id, now))?;
            start(db, &id, self.wait_for, &budget)
        })?;
        note(&id, &wait);
        let object = finish(&db, &actor, &id, &wait)?;
        let is_met = is_satisfied(&object);
        object::done(object, is_met)
    }
}

/// Records a wait that counts from the start of the budget; its row names the operation and the deadline.
pub fn start(db: &Db, id: &str, goal: Goal, budget: &Budget) -> Result<Row> {
    let args = [
        (":id", id.into()),
        (":goal", goal.as_str().into()),
        (":seconds", budget.seconds.into()),
        (":boot", budget.start.boot.as_str().into()),
        (":now_ns", budget.start.ns.into()),
    ];
    Ok(db.row(sql::HANDOFF_WAIT_START, &args)?.unwrap_or_default())
}

/// Notes a wait for an interrupt, which stops it. Only once it is committed: an interrupt holds the notes while it
/// waits for the mailbox, so nobody may hold the mailbox and wait for the notes.
pub fn note(id: &str, wait: &Row) {
    progress().handoff_wait = Some((id.to_owned(), text(wait, "operation_id").to_owned()));
}

/// Waits to the end of a recorded wait, and returns the handoff as it is then, with just this wait.
pub fn finish(db: &Db, actor: &Actor, id: &str, wait: &Row) -> Result<Row> {
    let deadline = wait.get("deadline_ns").and_then(serde_json::Value::as_i64).unwrap_or_default();
    db.stop_waiting_for_locks()?;
    let mut last = Look::default();
    let mut is_pending = true;
    while is_pending {
        if db.may_have_changed(&mut last)? {
            match stored(db, id, wait) {
                Ok(wait) => is_pending = text(&wait, "status") == "pending",
                // A mailbox that is locked right now is looked at again.
                Err(_) => last = Look::default(),
            }
        }
        let left = deadline - super::now()?.ns;
        if left <= 0 {
            break;
        }
        if is_pending {
            std::thread::sleep(LOOK.min(Duration::from_nanos(left as u64)));
        }
    }
    // Ends what is pending at its deadline; and from here on a lock is waited for again.
    super::write(db, |db, now| db.row(sql::HANDOFF_WAIT_SETTLE, &super::at(id, now)))?;
    progress().handoff_wait = None;
    db.read(|db| {
        let mut object = object::of(db, actor, id)?;
        object["handoff"]["wait"] = stored(db, id, wait)?.into();
        Ok(object)
    })
}

/// Whether the wait that an object shows is satisfied.
pub fn is_satisfied(object: &Row) -> bool {
    object["handoff"]["wait"]["status"] == "satisfied"
}

/// A wait as it stands; another one may have begun since.
fn stored(db: &Db, id: &str, wait: &Row) -> Result<Row> {
    let args = [(":id", id.into()), (":operation", text(wait, "operation_id").into())];
    let mut row = db.row(sql::HANDOFF_WAIT_GET, &args)?.unwrap_or_default();
    row.retain(|_, value| !value.is_null());
    Ok(row)
}
