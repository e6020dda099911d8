//! `htalk peer discover`

use std::path::PathBuf;

use clap::Args;

use super::Done;

use crate::config::Run;

use crate::error::{Error, Result};

/// List the client sessions that could be registered. Nothing is started, woken or changed, and no mailbox is opened.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk peer discover --harness claude")]
pub struct PeerDiscover {
    /// Only sessions of this client
    #[arg(long, value_name = "H")]
    harness: Option<String>,
    /// Only sessions that work in this directory
    #[arg(long, value_name = "PATH")]
    workspace: Option<PathBuf>,
    /// The socket of a Codex app server to ask as well
    #[arg(long, value_name = "PATH")]
    codex_socket: Vec<PathBuf>,
    /// The URL of an OpenCode server to ask as well
    #[arg(long, value_name = "URL")]
    opencode_url: Vec<String>,
}

impl PeerDiscover {
    /// Prints the sessions and what each source covered.
    pub fn run(self, _run: &Run) -> Result<Done> {
        let covers = |harness: &str| self.harness.as_deref().is_none_or(|wanted| wanted == harness);
        if !["codex", "claude", "opencode"].iter().any(|harness| covers(harness)) {
            return Err(Error::new("unsupported_harness"));
        }
        if !self.codex_socket.is_empty() && !covers("codex") {
            return Err(Error::new("codex_socket_requires_codex_discovery"));
        }
        if !self.opencode_url.is_empty() && !covers("opencode") {
            return Err(Error::new("opencode_url_requires_opencode_discovery"));
        }
        Err(Error::new("adapter_unavailable"))
    }
}
