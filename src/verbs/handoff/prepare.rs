//! `htalk handoff prepare`

use std::path::PathBuf;

use clap::Args as Arguments;
use serde_json::Value;

use super::budget::Budget;
use super::ledger;
use super::message::Message;
use super::recipient::Recipient;
use super::record;
use crate::answer::{Answer, Status as Ending, way};
use crate::call::Call;
use crate::error::Result;
use crate::mailbox::{Access, Args, Db, Row};
use crate::sql;
use crate::verbs::Verb;

/// Bind a message to one recipient process. The ledger issues its id; the message itself is not kept yet.
#[derive(Debug, Arguments)]
#[command(after_help = "Example:\n  htalk --as me handoff prepare --to reviewer --message-file plan.txt")]
pub struct Prepare {
    #[command(flatten)]
    recipient: Recipient,
    /// A file that only its owner can read or write, with the message; - is standard input
    #[arg(long, value_name = "PATH")]
    message_file: PathBuf,
}

impl Verb for Prepare {
    const REFUSED: Ending = Ending::Unmet;

    /// Judges everything that a send would be refused for, and records the binding.
    fn run(self, call: &Call) -> Result<Answer> {
        let budget = Budget::usual()?;
        let (db, actor) = ledger::open_as_actor(call, Access::Write)?;
        let message = Message::read(call, &self.message_file, budget.cutoff())?;
        let mut target = self.recipient.named(call, &db, false)?;
        if target.host.is_none() {
            target.look(call)?;
        }
        target.objection()?;
        let mut object = ledger::write(&db, |db, now| {
            let mut args = target.args(call, &actor, &message);
            args.extend(ledger::seen_at(Some(now)));
            let id = record(db, &args)?;
            record::of(db, &actor, &id)
        })?;
        if let Some(send) = self.send_command(call, &object) {
            object.put("recovery", "send", send);
        }
        Answer::done(object)
    }
}

impl Prepare {
    /// The command that sends what was prepared; none where the message came from standard input.
    fn send_command(&self, call: &Call, object: &Row) -> Option<Value> {
        let id = object["handoff"]["correlation_id"].as_str()?;
        let file = std::path::absolute(call.expand(&self.message_file).ok()?).ok()?;
        let is_file = self.message_file.as_os_str() != "-";
        let mut words = vec!["handoff".to_owned(), "send".to_owned(), id.to_owned()];
        words.extend(self.recipient.words()?);
        words.extend(["--message-file".to_owned(), file.to_str()?.to_owned()]);
        is_file.then(|| way(&words.iter().map(String::as_str).collect::<Vec<_>>()))
    }
}

/// Records a new handoff inside a transaction, after ending the details of those that are old; its id.
pub fn record(db: &Db, args: Args) -> Result<String> {
    // Looked at first, for an INSERT comes with all its rules.
    if db.row(sql::HANDOFF_OLD_GET, args)?.is_some_and(|row| row["is_there"] == true) {
        db.row(sql::HANDOFF_EXPIRE, args)?;
    }
    let row = db.row(sql::HANDOFF_PREPARE, args)?.unwrap_or_default();
    Ok(row.text("id").to_owned())
}
