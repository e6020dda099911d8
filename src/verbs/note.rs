//! `htalk note PEER`, `htalk note --about ID`

use std::ffi::OsString;

use clap::Args;

use super::actor::Actor;
use super::id::Id;
use super::post::{Post, new_id};
use super::{Verb, body};
use crate::answer::Answer;
use crate::call::Call;
use crate::error::Result;
use crate::mailbox::{Access, Db};
use crate::sql;

/// Tell a peer something that needs no answer: progress, a remark. Its acknowledgment closes it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  htalk --as reviewer note --about 1f0c9d52 'Half of the tests pass.'\n  \
    htalk --as me note reviewer 'I push in an hour.'")]
pub struct Note {
    /// The peer to tell, where --about does not say it, and then the text; - is standard input
    #[arg(value_name = "PEER|TEXT", num_args = 0..=2)]
    words: Vec<OsString>,
    /// A message that the calling peer sent or received: the note goes to the other side of its conversation
    #[arg(long, value_name = "ID")]
    about: Option<String>,
    /// The id of the note: with it, repeating the command is safe
    #[arg(long, value_name = "UUID")]
    id: Option<String>,
    #[command(flatten)]
    source: body::Source,
    /// Save only; do not tell the recipient's client
    #[arg(long)]
    no_notify: bool,
}

impl Note {
    /// The recipient where it is named, and the text where it stands in the line.
    fn addressed(&self) -> (Option<&OsString>, Option<&OsString>) {
        match (self.words.as_slice(), self.about.is_some()) {
            ([], _) => (None, None),
            ([text], true) if !self.source.is_given() => (None, Some(text)),
            ([peer], _) => (Some(peer), None),
            ([peer, text, ..], _) => (Some(peer), Some(text)),
        }
    }
}

impl Verb for Note {
    /// It is known whom it is for, and there is a text.
    fn misuse(&self) -> Option<String> {
        match self.addressed() {
            (None, _) if self.about.is_none() => Some("name the peer to tell, or a message with --about".into()),
            (Some(_), _) if self.about.is_some() => {
                Some("--about says whom the note is for; name no peer beside it".into())
            }
            (_, text) => self.source.misuse(text),
        }
    }

    /// Saves the note and makes the one attempt to notify.
    fn run(self, call: &Call) -> Result<Answer> {
        let (peer, text) = self.addressed();
        let (peer, text) = (peer.map(|peer| peer.to_string_lossy().into_owned()), text.cloned());
        let id = new_id("--id", self.id.as_deref())?;
        let about = self.about.as_deref().map(Id::parse).transpose()?;
        let db = call.open(Access::Write)?;
        let actor = Actor::of(call, &db)?;
        let body = self.source.or(text).read(call)?;
        let about = about.map(|about| about.find(&db, &actor, "unknown_message")).transpose()?;
        let recipient = match &about {
            Some(about) => other_side(&db, &actor, about)?,
            None => peer.unwrap_or_default(),
        };
        let post = Post { id, recipient: &recipient, kind: "note", about: about.as_deref(), batch: None };
        let (answer, status) = post.send(call, &db, &actor, &body, !self.no_notify)?;
        Answer::ended(answer, status)
    }
}

/// The other side of a message's conversation. Whether the actor belongs to it the rules decide.
fn other_side(db: &Db, actor: &Actor, about: &str) -> Result<String> {
    let args = [(":id", about.into()), (":actor", actor.name.as_str().into())];
    Ok(db.row(sql::OTHER_SIDE_GET, &args)?.unwrap_or_default().text("name").to_owned())
}
