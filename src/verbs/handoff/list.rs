//! `htalk handoff list`

use clap::Args;

use super::ledger;
use crate::answer::{Answer, Status as Ending};
use crate::call::Call;
use crate::error::{Error, Result};
use crate::mailbox::{self, Arg};
use crate::platform::clock::Moment;
use crate::sql;
use crate::verbs::Verb;
use crate::verbs::actor::Actor;
use crate::verbs::page::Size;

/// List the handoffs that the calling peer sent or prepared, newest first.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk --as me handoff list --limit 10")]
pub struct List {
    /// Only handoffs that were prepared before this one
    #[arg(long, value_name = "ID")]
    before: Option<String>,
    #[command(flatten)]
    size: Size,
}

impl Verb for List {
    const REFUSED: Ending = Ending::Unmet;

    /// Prints a page of them, without their messages and without what does not apply.
    fn run(self, call: &Call) -> Result<Answer> {
        self.size.require()?;
        let before = self.before.as_deref().map(ledger::correlation_id).transpose()?;
        mailbox::require_private(call.mailbox()?)?;
        Answer::done(call.read(|db| {
            if !db.has_handoffs()? {
                return Err(ledger::no_ledger());
            }
            let now = Moment::now();
            let actor = Actor::of(call, db)?;
            let [boot, ns] = ledger::seen_at(now.as_ref());
            let actor = (":actor", Arg::from(actor.name.as_str()));
            let cursor = (":before", Arg::from(before.as_deref()));
            let counts = db.row(sql::HANDOFF_COUNT, &[actor, cursor])?.unwrap_or_default();
            if before.is_some() && !counts.is("is_known") {
                return Err(Error::new("handoff_id_unknown"));
            }
            let mut page = self.size.page(call);
            let mut last = String::new();
            db.each(sql::HANDOFF_LIST, &[actor, cursor, (":limit", self.size.rows()), boot, ns], |mut handoff| {
                let id = handoff.text("correlation_id").to_owned();
                handoff.retain(|_, value| !value.is_null());
                let is_taken = page.take(handoff.into());
                if is_taken {
                    last = id;
                }
                Ok(is_taken)
            })?;
            let next_action = match page.is_empty() {
                true => "No handoff from here on.",
                false => "Look at one with htalk handoff status and its correlation_id.",
            };
            let words = ["handoff", "list", "--before", &last];
            let mut answer = page.answer("handoffs", counts.number("total"), counts.number("remaining"), &words, &[]);
            answer.insert("next_action".into(), next_action.into());
            Ok(answer)
        })?)
    }
}
