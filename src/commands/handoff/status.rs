//! `htalk handoff status ID`

use clap::Args;

use super::super::Done;
use super::object;
use crate::config::Run;
use crate::db;
use crate::error::Result;

/// Print what is known of a handoff. Reading changes nothing.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk --as me handoff status 1f0c9d52-7c1e-4a5b-9d3e-2f6a8b4c0d1e")]
pub struct Status {
    /// The id of the handoff
    id: String,
}

impl Status {
    /// Prints the handoff; an old wait that was not met is no failure of the look.
    pub fn run(self, run: &Run) -> Result<Done> {
        let id = super::correlation_id(&self.id)?;
        db::require_private(run.mailbox())?;
        Done::ok(run.read(|db| {
            if !db.has_handoffs()? {
                return Err(super::no_ledger().with_fact("handoff_query", object::query(&id, "ledger_missing")));
            }
            object::of(db, &run.actor(db)?, &id)
        })?)
    }
}
