//! `htalk show ID`

use clap::Args;
use serde_json::{Map, Value};

use super::actor::Actor;
use super::id::Id;
use super::number::{Typed, whole};
use super::page::{List, Messages};
use super::{Verb, message};
use crate::answer::Answer;
use crate::call::Call;
use crate::error::{Error, Result};
use crate::mailbox::Db;
use crate::sql;

/// Print one message that the calling peer sent or received, or its whole conversation. Reading changes nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  htalk --as me show 1f0c9d52\n  htalk --as me show 1f0c9d52 --thread")]
pub struct Show {
    /// The message id, or at least its first 8 hexadecimal digits
    id: String,
    /// All messages of its conversation, oldest first
    #[arg(long)]
    thread: bool,
    /// Of the conversation only messages with a higher sequence number
    #[arg(long, value_name = "N", value_parser = whole, allow_negative_numbers = true, requires = "thread")]
    after_seq: Option<Typed<i64>>,
    #[command(flatten)]
    size: Messages,
}

impl Verb for Show {
    /// One message has no pages.
    fn misuse(&self) -> Option<String> {
        let is_for_many = !self.thread && !self.size.is_usual();
        is_for_many.then(|| "--limit, --max-bytes and --summary go with --thread".into())
    }

    /// Prints the message, or a page of its conversation.
    fn run(self, call: &Call) -> Result<Answer> {
        let id = Id::parse(&self.id)?;
        self.size.require(self.after_seq.as_ref())?;
        let answer = call.read(|db| {
            let actor = Actor::of(call, db)?;
            let id = id.find(db, &actor, "unknown_message")?;
            let Some(stored) = db.row(sql::MESSAGE_GET, &[(":id", id.as_str().into())])? else {
                return Err(Error::new("unknown_message"));
            };
            if ![stored.text("sender"), stored.text("recipient")].contains(&actor.name.as_str()) {
                return Err(Error::new("message_not_addressed_to_peer"));
            }
            if self.thread {
                return self.conversation(call, db, &actor, &id);
            }
            Ok(message::result(db, &actor, &id)?.into())
        });
        Answer::done(answer?)
    }
}

impl Show {
    fn conversation(&self, call: &Call, db: &Db, actor: &Actor, id: &str) -> Result<Map<String, Value>> {
        let found = db.row(sql::THREAD_GET, &[(":id", id.into())])?.unwrap_or_default();
        let list = List {
            words: &["show", id, "--thread", "--after-seq"],
            start: 0,
            args: &[(":root", found.number("root").into())],
            list: sql::THREAD_LIST,
            count: sql::THREAD_COUNT,
            nothing: "The conversation has no message from here on.",
            something: "Run ack_after_reading of each message that was read; htalk note --about and htalk send \
                --about go on with the conversation.",
        };
        self.size.fill(call, db, actor, &list, self.after_seq.as_ref())
    }
}
