//! `htalk handoff init`

use clap::Args;
use serde_json::{Value, json};

use super::super::Done;
use crate::config::Run;
use crate::db::{self, Access};
use crate::error::Result;
use crate::progress::progress;
use crate::sql;

/// Begin the ledger of handoffs. It lies in the mailbox, which must be readable and writable for its owner alone.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk handoff init")]
pub struct Init {}

impl Init {
    /// Adds the ledger where there is none, and begins a history.
    pub fn run(self, run: &Run) -> Result<Done> {
        db::require_private(run.mailbox())?;
        let db = run.open(Access::Write)?;
        let begun = db.write(|db| {
            db.add_handoffs()?;
            db.row(sql::HANDOFF_EPOCH_ADD, &[])
        })?;
        let epoch = begun.and_then(|mut row| row.shift_remove("ledger_epoch")).unwrap_or(Value::Null);
        Done::ok(json!({
            "ledger_epoch": epoch,
            "recovery": progress().recovery(),
            "next_action": "Prepare a handoff with htalk handoff prepare, or send one at once with handoff send.",
        }))
    }
}
