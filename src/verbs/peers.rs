//! Peers by their names.

use crate::answer::Answer;
use crate::call::Call;
use crate::error::{Error, Result};
use crate::mailbox::{Access, Arg, Db, Row};
use crate::{codes, sql};

/// How alike two names must be to be offered for each other: 1 is the same, 0 has nothing in common.
const LIKENESS: f64 = 0.75;

/// How many names are offered at most.
const OFFERED: usize = 5;

/// A registered peer, or `unknown_peer` with the names that come close.
pub fn known(db: &Db, name: &str) -> Result<Row> {
    db.row(sql::PEER_GET, &[(":name", name.into())])?.ok_or_else(|| unknown(db, name))
}

/// The address of a registered peer, or the same refusal.
pub fn address(db: &Db, name: &str) -> Result<Row> {
    db.row(sql::ADDRESS_GET, &[(":name", name.into())])?.ok_or_else(|| unknown(db, name))
}

/// `unknown_peer` for a name, with the registered names that come close to it.
pub fn unknown(db: &Db, name: &str) -> Error {
    let peers = db.rows(sql::PEER_NAMES, &[]).unwrap_or_default();
    let wanted = name.trim().to_lowercase();
    let mut near: Vec<(f64, &str)> = peers
        .iter()
        .map(|peer| peer.text("name"))
        .map(|candidate| (strsim::jaro_winkler(&wanted, candidate), candidate))
        .filter(|(likeness, candidate)| *likeness > LIKENESS || candidate.starts_with(&wanted) && !wanted.is_empty())
        .collect();
    near.sort_by(|left, right| right.0.total_cmp(&left.0));
    near.truncate(OFFERED);
    let near: Vec<&str> = near.into_iter().map(|(_, candidate)| candidate).collect();
    let next_action = match (misnamed(name), near.is_empty()) {
        (Some(rule), _) => Some(format!("No peer can have this name. {rule}")),
        (None, false) => Some("Repeat with one of the names in nearest, or look at all with peers.".to_owned()),
        (None, true) => None,
    };
    let error = Error::new("unknown_peer").with_detail(format!("no peer is named {name:?}")).with_fact("nearest", near);
    Error { next_action, ..error }
}

/// The rule for names, where one of this form can't be registered: an empty mailbox in memory is asked.
fn misnamed(name: &str) -> Option<String> {
    let rules = Db::rehearsal(false).ok()?;
    let refused = rules.row(sql::PEER_ADD, &pull(name)).err().filter(|error| error.is("invalid_peer_name"))?;
    codes::row(&refused.code, Some(&rules)).map(|row| row.meaning.into_owned())
}

/// A registration under a name that is refused for nothing but the name.
fn pull(name: &str) -> [(&'static str, Arg<'_>); 8] {
    let [session, workspace, home, socket, url] =
        [":session_id", ":workspace", ":home", ":socket", ":url"].map(|part| (part, Arg::Null));
    let (label, delivery) = ((":harness", "shell".into()), (":delivery", "pull".into()));
    [(":name", name.into()), label, delivery, session, workspace, home, socket, url]
}

/// Records that a peer was `retired` or `restored`, and answers the peer.
pub fn record(call: &Call, name: &str, action: &str) -> Result<Answer> {
    let db = call.open(Access::Write)?;
    known(&db, name)?;
    db.write(|db| db.row(sql::PEER_RETIRE, &[(":name", name.into()), (":action", action.into())]))?;
    Answer::done(known(&db, name)?)
}
