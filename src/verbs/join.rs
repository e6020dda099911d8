//! `htalk join [NAME]`

use clap::Args;
use nix::unistd::{User, geteuid};
use serde_json::{Map, Value};

use super::address::{Given, Stored};
use super::peer_add::{registration, with_holder};
use super::{Verb, actor, context, peer_move, peers};
use crate::answer::Answer;
use crate::call::{Call, Caller};
use crate::caller::Session;
use crate::clients::{self, Search};
use crate::error::{Error, Result};
use crate::mailbox::{Access, Db, Row};
use crate::sql;

/// How long a name may be that is made here, without what makes it free of collisions.
const NAME_LENGTH: usize = 40;

/// Take part from this session: register it under a name, or give the name to this session. It can be repeated.
///
/// In a session of Codex, Claude Code or OpenCode its address is found by itself. In an ordinary shell it makes a peer
/// that looks for its mail itself.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  htalk join\n  htalk join reviewer")]
pub struct Join {
    /// The name; else that which the session has, or a short one from the workspace and the client
    name: Option<String>,
}

impl Verb for Join {
    /// Answers the peer, and what was done: `registered`, `moved` or `unchanged`.
    fn run(self, call: &Call) -> Result<Answer> {
        let name = self.name.as_deref().or_else(|| call.named());
        let session = actor::sessions(call).into_iter().next();
        // A server can have several callers; who is none of them must not take part as the server's account.
        if session.is_none() && *call.caller() != Caller::OfProcess {
            return Err(Error::new("join_needs_a_session"));
        }
        let (harness, address) = match &session {
            Some(session) => (session.harness, address(call, session)?),
            None => ("shell", Stored::default()),
        };
        let delivery = if session.is_some() { "native" } else { "pull" };
        let joining = Joining { harness, delivery, address };
        // A refused name must not leave a new mailbox behind, nor fill an empty file.
        if call.mailbox()?.metadata().map_or(true, |file| file.len() == 0) {
            let name = name.map_or_else(|| joining.usual_name(), str::to_owned);
            Db::rehearsal(false)?.row(sql::PEER_ADD, &registration(&name, harness, delivery, &joining.address))?;
        }
        let db = call.open(Access::Create)?;
        let (mut peer, done) = joining.join(call, &db, name)?;
        call.progress().actor = Some(peer.text("name").to_owned());
        let words = match session.is_some() {
            true => "This session has this name now: others reach it by htalk send, and inbox shows its mail.",
            false => "Name yourself with --as or HTALK_PEER; inbox shows the mail, for nobody tells a shell of it.",
        };
        peer.insert("joined".into(), done.into());
        let inbox = Value::from_iter(["inbox"]);
        peer.insert("recovery".into(), Map::from_iter([("inbox".to_owned(), inbox)]).into());
        peer.insert("next_action".into(), words.into());
        Answer::done(peer)
    }
}

/// Whoever joins.
struct Joining {
    harness: &'static str,
    delivery: &'static str,
    address: Stored,
}

impl Joining {
    /// Gives the caller a name. Returns the peer, and what was done.
    fn join(&self, call: &Call, db: &Db, name: Option<&str>) -> Result<(Row, &'static str)> {
        let mut args = self.address.args();
        args.push((":harness", self.harness.into()));
        let holder = if self.delivery == "native" { db.row(sql::PEER_FIND, &args)? } else { None };
        if let Some(holder) = holder {
            if name.is_some_and(|name| name != holder.text("name")) {
                return Err(with_holder(Error::new("session_already_has_a_peer_name"), &holder));
            }
            return self.take(call, db, &holder);
        }
        let known = match name {
            Some(name) => db.row(sql::PEER_GET, &[(":name", name.into())])?,
            None if self.delivery == "pull" => {
                db.row(sql::PEER_GET, &[(":name", self.usual_name().as_str().into())])?
            }
            None => None,
        };
        match known {
            Some(known) if (known.text("harness"), known.text("delivery")) == (self.harness, self.delivery) => {
                self.take(call, db, &known)
            }
            // A peer that looks for itself has no session, so whoever calls under its name is it.
            Some(known) if known.text("delivery") == "pull" && self.delivery == "pull" => Ok((known, "unchanged")),
            Some(known) => Err(with_holder(Error::new("peer_already_has_a_different_address"), &known)),
            None => {
                let name = match name {
                    Some(name) => name.to_owned(),
                    None => self.free_name(db)?,
                };
                db.write(|db| db.row(sql::PEER_ADD, &registration(&name, self.harness, self.delivery, &self.address)))?;
                Ok((peers::known(db, &name)?, "registered"))
            }
        }
    }

    /// Takes a registered name for this session.
    fn take(&self, call: &Call, db: &Db, peer: &Row) -> Result<(Row, &'static str)> {
        if self.delivery == "pull" || self.address.is_of(peer) {
            return Ok((peer.clone(), "unchanged"));
        }
        Ok((peer_move::place(call, db, peer, &self.address, false)?, "moved"))
    }

    /// The name that is made where none is given: of the account, or of workspace and client.
    fn usual_name(&self) -> String {
        let from = match self.delivery {
            "pull" => User::from_uid(geteuid()).ok().flatten().map(|user| user.name).unwrap_or_default(),
            _ => {
                let workspace = self.address.workspace.as_deref().unwrap_or_default();
                let last = workspace.rsplit('/').next().unwrap_or_default();
                format!("{last}-{}", self.harness)
            }
        };
        let mut name = String::new();
        for character in from.chars().map(|character| character.to_ascii_lowercase()) {
            match character {
                'a'..='z' | '0'..='9' => name.push(character),
                _ if name.is_empty() || name.ends_with('-') => {}
                _ => name.push('-'),
            }
        }
        let short = name.char_indices().nth(NAME_LENGTH).map_or(name.len(), |(end, _)| end);
        let name = name[..short].trim_matches('-');
        if name.is_empty() { "me".to_owned() } else { name.to_owned() }
    }

    /// The usual name, with a number where others have it.
    fn free_name(&self, db: &Db) -> Result<String> {
        let usual = self.usual_name();
        let mut name = usual.clone();
        let mut number = 1;
        while db.row(sql::PEER_GET, &[(":name", name.as_str().into())])?.is_some() {
            number += 1;
            name = format!("{usual}-{number}");
        }
        Ok(name)
    }
}

/// Where a session is, as its client shows it; else its id, in the directory of this call.
fn address(call: &Call, session: &Session) -> Result<Stored> {
    let found = clients::client(session.harness).map(|client| client.discover(context(call), &Search::default()));
    let listed = found.unwrap_or_default().into_iter().flat_map(|found| found.sessions);
    let own = listed.into_iter().find(|listed| listed.get("session_id").is_some_and(|id| *id == session.id));
    let text = |key: &str| own.as_ref()?.get(key)?.as_str().map(str::to_owned);
    let given = Given {
        session: Some(session.id.clone()),
        workspace: Some(text("workspace").unwrap_or_else(|| ".".to_owned()).into()),
        home: text("home").map(Into::into),
        socket: text("socket").map(Into::into),
        url: text("url"),
    };
    Stored::of(call, given, session.harness, true)
}
