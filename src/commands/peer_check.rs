//! `htalk peer check NAME`

use clap::Args;
use serde_json::Map;

use super::{Done, notice};
use crate::clients;
use crate::config::{Run, known_peer, text};
use crate::error::{Error, Result};

/// Look whether a peer can be reached right now. Nothing is sent, started or changed.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk peer check reviewer")]
pub struct PeerCheck {
    /// Its name
    name: String,
}

impl PeerCheck {
    /// Prints the evidence found; a pull peer looks for itself and has none.
    pub fn run(self, run: &Run) -> Result<Done> {
        let peer = run.read(|db| known_peer(db, &self.name))?;
        let mut answer = Map::new();
        for key in ["name", "harness", "delivery", "session_id", "workspace", "retired_at"] {
            answer.insert(key.into(), peer[key].clone());
        }
        if text(&peer, "delivery") == "pull" {
            answer.insert("status".into(), "pull_only".into());
            return Done::ok(answer);
        }
        let Some(client) = clients::client(text(&peer, "harness")) else {
            return Err(Error::new("adapter_unavailable"));
        };
        let evidence = client.check(&notice::address(&peer)).map_err(|refusal| Error {
            code: refusal.code,
            detail: refusal.detail,
            facts: Map::new(),
        })?;
        answer.extend(evidence);
        Done::ok(answer)
    }
}
