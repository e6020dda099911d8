//! `htalk handoff init`

use clap::Args;
use serde_json::{Value, json};

use crate::answer::{Answer, Status as Ending};
use crate::call::Call;
use crate::error::Result;
use crate::mailbox::{self, Access};
use crate::sql;
use crate::verbs::Verb;

/// Begin the ledger of handoffs. It lies in the mailbox, which must be readable and writable for its owner alone.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk handoff init")]
pub struct Init {}

impl Verb for Init {
    const REFUSED: Ending = Ending::Unmet;

    /// Adds the ledger where there is none, and begins a history.
    fn run(self, call: &Call) -> Result<Answer> {
        mailbox::require_private(call.mailbox()?)?;
        let db = call.open(Access::Write)?;
        let begun = db.write(|db| {
            db.add_handoffs()?;
            db.row(sql::HANDOFF_EPOCH_ADD, &[])
        })?;
        let epoch = begun.and_then(|mut row| row.shift_remove("ledger_epoch")).unwrap_or(Value::Null);
        Answer::done(json!({
            "ledger_epoch": epoch,
            "recovery": call.progress().recovery(),
            "next_action": "Prepare a handoff with htalk handoff prepare, or send one at once with handoff send.",
        }))
    }
}
