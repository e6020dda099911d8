//! `htalk handoff quarantine`

use clap::Args;
use serde_json::{Value, json};

use super::ledger;
use crate::answer::{Answer, Status as Ending};
use crate::call::Call;
use crate::error::Result;
use crate::mailbox::Access;
use crate::sql;
use crate::verbs::Verb;

/// Declare the ledger a restored copy, after a backup was put back: what was sent in the meantime it can't know. All
/// its handoffs become unknown for good, those with a proven acknowledgment too, and no receipt counts any more. This
/// can't be undone.
#[derive(Debug, Args)]
#[command(after_help = "Example, after a backup was put back:\n  htalk handoff quarantine")]
pub struct Quarantine {}

impl Verb for Quarantine {
    const REFUSED: Ending = Ending::Unmet;

    /// Ends the active history.
    fn run(self, call: &Call) -> Result<Answer> {
        let db = ledger::open(call, Access::Write)?;
        let ended = db.write(|db| db.row(sql::HANDOFF_EPOCH_QUARANTINE, &[]))?;
        let epoch = ended.and_then(|mut row| row.shift_remove("ledger_epoch")).unwrap_or(Value::Null);
        Answer::done(json!({
            "ledger_epoch": epoch,
            "recovery": call.progress().recovery(),
            "next_action": "Ask the recipients of open handoffs what arrived; handoff init begins a new history.",
        }))
    }
}
