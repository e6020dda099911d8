//! `htalk handoff wait ID`, and the waiting of `handoff send --wait-for`.

use std::path::Path;
use std::time::Duration;

use clap::Args;

use super::budget::{Budget, Goal};
use super::{ledger, record};
use crate::answer::{Answer, Status as Ending};
use crate::call::Call;
use crate::error::Result;
use crate::mailbox::{self, Access, Db, Look, Row};
use crate::platform::cleanup::Begun;
use crate::platform::clock::Moment;
use crate::sql;
use crate::verbs::Verb;
use crate::verbs::actor::Actor;

/// How long an acknowledgment can stay unseen.
const LOOK: Duration = Duration::from_millis(50);

/// Wait for the acknowledgment of a handoff. Each wait is recorded; a handoff has 64 of them.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk --as me handoff wait 1f0c9d52-7c1e-4a5b-9d3e-2f6a8b4c0d1e --wait-timeout 60")]
pub struct Wait {
    /// The id of the handoff, or at least its first 8 hexadecimal digits
    id: String,
    /// What to wait for
    #[arg(long, value_name = "GOAL", default_value = "acknowledged")]
    wait_for: Goal,
    /// Seconds in all, 6 to 60; the last 5 are kept for cleaning up, so 30 waits for 25
    #[arg(long, value_name = "N", default_value = "30", allow_hyphen_values = true)]
    wait_timeout: String,
}

impl Verb for Wait {
    const REFUSED: Ending = Ending::Unmet;

    /// Prints the handoff as it is at the end of the wait.
    fn run(self, call: &Call) -> Result<Answer> {
        let budget = Budget::parse(&self.wait_timeout)?;
        let name = ledger::Name::parse(&self.id)?;
        let (db, actor) = ledger::open_as_actor(call, Access::Write)?;
        let id = name.find(&db, &actor)?;
        call.progress().begin_handoff(&id);
        let is_saved = db.row(sql::MESSAGE_GET, &[(":id", id.as_str().into())])?.is_some();
        call.progress().is_saved = is_saved;
        let wait = ledger::write(&db, |db, now| {
            db.row(sql::HANDOFF_WAIT_SETTLE, &ledger::at(&id, now))?;
            start(db, &actor, &id, self.wait_for, &budget)
        });
        let wait = wait.map_err(|error| match error.code.as_str() {
            "handoff_id_unknown" => record::unknown(&id, "handoff_id_unknown", "id_unknown"),
            _ => error,
        })?;
        // The ledger knows it.
        call.progress().is_saved = true;
        let object = finish(call, &db, &actor, &id, &wait)?;
        let is_met = is_satisfied(&object);
        record::done(object, is_met)
    }
}

/// Records a wait that counts from the start of the budget; its row names the operation and the deadline.
pub fn start(db: &Db, actor: &Actor, id: &str, goal: Goal, budget: &Budget) -> Result<Row> {
    let args = [
        (":id", id.into()),
        (":actor", actor.name.as_str().into()),
        (":goal", goal.as_str().into()),
        (":seconds", budget.seconds.into()),
        (":boot", budget.start.boot.as_str().into()),
        (":now_ns", budget.start.ns.into()),
    ];
    Ok(db.row(sql::HANDOFF_WAIT_START, &args)?.unwrap_or_default())
}

/// Waits to the end of a recorded wait, and returns the handoff as it is then, with just this wait.
pub fn finish(call: &Call, db: &Db, actor: &Actor, id: &str, wait: &Row) -> Result<Row> {
    // Only a wait that is committed: its undoing waits for the mailbox, so nobody may hold the mailbox meanwhile.
    let registered = register(call, db.path(), id, wait)?;
    let ended = listen(call, db, id, wait).and_then(|()| {
        // Ends what is pending at its deadline; and from here on a lock is waited for again.
        ledger::write(db, |db, now| db.row(sql::HANDOFF_WAIT_SETTLE, &ledger::at(id, now)))
    });
    if !call.is_cancelled() {
        registered.strike_off();
    }
    ended?;
    db.read(|db| {
        let mut object = record::of(db, actor, id)?;
        object.put("handoff", "wait", stored(db, id, wait)?);
        Ok(object)
    })
}

/// Says how a wait is stopped when its call is cancelled.
fn register(call: &Call, mailbox: &Path, id: &str, wait: &Row) -> Result<Begun> {
    let (mailbox, id, operation) = (mailbox.to_owned(), id.to_owned(), wait.text("operation_id").to_owned());
    let stop = move || {
        let Ok(db) = mailbox::reopen(&mailbox) else { return };
        let _ = db.write(|db| {
            let now = Moment::now();
            let [boot, ns] = ledger::seen_at(now.as_ref());
            db.row(
                sql::HANDOFF_WAIT_STOP,
                &[(":id", id.as_str().into()), (":operation", operation.as_str().into()), boot, ns],
            )
        });
    };
    Ok(call.scope().begin(|| Ok(((), stop)))?.1)
}

/// Returns when a wait is no longer pending, its time is over or the call is cancelled.
fn listen(call: &Call, db: &Db, id: &str, wait: &Row) -> Result<()> {
    let deadline = wait.number("deadline_ns");
    db.stop_waiting_for_locks()?;
    let mut last = Look::default();
    loop {
        if db.may_have_changed(&mut last)? {
            match stored(db, id, wait) {
                Ok(wait) if wait.text("status") != "pending" => return Ok(()),
                Ok(_) => {}
                // A mailbox that is locked right now is looked at again.
                Err(_) => last = Look::default(),
            }
        }
        let left = deadline - ledger::now()?.ns;
        if left <= 0 || call.is_cancelled() {
            return Ok(());
        }
        std::thread::sleep(LOOK.min(Duration::from_nanos(left as u64)));
    }
}

/// Whether the wait that an object shows is satisfied.
pub fn is_satisfied(object: &Row) -> bool {
    object["handoff"]["wait"]["status"] == "satisfied"
}

/// A wait as it stands; another one may have begun since.
fn stored(db: &Db, id: &str, wait: &Row) -> Result<Row> {
    let args = [(":id", id.into()), (":operation", wait.text("operation_id").into())];
    let mut row = db.row(sql::HANDOFF_WAIT_GET, &args)?.unwrap_or_default();
    row.retain(|_, value| !value.is_null());
    Ok(row)
}
