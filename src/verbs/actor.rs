//! Who is calling.

use super::peers::address;
use crate::call::{Call, Caller};
use crate::caller::{self, Session};
use crate::error::{Error, Result};
use crate::mailbox::{Db, Row};
use crate::sql;

/// The calling peer.
pub struct Actor {
    /// Its registered name.
    pub name: String,
    /// What named it: `option`, `HTALK_PEER` or `native_session`.
    pub source: &'static str,
    /// The session of a client that makes the call, where one is recognised. It need not be the actor's own.
    pub session: Option<String>,
}

impl Actor {
    /// The actor of a call: `--as`, else `HTALK_PEER`, else the peer registered for the calling client's session. It
    /// must be registered, and must not be the peer of another session of the calling client.
    ///
    /// One server can have several callers, so there a session comes before what the server was started with.
    pub fn of(call: &Call, db: &Db) -> Result<Actor> {
        let variable = call.environment().get("HTALK_PEER").map(|name| name.to_string_lossy().into_owned());
        let variable = variable.as_deref().map(|name| (name, "HTALK_PEER"));
        let option = |name| (name, "option");
        let (before, after) = match call.caller() {
            Caller::OfProcess => (call.named().map(option).or(variable), None),
            _ => (call.named().map(option), call.stand_in().map(option).or(variable)),
        };
        let sessions = sessions(call);
        let (peer, source) = match before {
            Some((name, source)) => (address(db, name)?, source),
            None => match (native(db, &sessions)?, after) {
                (Some(peer), _) => (peer, "native_session"),
                (None, Some((name, source))) => (address(db, name)?, source),
                (None, None) => return Err(Error::new("peer_required_use_as_or_HTALK_PEER")),
            },
        };
        guard(&sessions, &peer)?;
        let name = peer.text("name").to_owned();
        {
            let mut progress = call.progress();
            (progress.actor, progress.actor_source) = (Some(name.clone()), Some(source));
        }
        let session = sessions.into_iter().next().map(|session| session.id);
        Ok(Actor { name, source, session })
    }
}

/// The sessions of clients that make a call, the nearest first.
pub fn sessions(call: &Call) -> Vec<Session> {
    match call.caller() {
        Caller::Named { harness, id } => vec![Session { harness, id: id.clone() }],
        caller => caller::sessions(call.environment(), *caller == Caller::OfServer),
    }
}

/// The peer of the session that makes this call.
fn native(db: &Db, sessions: &[Session]) -> Result<Option<Row>> {
    for session in sessions {
        let args = [(":harness", session.harness.into()), (":session_id", session.id.as_str().into())];
        if let Some(peer) = db.row(sql::PEER_FIND, &args)? {
            return Ok(Some(peer));
        }
    }
    Ok(None)
}

/// Guards against answering in the name of another session of the same client: a mistake, not an attack.
fn guard(sessions: &[Session], peer: &Row) -> Result<()> {
    let code = match peer.text("harness") {
        "codex" => "actor_conflicts_with_CODEX_THREAD_ID",
        "claude" => "actor_conflicts_with_CLAUDE_CODE_SESSION_ID",
        _ => return Ok(()),
    };
    let registered = peer.text("session_id");
    match sessions.iter().find(|session| session.harness == peer.text("harness")).map(|session| &*session.id) {
        Some(current) if peer.text("delivery") == "native" && current != registered => Err(Error::new(code)
            .with_fact("registered_peer", peer.text("name"))
            .with_fact("registered_session_id", registered)
            .with_fact("current_session_id", current)),
        _ => Ok(()),
    }
}
