//! Who is calling.

use super::peers::known;
use crate::call::Call;
use crate::environment::Environment;
use crate::error::{Error, Result};
use crate::mailbox::{Db, Row};
use crate::{caller, sql};

/// The calling peer.
pub struct Actor {
    /// Its registered name.
    pub name: String,
    /// What named it: `option`, `HTALK_PEER` or `native_session`.
    pub source: &'static str,
}

impl Actor {
    /// The actor of a call: `--as`, else `HTALK_PEER`, else the peer registered for the calling client's session. It
    /// must be registered, and must not be the peer of another session of the calling client.
    pub fn of(call: &Call, db: &Db) -> Result<Actor> {
        let environment = call.environment();
        let variable = || Some((environment.get("HTALK_PEER")?.to_string_lossy().into_owned(), "HTALK_PEER"));
        let named = call.named().map(|name| (name.to_owned(), "option")).or_else(variable);
        let (peer, source) = match named {
            Some((name, source)) => (known(db, &name)?, source),
            None => (native(environment, db)?, "native_session"),
        };
        guard(environment, &peer)?;
        let name = peer.text("name").to_owned();
        call.progress().actor = Some(name.clone());
        Ok(Actor { name, source })
    }
}

/// The peer registered for the session that makes this call.
fn native(environment: &Environment, db: &Db) -> Result<Row> {
    let find = |harness: &str, session: &str| {
        db.row(sql::PEER_FIND, &[(":harness", harness.into()), (":session_id", session.into())])
    };
    if let Some(session) = caller::claude_session(environment)
        && let Some(peer) = find("claude", &session)?
    {
        return Ok(peer);
    }
    if let Some(session) = caller::codex_session(environment)
        && let Some(peer) = find("codex", &session)?
    {
        return Ok(peer);
    }
    Err(Error::new("peer_required_use_as_or_HTALK_PEER"))
}

/// Guards against answering in the name of another session of the same client: a mistake, not an attack.
fn guard(environment: &Environment, peer: &Row) -> Result<()> {
    let (current, code) = match peer.text("harness") {
        "codex" => (caller::codex_session(environment), "actor_conflicts_with_CODEX_THREAD_ID"),
        "claude" => (caller::claude_session(environment), "actor_conflicts_with_CLAUDE_CODE_SESSION_ID"),
        _ => return Ok(()),
    };
    let registered = peer.text("session_id");
    match current {
        Some(current) if peer.text("delivery") == "native" && current != registered => Err(Error::new(code)
            .with_fact("registered_peer", peer.text("name"))
            .with_fact("registered_session_id", registered)
            .with_fact("current_session_id", current)),
        _ => Ok(()),
    }
}
