//! `htalk peer retire NAME`

use clap::Args;

use super::{Verb, peers};
use crate::answer::Answer;
use crate::call::Call;
use crate::error::Result;

/// Take a peer out of all new requests.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk peer retire me")]
pub struct PeerRetire {
    /// Its name
    name: String,
}

impl Verb for PeerRetire {
    /// No new request goes to or from the peer; what was asked before can still be answered.
    fn run(self, call: &Call) -> Result<Answer> {
        peers::record(call, &self.name, "retired")
    }
}
