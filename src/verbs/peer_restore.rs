//! `htalk peer restore NAME`

use clap::Args;

use super::{Verb, peers};
use crate::answer::Answer;
use crate::call::Call;
use crate::error::Result;

/// Bring a retired peer back.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk peer restore me")]
pub struct PeerRestore {
    /// Its name
    name: String,
}

impl Verb for PeerRestore {
    /// The peer takes part again.
    fn run(self, call: &Call) -> Result<Answer> {
        peers::record(call, &self.name, "restored")
    }
}
