//! The ledger of handoffs in the mailbox: opening it, and the clock that decides the order of its events.

use std::rc::Rc;

use uuid::Uuid;

use crate::call::Call;
use crate::error::{Error, Result};
use crate::mailbox::{self, Access, Arg, Db};
use crate::platform::clock::Moment;
use crate::sql;
use crate::verbs::actor::Actor;
use crate::verbs::id::Id;

/// Opens a mailbox that nobody else can read or write and that has the ledger.
pub fn open(call: &Call, access: Access) -> Result<Rc<Db>> {
    mailbox::require_private(call.mailbox()?)?;
    let db = call.open(access)?;
    if db.has_handoffs()? { Ok(db) } else { Err(no_ledger()) }
}

/// The error of a mailbox without the ledger.
pub fn no_ledger() -> Error {
    Error::new("handoff_history_unavailable")
        .with_detail("this mailbox has no ledger of handoffs yet")
        .with_next_action("Begin it once with htalk handoff init. Nothing was sent.")
}

/// The same, and who is calling.
pub fn open_as_actor(call: &Call, access: Access) -> Result<(Rc<Db>, Actor)> {
    let db = open(call, access)?;
    let actor = Actor::of(call, &db)?;
    Ok((db, actor))
}

/// Runs `work` in one transaction, with the time taken after the write lock was: a call that had to wait for another
/// writer is later than that writer, however early it was made.
pub fn write<T>(db: &Db, work: impl FnOnce(&Db, &Moment) -> Result<T>) -> Result<T> {
    db.write(|db| work(db, &now()?))
}

/// The present, by the clock that decides.
pub fn now() -> Result<Moment> {
    Moment::now().ok_or_else(|| Error::new("handoff_clock_unavailable"))
}

/// A handoff and a moment, as parameters.
pub fn at<'a>(id: &'a str, moment: &'a Moment) -> [(&'static str, Arg<'a>); 3] {
    let [boot, ns] = seen_at(Some(moment));
    [(":id", id.into()), boot, ns]
}

/// The moment of a look, as parameters. Without a clock there is still something to see, but nothing is told to be
/// over.
pub fn seen_at(moment: Option<&Moment>) -> [(&'static str, Arg<'_>); 2] {
    [
        (":boot", moment.map(|moment| moment.boot.as_str()).into()),
        (":now_ns", moment.map_or(Arg::Null, |moment| moment.ns.into())),
    ]
}

/// The id of a handoff, as the ledger writes it.
pub fn correlation_id(text: &str) -> Result<String> {
    let refuse = || {
        Error::new("invalid_correlation_id")
            .with_detail("the id, 36 characters in lower case; status and wait take its first 8 digits or more")
    };
    is_id(text).then(|| text.to_owned()).ok_or_else(refuse)
}

/// What names a handoff that is only looked at: its id, or the beginning of it.
pub enum Name {
    /// The whole id.
    Whole(String),
    /// Its first digits.
    Prefix(Id),
}

impl Name {
    /// Reads an id as the ledger writes it, or at least the first 8 digits of one.
    ///
    /// # Errors
    /// `invalid_correlation_id`
    pub fn parse(text: &str) -> Result<Name> {
        match Id::parse(text) {
            Ok(prefix @ Id::Prefix(_)) if !text.contains(|digit: char| digit.is_ascii_uppercase()) => {
                Ok(Name::Prefix(prefix))
            }
            _ => correlation_id(text).map(Name::Whole),
        }
    }

    /// The id: a beginning stands for the only one of the actor's handoffs, sent or got, that begins so.
    ///
    /// # Errors
    /// `ambiguous_message_id`, `handoff_id_unknown`
    pub fn find(&self, db: &Db, actor: &Actor) -> Result<String> {
        match self {
            Name::Whole(id) => Ok(id.clone()),
            Name::Prefix(prefix) => prefix.find_in(sql::HANDOFF_FIND, db, actor, "handoff_id_unknown"),
        }
    }
}

/// Whether a text is a UUID of version 4 in lower case.
pub fn is_id(text: &str) -> bool {
    Uuid::try_parse(text).is_ok_and(|id| id.get_version_num() == 4 && id.hyphenated().to_string() == text)
}
