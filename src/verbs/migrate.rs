//! `htalk migrate`

use clap::Args;
use serde_json::json;

use super::Verb;
use crate::answer::Answer;
use crate::call::Call;
use crate::error::Result;
use crate::mailbox::{Access, schema_version};

/// Make a mailbox of an empty file, or upgrade the mailbox of an earlier release; a current one is left as it is.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk migrate")]
pub struct Migrate {}

impl Verb for Migrate {
    /// Prints the schema that the mailbox has then.
    fn run(self, call: &Call) -> Result<Answer> {
        let db = call.open(Access::CreateInEmpty)?;
        Answer::done(json!({
            "state": "ready",
            "schema_version": schema_version(),
            "resolved_path": db.path().to_string_lossy(),
        }))
    }
}
