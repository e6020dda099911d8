//! `htalk handoff list`

use clap::Args;
use serde_json::json;

use super::super::{Verb, page};
use super::ledger;
use crate::answer::{Answer, Status as Ending};
use crate::call::Call;
use crate::error::Result;
use crate::mailbox;
use crate::platform::clock::Moment;
use crate::sql;
use crate::verbs::actor::Actor;

/// List the handoffs that the calling peer sent or prepared, newest first.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk --as me handoff list --limit 10")]
pub struct List {
    /// How many at most, 1 to 500
    #[arg(long, value_name = "N", default_value = "100", value_parser = page::whole, allow_negative_numbers = true)]
    limit: i64,
}

impl Verb for List {
    const REFUSED: Ending = Ending::Unmet;

    /// Prints them without their messages.
    fn run(self, call: &Call) -> Result<Answer> {
        page::require_limit(self.limit)?;
        mailbox::require_private(call.mailbox()?)?;
        let handoffs = call.read(|db| {
            if !db.has_handoffs()? {
                return Err(ledger::no_ledger());
            }
            let now = Moment::now();
            let actor = Actor::of(call, db)?;
            let [boot, ns] = ledger::seen_at(now.as_ref());
            let args = [(":actor", actor.name.as_str().into()), (":limit", self.limit.into()), boot, ns];
            db.rows(sql::HANDOFF_LIST, &args)
        })?;
        Answer::done(json!({
            "handoffs": handoffs,
            "next_action": "Look at one with htalk handoff status and its correlation_id.",
        }))
    }
}
