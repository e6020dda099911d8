//! `htalk handoff status ID`

use clap::Args;

use super::ledger;
use super::record;
use crate::answer::{Answer, Status as Ending};
use crate::call::Call;
use crate::error::Result;
use crate::mailbox;
use crate::verbs::Verb;
use crate::verbs::actor::Actor;

/// Print what is known of a handoff. Reading changes nothing.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk --as me handoff status 1f0c9d52-7c1e-4a5b-9d3e-2f6a8b4c0d1e")]
pub struct Status {
    /// The id of the handoff, or at least its first 8 hexadecimal digits
    id: String,
}

impl Verb for Status {
    const REFUSED: Ending = Ending::Unmet;

    /// Prints the handoff; an old wait that was not met is no failure of the look.
    fn run(self, call: &Call) -> Result<Answer> {
        let name = ledger::Name::parse(&self.id)?;
        mailbox::require_private(call.mailbox()?)?;
        Answer::done(call.read(|db| {
            if !db.has_handoffs()? {
                return Err(ledger::no_ledger().with_fact("handoff_query", record::query(&self.id, "ledger_missing")));
            }
            let actor = Actor::of(call, db)?;
            record::of(db, &actor, &name.find(db, &actor)?)
        })?)
    }
}
