//! `htalk handoff quarantine`

use clap::Args;
use serde_json::{Value, json};

use super::super::Done;
use crate::config::Run;
use crate::db::Access;
use crate::error::Result;
use crate::progress::progress;
use crate::sql;

/// Declare the ledger a restored copy, after a backup was put back: what was sent in the meantime it can't know. All
/// its handoffs become unknown for good, those with a proven acknowledgment too, and no receipt counts any more. This
/// can't be undone.
#[derive(Debug, Args)]
#[command(after_help = "Example, after a backup was put back:\n  htalk handoff quarantine")]
pub struct Quarantine {}

impl Quarantine {
    /// Ends the active history.
    pub fn run(self, run: &Run) -> Result<Done> {
        let db = super::open(run, Access::Write)?;
        let ended = db.write(|db| db.row(sql::HANDOFF_EPOCH_QUARANTINE, &[]))?;
        let epoch = ended.and_then(|mut row| row.shift_remove("ledger_epoch")).unwrap_or(Value::Null);
        Done::ok(json!({
            "ledger_epoch": epoch,
            "recovery": progress().recovery(),
            "next_action": "Ask the recipients of open handoffs what arrived; handoff init begins a new history.",
        }))
    }
}
