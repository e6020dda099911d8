//! `htalk handoff prepare`

use std::path::PathBuf;

use clap::Args as Arguments;

use super::super::Done;
use super::binding::Recipient;
use super::object;
use super::text::Message;
use super::wait::Budget;
use crate::config::{Run, expand, text};
use crate::db::{Access, Args, Db, Row};
use crate::error::Result;
use crate::progress::progress;
use crate::sql;

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

impl Prepare {
    /// Judges everything that a send would be refused for, and records the binding.
    pub fn run(self, run: &Run) -> Result<Done> {
        let budget = Budget::usual()?;
        let (db, actor) = super::open_as_actor(run, Access::Write)?;
        let message = Message::read(&self.message_file, budget.cutoff())?;
        let mut target = self.recipient.named(&db, false)?;
        if target.host.is_none() {
            target.look()?;
        }
        target.objection()?;
        let mut object = super::write(&db, |db, now| {
            let mut args = target.args(&actor, &message);
            args.extend(super::seen_at(Some(now)));
            let id = record(db, &args)?;
            object::of(db, &actor, &id)
        })?;
        if let Some(send) = self.send_command(&object) {
            object["recovery"]["send"] = send.into();
        }
        Done::ok(object)
    }

    /// The command that sends what was prepared; none where the message came from standard input.
    fn send_command(&self, object: &Row) -> Option<String> {
        let id = object["handoff"]["correlation_id"].as_str()?;
        let file = std::path::absolute(expand(&self.message_file).ok()?).ok()?;
        let is_file = self.message_file.as_os_str() != "-";
        let mut words = vec!["handoff".to_owned(), "send".to_owned(), id.to_owned()];
        words.extend(self.recipient.words()?);
        words.extend(["--message-file".to_owned(), file.to_str()?.to_owned()]);
        is_file.then(|| progress().command(&words.iter().map(String::as_str).collect::<Vec<_>>()))
    }
}

/// Records a new handoff inside a transaction, after ending the details of those that are old; its id.
pub fn record(db: &Db, args: Args) -> Result<String> {
    // Looked at first, for an INSERT comes with all its rules.
    if db.row(sql::HANDOFF_OLD_GET, args)?.is_some_and(|row| row["is_there"] == true) {
        db.row(sql::HANDOFF_EXPIRE, args)?;
    }
    let row = db.row(sql::HANDOFF_PREPARE, args)?.unwrap_or_default();
    Ok(text(&row, "id").to_owned())
}
