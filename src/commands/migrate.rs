//! `htalk migrate`

use clap::Args;
use serde_json::json;

use super::Done;
use crate::config::Run;
use crate::db::{Access, schema_version};
use crate::error::Result;

/// Make a mailbox of an empty file, or upgrade the mailbox of an earlier release; a current one is left as it is.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk migrate")]
pub struct Migrate {}

impl Migrate {
    /// Prints the schema that the mailbox has then.
    pub fn run(self, run: &Run) -> Result<Done> {
        let db = run.open(Access::Fill)?;
        Done::ok(json!({
            "state": "ready",
            "schema_version": schema_version(),
            "resolved_path": db.path().to_string_lossy(),
        }))
    }
}
