//! `htalk peer list`

use clap::Args;
use serde_json::json;

use super::Verb;
use crate::answer::Answer;
use crate::call::Call;
use crate::error::Result;
use crate::sql;

/// List the registered peers by name.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk peer list --all")]
pub struct PeerList {
    /// Retired peers too
    #[arg(long)]
    all: bool,
}

impl Verb for PeerList {
    /// Prints the peers, and how many retired ones are left out.
    fn run(self, call: &Call) -> Result<Answer> {
        Answer::done(call.read(|db| {
            let peers = db.rows(sql::PEER_LIST, &[(":all", i64::from(self.all).into())])?;
            let mut answer = json!({ "peers": peers });
            if !self.all {
                let count = db.row(sql::PEER_COUNT_RETIRED, &[])?.unwrap_or_default();
                answer["retired_hidden"] = count["retired"].clone();
            }
            Ok(answer)
        })?)
    }
}
