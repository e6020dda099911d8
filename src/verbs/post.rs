//! A request or a note: saved first, then its recipient is told.

use uuid::Uuid;

use super::actor::Actor;
use super::body::Body;
use super::{id, message, notice, peers};
use crate::answer::Status;
use crate::call::Call;
use crate::error::{Error, Result};
use crate::mailbox::{Arg, Db, Row};
use crate::sql;

/// What is to be saved, besides its text.
pub struct Post<'a> {
    /// The id of the message.
    pub id: String,
    /// Whom it is for.
    pub recipient: &'a str,
    /// `request` or `note`.
    pub kind: &'static str,
    /// The message that it is about.
    pub about: Option<&'a str>,
    /// What is sent with it to others.
    pub batch: Option<&'a str>,
}

impl Post<'_> {
    /// Saves it within a transaction; false if it was saved before, word for word.
    ///
    /// # Errors
    /// What the rules say, with what is known about the case.
    pub fn insert(&self, db: &Db, actor: &Actor, body: &Body) -> Result<bool> {
        let args = [
            (":id", self.id.as_str().into()),
            (":actor", actor.name.as_str().into()),
            (":recipient", self.recipient.into()),
            (":kind", self.kind.into()),
            (":about", self.about.into()),
            (":batch", self.batch.into()),
            (":source", actor.source.into()),
            (":session", actor.session.as_deref().into()),
            (":body", Arg::Bytes(&body.bytes)),
        ];
        let saved = db.row(sql::MESSAGE_SEND, &args).map_err(|error| match error.code.as_str() {
            "unknown_peer" => peers::unknown(db, self.recipient),
            "peer_retired" => retired(db, [&actor.name, self.recipient], error),
            "message_id_conflict" => notice::about(db, actor, error, &self.id),
            _ => body.explain(error),
        })?;
        Ok(saved.is_some())
    }

    /// Saves it and tells its recipient, where that is wanted. Returns the message, with `created`, and how that ended.
    pub fn send(&self, call: &Call, db: &Db, actor: &Actor, body: &Body, is_told: bool) -> Result<(Row, Status)> {
        call.progress().message_id = Some(self.id.clone());
        let (created, mut answer) =
            db.write(|db| Ok((self.insert(db, actor, body)?, message::result(db, actor, &self.id)?)))?;
        call.progress().is_saved = true;
        let mut status = Status::Done;
        if created && is_told {
            let after_saving = |error| notice::after_saving(db, actor, error, &self.id);
            (answer, status) = notice::announce(call, db, actor, &self.id, answer).map_err(after_saving)?;
        }
        answer.insert("created".into(), created.into());
        Ok((answer, status))
    }
}

/// The id that an option gives to something new, in its stored form, or a random one.
///
/// # Errors
/// `invalid_uuid`: what is new has no id yet whose first digits could be looked up.
pub fn new_id(option: &str, spelling: Option<&str>) -> Result<String> {
    let Some(spelling) = spelling else { return Ok(Uuid::new_v4().to_string()) };
    id::uuid(spelling).map(|id| id.to_string()).ok_or_else(|| {
        Error::new("invalid_uuid")
            .with_detail(format!("{spelling:?}"))
            .with_next_action(format!("Give {option} a whole UUID that nothing else has, or leave it out."))
    })
}

/// The refusal of a message between these two, with the one that is retired.
fn retired(db: &Db, peers: [&str; 2], error: Error) -> Error {
    let is_retired = |name: &&str| {
        let peer = db.row(sql::PEER_GET, &[(":name", (*name).into())]).ok().flatten();
        peer.is_some_and(|peer| !peer["retired_at"].is_null())
    };
    match peers.into_iter().find(is_retired) {
        Some(name) => error.with_detail(format!("{name} is retired")).with_way("restore", &["peer", "restore", name]),
        None => error,
    }
}
