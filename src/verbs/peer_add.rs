//! `htalk peer add NAME`

use std::path::PathBuf;

use clap::Args;

use super::address::{Given, Stored};
use super::{Verb, peers};
use crate::answer::Answer;
use crate::call::Call;
use crate::error::{Error, Result};
use crate::mailbox::{Access, Arg, Db, Row};
use crate::{clients, sql};

/// Record the address of a peer. No client is touched, notified or started. The first peer makes the mailbox.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  htalk peer add me --harness shell --delivery pull\n  \
    htalk peer add reviewer --harness codex --session 01a228b7-58fc-7e62-8f5a-f369cc0e706b --workspace .")]
pub struct PeerAdd {
    /// 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or a digit
    name: String,
    /// codex, claude or opencode; any label for a pull peer
    #[arg(long, value_name = "LABEL")]
    harness: String,
    /// The client's id of the session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The directory in which the session works
    #[arg(long, value_name = "PATH")]
    workspace: Option<PathBuf>,
    /// The client's configuration directory, where it is not the usual one (codex, claude)
    #[arg(long, value_name = "PATH")]
    home: Option<PathBuf>,
    /// The socket of a Codex app server
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
    /// The URL of an OpenCode server; http://127.0.0.1:4096 where none is named
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// native: the client is told of new mail; pull: the peer looks for itself
    #[arg(long, default_value = "native", value_name = "native|pull")]
    delivery: String,
}

impl Verb for PeerAdd {
    /// A native peer has a session and a workspace.
    fn misuse(&self) -> Option<String> {
        let is_client = clients::client(&self.harness).is_some();
        if !is_client || self.delivery != "native" {
            return None;
        }
        let given = [("--session <ID>", self.session.is_some()), ("--workspace <PATH>", self.workspace.is_some())];
        let missing: Vec<_> = given.iter().filter(|(_, is_given)| !is_given).map(|(option, _)| *option).collect();
        let tail = "(a peer that looks for itself has --delivery pull)";
        let words = format!("a native peer needs {} {tail}", missing.join(" and "));
        (!missing.is_empty()).then_some(words)
    }

    /// Registers the peer; an identical registration answers the same.
    fn run(self, call: &Call) -> Result<Answer> {
        let given = Given {
            session: self.session,
            workspace: self.workspace,
            home: self.home,
            socket: self.socket,
            url: self.url,
        };
        let address = Stored::of(call, given, &self.harness, self.delivery == "native")?;
        let peer = registration(&self.name, &self.harness, &self.delivery, &address);
        // A refused registration must not leave a new mailbox behind, nor fill an empty file.
        if call.mailbox()?.metadata().map_or(true, |file| file.len() == 0) {
            Db::rehearsal(false)?.row(sql::PEER_ADD, &peer)?;
        }
        let db = call.open(Access::Create)?;
        if let Err(error) = db.write(|db| db.row(sql::PEER_ADD, &peer)) {
            let holder = match error.code.as_str() {
                "peer_already_has_a_different_address" => db.row(sql::PEER_GET, &peer),
                "session_already_has_a_peer_name" => db.row(sql::PEER_FIND, &peer),
                _ => return Err(error),
            };
            let holder = holder.ok().flatten().unwrap_or_default();
            let is_same = [("name", &self.name), ("harness", &self.harness), ("delivery", &self.delivery)]
                .into_iter()
                .all(|(column, wanted)| holder.text(column) == wanted)
                && address.is_of(&holder);
            if !is_same {
                return Err(with_holder(error, &holder));
            }
        }
        let mut peer = peers::known(&db, &self.name)?;
        // A mailbox whose name was misspelt is made all the same: where nobody else is in it, the answer says its path.
        if db.row(sql::PEER_COUNT, &[(":all", 1.into()), (":after", "".into())])?.unwrap_or_default()["total"] == 1 {
            let words = "This is the only peer of this mailbox. If others were expected, check --db and HTALK_DB.";
            peer.insert("resolved_path".into(), call.mailbox()?.to_string_lossy().into());
            peer.insert("next_action".into(), words.into());
        }
        Answer::done(peer)
    }
}

/// What registers a peer, as parameters of a statement.
pub fn registration<'a>(
    name: &'a str,
    harness: &'a str,
    delivery: &'a str,
    address: &'a Stored,
) -> Vec<(&'static str, Arg<'a>)> {
    let mut args = address.args();
    args.extend([(":name", name.into()), (":harness", harness.into()), (":delivery", delivery.into())]);
    args
}

/// A conflict about a name or a session, with the peer that has it.
pub fn with_holder(error: Error, holder: &Row) -> Error {
    error
        .with_fact("registered_peer", holder["name"].clone())
        .with_fact("registered_session_id", holder["session_id"].clone())
}
