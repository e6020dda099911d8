//! `htalk handoff list`

use clap::Args;
use serde_json::json;

use super::super::{Done, page};
use crate::clock::Moment;
use crate::config::Run;
use crate::db;
use crate::error::Result;
use crate::sql;

/// List the handoffs that the calling peer sent or prepared, newest first.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk --as me handoff list --limit 10")]
pub struct List {
    /// How many at most, 1 to 500
    #[arg(long, value_name = "N", default_value = "100", value_parser = page::whole, allow_negative_numbers = true)]
    limit: i64,
}

impl List {
    /// Prints them without their messages.
    pub fn run(self, run: &Run) -> Result<Done> {
        page::require_limit(self.limit)?;
        db::require_private(run.mailbox())?;
        let handoffs = run.read(|db| {
            if !db.has_handoffs()? {
                return Err(super::no_ledger());
            }
            let now = Moment::now();
            let actor = run.actor(db)?;
            let [boot, ns] = super::seen_at(now.as_ref());
            let args = [(":actor", actor.name.as_str().into()), (":limit", self.limit.into()), boot, ns];
            db.rows(sql::HANDOFF_LIST, &args)
        })?;
        Done::ok(json!({
            "handoffs": handoffs,
            "next_action": "Look at one with htalk handoff status and its correlation_id.",
        }))
    }
}
