//! `htalk peer move NAME`

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::address::{Given, Stored};
use super::peer_add::with_holder;
use super::{Verb, context, notice, peers};
use crate::answer::Answer;
use crate::call::Call;
use crate::clients;
use crate::error::{Error, Result};
use crate::mailbox::{Access, Db, Row};
use crate::sql;

/// Record where a peer is now: another session, workspace, socket or server. Its name, its mail and its past stay.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  htalk peer move reviewer --session 01a228b7-58fc-7e62-8f5a-f369cc0e706b\n  \
    htalk peer move builder --url http://127.0.0.1:4100")]
pub struct PeerMove {
    /// Its name
    name: String,
    /// The client's id of the session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The directory in which the session works
    #[arg(long, value_name = "PATH")]
    workspace: Option<OsString>,
    /// The client's configuration directory; an empty value: the usual one
    #[arg(long, value_name = "PATH")]
    home: Option<OsString>,
    /// The socket of a Codex app server; an empty value: none
    #[arg(long, value_name = "PATH")]
    socket: Option<OsString>,
    /// The URL of an OpenCode server; an empty value: the usual one
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Give the name to another session although the former one seems to run
    #[arg(long)]
    even_if_alive: bool,
}

impl Verb for PeerMove {
    /// Something has changed.
    fn misuse(&self) -> Option<String> {
        let is_given = self.session.is_some()
            || self.workspace.is_some()
            || self.home.is_some()
            || self.socket.is_some()
            || self.url.is_some();
        (!is_given).then(|| "say what has changed: --session, --workspace, --home, --socket or --url".into())
    }

    /// Adds an address, filled in from the present one; an identical one changes nothing.
    fn run(self, call: &Call) -> Result<Answer> {
        let db = call.open(Access::Write)?;
        let peer = peers::known(&db, &self.name)?;
        let present = Stored::of_peer(&peer);
        let path = |given: Option<OsString>, present: &Option<String>| {
            given.or_else(|| present.clone().map(OsString::from)).filter(|path| !path.is_empty()).map(PathBuf::from)
        };
        let given = Given {
            session: self.session.or_else(|| present.session.clone()),
            workspace: path(self.workspace, &present.workspace),
            home: path(self.home, &present.home),
            socket: path(self.socket, &present.socket),
            url: self.url.or_else(|| present.url.clone()).filter(|url| !url.is_empty()),
        };
        let wanted = Stored::of(call, given, peer.text("harness"), peer.text("delivery") == "native")?;
        Answer::done(place(call, &db, &peer, &wanted, self.even_if_alive)?)
    }
}

/// Records the present address of a peer. Another session gets the name only where the former one is gone, or in any
/// case.
///
/// # Errors
/// `former_session_is_alive`, and what the rules refuse.
pub fn place(call: &Call, db: &Db, peer: &Row, wanted: &Stored, even_if_alive: bool) -> Result<Row> {
    let is_other_session = wanted.session.as_deref() != peer["session_id"].as_str();
    if is_other_session && !even_if_alive && peer.text("delivery") == "native" {
        require_gone(call, peer)?;
    }
    let mut args = wanted.args();
    args.extend([(":name", peer.text("name").into()), (":harness", peer.text("harness").into())]);
    db.write(|db| db.row(sql::PEER_MOVE, &args)).map_err(|error| match error.code.as_str() {
        "session_already_has_a_peer_name" => {
            with_holder(error, &db.row(sql::PEER_FIND, &args).ok().flatten().unwrap_or_default())
        }
        "peer_retired" => error.with_way("restore", &["peer", "restore", peer.text("name")]),
        _ => error,
    })?;
    peers::known(db, peer.text("name"))
}

/// Whether the session of a peer has ended, as far as its client shows.
///
/// # Errors
/// `former_session_is_alive`: it runs, or can't be seen from here.
fn require_gone(call: &Call, peer: &Row) -> Result<()> {
    let Some(client) = clients::client(peer.text("harness")) else { return Ok(()) };
    let seen = client.check(context(call), &notice::address(peer));
    let words = match &seen {
        Ok(evidence) if evidence.get("runtime_status").is_some_and(|status| status == "not_loaded") => return Ok(()),
        Ok(_) => "it runs".to_owned(),
        Err(refusal) if refusal.code == "cannot_be_seen_from_this_sandbox" => "it can not be seen from here".to_owned(),
        // No record, directory or server: it is gone.
        Err(_) => return Ok(()),
    };
    let detail = format!("the session of {} is {}: {words}", peer.text("name"), peer.text("session_id"));
    Err(Error::new("former_session_is_alive").with_detail(detail))
}
