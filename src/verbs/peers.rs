//! Peers by their names.

use crate::answer::Answer;
use crate::call::Call;
use crate::error::{Error, Result};
use crate::mailbox::{Access, Db, Row};
use crate::sql;

/// How alike two names must be to be offered for each other: 1 is the same, 0 has nothing in common.
const LIKENESS: f64 = 0.75;

/// How many names are offered at most.
const OFFERED: usize = 5;

/// A registered peer, or `unknown_peer` with the names that come close.
pub fn known(db: &Db, name: &str) -> Result<Row> {
    match db.row(sql::PEER_GET, &[(":name", name.into())])? {
        Some(peer) => Ok(peer),
        None => Err(unknown(db, name)),
    }
}

/// `unknown_peer` for a name, with the registered names that come close to it.
pub fn unknown(db: &Db, name: &str) -> Error {
    let peers = db.rows(sql::PEER_LIST, &[(":all", 0.into())]).unwrap_or_default();
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
    Error::new("unknown_peer").with_detail(format!("no peer is named {name:?}")).with_fact("nearest", near)
}

/// Records that a peer was `retired` or `restored`, and answers the peer.
pub fn record(call: &Call, name: &str, action: &str) -> Result<Answer> {
    let db = call.open(Access::Write)?;
    known(&db, name)?;
    db.write(|db| db.row(sql::PEER_RETIRE, &[(":name", name.into()), (":action", action.into())]))?;
    Answer::done(known(&db, name)?)
}
