//! `htalk peer check NAME`

use clap::Args;
use serde_json::Map;

use super::peers;
use super::{Verb, context, notice};
use crate::answer::Answer;
use crate::call::Call;
use crate::clients;
use crate::error::{Error, Result};

/// Look whether a peer can be reached right now. Nothing is sent, started or changed.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk peer check reviewer")]
pub struct PeerCheck {
    /// Its name
    name: String,
}

impl Verb for PeerCheck {
    /// Prints the evidence found; a pull peer looks for itself and has none.
    fn run(self, call: &Call) -> Result<Answer> {
        let peer = call.read(|db| peers::known(db, &self.name))?;
        let mut answer = Map::new();
        for key in ["name", "harness", "delivery", "session_id", "workspace", "retired_at"] {
            answer.insert(key.into(), peer[key].clone());
        }
        if peer.text("delivery") == "pull" {
            answer.insert("status".into(), "pull_only".into());
            return Answer::done(answer);
        }
        let Some(client) = clients::client(peer.text("harness")) else {
            return Err(Error::new("adapter_unavailable"));
        };
        let evidence = client
            .check(context(call), &notice::address(&peer))
            .map_err(|refusal| Error { detail: refusal.detail, ..Error::new(&refusal.code) })
            .map_err(|error| error.with_way("discover", &["peer", "discover", "--harness", peer.text("harness")]))?;
        answer.extend(evidence);
        Answer::done(answer)
    }
}
